"""What one locale has of its own: its words, its formats, and the templates that are written in it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from jinja2 import Template

from assistant.prompts.acknowledgement import AcknowledgementWords
from assistant.prompts.filters import Filters
from assistant.prompts.language import language
from assistant.prompts.sandbox import Sandbox
from assistant.prompts.voice import Voice
from assistant.prompts.words import Words

DEFAULT_LOCALE = "en"
"""What is spoken where a locale has nothing of its own; its files are complete."""

_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """One locale's own. ``templates`` go by the prompt's file name, such as "apology.j2"; some may be missing."""

    locale: str
    voice: Voice
    words: Words
    filters: Filters
    sandbox: Sandbox
    acknowledgement: AcknowledgementWords | None
    templates: Mapping[str, Template]


def nearest(by_locale: Mapping[str, _Found], locale: str) -> _Found:
    """What this locale ("de-AT") has, or its language, or else English."""
    found = by_locale.get(locale)
    return found if found is not None else next(by_locale[one] for one in chain(locale) if one in by_locale)


def chain(locale: str) -> Iterator[str]:
    """The locales to look in, the nearest first.

    >>> list(chain("de_AT"))
    ['de-AT', 'de', 'en']
    """
    yield from dict.fromkeys((locale.replace("_", "-"), language(locale), DEFAULT_LOCALE))


def file_in(name: str, locale: str) -> str:
    """A prompt's file in a locale.

    >>> file_in("apology.j2", "de"), file_in("apology.j2", "en")
    ('apology.de.j2', 'apology.j2')
    """
    return name if locale == DEFAULT_LOCALE else f"{name.removesuffix('.j2')}.{locale}.j2"

"""What a locale leaves to English, for whoever is translating it."""

from collections.abc import Mapping

from assistant.prompts.book import PromptBook
from assistant.prompts.catalogue import PROMPTS
from assistant.prompts.compiled import ACKNOWLEDGEMENT
from assistant.prompts.offline import ENGLISH_ONLY
from assistant.prompts.prompt import Utterance
from assistant.prompts.spoken import DEFAULT_LOCALE, file_in

TRANSLATED = (
    ACKNOWLEDGEMENT,
    *(one.template for one in PROMPTS if issubclass(one, Utterance) and one not in ENGLISH_ONLY),
)
"""The files that a language needs one of its own of, by their English names."""


def untranslated(book: PromptBook) -> Mapping[str, tuple[str, ...]]:
    """What is missing, by locale: files, and the voice's part. A complete locale has an empty tuple.

    A region ("de-AT") may leave everything to its language; English is always complete.
    """
    return {
        locale: tuple(_missing(book, locale))
        for locale in book.locales
        if locale != DEFAULT_LOCALE and not _has_language(book, locale)
    }


def _missing(book: PromptBook, locale: str) -> list[str]:
    files = [name for english in TRANSLATED if (name := file_in(english, locale)) not in book.sources]
    voice = [] if locale in book.voice.locales else [f"voice.toml: [locales.{locale}]"]
    return [*files, *voice]


def _has_language(book: PromptBook, locale: str) -> bool:
    parent, _, region = locale.partition("-")
    return bool(region) and parent in book.locales

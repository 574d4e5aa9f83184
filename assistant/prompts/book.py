"""All prompts of one version: compiled, checked and immutable. An edit makes another book."""

import hashlib
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType

from assistant.conversation.values import Json
from assistant.language.sanitize import fold_whitespace
from assistant.prompts.acknowledgement import AcknowledgementWords
from assistant.prompts.compiler import (
    ACKNOWLEDGEMENT_TEMPLATE,
    PROMPTS,
    SHARED,
    LocalePrompts,
    compile_prompts,
)
from assistant.prompts.folder import display_path, read_prompts
from assistant.prompts.locale import (
    DEFAULT_LOCALE,
    for_nearest_locale,
    language,
    language_name,
    language_of,
    locale_chain,
    localized_file,
    one_per_language,
)
from assistant.prompts.prompt import Instruction, Prompt, Utterance
from assistant.prompts.sandbox import Sandbox, render_template
from assistant.prompts.utterances import ENGLISH_ONLY, OfflineForeign
from assistant.prompts.voice import Voice
from assistant.prompts.words import Words
from assistant.shipped import shipped

LATE = "late"
"""The name of the block in a template whose content changes from request to request."""

_KEPT_RENDERS = 512


class PromptBook:
    """The prompts of one folder at one time. Make one with :meth:`load`; it is immutable.

    Attributes:
        bundle: a hash of the content, 16 hex digits. Equal texts give an equal bundle on each machine.
        sources: each file's text, by its path in the folder.
    """

    __slots__ = (
        "_acknowledgements",
        "_known_languages",
        "_languages",
        "_remembered",
        "_remembered_parts",
        "_spoken",
        "bundle",
        "sources",
    )

    def __init__(self, sources: Mapping[str, str], folder: str = "prompts") -> None:
        """Check and compile these texts. ``folder`` is the name of their folder in errors."""
        self.sources: Mapping[str, str] = MappingProxyType(dict(sources))
        self.bundle = _hash(self.sources)
        self._spoken: Mapping[str, LocalePrompts] = compile_prompts(self.sources, folder)
        self._acknowledgements = {
            name: each.acknowledgement for name, each in self._spoken.items() if each.acknowledgement
        }
        self._languages = one_per_language({name: each.words.language for name, each in self._spoken.items()})
        self._known_languages = frozenset(map(language, self._spoken))
        # Cached: equal inputs give equal texts, and most requests of a day have the same instructions.
        self._remembered = lru_cache(maxsize=_KEPT_RENDERS)(self._render)
        self._remembered_parts = lru_cache(maxsize=_KEPT_RENDERS)(self._parts)

    @classmethod
    def load(cls, folder: Path) -> "PromptBook":
        """Read and check a folder's ``*.j2`` and ``*.toml`` files, including those in ``locales/``.

        Missing files come from the package: see :func:`assistant.prompts.folder.read_prompts`. Raises
        ``DeclarationError`` ("prompts/models/narrator.j2:7: what; cure") for the first mistake.
        """
        return cls(read_prompts(folder), display_path(folder))

    @property
    def voice(self) -> Voice:
        """The company's voice. ``voice.in_locale`` greets in another language."""
        return self._spoken[DEFAULT_LOCALE].voice

    def voice_in(self, locale: str) -> Voice:
        """Returns the company's voice in a locale, or else the default greeting and disclosure of the
        language.
        """
        own = self.voice.in_locale(locale)
        return own if own is not self.voice else for_nearest_locale(self._spoken, locale).voice

    def file_in(self, english: str, locale: str) -> str | None:
        """Returns this locale's version of an English file: the locale's own file, or the shared file.
        Returns None if there is neither.
        """
        own, shared = localized_file(english, locale), localized_file(english, SHARED)
        if own in self.sources:
            return own
        return shared if self.words(locale).sentences is not None and shared in self.sources else None

    @property
    def locales(self) -> tuple[str, ...]:
        """The locales that have texts, English first."""
        return tuple(self._spoken)

    def locale_for(self, said: str | None, otherwise: str) -> str:
        """Returns the locale of a page if there are texts for its language; otherwise ``otherwise``."""
        return said if said and language(said) in self._known_languages else otherwise

    def sandbox_in(self, locale: str) -> Sandbox:
        """Returns the sandbox for tools' narrations, with the formats of this locale, of its language, or
        else of English.
        """
        return for_nearest_locale(self._spoken, locale).sandbox

    def render(self, prompt: Prompt, locale: str = DEFAULT_LOCALE) -> str:
        """Returns the prompt's text. Raises ``PromptError`` if its template and these values do not match.

        ``locale`` applies to texts for customers, which are in this locale, in its language, or else in
        English. Texts for models are always in English.
        """
        return self._remembered(prompt, self.spoken(prompt.template, locale))

    def parted(self, prompt: Instruction) -> tuple[str, str]:
        """Returns the prompt's text in two parts: before its block ``late``, and from this block on.

        A missing part is "".

        Joined they are the text of :meth:`render`, whose errors it also raises.
        """
        return self._remembered_parts(prompt)

    def parted_once(self, prompt: Instruction) -> tuple[str, str]:
        """Returns the same as :meth:`parted`, without caching, for a long text that is used only once."""
        return self._parts(prompt)

    def spoken(self, template: str, locale: str) -> str:
        """Returns the locale of the file that is used for this template ("customers/en/apology.j2") and
        locale.
        """
        return next(
            known
            for known in locale_chain(locale)
            if known in self._spoken and template in self._spoken[known].templates
        )

    def acknowledgement(self, locale: str) -> AcknowledgementWords:
        """Returns the acknowledgement's words in this locale ("en-GB"), in its language, or else in English."""
        return for_nearest_locale(self._acknowledgements, locale)

    def words(self, locale: str) -> Words:
        """Returns the word lists of rules, in this locale, in its language, or else in English."""
        return for_nearest_locale(self._spoken, locale).words

    def language_of(self, text: str, otherwise: str, page: str | None = None) -> str:
        """Returns the locale of a customer's message; see :func:`assistant.prompts.locale.language_of`."""
        return language_of(text, self._languages, otherwise, page)

    def plain(self, value: Json, locale: str = DEFAULT_LOCALE) -> str:
        """Returns a result as readable text, for results without a narration."""
        return for_nearest_locale(self._spoken, locale).filters.plain(value)

    def _render(self, prompt: Prompt, locale: str) -> str:
        text = render_template(self._spoken[locale].templates[prompt.template], _values(prompt))
        return fold_whitespace(text) if isinstance(prompt, Utterance) else text.strip()

    def _parts(self, prompt: Instruction) -> tuple[str, str]:
        template = self._spoken[DEFAULT_LOCALE].templates[prompt.template]
        whole = self._render(prompt, DEFAULT_LOCALE)
        late = render_template(template, _values(prompt), LATE).strip() if LATE in template.blocks else ""
        if not late:
            return whole, ""
        before = whole.rpartition(late)[0]
        return before.rstrip(), whole[len(before) :]


def _values(prompt: Prompt) -> dict[str, object]:
    return {name: getattr(prompt, name) for name in prompt.__dataclass_fields__}


def _hash(sources: Mapping[str, str]) -> str:
    digest = hashlib.sha256()
    for name, text in sorted(sources.items()):
        # With the lengths, files that differ only in where one ends and the next begins give different
        # hashes.
        digest.update(f"{len(name)} {len(text)} {name} {text}".encode())
    return digest.hexdigest()[:16]


@cache
def shipped_book() -> PromptBook:
    """Returns the prompts of the package, loaded once."""
    return PromptBook.load(shipped("prompts"))


TRANSLATED = (
    ACKNOWLEDGEMENT_TEMPLATE,
    *(one.template for one in PROMPTS if issubclass(one, Utterance) and one not in ENGLISH_ONLY),
)
"""The English names of the files that a complete language must translate."""


def untranslated(book: PromptBook) -> Mapping[str, tuple[str, ...]]:
    """Returns the missing files, and the missing part of the voice, by locale.

    A complete locale has an empty tuple.

    A region ("de-AT") may use all texts of its language; English is always complete.
    """
    return {
        locale: tuple(_missing(book, locale))
        for locale in book.locales
        if locale != DEFAULT_LOCALE and not _has_language(book, locale)
    }


def _missing(book: PromptBook, locale: str) -> list[str]:
    if book.words(locale).sentences is not None:
        return []
    files = [name for english in TRANSLATED if (name := localized_file(english, locale)) not in book.sources]
    voice = [] if locale in book.voice.locales else [f"voice.toml: [locales.{locale}]"]
    return [*files, *voice]


def _has_language(book: PromptBook, locale: str) -> bool:
    parent, _, region = locale.partition("-")
    return bool(region) and parent in book.locales


def english_only_notice(book: PromptBook, text: str) -> str:
    """Returns a text that says that only English is understood, in the message's language and in English, or
    "" for an English message.
    """
    locale = book.language_of(text, DEFAULT_LOCALE)
    if language(locale) == DEFAULT_LOCALE:
        return ""
    return book.render(OfflineForeign(language=language_name(locale)), locale)

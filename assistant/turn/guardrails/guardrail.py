"""The interface of all guardrails: each suppresses sentences of a model, and records which.

A guardrail reads sentences, so it works in some languages only. :data:`GUARDRAILS` declares which; in the
others it is silent.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from assistant.conversation.entries import GuardrailName
from assistant.language.reader import READ_LANGUAGES
from assistant.prompts.book import PromptBook
from assistant.prompts.locale import language


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A sentence that was not shown to the customer."""

    text: str


class SentenceGuardrail(Protocol):
    """A filter for one message: text goes in as it streams, what may be shown comes out."""

    @property
    def withheld(self) -> Sequence[Suppressed]:
        """The sentences suppressed so far, in order; it only grows."""
        ...

    @property
    def refused(self) -> str:
        """After closing: the text about which the model must be asked again; "" if there is none."""
        ...

    def push(self, text: str) -> str:
        """Add text; returns what may be shown now, perhaps nothing."""
        ...

    def close(self) -> str:
        """End the text; returns the held text that may be shown."""
        ...


@dataclass(frozen=True, slots=True)
class NamedGuardrail:
    """A guardrail with its name in the log."""

    name: GuardrailName
    guardrail: SentenceGuardrail


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a guardrail suppresses, and where it works.

    ``needs`` describes what a locale must have for it; ``works_in`` tells whether this locale has it.
    """

    suppresses: str
    needs: str
    works_in: Callable[[PromptBook, str], bool]


GUARDRAILS = MappingProxyType[GuardrailName, Declaration](
    {
        "claims": Declaration(
            "deeds that no tool did, and promises that no tool keeps",
            "`[deeds]` in the locale's file",
            lambda book, locale: bool(book.words(locale).deeds.acts),
        ),
        "repetition": Declaration(
            "sentences that only say again what was announced",
            "`[repetition]` in the locale's file",
            lambda book, locale: bool(book.words(locale).repetition.looking),
        ),
        "facts": Declaration(
            "amounts, dates, times, numbers and names that are stated nowhere",
            "values that can be read: English and German",
            lambda _book, locale: language(locale) in READ_LANGUAGES,
        ),
    }
)


def works_in(name: GuardrailName, book: PromptBook, locale: str) -> bool:
    """Whether a guardrail works in the spoken language; a language without texts is answered in English."""
    return GUARDRAILS[name].works_in(book, book.locale_for(locale, "en"))

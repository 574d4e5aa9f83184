"""The interface of all guardrails: each suppresses sentences of a model, and says which."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from assistant.conversation.entries import GuardrailName


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
        """After closing: the text for which the model must be asked again, "" for none."""
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

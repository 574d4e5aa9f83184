"""What every guardrail does: it keeps sentences of a model back, and tells which."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from assistant.conversation.entries import GuardrailName


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A sentence that the customer was not shown."""

    text: str


class SentenceGuardrail(Protocol):
    """A filter for one message: text goes in as it streams, what may be shown comes out."""

    @property
    def withheld(self) -> Sequence[Suppressed]:
        """What was kept back so far, in its order; it only grows."""
        ...

    @property
    def refused(self) -> str:
        """Once it is closed: the words for which the model must be asked again, "" for none."""
        ...

    def push(self, text: str) -> str:
        """Take some more text; give back what may be shown now, perhaps nothing."""
        ...

    def close(self) -> str:
        """There is no more text: give back what was held and may be shown."""
        ...


@dataclass(frozen=True, slots=True)
class NamedGuardrail:
    """A guardrail under the name that it has in the log."""

    name: GuardrailName
    guardrail: SentenceGuardrail

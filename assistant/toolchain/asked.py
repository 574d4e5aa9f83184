"""What is read of a model's text while it comes: that a call begins, what it asks, or why it cannot be read."""

from dataclasses import dataclass, field
from typing import TypeAlias

from assistant.conversation.values import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Named:
    """A call begins, and its tool is known.

    ``number`` counts the calls of the text, from 0. ``id`` is what the text calls it, as far as that is known.
    """

    number: int
    tool: str
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A call that is complete. ``id`` is what the text calls it, "" where it does not."""

    number: int
    tool: str
    arguments: JsonObject = field(default_factory=dict[str, Json])
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """Something that was meant as a call, and cannot be read as one.

    ``tool`` is "" where not even that is known; ``problem`` says what is wrong with it, ``where`` near which
    line and column of the call, both from 1; ``text`` is the call, as it was written.
    """

    number: int
    tool: str
    problem: str
    where: tuple[int, int]
    text: str

    @property
    def for_model(self) -> str:
        """What a model needs in order to write it better."""
        line, column = self.where
        shown = self.text if len(self.text) <= _SHOWN else f"{self.text[:_SHOWN]}..."
        return f"{self.problem} (line {line}, column {column}): {shown}"


Read: TypeAlias = Named | Asked | Unreadable

_SHOWN = 400

"""What a model is given of a conversation: neutral messages, valid for every provider by construction.

A call is always followed by its result; parallel calls stand together. Formatters turn a view into a
provider's own request.
"""

from dataclasses import dataclass, field, replace
from typing import TypeAlias

from assistant.conversation.calls import Call
from assistant.conversation.chunks import Opaque
from assistant.conversation.media import Media
from assistant.conversation.outcomes import Standing


@dataclass(frozen=True, slots=True)
class FromCustomer:
    """The customer said this; or it is told in their place, for who knows no other, with ``media`` beside it."""

    text: str
    media: tuple[Media, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class FromAssistant:
    """The assistant said ``text`` ("" for nothing) and asked for ``calls`` (maybe none).

    Where there are calls, the next message is a :class:`FromTools` with one outcome for each, in order. ``opaque``
    is what providers want back beside these calls, in the order in which it came.
    """

    text: str
    calls: tuple[Call, ...] = ()
    opaque: tuple[Opaque, ...] = ()


@dataclass(frozen=True, slots=True)
class FromTools:
    """How the calls in the message before stand, in their order: most have their outcome."""

    outcomes: tuple[Standing, ...]


ViewMessage: TypeAlias = FromCustomer | FromAssistant | FromTools


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class TurnView:
    """One turn's messages. Compared by identity, so that a formatter can remember its work on a finished turn."""

    messages: tuple[ViewMessage, ...]


@dataclass(frozen=True, slots=True)
class View:
    """Everything one request to a model tells it: instructions first, then the turns, oldest first.

    ``late`` are instructions, too, and stand last of all: what changes from one request to the next, so that
    all that stands before it can be the beginning of the next request as well, which providers remember. They
    are the house's own words, with everybody else's fenced in. Nobody else is ever given that place: whatever
    looks like it and is followed by something was written by somebody else.
    """

    system: str
    turns: tuple[TurnView, ...]
    late: str = ""

    @property
    def messages(self) -> tuple[ViewMessage, ...]:
        """All turns' messages in one row."""
        return tuple(message for turn in self.turns for message in turn.messages)

    @property
    def instructions(self) -> str:
        """All that the house tells the model, what stands late last: for whoever has but one place for it."""
        return "\n\n".join(filter(None, (self.system, self.late)))

    def without_oldest(self, count: int) -> "View":
        """The same with so many of the oldest turns left out, whole; the last turn always stays.

        What is left is what a conversation that began there would show: no call loses its result.
        """
        first = min(max(count, 0), max(len(self.turns) - 1, 0))
        return replace(self, turns=self.turns[first:])

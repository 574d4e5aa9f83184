"""What a model is given of a conversation: neutral messages, valid for every provider by construction.

A call is always followed by its result; parallel calls stand together. Formatters turn a view into a
provider's own request.
"""

from dataclasses import dataclass
from typing import TypeAlias

from assistant.conversation.calls import Call
from assistant.conversation.chunks import Opaque
from assistant.conversation.outcomes import Standing


@dataclass(frozen=True, slots=True)
class FromCustomer:
    """The customer said this."""

    text: str


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
    """Everything one request to a model tells it: instructions first, then the turns, oldest first."""

    system: str
    turns: tuple[TurnView, ...]

    @property
    def messages(self) -> tuple[ViewMessage, ...]:
        """All turns' messages in one row."""
        return tuple(message for turn in self.turns for message in turn.messages)

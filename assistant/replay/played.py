"""What came of a cassette that was played."""

from dataclasses import dataclass
from functools import cached_property

from assistant.conversation.entries import Logged
from assistant.conversation.state import ConversationState
from assistant.conversation.values import JsonObject


@dataclass(frozen=True, slots=True)
class Heard:
    """A frame that the client was sent, ``at_ms`` after the conversation began."""

    at_ms: int
    frame: JsonObject


@dataclass(frozen=True)
class Played:
    """A conversation that was held. The cassette's n-th message is the one with the client's id ``m<n>``.

    Args:
        began_ms: the Unix time at which it began; entries carry Unix times.
        frames: what the client was sent, in order. A welcome stands in it without its token.
        entries: the log.
        unscripted: where the conversation and the cassette part: what was asked for and is not there, and
            what was not used up; a line each.
        bundle: the prompts and tools that it ran on.
    """

    began_ms: int
    frames: tuple[Heard, ...]
    entries: tuple[Logged, ...]
    unscripted: tuple[str, ...] = ()
    bundle: str = ""

    @cached_property
    def state(self) -> ConversationState:
        """The fold of the log: ``state.turns[i]`` is the i-th turn."""
        return ConversationState(self.entries)

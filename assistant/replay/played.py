"""The result of a replay: the log, the frames, the scene of each message, and the differences from the
script.

It also finds how far a spoken message was heard, from the last heard words.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from assistant.conversation.entries import Logged
from assistant.conversation.state import ConversationState
from assistant.conversation.turn_state import TurnState
from assistant.conversation.values import JsonObject
from assistant.testing.scene import scene_of


@dataclass(frozen=True, slots=True)
class ReceivedFrame:
    """A frame that the client received, ``at_ms`` after the beginning of the conversation."""

    at_ms: int
    frame: JsonObject


@dataclass(frozen=True)
class Played:
    """A replayed conversation. The cassette's n-th message has the client id ``m<n>``.

    Args:
        began_ms: the Unix time of the beginning; entries have Unix times.
        frames: the frames that the client received, in order. A welcome has no token here.
        entries: the log.
        unscripted: differences from the cassette: requests without a reply or run, and unused replies and
            runs; one line each.
        bundle: the hash of the prompts and tools of the replay.
    """

    began_ms: int
    frames: tuple[ReceivedFrame, ...]
    entries: tuple[Logged, ...]
    unscripted: tuple[str, ...] = ()
    bundle: str = ""

    @cached_property
    def state(self) -> ConversationState:
        """The state according to the log: ``state.turns[i]`` is the i-th turn."""
        return ConversationState(self.entries)


def scenes_of(state: ConversationState) -> dict[str, str]:
    """Returns the scene of each message that has a turn, by the message's client id, with its late results."""
    scenes: dict[str, list[str]] = {}
    for turn in state.turns:
        scenes.setdefault(turn.message.client_message_id, []).append(scene_of(turn))
    return {client_id: "\n".join(filter(None, each)) for client_id, each in scenes.items()}


_WORD = re.compile(r"\S+")
_FEWEST = 3
"""The number of words that identify a position, if that many were heard."""


def heard_up_to(turns: Sequence[TurnState], words: str, number: int | None = None) -> tuple[str, int] | None:
    """Returns the id of the message with these words, and the number of its characters up to the end of the
    words.

    Empty words mean that nothing was heard. Returns None if no message contains the words.
    """
    said = [message for turn in turns for message in turn.messages]
    meant = reversed(said) if number is None else said[number - 1 : number]
    for message in meant:
        place = message.text.find(words)
        if place >= 0:
            return message.id, place + len(words)
    return None


def words_up_to(turns: Sequence[TurnState], message_id: str, up_to: int) -> tuple[str, int | None]:
    """Returns the fewest last words from which ``heard_up_to`` finds this position in a message of these
    turns.

    Returns:
        The words, and the number of the message that contains them; None means the newest message.
    """
    said = [message for turn in turns for message in turn.messages]
    number = next(place for place, message in enumerate(said, start=1) if message.id == message_id)
    heard = said[number - 1].text[:up_to]
    starts = [word.start() for word in _WORD.finditer(heard)][:-_FEWEST] or [0]
    for meant in (None, number):
        for words in (*(heard[start:] for start in reversed(starts)), heard):
            if heard_up_to(turns, words, meant) == (message_id, len(heard)):
                return words, meant
    raise AssertionError("all that was heard is found in its own message")


class Mismatches:
    """Requests without a reply or run, unused replies and runs, and events that could not happen.

    ``turn_now`` returns the number of the running turn, from 1.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.turn_now: Callable[[], int] = lambda: 0

    def add(self, text: str, turn: int | None = None) -> None:
        """Add a line about a turn. The default is the running turn."""
        self.lines.append(f"turn {self.turn_now() if turn is None else turn}: {text}")

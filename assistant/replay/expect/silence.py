"""``silence_ms``: the longest time in which the customer is shown nothing new."""

from collections.abc import Iterator
from itertools import pairwise

from assistant.conversation.entries import CallEnded, CallStarted, ConfirmationAsked, MessageText, TurnEnded
from assistant.replay.complaint import Complaint
from assistant.replay.expect.held import PlayedTurn
from assistant.replay.expect.part import Part
from assistant.replay.expect.phrases import ms

_SHOWN = (MessageText, CallStarted, CallEnded, ConfirmationAsked, TurnEnded)


def silence(part: Part) -> Iterator[Complaint]:
    """Complain of the longest silence between a customer's message and its turn's end, if it is too long."""
    longest_ms = part.expect.silence_ms
    silences = [gap for turn in part.turns for gap in _silences(turn, part.held.played.began_ms)]
    worst_ms, since_ms = max(silences, default=(0, 0))
    if longest_ms is not None and worst_ms > longest_ms:
        found = f"{ms(worst_ms)}, from {ms(since_ms)} on"
        expected = f"something new every {ms(longest_ms)}"
        yield part.complaint("silence_ms", expected=expected, found=found, at_ms=since_ms)


def _silences(turn: PlayedTurn, began_ms: int) -> list[tuple[int, int]]:
    """How long each lasted, and since when."""
    shown = [logged.at_ms - began_ms for logged in turn.entries if isinstance(logged.entry, _SHOWN)]
    until_ms = turn.ended_ms if turn.ended_ms is not None else max(shown, default=turn.said_ms)
    moments = [turn.said_ms, *(moment for moment in shown if moment <= until_ms)]
    return [(later - earlier, earlier) for earlier, later in pairwise(moments)]

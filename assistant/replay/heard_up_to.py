"""How far a message was heard, told by the last words that were."""

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from assistant.conversation.said_message import SaidMessage
from assistant.conversation.turn_state import TurnState

HeardWords: TypeAlias = tuple[str, int | None]
"""The last words that were heard, and whose they are: the nth message of the turns, or None for the newest."""

_WORD = re.compile(r"\S+")
_FEWEST = 3
"""Words by which a place is told, where that many were heard."""


def heard_up_to(turns: Sequence[TurnState], words: str, number: int | None = None) -> tuple[str, int] | None:
    """Whose words they are, a message's id, and how many of its characters end with them.

    No words: nothing of it was heard. None where no such words were said.
    """
    said = _said(turns)
    meant = reversed(said) if number is None else said[number - 1 : number]
    for message in meant:
        place = message.text.find(words)
        if place >= 0:
            return message.id, place + len(words)
    return None


def words_up_to(turns: Sequence[TurnState], message_id: str, up_to: int) -> HeardWords:
    """The fewest last words by which ``heard_up_to`` finds this place of a message of these turns."""
    said = _said(turns)
    number = next(place for place, message in enumerate(said, start=1) if message.id == message_id)
    heard = said[number - 1].text[:up_to]
    for meant in (None, number):
        for words in _endings(heard):
            if heard_up_to(turns, words, meant) == (message_id, len(heard)):
                return words, meant
    raise AssertionError("all that was heard is found in its own message")


def _endings(heard: str) -> Iterator[str]:
    starts = [word.start() for word in _WORD.finditer(heard)][:-_FEWEST] or [0]
    yield from (heard[start:] for start in reversed(starts))
    yield heard


def _said(turns: Sequence[TurnState]) -> list[SaidMessage]:
    return [message for turn in turns for message in turn.messages]

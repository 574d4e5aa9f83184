"""What a check reports: one difference, worded alike by all checks."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from assistant.conversation.turn_state import AssistantMessage
from assistant.conversation.values import MessageKind

Place: TypeAlias = tuple[str | int, ...]
"""Where something stands in a cassette's file, from the top: ``("turns", 0, "expect", "hears", 1)``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """One difference between what was expected and what came.

    Args:
        turn: the turn's number from 1; 0: the conversation as a whole.
        check: the expectation's or the check's name, as it stands in the file ("hears", "grounded"); or
            "script", "order" and "frames", which are always checked.
        expected: what should have been; it may have several lines.
        found: what was.
        at_ms: when, after the conversation began; None where there is no moment.
        seq: the entry of the log with which it began, where it is about a message, a call or an entry: two things
            may come in the same millisecond.
        place: where the expectation stands in the file; for a check that does not stand there, the turn.
    """

    turn: int
    check: str
    expected: str
    found: str
    at_ms: int | None = None
    seq: int | None = None
    place: Place = ()

    def __str__(self) -> str:
        """A line for logs; :func:`assistant.replay.checks.rendering.marked` has the one for people."""
        where = f"turn {self.turn}" if self.turn else "the conversation"
        when = f" at {self.at_ms:,} ms" if self.at_ms is not None else ""
        return f"{where}{when}: {self.check}: expected {self.expected}; found {self.found}"


def quoted(text: str) -> str:
    """A text in quotation marks.

    >>> quoted("You owe $10.")
    '"You owe $10."'
    """
    return f'"{text}"'


def listed(texts: Iterable[str], otherwise: str = "none") -> str:
    """Several things in a row.

    >>> listed(["a", "b"]), listed([])
    ('a, b', 'none')
    """
    return ", ".join(texts) or otherwise


def ms(number: int) -> str:
    """A time.

    >>> ms(12345)
    '12,345 ms'
    """
    return f"{number:,} ms"


def a_kind(kind: MessageKind | None) -> str:
    """A message of this kind.

    >>> a_kind("acknowledgement"), a_kind("status"), a_kind(None)
    ('an acknowledgement', 'a status', 'a message')
    """
    match kind:
        case "acknowledgement":
            return "an acknowledgement"
        case "status" | "response":
            return f"a {kind}"
        case None:
            return "a message"


def the_message(message: AssistantMessage) -> str:
    """A message that was said."""
    cut = ", interrupted" if message.interrupted else ""
    return f"the {message.kind or 'unfinished message'} {quoted(message.text)}{cut}"


def contains(text: str, words: str) -> bool:
    """Whether the words stand in the text.

    >>> contains("You're booked for Tuesday.", "TUESDAY")
    True
    """
    return words.casefold() in text.casefold()


def matches(text: str, pattern: str) -> bool:
    r"""Whether a regular expression finds something in the text.

    >>> matches("You owe $10.", r"owe \$\d+")
    True
    """
    return re.search(pattern, text, re.IGNORECASE) is not None

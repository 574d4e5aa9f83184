"""What a conversation cannot have yet, why, and what to write instead."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refused:
    """Keys that mean something the assistant does not do yet."""

    keys: tuple[str, ...]
    why: str
    instead: str


_VOICE = ("audio", "heard_ms", "voice", "speech")
TABLE = (
    Refused(
        _VOICE,
        "sound is not kept, only what was said and heard of it",
        'write spoken: true, and heard_up_to: "the last words that were heard"',
    ),
    Refused(
        ("human", "person", "desk"),
        "what people of the company do stands among meanwhile",
        "write people: {} at the top, and {accepts: Maja, at_ms: 5000} in the turn's meanwhile",
    ),
    Refused(
        ("late", "told_later"),
        "that a result is late follows from its time",
        "write the tool's after_ms, and limits: {tools_s: 5} for how long a turn waits",
    ),
    Refused(
        ("delayed", "waiting"),
        "what is said while a tool takes long follows from its time",
        "write the tool's after_ms, and expect hears: [{kind: status}] or silence_ms",
    ),
    Refused(
        ("summary", "memory", "documents"),
        "nothing is remembered beyond the conversation yet",
        "write the turns that it should know of",
    ),
    Refused(
        ("attachments", "media"), "a message is a text and nothing else yet", "write what it says as text"
    ),
)

REFUSED: Mapping[str, Refused] = {key: row for row in TABLE for key in row.keys}


def refusal(key: str) -> str:
    """The reason and the cure for one of these keys, as one clause.

    >>> refusal("memory")
    'nothing is remembered beyond the conversation yet; write the turns that it should know of'
    """
    row = REFUSED[key]
    return f"{row.why}; {row.instead}"

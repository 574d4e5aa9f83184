"""What a conversation cannot have yet, why, and what to write instead."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refused:
    """Keys that mean something the assistant does not do yet."""

    keys: tuple[str, ...]
    why: str
    instead: str


_VOICE = ("spoken", "audio", "heard_ms", "heard_up_to", "voice", "speech")
TABLE = (
    Refused(_VOICE, "there is no voice yet", "write barge_in_ms, or a stop among meanwhile"),
    Refused(("handoff", "human"), "nobody can be handed over to yet", "leave it out"),
    Refused(
        ("late", "told_later"),
        "a result that comes after its turn is kept, but not told yet",
        "write the tool's after_ms, and expect the turn's answer without it",
    ),
    Refused(
        ("delayed", "waiting"),
        "nothing is said while a tool takes long yet",
        "write the tool's after_ms, and silence_ms for the longest silence",
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

    >>> refusal("human")
    'nobody can be handed over to yet; leave it out'
    """
    row = REFUSED[key]
    return f"{row.why}; {row.instead}"

"""A conversation's entries as a text with times, for tests about the order of events."""

from collections.abc import Sequence

from assistant.conversation.entries import (
    CallEnded,
    CallStarted,
    Entry,
    Logged,
    MessageClosed,
    MessageText,
    TurnEnded,
)
from assistant.conversation.outcomes import outcome_name


def timeline(batches: Sequence[Sequence[Logged]]) -> str:
    """What was published, a line each: seconds since the first entry, and what happened."""
    entries = [logged for batch in batches for logged in batch]
    began_ms = entries[0].at_ms
    lines = [(logged.at_ms - began_ms, _told(logged.entry)) for logged in entries]
    return "\n".join(f"{ms / 1000:.1f} {told}" for ms, told in lines if told)


def _told(entry: Entry) -> str:
    match entry:
        case MessageText(text=text):
            return f'"{text}"'
        case MessageClosed(kind=kind, interrupted=interrupted):
            return f"({kind}{', interrupted' if interrupted else ''})"
        case CallStarted(tool=tool):
            return f"{tool} starts"
        case CallEnded(outcome=outcome):
            return f"{outcome.call.tool} {outcome_name(outcome)}"
        case TurnEnded(how=how):
            return how
        case _:
            return ""

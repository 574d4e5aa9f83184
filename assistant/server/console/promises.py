"""By when people have promised to answer a conversation, or to settle it. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from assistant.conversation.values import Json
from assistant.policies.escalation import PRIORITIES, Escalation
from assistant.prompts.voice import Hours
from assistant.server.console.inbox_rows import InboxRow

PromiseKind: TypeAlias = Literal["first_response", "resolution"]


@dataclass(frozen=True, slots=True)
class Due:
    """What is due, and at which Unix time in ms."""

    kind: PromiseKind
    at_ms: int

    def wire(self) -> dict[str, Json]:
        """It as pages see it."""
        return {"kind": self.kind, "at": self.at_ms}


def due_of(row: InboxRow, escalation: Escalation, hours: Hours | None, now: datetime) -> Due | None:
    """What is due next for a conversation that waits for a person, or that one has; None if nothing is.

    The time counts from the request for a person, within the opening hours. ``now`` gives the time zone.
    """
    if row.state not in ("waiting", "taken", "ticket") or not row.asked_ms:
        return None
    promise = escalation.promise_for(row.routed.team if row.routed is not None else "", row.priority)
    if promise is None:
        return None
    times: dict[PromiseKind, int | None] = {
        "first_response": None if row.answered else promise.first_response_min,
        "resolution": promise.resolution_min,
    }
    asked = datetime.fromtimestamp(row.asked_ms / 1000, now.tzinfo)
    for kind, minutes in times.items():
        if minutes is not None:
            due = after_open_minutes(hours, asked, minutes)
            return Due(kind, round(due.timestamp() * 1000)) if due is not None else None
    return None


def after_open_minutes(hours: Hours | None, start: datetime, minutes: float) -> datetime | None:
    """The time at which this many minutes have passed within the opening hours. None: they never open.

    >>> from datetime import UTC, time
    >>> hours = Hours(week=(*(((time(9), time(17)),),) * 5, (), ()))
    >>> str(after_open_minutes(hours, datetime(2026, 11, 27, 16, 50, tzinfo=UTC), 30))  # a Friday
    '2026-11-30 09:20:00+00:00'
    """
    return start + timedelta(minutes=minutes) if hours is None else hours.after(start, minutes)


def urgency(row: InboxRow, due: Due | None) -> tuple[float, int, bool, int]:
    """The order of the list: what is due first, then the priority, then tickets last, then who waits longest."""
    due_ms = float(due.at_ms) if due is not None else float("inf")
    return due_ms, PRIORITIES.index(row.priority), row.state == "ticket", row.since_ms

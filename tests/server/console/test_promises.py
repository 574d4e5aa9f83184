"""When a promise is due: within the opening hours, in the company's time zone."""

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from assistant.conversation.customer import ConversationKey
from assistant.conversation.staff_entries import HandoffRouted, Priority
from assistant.policies.escalation import Escalation, Promise
from assistant.prompts.voice import Hours
from assistant.server.console.inbox_rows import InboxRow, RowState
from assistant.server.console.promises import due_of, urgency
from tests.support.rows import check_rows

OSLO = ZoneInfo("Europe/Oslo")
DAY = ((time(9), time(12)), (time(13), time(18)))
HOURS = Hours(week=(*(DAY,) * 5, (), ()), closed=frozenset((date(2026, 12, 25),)))
PROMISES = Escalation(
    promises=(
        Promise(team="billing", priority="urgent", first_response_min=5, resolution_min=60),
        Promise(team="sales", resolution_min=60),
        Promise(first_response_min=30),
    )
)


def row(
    asked: str,
    state: RowState = "waiting",
    team: str = "",
    priority: Priority = "normal",
    *,
    answered: bool = False,
) -> InboxRow:
    """A conversation for which a person was asked at this time in Oslo."""
    asked_ms = round(datetime.fromisoformat(asked).replace(tzinfo=OSLO).timestamp() * 1000)
    routed = HandoffRouted(handoff_id="h1", team=team, priority=priority)
    key = ConversationKey(tenant="t", customer="c", conversation="k")
    return InboxRow(
        key=key, state=state, asked_ms=asked_ms, since_ms=asked_ms, routed=routed, answered=answered
    )


def due(one: InboxRow) -> str | None:
    """What is due, and when, by the clock in Oslo."""
    found = due_of(one, PROMISES, HOURS, datetime(2026, 11, 27, tzinfo=OSLO))
    if found is None:
        return None
    return f"{found.kind} {datetime.fromtimestamp(found.at_ms / 1000, OSLO):%a %d %H:%M}"


@check_rows(
    ("asked", "expected"),
    [
        ("2026-11-27 10:00", "first_response Fri 27 10:30"),
        ("2026-11-27 11:45", "first_response Fri 27 13:15"),
        ("2026-11-27 17:50", "first_response Mon 30 09:20"),
        ("2026-11-28 12:00", "first_response Mon 30 09:30"),
        ("2026-11-27 06:00", "first_response Fri 27 09:30"),
        ("2026-12-24 17:45", "first_response Mon 28 09:15"),
    ],
)
def test_minutes_pass_within_the_opening_hours_only(asked: str, expected: str) -> None:
    assert due(row(asked)) == expected


def test_the_first_promise_that_fits_counts() -> None:
    at = "2026-11-27 10:00"
    urgent = row(at, team="billing", priority="urgent")

    assert due(urgent) == "first_response Fri 27 10:05"
    assert due(row(at, "taken", "billing", "urgent", answered=True)) == "resolution Fri 27 11:00"
    assert due(row(at, team="billing")) == "first_response Fri 27 10:30"
    assert due(row(at, team="sales")) == "resolution Fri 27 11:00"
    assert due(row(at, "taken", answered=True)) is None
    assert due(row(at, "assistant")) is None


def test_without_opening_hours_each_minute_counts() -> None:
    found = due_of(row("2026-11-28 23:45"), PROMISES, None, datetime(2026, 11, 27, tzinfo=UTC))

    assert found is not None
    assert found.at_ms == row("2026-11-29 00:15").asked_ms


def test_a_company_that_never_opens_keeps_no_promise() -> None:
    never = Hours(week=((),) * 7)

    assert due_of(row("2026-11-27 10:00"), PROMISES, never, datetime(2026, 11, 27, tzinfo=UTC)) is None


def test_the_list_begins_with_what_is_due_first() -> None:
    rows = {
        "due later": row("2026-11-27 10:00", team="billing"),
        "no promise, but urgent": row("2026-11-27 09:00", "taken", priority="urgent", answered=True),
        "no promise": row("2026-11-27 09:00", "taken", answered=True),
        "due first": row("2026-11-27 10:00", team="billing", priority="urgent"),
    }
    now = datetime(2026, 11, 27, tzinfo=UTC)

    order = sorted(rows, key=lambda name: urgency(rows[name], due_of(rows[name], PROMISES, HOURS, now)))

    assert order == ["due first", "due later", "no promise, but urgent", "no promise"]

"""The demo's data: made at the first use, not shared, and never changed twice by one call."""

import asyncio
import doctest
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.conversation.customer import Customer
from assistant.conversation.values import Json
from assistant.errors import ToolError
from assistant.tools.registry import Tools
from tests.demo_tools.conftest import SATURDAY, Counter
from tools import _calendar, _crm, _demo

CUSTOMERS = ("demo", "bo", "cleo", "dora")
OWNED = {"appointments": "customer", "invoices": "customer", "orders": "customer", "customers": "id"}
READS = ("list_upcoming_appointments", "get_open_invoices", "get_order_status")


def appointments_of(path: Path, day: datetime) -> list[str]:
    _crm.use(path, day)
    with _crm.reading() as db:
        return [one.starts for one in _calendar.upcoming(db, "demo", day)]


@pytest.mark.parametrize("ahead", range(7))
def test_there_is_always_one_next_tuesday_and_one_on_a_friday(tmp_path: Path, ahead: int) -> None:
    today = SATURDAY + timedelta(days=ahead)

    first, second = (datetime.fromisoformat(one) for one in appointments_of(tmp_path / "crm.db", today))

    assert 1 <= (first.date() - today.date()).days <= 7
    assert f"{first:%A %H}" == "Tuesday 14"
    assert f"{second:%A}" == "Friday"
    assert second - first > timedelta(days=7)


async def test_a_change_is_visible_to_the_next_process(ana: Counter) -> None:
    await ana.value("cancel_appointment", day="2026-11-24")

    _crm._opened.clear()

    assert "November 24" not in await ana.hears("list_upcoming_appointments")


async def test_outdated_demo_data_is_made_again(ana: Counter) -> None:
    await ana.value("cancel_appointment", day="2026-11-24")
    next_week = replace(ana, now=SATURDAY + timedelta(days=7))

    _crm._opened.clear()

    assert "Tuesday, December 1 at 2 pm" in await next_week.hears("list_upcoming_appointments")


def test_the_environment_gives_the_folder_and_the_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "new" / "data"))
    monkeypatch.setenv("ASSISTANT_NOW", "2030-05-06T08:00:00+02:00")

    with _crm.reading() as db:
        first = _calendar.upcoming(db, "demo", _crm.now())[0]

    assert first.starts == "2030-05-07T14:00"
    assert (tmp_path / "new" / "data" / "crm.db").is_file()


def test_without_a_given_day_it_is_today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSISTANT_NOW", raising=False)

    assert _crm.now().tzinfo is not None


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("book_appointment", {"day": "2026-11-26", "time": "09:00"}),
        ("cancel_appointment", {"day": "2026-11-24"}),
        ("reschedule_appointment", {"day": "2026-11-24", "new_day": "2026-11-26"}),
        ("cancel_order", {"order_number": "10455"}),
        ("update_contact_details", {"email": "ana@new.example"}),
    ],
)
async def test_the_same_key_acts_once_and_answers_the_same(
    ana: Counter, tool: str, arguments: dict[str, Json]
) -> None:
    first = await ana.value_under("k1", tool, **arguments)
    after = [await ana.value(read) for read in READS]

    assert await ana.value_under("k1", tool, **arguments) == first
    assert [await ana.value(read) for read in READS] == after


async def test_the_same_key_at_the_same_moment_acts_once(ana: Counter) -> None:
    booking: dict[str, Json] = {"day": "2026-11-26", "time": "09:00"}

    booked = await asyncio.gather(*(ana.value_under("k1", "book_appointment", **booking) for _ in range(8)))

    assert all(one == booked[0] for one in booked)
    assert len(appointments_of_ana(ana)) == 3


async def test_a_failure_leaves_no_change(ana: Counter) -> None:
    with pytest.raises(ToolError):
        await ana.value_under("k1", "reschedule_appointment", day="2026-11-24", new_day="2026-11-22")

    # The key is free: the customer may choose another day.
    await ana.value_under("k1", "reschedule_appointment", day="2026-11-24", new_day="2026-11-23")
    assert appointments_of_ana(ana)[0] == "2026-11-23T14:00"


async def test_two_conversations_never_get_the_same_slot(counter: Callable[[str], Counter]) -> None:
    wanted: dict[str, Json] = {"day": "2026-11-24", "time": "14:30"}

    results = await asyncio.gather(
        *(counter(who).value("book_appointment", **wanted) for who in CUSTOMERS), return_exceptions=True
    )

    assert sum(isinstance(result, dict) for result in results) == len(_calendar.OPTICIANS)
    assert all(isinstance(result, dict | ToolError) for result in results)


def appointments_of_ana(ana: Counter) -> list[str]:
    with _crm.reading() as db:
        return [one.starts for one in _calendar.upcoming(db, ana.customer.id, ana.now)]


def rows_of(customer: str) -> set[tuple[object, ...]]:
    """Everything in the books that is this customer's alone."""
    with _crm.reading() as db:
        return {
            tuple(row)
            for table, owner in [
                ("appointments", "customer"),
                ("invoices", "customer"),
                ("orders", "customer"),
                ("customers", "id"),
            ]
            for row in db.execute(f"SELECT * FROM {table} WHERE {owner} = ?", [customer])  # noqa: S608
        }


def secrets_of(customer: str) -> set[str]:
    """By what one would recognise this customer's rows: numbers, name, e-mail address, telephone."""
    with _crm.reading() as db:
        (person,) = db.execute("SELECT name, email, phone FROM customers WHERE id = ?", [customer]).fetchall()
        numbered = [table for table in OWNED if table != "customers"]
        numbers = {
            str(row["number"])
            for table in numbered
            for row in db.execute(f"SELECT number FROM {table} WHERE customer = ?", [customer])  # noqa: S608
        }
    return numbers | set(person)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    who=st.sampled_from(CUSTOMERS),
    number=st.sampled_from(["1001", "1003", "1005", "2041", "2044", "10455", "10460", "10477"]),
    day=st.dates(SATURDAY.date(), SATURDAY.date() + timedelta(days=14)),
)
async def test_no_customer_sees_or_changes_data_of_another(
    tmp_path_factory: pytest.TempPathFactory, demo_tools: Tools, who: str, number: str, day: date
) -> None:
    _crm.use(tmp_path_factory.mktemp("books") / "crm.db", SATURDAY)
    asker = Counter(demo_tools, Customer(tenant="shop", id=who, level="signed_in"))
    others = [one for one in CUSTOMERS if one != who]
    before = {one: rows_of(one) for one in others}
    secrets = set[str]().union(*map(secrets_of, others))
    attempts: list[tuple[str, dict[str, Json]]] = [
        *((read, {}) for read in READS),
        ("get_order_status", {"order_number": number}),
        ("cancel_order", {"order_number": number}),
        ("cancel_appointment", {"appointment_id": f"A{number}"}),
        ("cancel_appointment", {"day": day.isoformat()}),
        ("reschedule_appointment", {"new_day": "2026-12-01", "appointment_id": f"A{number}"}),
        ("update_contact_details", {"email": "new@example.com"}),
    ]

    for tool, arguments in attempts:
        try:
            heard = str(await asker.value(tool, **arguments))
        except ToolError as error:
            # Saying the customer's own number back to them gives nothing away.
            heard = f"{error.say} {error.for_model}".replace(number, "")
        assert not {secret for secret in secrets if secret in heard}

    assert {one: rows_of(one) for one in others} == before


def test_a_slot_cannot_be_taken_twice_even_without_our_own_checks(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "crm.db", isolation_level=None)) as db:
        _demo.fill(db, SATURDAY.date())
        with pytest.raises(sqlite3.IntegrityError):
            db.execute("UPDATE appointments SET starts = '2026-11-24T14:00', optician = 'Dr. Lee'")


@pytest.mark.parametrize("module", [_calendar, _crm])
def test_the_examples_in_the_docstrings_hold(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0

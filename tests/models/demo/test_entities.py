"""Days, times, numbers and addresses, as customers write them."""

from datetime import date

import pytest

from assistant.models.demo.dates import find_days, find_times
from assistant.models.demo.entities import find_entities
from tests.support.rows import check_rows

SATURDAY = date(2026, 11, 21)
MONDAY = date(2026, 11, 16)


@check_rows(
    ("text", "days"),
    [
        ("tuesday", ["2026-11-24"]),
        ("next friday", ["2026-11-27"]),
        ("this coming thursday", ["2026-11-26"]),
        ("saturday", ["2026-11-28"]),
        ("friday week", ["2026-12-04"]),
        ("last friday", ["2026-11-20"]),
        ("yesterday", ["2026-11-20"]),
        ("tomorrow", ["2026-11-22"]),
        ("tonight", ["2026-11-21"]),
        ("the 24th", ["2026-11-24"]),
        ("the 5th", ["2026-12-05"]),
        ("on the ninth", ["2026-12-09"]),
        ("december ninth", ["2026-12-09"]),
        ("the twenty-first of december", ["2026-12-21"]),
        ("nov. 24", ["2026-11-24"]),
        ("january 3rd", ["2027-01-03"]),
        ("march 3, 2028", ["2028-03-03"]),
        ("3 march", ["2027-03-03"]),
        ("2026-12-01", ["2026-12-01"]),
        ("11/30", ["2026-11-30"]),
        ("1/2/27", ["2027-01-02"]),
        ("24.11.", ["2026-11-24"]),
        ("1.12.2026", ["2026-12-01"]),
        ("in three days", ["2026-11-24"]),
        ("in a week", ["2026-11-28"]),
        ("february 30", []),
        ("2026-02-31", []),
        ("the second one", []),
        ("on the first order", []),
        ("i may come", []),
        ("from monday to wednesday", ["2026-11-23", "2026-11-25"]),
    ],
)
def test_days_are_read_on_a_saturday(text: str, days: list[str]) -> None:
    assert [str(one.value) for one in find_days(text, SATURDAY)] == days


def test_next_friday_is_in_next_week_and_friday_is_not() -> None:
    assert [str(one.value) for one in find_days("friday or next friday", MONDAY)] == [
        "2026-11-20",
        "2026-11-27",
    ]


@check_rows(
    ("text", "times"),
    [
        ("at 2", ["14:00"]),
        ("2 pm", ["14:00"]),
        ("2pm", ["14:00"]),
        ("at nine", ["09:00"]),
        ("half past three", ["15:30"]),
        ("quarter to ten", ["09:45"]),
        ("twenty past eleven", ["11:20"]),
        ("14:30", ["14:30"]),
        ("9.15 am", ["09:15"]),
        ("3:15", ["15:15"]),
        ("12 am", ["00:00"]),
        ("noon", ["12:00"]),
        ("at midnight", ["00:00"]),
        ("7 in the evening", ["19:00"]),
        ("8 in the morning", ["08:00"]),
        ("10 o'clock", ["10:00"]),
        ("at a time", []),
        ("at 30", []),
        ("at 14.30", ["14:30"]),
        ("it costs $14.50", []),
        ("in 2 days", []),
    ],
)
def test_times_are_read(text: str, times: list[str]) -> None:
    assert [f"{one.value:%H:%M}" for one in find_times(text)] == times


def test_no_character_belongs_to_two_values() -> None:
    found = find_entities("call 0171 5550134 on 24.11. at 10:30 about order 10482, mail a2@b.de", SATURDAY)

    assert [one.value for one in found.phones] == ["0171 5550134"]
    assert [str(one.value) for one in found.days] == ["2026-11-24"]
    assert [f"{one.value:%H:%M}" for one in found.times] == ["10:30"]
    assert [(one.value, one.noun) for one in found.references] == [("10482", "order")]
    assert [one.value for one in found.emails] == ["a2@b.de"]


@pytest.mark.parametrize(
    ("text", "days"), [("the next two weeks", 14), ("within 10 days", 10), ("next month", 30)]
)
def test_durations_are_counted_in_days(text: str, days: int) -> None:
    assert [one.value for one in find_entities(text, SATURDAY).stretches] == [days]


@pytest.mark.parametrize(
    ("text", "place"), [("the second one", 2), ("my last order", -1), ("the other one", 2)]
)
def test_positions_in_a_list_are_counted_from_one(text: str, place: int) -> None:
    assert [one.value for one in find_entities(text, SATURDAY).places] == [place]

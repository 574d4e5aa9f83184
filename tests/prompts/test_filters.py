"""Values are written as people say them."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal

import pytest

from assistant.conversation.values import Json
from assistant.errors import PromptError
from assistant.prompts.book import PromptBook
from assistant.prompts.filters import Filters
from assistant.prompts.narration import Narration
from tests.support.rows import check_rows


@pytest.fixture
def filters(book: PromptBook) -> Filters:
    return Filters(book.words("en").formats, "USD")


@check_rows(
    ("amount", "said"),
    [
        ("150.00", "$150"),
        ("149.90", "$149.90"),
        (149.9, "$149.90"),
        (Decimal("1234567.5"), "$1,234,567.50"),
        (0, "$0"),
        ("-5", "-$5"),
    ],
)
def test_money_drops_the_cents_if_there_are_none(
    amount: str | float | Decimal, said: str, filters: Filters
) -> None:
    assert filters.money(amount) == said


def test_money_is_in_the_companys_currency(book: PromptBook) -> None:
    assert Filters(book.words("en").formats, "EUR").money("3.50") == "€3.50"


@pytest.mark.parametrize("value", ["2026-11-24", "2026-11-24T14:00:00+01:00", date(2026, 11, 24)])
def test_a_day_is_said_with_its_weekday(value: str | date, filters: Filters) -> None:
    assert filters.day(value) == "Tuesday, November 24"


@check_rows(
    ("value", "said"),
    [
        ("14:00", "2 pm"),
        ("09:30", "9:30 am"),
        ("00:15:00", "12:15 am"),
        (time(12), "12 pm"),
        ("2026-11-24T14:00:00+01:00", "2 pm"),
        ("14:00+02:00", "2 pm"),
    ],
)
def test_a_time_is_the_one_on_the_customers_clock(value: str | time, said: str, filters: Filters) -> None:
    assert filters.time(value) == said


@pytest.mark.parametrize(
    "value", ["2026-11-24T14:00", "2026-11-24 14:00:00Z", datetime(2026, 11, 24, 14, tzinfo=UTC)]
)
def test_a_moment_is_a_day_and_a_time(value: str | datetime, filters: Filters) -> None:
    assert filters.when(value) == "Tuesday, November 24 at 2 pm"


def test_lists_have_no_comma_before_the_last(filters: Filters) -> None:
    assert filters.listing(["a", "b", "c"]) == "a, b and c"
    assert filters.listing(["a", "b", "c"], "or") == "a, b or c"
    assert filters.listing(["a"]) == "a"


@check_rows(
    ("value", "said"),
    [
        ("shipped", "shipped"),
        ("2026-11-24", "Tuesday, November 24"),
        ("2026-11-24T14:00", "Tuesday, November 24 at 2 pm"),
        (
            {"order_number": 4711, "due": "2026-11-24", "note": None},
            "order number 4711, due Tuesday, November 24",
        ),
        ([{"a": 1}, {"a": 2}], "a 1; a 2"),
        (True, "yes"),
        (False, "no"),
        (None, ""),
        (5.0, "5"),
        (2.5, "2.5"),
        ([None, "", "a"], "a"),
        ({"tags": [], "to": {"town": None}, "n": 0}, "n 0"),
        ("2026-99-99", "2026-99-99"),
    ],
)
def test_any_value_can_be_said_plainly(value: Json, said: str, filters: Filters) -> None:
    assert filters.plain(value) == said


def test_only_words_that_may_lose_their_capital_lose_it(filters: Filters) -> None:
    assert filters.lower_first("You owe $5.") == "you owe $5."
    assert filters.lower_first("Order 4711 is late.") == "Order 4711 is late."
    assert filters.lower_first("I can't.") == "I can't."


@pytest.mark.parametrize(
    ("template", "value", "said"),
    [
        ("{{ value | sum(attribute='amount') | money }}", [{"amount": "0.10"}, {"amount": "0.20"}], "$0.30"),
        ("{{ value | sum }}", [1, "2.5"], "3.5"),
        ("{{ value | sum }}", [], "0"),
    ],
)
def test_amounts_are_added_up_exactly(template: str, value: Json, said: str, book: PromptBook) -> None:
    assert Narration(book).render(template, value=value, arguments={}) == said


@check_rows(
    "template",
    [
        "{{ value | money }}",
        "{{ [value] | sum }}",
        "{{ value | when }}",
        "{{ value | time }}",
        "{{ value | day }}",
    ],
)
@check_rows("value", ["soon", None, {"a": 1}])
def test_an_invalid_value_is_an_error(
    template: str, value: str | Mapping[str, Json] | None, book: PromptBook
) -> None:
    with pytest.raises(PromptError):
        Narration(book).render(template, value=value, arguments={})

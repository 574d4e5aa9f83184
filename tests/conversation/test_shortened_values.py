"""A large value is shortened: it stays data, is correct, and keeps the names of its items."""

import json
import time
from collections.abc import Mapping, Sequence
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.conversation.snapshots import LEFT_OUT, head_and_tail, shortened
from assistant.conversation.values import Json

LEAST = 50
TEXTS = st.text(max_size=60) | st.sampled_from(["\x00" * 40, '"' * 300, "word " * 200, "…"])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES = st.recursive(
    SCALARS | st.just(10**400),
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(TEXTS, inner, max_size=12),
    max_leaves=60,
)
ROOMS = st.integers(LEAST, 1500)


def written(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def is_part(short: Json, whole: Json) -> bool:
    """Whether everything in the shortened value is in the full one at the same place, except for the marks."""
    if isinstance(whole, str) and isinstance(short, str):
        head, cut, tail = short.partition(" … ")
        return short in (whole, "…") or bool(cut and whole.startswith(head) and whole.endswith(tail))
    if isinstance(whole, Mapping) and isinstance(short, Mapping):
        kept = {key: value for key, value in short.items() if key != LEFT_OUT}
        missing = len(whole) - len(kept)
        in_order = [*kept] == [key for key in whole if key in kept]
        told = short == whole or short.get(LEFT_OUT, 0) == missing
        return told and in_order and all(is_part(value, whole[key]) for key, value in kept.items())
    if isinstance(whole, Sequence) and isinstance(short, Sequence):
        return is_part_of_row(short, whole)
    return short == whole or short == "…"


def is_part_of_row(short: Sequence[Json], whole: Sequence[Json]) -> bool:
    for place, item in enumerate(short):
        if isinstance(item, Mapping) and [*item] == [LEFT_OUT]:
            tail = len(short) - place - 1
            assert item[LEFT_OUT] == len(whole) - place - tail
            pairs = [
                *zip(short[:place], whole[:place], strict=True),
                *zip(short[place + 1 :], whole[len(whole) - tail :], strict=True),
            ]
            return all(is_part(one, other) for one, other in pairs)
    return len(short) == len(whole) and all(map(is_part, short, whole))


@given(VALUES, ROOMS)
def test_it_never_exceeds_its_limit_and_never_becomes_wrong(value: Json, room: int) -> None:
    short = shortened(value, room)

    assert len(written(short)) <= room
    assert is_part(short, value)
    assert json.loads(written(short)) == short


@given(VALUES, ROOMS)
def test_a_small_value_stays_the_same(value: Json, room: int) -> None:
    assert (shortened(value, room) is value) == (len(written(value)) <= room)


@given(VALUES, ROOMS)
def test_the_result_does_not_depend_on_how_containers_are_made(value: Json, room: int) -> None:
    again = json.loads(written(value))

    assert shortened(value, room) == shortened(value, room)
    assert shortened(again, room) == shortened(value, room)


def invoice(number: int) -> Json:
    return {"number": f"INV-{number}", "amount": f"{number}.50", "due": "2026-12-01", "note": "As agreed."}


def test_a_list_keeps_both_ends_in_order_and_counts_what_is_missing() -> None:
    short = shortened([invoice(number) for number in range(1, 121)], 1500)

    assert isinstance(short, list)
    gap = next(place for place, one in enumerate(short) if one == {LEFT_OUT: 121 - len(short)})
    assert gap == 14
    assert short[:gap] == [invoice(number) for number in range(1, 15)]
    assert short[gap + 1 :] == [invoice(number) for number in range(116, 121)]


def test_of_large_items_six_are_shown_with_their_names() -> None:
    row = [{"id": f"A{number}", "text": "so much to say " * 400, "state": "open"} for number in range(40)]

    short = shortened(row, 1500)

    shown = [one for one in cast("list[dict[str, str]]", short) if "id" in one]
    assert {one["id"] for one in shown} >= {"A0", "A1", "A2", "A3", "A38", "A39"}
    assert all(one["state"] == "open" and " … " in one["text"] for one in shown)


def test_a_mapping_keeps_names_before_short_fields_before_long_ones() -> None:
    fields = {f"flag_{number}": "neither here nor there" for number in range(60)}
    value: Json = {**fields, "history": ["x" * 500] * 9, "orderId": 77, "total_amount": "12.00"}

    short = shortened(value, 300)

    assert isinstance(short, dict)
    assert short["orderId"] == 77
    assert short["total_amount"] == "12.00"
    assert "flag_0" in short
    assert "history" not in short
    assert short[LEFT_OUT] == len(value) - (len(short) - 1)


def test_a_field_with_the_name_of_the_mark_is_replaced_by_it() -> None:
    assert shortened({LEFT_OUT: 7, "id": 1, "text": "x" * 90}, 50) == {
        "id": 1,
        "text": "xxxxxxxxx … xxx",
        LEFT_OUT: 1,
    }


def test_a_list_gets_the_space_that_short_fields_leave() -> None:
    short = shortened({"balance": "9.00", "invoices": [invoice(one) for one in range(100)]}, 1500)

    assert isinstance(short, dict)
    assert short["balance"] == "9.00"
    invoices = short["invoices"]
    assert isinstance(invoices, list)
    assert invoices[:10] == [invoice(one) for one in range(10)]
    assert LEFT_OUT not in short


def test_one_large_item_gets_the_space_that_small_ones_leave() -> None:
    short = shortened([1, 2, "z" * 9000, 4], 1000)

    assert isinstance(short, list)
    assert (short[:2], short[3:]) == ([1, 2], [4])
    assert len(written(short)) > 900


def test_a_long_text_keeps_its_beginning_and_end() -> None:
    short = shortened("Dear customer, " + "and so on " * 900 + "Yours, the shop", 400)

    assert isinstance(short, str)
    assert short.startswith("Dear customer, and so on")
    assert short.endswith("Yours, the shop")
    assert 380 < len(written(short)) <= 400


@pytest.mark.parametrize("most", [1, 3, 6, 7, 9])
def test_a_text_is_shortened_to_any_length(most: int) -> None:
    assert len(head_and_tail("a long text about nothing", most)) <= most


def test_values_nested_a_thousand_levels_deep_are_cut_too() -> None:
    value: Json = "x"
    for _ in range(900):
        value = [value, "filler " * 3]

    assert len(written(shortened(value, 1500))) <= 1500


@pytest.mark.parametrize(
    "large",
    [
        [invoice(number) for number in range(60_000)],
        {str(number): invoice(number) for number in range(50_000)},
        "5 MB of text " * 400_000,
        {"pages": [["cell " * 100] * 100] * 100},
    ],
    ids=["list", "mapping", "text", "nested"],
)
def test_five_megabytes_take_almost_no_time(large: Json) -> None:
    began = time.process_time()
    short = shortened(large, 1500)
    took = time.process_time() - began

    assert 1000 < len(written(short)) <= 1500
    assert took < 0.05

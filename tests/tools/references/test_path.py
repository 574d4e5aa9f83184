"""A path leads to a value, or the error says what is there instead."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.conversation.values import Json
from assistant.tools.references import BadReference, described, value_at
from tests.support.rows import check_rows

SHOP: Json = {
    "orders": [{"id": 7, "items": ["lens", "frame"]}, {"id": 8, "items": []}],
    "a.b": {"note": None},
    "7": "seven",
}

names = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=3)
values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)


@check_rows(
    ("path", "found"),
    [
        ("", SHOP),
        ("$", SHOP),
        ("orders[0].id", 7),
        ("$.orders[1].id", 8),
        ("$['orders'][0].id", 7),
        ('orders[0]["items"][1]', "frame"),
        ("orders[-1].id", 8),
        ("orders.0.items.1", "frame"),
        ("['a.b'].note", None),
        (" orders[1].items ", []),
        ("7", "seven"),
        ("[7]", "seven"),
    ],
)
def test_a_path_leads_to_its_value(path: str, found: Json) -> None:
    assert value_at(SHOP, path) == found


@check_rows(
    ("path", "said"),
    [
        ("order", "no 'order', for the result is an object with 'orders', 'a.b', '7'"),
        ("orders[2].id", "no [2], for what stands at 'orders' is a list of 2"),
        ("orders[-3]", "no [-3], for what stands at 'orders' is a list of 2"),
        ("orders.id", "no 'id', for what stands at 'orders' is a list of 2"),
        ("orders[1].items[0]", "no [0], for what stands at 'items' is an empty list"),
        ("orders[0].id.x", "no 'x', for what stands at 'id' is a number"),
        ("orders[0].items[0][0]", "no [0], for what stands at [0] is a text"),
    ],
)
def test_a_missing_value_is_reported_with_what_is_there(path: str, said: str) -> None:
    with pytest.raises(BadReference) as caught:
        value_at(SHOP, path)

    assert str(caught.value) == f"there is nothing at {path!r}: {said}"


@pytest.mark.parametrize("path", ["orders[*].id", "orders[", "a..b", "orders[?(@.id)]", "]"])
def test_a_path_of_another_language_is_refused(path: str) -> None:
    with pytest.raises(BadReference, match="is no path"):
        value_at(SHOP, path)


@pytest.mark.parametrize(
    ("value", "kind"),
    [(None, "null"), (True, "true or false"), (1.5, "a number"), ("x", "a text"), ({}, "an empty object")],
)
def test_a_value_is_described_without_its_content(value: Json, kind: str) -> None:
    assert described(value) == kind


def test_of_many_names_only_the_first_are_listed() -> None:
    assert described({f"n{number}": 0 for number in range(14)}).endswith("'n10', 'n11', ...")


@given(values)
def test_every_value_has_a_path_that_leads_to_it(value: Json) -> None:
    for path, inside in _everything("$", value):
        assert value_at(value, path) is inside


@given(values, st.text(max_size=12))
def test_any_path_gives_a_value_or_a_bad_reference(value: Json, path: str) -> None:
    with suppress(BadReference):
        value_at(value, path)


def _everything(path: str, value: Json) -> list[tuple[str, Json]]:
    found = [(path, value)]
    if isinstance(value, Mapping):
        for name, part in value.items():
            found += _everything(f"{path}.{name}", part)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for place, part in enumerate(value):
            found += _everything(f"{path}[{place}]", part)
    return found

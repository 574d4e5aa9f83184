"""References are found anywhere, and read, or refused with the right form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.conversation.values import Json, JsonObject
from assistant.tools.references import (
    BadReference,
    Reference,
    fill_in,
    has_references,
    read_reference,
    references_in,
)

plain: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
with_references: st.SearchStrategy[Json] = st.recursive(
    plain | st.just({"$from": "find", "path": "id"}),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
arguments = st.dictionaries(st.text("abc", min_size=1, max_size=3), with_references, max_size=3)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ({"$from": "find"}, Reference("find")),
        ({"$from": " find ", "path": ""}, Reference("find")),
        ({"$from": "find#2", "path": "[0].id"}, Reference("find", 2, "[0].id")),
        ({"$from": "c#find", "path": "id"}, Reference("c#find", None, "id")),
        ({"$from": "#2"}, Reference("", 2)),
    ],
)
def test_a_reference_has_a_tool_a_path_and_perhaps_a_number(written: JsonObject, read: Reference) -> None:
    assert read_reference(written) == read


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({"$from": 7}, "should be the name of a tool that is called beside it, not 7"),
        ({"$from": " "}, "should be the name of a tool that is called beside it, not ' '"),
        ({"$from": "find", "path": 0}, 'should be a text such as "items[0].id", not 0'),
        ({"$from": "find", "or": 1, "else": 2}, "there can be nothing, not else, or"),
    ],
)
def test_a_malformed_reference_is_refused_with_the_solution(written: JsonObject, said: str) -> None:
    with pytest.raises(BadReference) as caught:
        list(references_in({"order": written}))

    assert said in str(caught.value)
    assert has_references({"order": written})


@given(arguments)
def test_filling_in_replaces_all_references_and_nothing_else(given_: JsonObject) -> None:
    found = list(references_in(given_))

    filled = fill_in(given_, lambda _: {"id": {"$kept": True}})

    assert len(found) == str(given_).count("$from")
    assert has_references(given_) == bool(found)
    assert not has_references(filled)
    assert str(filled) == str(given_).replace("{'$from': 'find', 'path': 'id'}", "{'$kept': True}")


def test_a_missing_value_is_reported_with_the_argument_and_the_call() -> None:
    with pytest.raises(BadReference) as caught:
        fill_in({"order": [{"id": {"$from": "find#2", "path": "id"}}]}, lambda _: [])

    assert str(caught.value) == (
        "'order[0].id' cannot be taken from find#2: there is nothing at 'id': no 'id', for the result is an empty "
        "list"
    )

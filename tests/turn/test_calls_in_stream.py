"""A call is complete when its arguments are a whole JSON object, in whatever pieces they come."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.conversation.calls import NOT_JSON, Call
from assistant.conversation.chunks import CallArguments, CallNamed
from assistant.conversation.turn_state import Round
from assistant.turn.ask_model import StreamedCalls

values = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)


@given(st.dictionaries(st.text(max_size=4), values, max_size=3), st.lists(st.integers(0, 80), max_size=8))
def test_arguments_are_complete_with_their_last_brace(
    arguments: dict[str, object], places: list[int]
) -> None:
    written = json.dumps(arguments, ensure_ascii=False)
    ends = sorted({0, len(written), *(place for place in places if place < len(written))})
    calls = StreamedCalls(Round(number=1))
    calls.named(CallNamed(0, "find"))

    pieces = [written[begin:end] for begin, end in pairwise(ends)]
    found = [calls.more(CallArguments(0, piece)) for piece in pieces]

    assert found[:-1] == [None] * (len(pieces) - 1)
    last = found[-1]
    assert last is not None
    assert json.loads(json.dumps(last.arguments)) == arguments
    assert (calls.rest(), calls.unreadable) == ([], [])


def test_interleaved_calls_keep_their_ids() -> None:
    calls = StreamedCalls(Round(number=2))

    ids = [calls.named(CallNamed(index, f"tool_{index}", f"p{index}")) for index in range(2)]
    second = calls.more(CallArguments(1, "{}"))
    first = calls.more(CallArguments(0, '{"a": 1}'))

    assert ids == ["c2.1", "c2.2"]
    assert second == Call(id="c2.2", tool="tool_1", arguments={}, provider_id="p1")
    assert first == Call(id="c2.1", tool="tool_0", arguments={"a": 1}, provider_id="p0")


def test_a_call_without_any_arguments_is_complete_when_the_stream_ends() -> None:
    calls = StreamedCalls(Round(number=1))
    calls.named(CallNamed(0, "find"))

    assert calls.rest() == [Call(id="c1.1", tool="find")]


def test_numbers_continue_after_the_rounds_earlier_calls() -> None:
    round_ = Round(number=1, calls=[Call(id="c1.3", tool="find")])

    assert StreamedCalls(round_).named(CallNamed(0, "find")) == "c1.4"


@pytest.mark.parametrize("index", [0, 7])
def test_pieces_after_the_end_or_without_a_call_are_ignored(index: int) -> None:
    calls = StreamedCalls(Round(number=1))
    calls.named(CallNamed(0, "find"))
    calls.more(CallArguments(0, "{}"))

    assert calls.more(CallArguments(index, "{}")) is None
    assert calls.rest() == []


@pytest.mark.parametrize("written", ["[1]", '"text"', "null", "{", "{]}"])
def test_arguments_that_are_no_object_are_kept_as_written(written: str) -> None:
    calls = StreamedCalls(Round(number=1))
    calls.named(CallNamed(0, "find"))
    calls.more(CallArguments(0, written))

    assert calls.rest() == []
    assert calls.unreadable == [Call(id="c1.1", tool="find", arguments={NOT_JSON: written})]

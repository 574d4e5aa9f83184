"""What fits and what is cut."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.memory.size_limit import Room
from assistant.memory.summaries import extract
from assistant.memory.summary_facts import CUSTOMER, Said
from assistant.models.tokens import Estimate

COUNT = Estimate().count


@settings(deadline=None)
@given(st.text(max_size=400), st.integers(0, 60))
def test_whatever_is_cut_fits(text: str, most: int) -> None:
    room = Room(most=most, count=COUNT)

    for cut in (room.beginning(text), room.ends(text), room.sentences(text)):
        assert room.holds(cut)


@pytest.mark.parametrize("most", [20, 50, 100])
def test_a_cut_wastes_little(most: int) -> None:
    room = Room(most=most, count=COUNT)

    assert COUNT(room.ends("All of this could be said in fewer words. " * 40)) > 0.8 * most


def test_what_is_far_too_long_is_not_counted() -> None:
    def never(text: str) -> int:
        raise AssertionError(text)

    assert not Room(most=10, count=never).holds("x" * 100)


def test_a_share_and_what_is_left_beside_a_text() -> None:
    room = Room(most=100)

    assert (room.share(0.3).most, room.besides("12345").most, room.besides("").most) == (30, 94, 100)
    assert room.besides("x" * 200).most == 0


def test_lines_that_count_for_more_together_than_one_by_one_still_fit() -> None:
    def pairs_cost(text: str) -> int:
        return len(text) + 10 * text.rstrip("\n").count("\n")

    said = [Said(CUSTOMER, f"Order A-{number} is here.") for number in range(8)]
    room = Room(most=170, count=pairs_cost)

    summary = extract("", said, room)

    assert room.holds(summary)
    assert summary.splitlines() == [str(one) for one in said[-len(summary.splitlines()) :]]
    assert len(summary.splitlines()) > 3

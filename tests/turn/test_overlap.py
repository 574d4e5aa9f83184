"""An interrupted message continues where it stopped, however the model begins again."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from assistant.turn.message_stream import Overlap
from tests.support.rows import check_rows

SENTENCE = "You are booked for Tuesday at two."


def told(shown: str, pieces: list[str]) -> str:
    """All that the customer sees, before and after."""
    overlap = Overlap(shown)
    return shown + "".join(map(overlap.push, pieces))


@given(st.integers(0, len(SENTENCE)), st.lists(st.integers(0, len(SENTENCE)), max_size=6))
def test_a_repeated_beginning_is_shown_once(cut: int, places: list[int]) -> None:
    ends = [0, *sorted(places), len(SENTENCE)]
    pieces = [SENTENCE[begin:end] for begin, end in pairwise(ends)]

    assert told(SENTENCE[:cut], pieces) == SENTENCE


@given(st.text(" ab", max_size=8), st.lists(st.text(" ab", max_size=4), max_size=6))
def test_shown_text_stays_and_no_news_is_lost(shown: str, pieces: list[str]) -> None:
    new = "".join(pieces)
    seen = told(shown, pieces)

    assert seen.startswith(shown)
    assert seen.strip().endswith(new.strip()) or shown.startswith(new.lstrip())


@check_rows(
    ("shown", "pieces", "seen"),
    [
        ("You are booked", ["\n\n", "You are", " booked for Tuesday."], "You are booked for Tuesday."),
        ("You are booked", [" ", "for Tuesday."], "You are booked for Tuesday."),
        ("You are booked", ["for Tuesday."], "You are booked for Tuesday."),
        ("You are booked ", ["for Tuesday."], "You are booked for Tuesday."),
        ("You are booked", [", on Tuesday."], "You are booked, on Tuesday."),
        ("You are booked for", ["are booked for Tuesday."], "You are booked for Tuesday."),
        ("You are booked", ["You are", " due on Tuesday."], "You are booked You are due on Tuesday."),
        ("You are booked", ["You are"], "You are booked"),
        ("", ["  Hello"], "  Hello"),
    ],
)
def test_a_continuation_is_joined(shown: str, pieces: list[str], seen: str) -> None:
    assert told(shown, pieces) == seen

"""Texts that fit and texts that are cut."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.memory.summaries import extract_summary
from assistant.memory.summary_facts import CUSTOMER, DialogueLine
from assistant.memory.token_sizes import SizeLimit
from assistant.models.tokens import Estimate

COUNT = Estimate().count


@settings(deadline=None)
@given(st.text(max_size=400), st.integers(0, 60))
def test_any_cut_text_fits(text: str, most: int) -> None:
    limit = SizeLimit(most=most, count=COUNT)

    for cut in (limit.truncate(text), limit.keep_ends(text), limit.keep_sentences(text)):
        assert limit.fits(cut)


@pytest.mark.parametrize("most", [20, 50, 100])
def test_a_cut_wastes_little(most: int) -> None:
    limit = SizeLimit(most=most, count=COUNT)

    assert COUNT(limit.keep_ends("All of this could be said in fewer words. " * 40)) > 0.8 * most


def test_a_text_far_over_the_limit_is_not_counted() -> None:
    def never(text: str) -> int:
        raise AssertionError(text)

    assert not SizeLimit(most=10, count=never).fits("x" * 100)


def test_a_share_and_the_rest_after_a_text_are_computed() -> None:
    limit = SizeLimit(most=100)

    assert (limit.share(0.3).most, limit.minus("12345").most, limit.minus("").most) == (30, 94, 100)
    assert limit.minus("x" * 200).most == 0


def test_lines_that_count_for_more_together_still_fit() -> None:
    def pairs_cost(text: str) -> int:
        return len(text) + 10 * text.rstrip("\n").count("\n")

    said = [DialogueLine(CUSTOMER, f"Order A-{number} is here.") for number in range(8)]
    limit = SizeLimit(most=170, count=pairs_cost)

    summary = extract_summary("", said, limit)

    assert limit.fits(summary)
    assert summary.splitlines() == [str(one) for one in said[-len(summary.splitlines()) :]]
    assert len(summary.splitlines()) > 3

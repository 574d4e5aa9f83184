"""The interval of a rate contains the true share about as often as it says."""

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.replay.live_trials import Rate, rate


@given(st.integers(1, 500), st.data())
def test_the_share_lies_in_its_interval_and_that_between_0_and_1(trials: int, data: st.DataObject) -> None:
    passed = data.draw(st.integers(0, trials))

    found = rate(passed, trials)

    assert 0 <= found.low <= found.share <= found.high <= 1
    assert found.low < found.high


@given(st.integers(1, 200), st.data())
def test_the_rate_of_failures_mirrors_that_of_passes(trials: int, data: st.DataObject) -> None:
    passed = data.draw(st.integers(0, trials))
    good, bad = rate(passed, trials), rate(trials - passed, trials)

    assert good.low == pytest.approx(1 - bad.high)
    assert good.high == pytest.approx(1 - bad.low)


def test_more_trials_make_the_interval_smaller() -> None:
    few, many = rate(9, 10), rate(900, 1000)

    assert few.share == many.share
    assert few.low < many.low < many.high < few.high


@pytest.mark.parametrize("true", [0.5, 0.8, 0.95])
def test_about_95_of_100_intervals_hold_the_true_share(true: float) -> None:
    trials = 60
    held = sum(
        comb(trials, passed) * true**passed * (1 - true) ** (trials - passed)
        for passed in range(trials + 1)
        if rate(passed, trials).low <= true <= rate(passed, trials).high
    )

    assert 0.92 < held < 0.98


def test_a_mean_may_be_fractional() -> None:
    assert rate(2.5, 5) == Rate(0.5, pytest.approx(0.1705, abs=1e-3), pytest.approx(0.8295, abs=1e-3))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(("passed", "trials"), [(0, 0), (3, 2), (-1, 4)])
def test_an_invalid_rate_is_refused(passed: int, trials: int) -> None:
    with pytest.raises(ValueError, match=f"{passed} of {trials} is no rate"):
        rate(passed, trials)

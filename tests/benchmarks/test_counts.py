"""A turn and a start take what they took: growth is a decision, not an accident."""

import logging

import pytest
import structlog

from benchmarks.counts.file import RENEW, Count, With, counted, differences, read_counts

CURE = f"\nWhere that was meant, write them anew with `{RENEW}`, and say in the commit why."


@pytest.mark.parametrize("model", ["hosted", "demo"])
def test_the_reference_turn_takes_what_it_took(model: With) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    different = differences(read_counts(), counted(model))

    assert not different, "\n".join(different) + CURE


def test_a_count_may_differ_by_its_tolerance_and_no_more() -> None:
    known = {"calls": Count(1000, 2.0), "tasks": Count(20)}

    assert differences(known, {"calls": 1020, "tasks": 20}) == []
    assert differences(known, {"calls": 979, "tasks": 21, "files": 3}) == [
        "calls: 979, was 1000",
        "tasks: 21, was 20",
        "files: 3, new",
    ]

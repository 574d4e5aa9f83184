"""The cost of a turn and of a start is recorded: an increase is a decision, not an accident."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.counts.file import RENEW, Count, differences, read_counts

ROOT = Path(__file__).parents[2]
CURE = f"\nWhere that was meant, write them anew with `{RENEW}`, and say in the commit why."


@pytest.mark.slow
def test_the_reference_turn_costs_what_is_recorded() -> None:
    # In a process of its own: what other tests have loaded and left running would be counted, too.
    command = [sys.executable, "-m", "benchmarks.counts", "json"]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, timeout=120)
    different = differences(read_counts(), json.loads(printed.stdout))

    assert not different, "\n".join(different) + CURE


def test_a_count_may_differ_by_its_tolerance_and_no_more() -> None:
    known = {"calls": Count(1000, 2.0), "tasks": Count(20)}

    assert differences(known, {"calls": 1020, "tasks": 20}) == []
    assert differences(known, {"calls": 979, "tasks": 21, "files": 3}) == [
        "calls: 979, was 1000",
        "tasks: 21, was 20",
        "files: 3, new",
    ]

"""The complaints about a trial: each unmet expectation, with what was there instead."""

from typing import Any

from assistant.evaluation.judge import judge
from assistant.evaluation.state import Difference, RowAdded, RowChanged, RowRemoved
from assistant.evaluation.tasks import Task
from tests.support.rows import check_rows

SHIPPED = RowChanged("orders", "7", (("status", "new", "shipped"),))
BOOKED = RowAdded("visits", "3", {"number": "3", "day": "2026-11-26", "who": "demo"})
GONE = RowRemoved("visits", "1")


def task(**fields: Any) -> Task:
    return Task.model_validate({"id": "t", "now": "2026-11-21T10:00", "messages": ["Hello"], **fields})


def test_expected_results_cause_no_complaint() -> None:
    wanted = task(
        changes=[
            {"table": "orders", "row": "7", "changed": {"status": "shipped"}},
            {"table": "visits", "added": {"day": "2026-11-26"}},
            {"table": "visits", "removed": "1"},
        ],
        must=["on its way", ["2 pm", "14:00"], "/[0-9]+ dollars/"],
        must_not=["sorry"],
        calls=["ship"],
        calls_not=["refund"],
    )

    said = ["It's  On its\nway.", "At 14:00, for 12 dollars."]

    assert judge(wanted, [SHIPPED, BOOKED, GONE], said, ["ship"]) == []


@check_rows(
    ("change", "found"),
    [
        ({"table": "orders", "row": "8", "changed": {"status": "shipped"}}, SHIPPED),
        ({"table": "orders", "row": "7", "changed": {"status": "lost"}}, SHIPPED),
        ({"table": "orders", "row": "7", "changed": {"status": "shipped", "day": "1"}}, SHIPPED),
        ({"table": "visits", "row": "7", "changed": {"status": "shipped"}}, SHIPPED),
        ({"table": "visits", "added": {"day": "2026-11-27"}}, BOOKED),
        ({"table": "orders", "added": {"day": "2026-11-26"}}, BOOKED),
        ({"table": "visits", "removed": "2"}, GONE),
        ({"table": "orders", "removed": "1"}, GONE),
        ({"table": "visits", "removed": "3"}, BOOKED),
    ],
)
def test_another_change_is_no_substitute(change: dict[str, Any], found: Difference) -> None:
    missing, unasked = judge(task(changes=[change]), [found], [], [])

    assert missing.startswith("state: expected ")
    assert unasked == f"state: not expected: {found}"


def test_an_unlisted_column_must_not_change() -> None:
    both = RowChanged("orders", "7", (("status", "new", "shipped"), ("price", "1", "0")))
    wanted = task(changes=[{"table": "orders", "row": "7", "changed": {"status": "shipped"}}])

    assert judge(wanted, [both], [], []) == [
        "state: expected orders 7: status -> 'shipped'; that did not happen",
        "state: not expected: orders 7: status 'new' -> 'shipped', price '1' -> '0'",
    ]


def test_one_row_is_not_counted_for_two_expectations() -> None:
    twice = task(changes=[{"table": "visits", "added": {}}, {"table": "visits", "added": {}}])

    assert judge(twice, [BOOKED], [], []) == ["state: expected a new row in visits: ; that did not happen"]


def test_complaints_quote_what_was_said_and_run() -> None:
    wanted = task(must=[["2 pm", "14:00"]], must_not=["sorry"], calls=["ship"], calls_not=["refund"])

    assert judge(wanted, [], ["I\u2019m Sorry."], ["refund"]) == [
        "must: expected '2 pm' or '14:00'; said was \"I'm Sorry.\"",
        "must_not: 'sorry' was said: \"I'm Sorry.\"",
        "calls: expected ship; refund was run",
        "calls_not: refund was run",
    ]


def test_quoted_texts_are_shortened() -> None:
    (complaint,) = judge(task(must=["x"]), [GONE][:0], ["a" * 1000], [])

    assert complaint.endswith("aaa...'")
    assert len(complaint) < 450
    assert judge(task(calls=["ship"]), [], [], []) == ["calls: expected ship; nothing was run"]


def test_removals_and_additions_are_spelled_out() -> None:
    assert judge(task(changes=[{"table": "visits", "removed": "1"}]), [], [], []) == [
        "state: expected visits 1 to be gone; that did not happen"
    ]
    assert judge(task(), [BOOKED, GONE], [], []) == [
        "state: not expected: visits 3 is new: number '3', day '2026-11-26', who 'demo'",
        "state: not expected: visits 1 is gone",
    ]


def test_a_number_is_not_found_inside_another() -> None:
    assert judge(task(must_not=["$15"]), [], ["It is $150."], []) == []
    assert judge(task(must=["$150"]), [], ["It is $150."], []) == []


def test_facts_are_found_as_tau2_finds_them() -> None:
    wanted = task(facts=["1234.5", "blue"])

    assert judge(wanted, [], ["It costs $1,234.50.", "Blueish."], []) == []
    assert judge(wanted, [], ["It costs $1.234,50."], []) == [
        "facts: '1234.5' was not told; said was 'It costs $1.234,50.'",
        "facts: 'blue' was not told; said was 'It costs $1.234,50.'",
    ]


def test_a_hash_replaces_the_list_of_changes() -> None:
    expected, other = "a" * 64, "b" * 64
    wanted = task(state_hash=expected)

    assert judge(wanted, [BOOKED], [], [], expected) == []
    assert judge(wanted, [SHIPPED], [], [], other) == [
        "state: the records are not as expected (hash bbbbbbbbbbbb, not aaaaaaaaaaaa);"
        " changed: orders 7: status 'new' -> 'shipped'"
    ]
    assert judge(wanted, [], [], [], other)[0].endswith("changed: nothing")

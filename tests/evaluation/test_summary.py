"""The figures: how often, how reliably, how long, for how much; and the failures in words."""

from collections.abc import Sequence
from itertools import combinations
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from assistant.evaluation.measures import Again, Cost, TurnTimes
from assistant.evaluation.report import report, skipping
from assistant.evaluation.results import Row
from assistant.evaluation.summary import Sum, Waits, pass_hat, summarise


def row(task: str, trial: int = 1, *unmet: str, broke: str | None = None, **more: object) -> Row:
    fields = {"digest": "d", "model": "m", "bundle": "b", "unmet": unmet, "broke": broke, **more}
    return Row.model_validate({"task": task, "trial": trial, **fields})


TWO_TASKS: dict[str, tuple[str, ...]] = {"a": (), "b": ("must: x",)}


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.data())
def test_the_estimate_is_the_share_of_choices_that_all_passed(tried: list[bool], data: st.DataObject) -> None:
    times = data.draw(st.integers(1, len(tried)))
    choices = list(combinations(tried, times))

    assert pass_hat(sum(tried), len(tried), times) == sum(map(all, choices)) / len(choices)


def test_figures_are_means_over_tasks() -> None:
    rows = [row("a", 1), row("a", 2), row("b", 1), row("b", 2, "no"), row("c", 1, broke="it fell")]

    figures = summarise(rows, 2)

    assert (figures.tasks, figures.trials, figures.passed, figures.broke) == (3, 5, 3, 1)
    assert figures.passes[1].share == (1 + 0.5 + 0) / 3
    assert figures.passes[2].share == (1 + 0) / 2  # c was not tried so often


def test_without_trials_nothing_is_known() -> None:
    figures = summarise([], 3)

    assert (figures.passes, figures.first, figures.fact, figures.whole) == ({}, None, None, None)
    assert report(figures, []) == [
        "tasks    0, 0 trials: 0 passed",
        "pass^1   unknown",
        "words    told twice: unknown; kept back by guardrails: unknown",
        "cost     unknown",
        "latency  first words unknown; response unknown; first fact unknown; whole turn unknown",
    ]


def test_each_pass_rate_up_to_four_has_its_interval() -> None:
    rows = [row(task, trial, *unmet) for task, unmet in TWO_TASKS.items() for trial in range(1, 5)]

    told = report(summarise(rows, 4), [])

    assert [line for line in told if line.startswith("pass^")] == [
        f"pass^{k}   0.500 (95 %: 0.095 to 0.905)" for k in (1, 2, 3, 4)
    ]
    assert list(summarise(rows, 1).passes) == [1]
    assert list(summarise([row("a", trial) for trial in range(1, 9)], 8).passes) == [1, 2, 3, 4, 8]


def test_the_interval_holds_although_trials_of_a_task_are_alike() -> None:
    random = Random(18)

    def holds(share: float) -> bool:
        # Each task either always passes or never does: four trials of it tell no more than one.
        passing = [random.random() < share for _ in range(30)]
        rows = [
            row(f"t{task}", trial, *(() if passes else ("no",)))
            for task, passes in enumerate(passing)
            for trial in range(1, 5)
        ]
        found = summarise(rows, 4).passes[4]
        return found.low <= share <= found.high

    missed = {share: 200 - sum(holds(share) for _ in range(200)) for share in (0.1, 0.5, 0.9)}

    assert all(times <= 20 for times in missed.values()), missed


def test_misses_are_counted_by_their_kind() -> None:
    rows = [row("a", 1, "state: x", "state: y", "facts: z"), row("a", 2, "facts: z"), row("b")]

    assert "missed   state in 1, facts in 2 of 3 trials" in report(summarise(rows, 2), [])


def test_changes_without_a_yes_are_counted() -> None:
    rows = [row("a", writes={"ran": 3, "unagreed": ["cancel_order"]}), row("b", writes={"ran": 1}), row("c")]

    assert "changes  4, without the customer's yes: 1" in report(summarise(rows, 1), [])
    assert not [line for line in report(summarise(rows[2:], 1), []) if line.startswith("changes")]


def test_what_a_passed_trial_costs_counts_the_failed_ones_too() -> None:
    spent = Cost(input_tokens=100, cached_tokens=80, output_tokens=10, usd=0.25)
    rows = [row("a", cost=spent), row("b", 1, "no", cost=spent), row("c", cost=spent)]

    assert report(summarise(rows, 1), [])[-2] == (
        "cost     $0.7500; 300 tokens in (80% from a cache), 30 out; $0.3750 for each trial that passed"
    )
    assert summarise([row("a", cost=spent), row("b")], 1).per_passed is None  # b's cost is unknown
    assert summarise([row("b", 1, "no", cost=spent)], 1).per_passed is None


def test_unknown_costs_stay_unknown() -> None:
    known = Cost(input_tokens=100, output_tokens=10, usd=0.25)
    rows = [row("a", cost=known), row("b", cost=Cost(input_tokens=50)), row("c", cost=known)]

    figures = summarise(rows, 1)

    assert figures.spent.usd == Sum(amount=0.5, known=2)
    assert report(figures, rows)[-2] == (
        "cost     $0.5000 (of 2 trials; of the others it is unknown); 250 tokens in,"
        " 20 (of 2 trials; of the others it is unknown) out"
    )
    assert report(summarise(rows[1:2], 1), [])[-2] == "cost     unknown; 50 tokens in, unknown out"


def test_waits_are_those_of_all_turns() -> None:
    times = [
        TurnTimes(first_ms=None, whole_ms=5),
        *(TurnTimes(first_ms=ms, response_ms=ms + 3, fact_ms=ms + 4, whole_ms=2 * ms) for ms in range(1, 21)),
    ]

    figures = summarise([row("a", turns=times[:7]), row("b", turns=times[7:])], 1)

    assert figures.first == Waits(p50=10, p95=19)
    assert figures.response == Waits(p50=13, p95=22)
    assert figures.fact == Waits(p50=14, p95=23)
    assert figures.whole == Waits(p50=20, p95=38)


def test_failures_are_listed_once_with_their_count() -> None:
    rows = [
        row("good"),
        row("bad", 1, "must: x", model_errors=["gone", "gone"]),
        row("bad", 2, "must: x", "calls: y"),
        row("worse", 1, broke="no tool"),
    ]

    assert report(summarise(rows, 1), rows)[:9] == [
        "bad: 2 of 2 failed",
        "    must: x (2 times)",
        "    the model failed: gone",
        "    calls: y",
        "",
        "worse: 1 of 1 failed",
        "    did not come to its end: no tool",
        "",
        "tasks    3, 4 trials: 1 passed, 1 did not come to an end",
    ]


def test_a_rate_shows_its_interval() -> None:
    rows = [row(task) for task in "abcd"]

    assert report(summarise(rows, 1), rows)[1] == "pass^1   1.000 (95 %: 0.510 to 1.000)"


def test_unjudged_trials_are_reported_and_counted_separately() -> None:
    rows = [row("a", 1), row("a", 2, customer_failed="who plays it died"), row("b", 1, "must: x")]

    figures = summarise(rows, 2)
    assert (figures.tasks, figures.trials, figures.passed, figures.unjudged) == (2, 3, 1, 1)
    assert figures.passes[1].share == 0.5  # one of the two that were judged
    assert 2 not in figures.passes  # and neither of them was judged twice
    assert report(figures, rows)[:5] == [
        "b: 1 of 1 failed",
        "    must: x",
        "",
        "a #2 could not be judged: who plays it died",
        "",
    ]
    assert "tasks    2, 3 trials: 1 passed, 1 could not be judged" in report(figures, rows)


def test_how_a_customer_left_is_shown_if_the_trial_failed() -> None:
    rows = [
        row("a", 1, "must: x", customer_left="circles"),
        row("b", 1, "must: y", customer_left="most_messages"),
        row("c", 1, "must: z", customer_left="done"),
        row("d", 1, customer_left="circles"),
    ]

    told = report(summarise(rows, 1), rows)

    assert told[2] == "    the customer said the same again and again, and left"
    assert told[6] == "    the customer had written as often as they may, and was not done"
    assert told[8:11] == ["c: 1 of 1 failed", "    must: z", ""]


def test_skipped_tasks_are_reported() -> None:
    told = report(summarise([row("a")], 1), [], skipped=4)

    assert told[1] == "skipped  4 tasks need a model to play the customer; --simulator names one"
    assert skipping(1) == "1 task needs a model to play the customer"
    assert not [line for line in report(summarise([row("a")], 1), []) if line.startswith("skipped")]


def test_the_cost_of_simulated_customers_has_its_own_line() -> None:
    spent = Cost(input_tokens=100, output_tokens=10, usd=0.25)
    rows = [row("a", cost=spent), row("b", cost=spent, customer_cost=spent), row("c", cost=spent)]

    told = report(summarise(rows, 1), rows)

    assert told[3:5] == [
        "cost     $0.7500; 300 tokens in, 30 out; $0.2500 for each trial that passed",
        "players  $0.2500; 100 tokens in, 10 out",
    ]


def test_suppressed_sentences_are_counted_if_they_are_known() -> None:
    kept = [("repetition", "Sure."), ("claims", "Done."), ("repetition", "I'll look.")]
    rows = [row("a", withheld=kept), row("b", withheld=[]), row("c")]

    assert words_of(rows).endswith("; kept back by guardrails: 3 (claims 1, repetition 2)")
    assert words_of(rows[1:]).endswith("; kept back by guardrails: 0")
    assert words_of(rows[2:]).endswith("; kept back by guardrails: unknown")


def test_repetitions_are_counted_by_turn() -> None:
    once, twice = (Again(share=0.5, run=0.1, trigrams=0.0, repeats=repeats) for repeats in (False, True))
    rows = [row("a", again=[once, twice]), row("b", again=[once]), row("c", again=[]), row("d")]

    assert words_of(rows).startswith("words    told twice: 1 of 3 turns;")
    assert words_of(rows[1:2]).startswith("words    told twice: 0 of 1 turn;")
    assert words_of(rows[2:]).startswith("words    told twice: 0 of 0 turns;")
    assert words_of(rows[3:]).startswith("words    told twice: unknown;")


def words_of(rows: Sequence[Row]) -> str:
    (line,) = [line for line in report(summarise(rows, 1), rows) if line.startswith("words ")]
    return line

"""A live model is checked for what it does and tells, not for its wording."""

import pytest

from assistant import tool
from assistant.prompts.book import shipped_book
from assistant.replay.live_trials import TIMES, reason_not_live
from assistant.replay.player.environment import ReplayEnvironment, environment_with
from assistant.testing.script import Line, breaks, calls, says
from tests.replay.live_recorded import TWO_LOOKUPS, held, recorded, told

BOTH = calls("find_visits", ("find_balance", {"of": "all"}))
TOLD = says("It's Tuesday, and the balance is $5.")
TOLD_ANYWAY = says("There is a visit, and a balance.")


def test_its_own_words_in_its_own_order_are_accepted(plain_environment: ReplayEnvironment) -> None:
    found = held(plain_environment, TWO_LOOKUPS, calls(("find_balance", {"of": "all"}), "find_visits"), TOLD)

    assert told(found) == []
    assert found.passed
    assert found.checks == {
        *("model", "calls", "hears", "never", "overlap", "ended", "times", "script", "order"),
        *("all_outcomes_reported", "grounded", "no_repetition", "claims", "language"),
    }


@pytest.mark.parametrize(
    ("decision", "failures"),
    [
        (calls("find_visits"), [('find_balance with {"of":"all"}', "no such call")]),
        (calls("find_visits", "find_balance"), [('find_balance with {"of":"all"}', "find_balance with {}")]),
        (calls("find_visits", "find_visits", ("find_balance", {"of": "all"})), [
            ("no other call", "find_visits with {}"),
        ]),
    ],
)  # fmt: skip
def test_other_calls_are_reported(
    plain_environment: ReplayEnvironment, decision: Line, failures: list[tuple[str, str]]
) -> None:
    found = held(plain_environment, TWO_LOOKUPS, decision, TOLD_ANYWAY)

    assert [one[2:] for one in told(found) if one[1] == "calls"] == failures
    assert not found.passed


def test_a_call_with_arguments_uses_its_own_entry_before_a_general_one(
    plain_environment: ReplayEnvironment,
) -> None:
    text = TWO_LOOKUPS.replace(
        "calls: [find_visits, {find_balance: {of: all}, outcome: ok}]",
        "calls: [find_balance, {find_balance: {of: all}}]",
    )

    found = held(plain_environment, text, calls(("find_balance", {"of": "all"}), "find_balance"), TOLD_ANYWAY)

    assert not found.fails("calls")


def test_a_call_that_ends_differently_is_reported(plain_environment: ReplayEnvironment) -> None:
    text = TWO_LOOKUPS.replace("outcome: ok", "outcome: failed")

    found = held(plain_environment, text, BOTH, TOLD)

    assert told(found) == [(1, "calls", "find_balance failed", "ok")]


@tool(waiting_hint="checking your billing")
async def find_balance(of: str = "all") -> str:
    """Find the balance.

    Args:
        of: which account.

    Returns:
        Nothing.
    """
    return of


@pytest.mark.parametrize(
    ("arguments", "fit"),
    [({}, True), ({"of": "all"}, True), ({"of": "some"}, False), ({"off": "all"}, False)],
)
def test_arguments_are_compared_as_their_tool_reads_them(arguments: dict[str, str | int], fit: bool) -> None:
    text = TWO_LOOKUPS.replace(
        "  - {name: find_balance, waiting_hint: checking your billing, arguments: [of]}\n", ""
    )
    environment = environment_with(shipped_book(), [find_balance])

    found = held(environment, text, calls("find_visits", ("find_balance", arguments)), TOLD_ANYWAY)

    assert found.fails("calls") is not fit


def test_a_tool_that_was_not_recorded_is_reported(plain_environment: ReplayEnvironment) -> None:
    text = TWO_LOOKUPS.replace('      - find_visits: {returns: [{day: "2026-11-24"}], after_ms: 100}\n', "")

    found = held(plain_environment, text, BOTH, says("I couldn't look up your appointments. You owe $5."))

    assert (1, "script", "the cassette's replies and runs, and no more") in [one[:3] for one in told(found)]


@pytest.mark.parametrize(
    ("said", "check"),
    [
        ("You owe $5, and you have a visit.", "hears"),
        ("It's Tuesday, you owe $5. Shall I cancel?", "never"),
        ("It's Tuesday with Walter and you owe $5.", "grounded"),
        ("It's Tuesday.", "all_outcomes_reported"),
        ("Am Dienstag (Tuesday) haben Sie einen Termin, und Ihre Rechnung ist noch offen.", "language"),
    ],
)  # fmt: skip
def test_the_models_text_passes_the_checks(
    plain_environment: ReplayEnvironment, said: str, check: str
) -> None:
    found = held(plain_environment, TWO_LOOKUPS, BOTH, says(said))

    assert found.fails(check), told(found)
    assert not found.passed


def test_a_skipped_check_does_not_run(plain_environment: ReplayEnvironment) -> None:
    text = TWO_LOOKUPS.replace("      ended: answered\n", "      skip_checks: [grounded]\n")

    found = held(plain_environment, text, BOTH, says("It's Tuesday with Walter and your balance is $5."))

    assert told(found) == []
    assert "grounded" not in found.checks
    assert "ended" not in found.checks


def test_a_check_skipped_in_one_turn_runs_in_another(
    plain_environment: ReplayEnvironment,
) -> None:
    first = TWO_LOOKUPS.replace("      ended: answered\n", "      skip_checks: [grounded]\n")
    text = first.replace("\ntools:", "\n  - customer: And how much did I pay?\ntools:")

    found = held(
        plain_environment,
        text,
        BOTH,
        says("It's Tuesday with Walter, the balance $5."),
        says("You paid Hannah."),
    )

    assert [one[:2] for one in told(found)] == [(2, "grounded")]
    assert "grounded" in found.checks


def test_a_slow_trial_does_not_fail(plain_environment: ReplayEnvironment) -> None:
    slow = calls("find_visits", ("find_balance", {"of": "all"}), first_s=0.4)

    found = held(plain_environment, TWO_LOOKUPS, slow, says("It's Tuesday and you owe $5.", first_s=5))

    assert {one.check for one in found.failures} == {TIMES}
    assert len(found.failures) == 3
    assert found.passed
    assert found.fails(TIMES)


def test_a_model_that_fails_is_reported(plain_environment: ReplayEnvironment) -> None:
    text = TWO_LOOKUPS.replace("ended: answered", "ended: apologised")

    found = held(plain_environment, text, breaks())

    assert (1, "model", "an answer of the decider", "the script broke off") in told(found)
    assert not found.fails("ended")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("find_balance: {of: all}]}", "find_balance: {of: all}], ends: breaks}", "fail as scripted"),
        (
            "    results:\n",
            "    meanwhile: [{stop: true, at_ms: 5}]\n    results:\n",
            "stops, cuts or restarts",
        ),
        ("tools:", "  - {customer: Hello, at_ms: 5}\ntools:", "do not wait for the answer"),
        ("tools:", "  - {customer: Hello, barge_in_ms: 5}\ntools:", "do not wait for the answer"),
    ],
)
def test_features_that_need_a_script_are_left_out(old: str, new: str, why: str) -> None:
    assert reason_not_live(recorded()) is None
    assert why in str(reason_not_live(recorded(TWO_LOOKUPS.replace(old, new))))

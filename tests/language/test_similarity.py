"""How much a response repeats is measured separately from the guardrail against it."""

import pytest

from assistant.language.similarity import repetition
from tests.support.rows import check_rows
from tests.turn.guardrails.repeat_cases import BOTH, NEW, PURE, THREE, Answer
from tests.turn.guardrails.repeat_cases_unseen import UNSEEN_PURE


@check_rows("case", NEW, ids=lambda case: case.text)
def test_an_answer_is_no_repetition(case: Answer) -> None:
    assert not repetition(case.told, case.text, case.locale).repeats


def test_most_repetitions_are_found_and_none_after_their_removal() -> None:
    cases = [*PURE, *UNSEEN_PURE]
    seen = [case for case in cases if repetition(case.told, f"{case.again} {case.rest}", case.locale).repeats]

    assert len(seen) >= 39
    assert not any(repetition(case.told, case.rest, case.locale).repeats for case in cases)


def test_the_same_words_are_a_full_repetition() -> None:
    measured = repetition(BOTH, BOTH)

    assert (measured.share, measured.run, measured.trigrams) == (1.0, 1.0, 1.0)
    assert measured.repeats


def test_the_same_acts_in_another_order_are_found_by_their_words() -> None:
    measured = repetition(BOTH, "Billing checked, appointments looked up.")

    assert measured.share == 1.0
    assert measured.run < 0.5
    assert measured.repeats


def test_a_long_common_run_is_found_next_to_other_text() -> None:
    said = "I've looked up your appointments and checked your billing, and on Tuesday Dr. Weber expects you."
    measured = repetition(BOTH, said)

    assert measured.share < 0.6
    assert measured.run >= 0.5
    assert measured.repeats


def test_inserted_words_do_not_hide_a_repetition() -> None:
    said = (
        "I'll look up your appointments, then check your billing and so track your order, "
        "which Weber in Berlin promised Anna on Monday and Tuesday in writing."
    )
    measured = repetition(THREE, said)

    assert measured.share < 0.6
    assert measured.run < 0.5
    assert measured.trigrams >= 0.4
    assert measured.repeats


@pytest.mark.parametrize(
    "response", ["", "Sure!", "I couldn't check your billing.", "Sure, your appointment is on Tuesday."]
)
def test_a_denial_or_a_mere_subject_is_no_repetition(response: str) -> None:
    assert not repetition(BOTH, response).repeats


def test_without_an_acknowledgement_nothing_is_repeated() -> None:
    measured = repetition("", "You owe $150.")

    assert (measured.share, measured.run, measured.trigrams, measured.repeats) == (0.0, 0.0, 0.0, False)


def test_only_the_beginning_counts() -> None:
    assert not repetition(BOTH, f"You owe $150. It is due soon. {BOTH}").repeats

"""Grounding, repetition, claims and language: correct answers, and answers with one mistake."""

from typing import Literal

import pytest

from assistant.conversation.calls import Call
from assistant.prompts.book import shipped_book
from assistant.replay.cassette import Cassette, Who
from assistant.replay.checks.check import check
from assistant.replay.checks.response_checks import repeated_sentences
from assistant.replay.checks.transcript import CheckFailure
from assistant.replay.expectations import Check, Expectations
from assistant.replay.replies import Declared
from tests.replay.checks.scripted_conversation import (
    SPECS,
    UNKNOWN,
    Acted,
    cassette,
    denied,
    failed,
    failures,
)
from tests.support.rows import check_rows
from tests.turn.guardrails.repeat_cases import NEW, PURE, WITH_FACTS, Answer

ALL: tuple[Check, ...] = ("all_outcomes_reported", "grounded", "no_repetition", "claims", "language")


def found(name: Check, acted: Acted) -> list[CheckFailure]:
    """The failures of this check."""
    expect = Expectations(skip_checks=tuple(other for other in ALL if other != name))
    return failures(acted, *[expect] * len(acted.played().state.turns))


BILLS = [{"number": "INV-2041", "amount": "150.00", "due": "2026-12-01", "by": "Frames by Lindt"}]


def billing(says: str, customer: str = "What do I owe?") -> Acted:
    return (
        Acted()
        .customer(customer)
        .acknowledges((10, "Let me see. I'll check your billing."))
        .calls("get_open_invoices", (10, 60), gives=BILLS, arguments={"days": 30})
        .says((70, says), round_=2)
        .ends(80)
    )


@check_rows(
    "says",
    [
        "You owe $150 on INV-2041, due December 1st, for Frames by Lindt.",
        "It is one invoice of 150.00, in the last 30 days.",
        "It is due in eight days.",
        "Today is Monday, November 23. It is 9:00, and tomorrow is Tuesday.",
        "I'm Robin from Willow & Finch.",
        "Thank you for asking about Mrs. Weber, and about 7 pm.",
    ],
)
def test_a_value_from_a_result_may_be_told(says: str) -> None:
    assert found("grounded", billing(says, "What do I owe Mrs. weber at 7 pm?")) == []


@check_rows(
    ("says", "unknown"),
    [
        ("You owe $160.", '"$160"'),
        ("It is due on December 2.", '"December 2"'),
        ("It is due in 13 days.", '"13 days"'),
        ("It is due in 13 weeks.", '"13 weeks"'),
        ("You have eight invoices.", '"eight"'),
        ("We close at 8 pm. Ask Anna.", '"8 pm", "Anna"'),
    ],
)
def test_a_value_without_a_source_is_reported(says: str, unknown: str) -> None:
    (failure,) = found("grounded", billing(says))

    assert (failure.check, failure.found) == ("grounded", f'{unknown} in "{says}"')
    assert (failure.at_ms, failure.turn, failure.place) == (70, 1, ("turns", 0))


@pytest.mark.parametrize(
    ("says", "complained"), [("In six weeks.", 0), ("In six days.", 1), ("In 42 days.", 0)]
)
def test_the_distance_to_a_known_day_may_be_told(says: str, complained: int) -> None:
    acted = Acted().customer("Owe?").calls("get_open_invoices", (1, 9), gives={"due": "2027-01-04"})

    assert len(found("grounded", acted.says((10, says)).ends(20))) == complained


def test_an_earlier_told_value_may_be_told_again() -> None:
    def twice(first: str, then: str) -> Acted:
        return billing(first).customer("And?", 100).says((110, then)).ends(120)

    assert found("grounded", twice("You owe $150.", "As I said, $150.")) == []
    assert [one.turn for one in found("grounded", twice("You owe $160.", "As I said, $160."))] == [1]
    assert [one.turn for one in found("grounded", twice("You owe $150.", "As I said, $160."))] == [2]


def test_a_later_result_proves_nothing_before_it() -> None:
    acted = Acted().customer("Owe?").says((10, "You owe $150.")).ends(20).customer("Sure?", 30)
    acted.calls("get_open_invoices", (40, 50), gives=BILLS).says((60, "Yes, $150.")).ends(70)

    assert [one.turn for one in found("grounded", acted)] == [1]


def test_the_reason_of_a_failure_may_be_told() -> None:
    acted = Acted().customer("Owe?").calls("get_open_invoices", (1, 9), failed("billing opens at 10 am"))
    acted.says((10, "Billing opens at 10 am.")).ends(20)

    assert found("grounded", acted) == []


def test_a_value_in_a_question_may_be_said() -> None:
    call = Call(id="c1.1", tool="cancel_appointment", arguments={"day": "2026-12-04"})
    acted = Acted().customer("Cancel it").asks(10, "Shall I cancel your visit on December 4?", call)
    acted.ends(20, "awaiting_confirmation")

    assert found("grounded", acted) == []


def test_the_customers_name_is_known() -> None:
    acted = Acted().customer("Hello").says((10, "Good morning, dear Ana Lindqvist.")).ends(20)
    written = cassette()

    def unknown(written: Cassette) -> list[CheckFailure]:
        return check(written, acted.played(), shipped_book(), SPECS)

    assert len(unknown(written)) == 1
    assert unknown(written.model_copy(update={"customer": Who(name="Ana Lindqvist")})) == []


@check_rows(
    "says",
    [
        "You owe $150.",
        "I've checked your billing and you owe $150.",
        "I couldn't check your billing.",
        "Shall I check your billing?",
        "I found an open invoice.",
        "Your billing:",
        "Your billing is settled.",
        "You asked me to check your billing.",
    ],
)
def test_a_response_that_says_something_new_does_not_repeat(says: str) -> None:
    assert found("no_repetition", billing(says)) == []


def test_a_response_that_repeats_the_acknowledgement_is_reported() -> None:
    (failure,) = found("no_repetition", billing("I've checked your billing. You owe $150."))

    assert (failure.check, failure.at_ms) == ("no_repetition", 70)
    assert failure.expected == 'nothing again of "Let me see. I\'ll check your billing."'
    assert failure.found == '"I\'ve checked your billing."'


def test_a_response_without_an_acknowledgement_repeats_nothing() -> None:
    acted = Acted().customer("Owe?").says((10, "I've checked your billing.")).ends(20)

    assert found("no_repetition", acted) == []


CLAIM = "I've cancelled your appointment."


def cancelling(says: str, *, outcome: str = "ok") -> Acted:
    acted = Acted().customer("Cancel it")
    match outcome:
        case "ok":
            acted.calls("cancel_appointment", (5, 9), gives={"cancelled": True})
        case "failed":
            acted.calls("cancel_appointment", (5, 9), failed())
        case "unknown":
            acted.calls("cancel_appointment", (5, 9), UNKNOWN)
        case _:
            pass
    return acted.says((10, says), round_=2).ends(20)


@pytest.mark.parametrize(
    ("says", "outcome"),
    [(CLAIM, "ok"), ("I couldn't cancel your appointment.", "failed"), ("Shall I cancel it?", "none")],
)
def test_a_true_claim_may_be_said(says: str, outcome: str) -> None:
    assert found("claims", cancelling(says, outcome=outcome)) == []


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        ("failed", "no claim: the call failed"),
        ("unknown", "no claim: it is not known whether the call went through"),
        ("none", "a claim that a call of this conversation proves"),
    ],
)
def test_a_claim_of_an_undone_action_is_reported(outcome: str, expected: str) -> None:
    (failure,) = found("claims", cancelling(f"All right. {CLAIM}", outcome=outcome))

    assert (failure.check, failure.expected, failure.found, failure.at_ms) == (
        "claims",
        expected,
        f'"{CLAIM}"',
        10,
    )


def test_a_promise_is_kept_by_a_call_of_the_same_reply() -> None:
    promise = "I'll cancel your appointment."
    kept = Acted().customer("Cancel it").says((1, promise), kind="acknowledgement")
    kept.calls("cancel_appointment", (5, 9)).says((10, CLAIM), round_=2).ends(20)
    broken = Acted().customer("Cancel it").says((1, promise)).ends(20)

    assert found("claims", kept) == []
    assert [one.expected for one in found("claims", broken)] == [
        "a promise that a running or coming call fulfils"
    ]


def test_nothing_counts_as_done_before_the_customer_has_agreed() -> None:
    call = Call(id="c1.1", tool="cancel_appointment")
    acted = (
        Acted()
        .customer("Cancel it")
        .says((5, CLAIM), kind="status")
        .calls("cancel_appointment", None, denied())
    )
    acted.asks(10, "Shall I cancel it?", call).ends(20, "awaiting_confirmation")

    assert [one.expected for one in found("claims", acted)] == ["no claim before the customer has agreed"]


def test_a_claim_of_more_than_was_done_is_reported() -> None:
    acted = cancelling("I've cancelled your appointment and refunded your order.")

    assert [one.expected for one in found("claims", acted)] == ["a claim of no more than was done"]


def test_fixed_and_empty_texts_are_not_checked() -> None:
    fixed = Acted().customer("Cancel it").says((10, CLAIM), own_words=False).ends(20)
    empty = Acted().customer("Cancel it").says((10, "")).ends(20)

    assert found("claims", fixed) == found("claims", empty) == []


def test_a_declared_tool_proves_its_action() -> None:
    acted = Acted().customer("Rebook it").calls("rebook_visit", (5, 9), gives={"ok": True})
    acted.says((10, "I've rebooked your visit."), round_=2).ends(20)
    declared = Declared(name="rebook_visit", waiting_hint="rebooking your visit", effect="write")
    written = cassette()

    def with_tools(*declares: Declared) -> list[CheckFailure]:
        return check(written.model_copy(update={"tools": declares}), acted.played(), shipped_book(), SPECS)

    assert [one.check for one in with_tools()] == ["claims"]
    assert with_tools(declared) == []


@pytest.mark.parametrize(
    ("customer", "says", "locale"),
    [
        ("What do I owe you?", "You owe us nothing at all.", "en"),
        ("Wann ist mein nächster Termin?", "Ihr nächster Termin ist morgen.", "en"),
        ("Wann ist mein nächster Termin?", "OK.", "en"),
        ("INV-2041", "Das ist Ihre Rechnung vom Dezember.", "de"),
    ],
)
def test_an_answer_in_the_customers_language_is_accepted(customer: str, says: str, locale: str) -> None:
    acted = Acted().customer(customer, locale=locale).says((10, says)).ends(20)

    assert found("language", acted) == []


@pytest.mark.parametrize(("button", "complained"), [("yes", 0), (None, 1)])
def test_a_buttons_text_is_not_the_customers_language(button: Literal["yes"] | None, complained: int) -> None:
    acted = Acted().customer("Yes, please do that", locale="de", button=button)
    acted.says((10, "Ihr Termin ist für Sie abgesagt worden.")).ends(20)

    assert len(found("language", acted)) == complained


@pytest.mark.parametrize(
    ("customer", "says", "expected", "other"),
    [
        ("What do I owe you?", "Sie haben keine offenen Rechnungen.", "English", "German"),
        ("Wann ist mein nächster Termin?", "You have no appointment.", "German", "English"),
    ],
)
def test_an_answer_in_another_language_is_reported(
    customer: str, says: str, expected: str, other: str
) -> None:
    (failure,) = found("language", Acted().customer(customer).says((10, says)).ends(20))

    assert (failure.expected, failure.found) == (expected, f'{other}: "{says}"')
    assert (failure.turn, failure.at_ms, failure.place) == (1, 10, ("turns", 0))


@pytest.mark.parametrize(
    ("name", "acted"),
    [
        ("grounded", billing("You owe $160.")),
        ("no_repetition", billing("I've checked your billing. You owe $150.")),
        ("claims", cancelling(CLAIM, outcome="failed")),
        ("language", Acted().customer("What do I owe?").says((1, "Sie haben keine offenen Rechnungen.")).ends(2)),
    ],
)  # fmt: skip
def test_a_check_can_be_skipped_by_turn_or_conversation(name: Check, acted: Acted) -> None:
    left_out = Expectations(skip_checks=(name, "all_outcomes_reported"))
    all_outcomes_reported = Expectations(skip_checks=("all_outcomes_reported",))

    assert name in {one.check for one in failures(acted, all_outcomes_reported)}
    assert name not in {one.check for one in failures(acted, left_out)}
    assert name not in {one.check for one in failures(acted, all_outcomes_reported, whole=left_out)}


def _again(told: str, says: str, locale: str) -> list[str]:
    return repeated_sentences([told], says, shipped_book().words(locale).repetition, locale)


def test_most_repetitions_are_found() -> None:
    found_ = [case for case in PURE if _again(case.told, f"{case.again} {case.rest}", case.locale)]

    assert len(found_) >= 21
    assert not any(_again(case.told, case.rest, case.locale) for case in PURE)


@check_rows("case", [*WITH_FACTS, *NEW], ids=lambda case: case.text)
def test_no_fact_counts_as_a_repetition(case: Answer) -> None:
    again = " ".join(_again(case.told, case.text, case.locale))

    assert not any(fact in again for fact in case.facts)
    assert not again or case not in NEW

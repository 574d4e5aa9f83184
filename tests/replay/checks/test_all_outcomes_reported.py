"""Each call has one outcome, and the text after it mentions each, in any words."""

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.entries import CallEnded
from assistant.conversation.outcomes import CallFailed, Outcome, outcome_name
from assistant.conversation.values import Json
from assistant.prompts.book import shipped_book
from assistant.prompts.narration import Narration
from assistant.replay.expectations import Expectations
from tests.replay.checks.scripted_conversation import (
    CANCELLED,
    EMPTY,
    SPECS,
    TIMED_OUT,
    UNKNOWN,
    Acted,
    denied,
    failed,
    failures,
)
from tests.support.rows import check_rows

ONLY = Expectations(skip_checks=("grounded", "claims", "language", "no_repetition"))
VISIT = [{"when": "2026-11-24T14:00"}]


def found(acted: Acted) -> list[str]:
    """What is reported, in short."""
    return [f"{one.expected}: {one.found}" for one in failures(acted, ONLY)]


def two(outcome: Outcome | None, says: str, *, gives: Json = VISIT, locale: str = "en") -> Acted:
    """Appointments that were found, billing that ended so, and what was said of both."""
    return (
        Acted()
        .customer("Check my appointments and billing", 0, locale=locale)
        .calls("list_upcoming_appointments", (10, 60), gives=gives)
        .calls("get_open_invoices", (10, 30), outcome, gives={"amount": "150.00"})
        .says((70, says), round_=2)
        .ends(80)
    )


@check_rows(
    ("outcome", "says"),
    [
        (None, "You're booked for Tuesday at 2 pm, and you owe $150."),
        (None, "You're booked for Tuesday at 2 pm, and you're all paid up."),
        (None, "You're booked for Tuesday at 2 pm, and your account is settled."),
        (None, "You're booked for Tuesday at 2 pm. Nothing is owed."),
        (None, "Your appointment is next week. Your invoices are all fine."),
        (failed("billing can't be reached"), "Tuesday at 2 pm. I couldn't reach billing just now."),
        (failed("billing can't be reached"), "Tuesday at 2 pm, but that other part went wrong, sorry."),
        (failed("the ledger is locked"), "Tuesday at 2 pm. The ledger happens to be locked."),
        (TIMED_OUT, "You're booked for Tuesday. Your billing took too long."),
        (UNKNOWN, "You're booked for Tuesday. I can't tell about the rest."),
        (
            denied("I don't know yet who you are"),
            "Tuesday at 2 pm. For the bills: I don't know yet who you are.",
        ),
        (denied(), "You're booked for Tuesday at 2 pm."),
        (CANCELLED, "You're booked for Tuesday at 2 pm."),
    ],
)
def test_one_relevant_word_is_enough(outcome: Outcome | None, says: str) -> None:
    assert found(two(outcome, says)) == []


@pytest.mark.parametrize(
    ("outcome", "says", "expected", "why"),
    [
        (
            failed("billing can't be reached"),
            "You're booked for Tuesday at 2 pm.",
            "an admission of the failure of get_open_invoices, which ended failed (billing can't be reached)",
            "does not admit it",
        ),
        (
            TIMED_OUT,
            "You're booked for Tuesday, and your billing is fine.",
            "an admission of the failure of get_open_invoices, which ended timed_out",
            "does not admit it",
        ),
        (
            None,
            "You're booked for Tuesday at 2 pm.",
            "a statement about get_open_invoices, which ended ok",
            "does not mention it",
        ),
    ],
)
def test_a_result_that_no_text_mentions_is_found(
    outcome: Outcome | None, says: str, expected: str, why: str
) -> None:
    (failure,) = failures(two(outcome, says), ONLY)

    assert (failure.check, failure.expected) == ("all_outcomes_reported", expected)
    assert (failure.found, failure.at_ms) == (f'"{says}" {why}', 70)
    assert (failure.turn, failure.place) == (1, ("turns", 0))


def test_an_empty_answer_mentions_nothing() -> None:
    acted = Acted().customer("Bill?").calls("get_open_invoices", (1, 9)).ends(20)

    assert found(acted) == ["a statement about get_open_invoices, which ended ok: nothing was said"]


def test_text_before_a_result_does_not_mention_it() -> None:
    acted = (
        Acted()
        .customer("Appointments and bills?")
        .calls("list_upcoming_appointments", (1, 20), gives=VISIT)
        .says((10, "Your bills, your billing. "), (30, "Tuesday at 2 pm."))
        .calls("get_open_invoices", (1, 20), gives={"amount": "150"})
        .ends(40)
    )

    assert found(acted) == [
        'a statement about get_open_invoices, which ended ok: "Tuesday at 2 pm." does not mention it'
    ]


def test_an_acknowledgement_is_no_answer() -> None:
    acted = (
        two(None, "Tuesday at 2 pm.").acknowledges((65, "I'll check your billing."))
    )  # fmt: skip

    assert len(found(acted)) == 1


def test_a_single_result_may_be_told_in_any_words() -> None:
    acted = Acted().customer("Bill?").calls("get_open_invoices", (1, 9)).says((10, "All fine.")).ends(20)

    assert found(acted) == []


def test_a_mere_yes_may_be_told_in_any_words() -> None:
    assert found(two(None, "You owe $150, and yes, it is settled.", gives=True)) == []


@pytest.mark.parametrize(
    ("says", "complained"),
    [
        ("You have no appointments. You owe $150.", 0),
        ("You owe $150, and nothing else.", 0),
        ("You owe $150.", 1),
    ],
)
def test_an_empty_result_must_be_told_too(says: str, complained: int) -> None:
    acted = (
        Acted()
        .customer("Both?")
        .calls("list_upcoming_appointments", (1, 9), EMPTY)
        .calls("get_open_invoices", (1, 9), gives={"amount": "150.00"})
        .says((10, says))
        .ends(20)
    )

    assert len(found(acted)) == complained


@check_rows(
    ("says", "complained"),
    [
        ("I couldn't reach billing, and couldn't look at your order.", []),
        ("I'm sorry, I couldn't do either.", []),
        ("I couldn't look up what you owe or where your order is just now.", []),
        ("I couldn't look up what you owe just now.", ["get_order_status"]),
        ("I couldn't reach billing.", ["get_order_status"]),
        ("Your order can't be found.", ["get_open_invoices"]),
    ],
)
def test_an_answer_that_names_one_failure_must_name_the_other(says: str, complained: list[str]) -> None:
    acted = (
        Acted()
        .customer("Bill and order?")
        .calls("get_open_invoices", (1, 9), failed("that did not work"))
        .calls("get_order_status", (1, 9), failed("that did not work"))
        .says((10, says))
        .ends(20)
    )

    assert [one.split(",")[0].rpartition(" ")[2] for one in found(acted)] == complained


@check_rows(
    ("says", "ran", "complained"),
    [
        ("November has no 31st; which day do you mean?", None, 0),
        ("November has no 31st; which day do you mean?", (1, 9), 0),
        ("November has thirty days; which day do you mean?", None, 0),
        ("November has thirty days; which day do you mean?", (1, 9), 1),
        ("You have no visit then. What else can I do for you?", None, 1),
        ("You have no visit then.", None, 1),
    ],
)
def test_asking_for_a_missing_value_tells_the_failure(
    says: str, ran: tuple[int, int] | None, complained: int
) -> None:
    acted = Acted().customer("Cancel it on November 31").calls("cancel_appointment", ran, failed())

    assert len(found(acted.says((10, says)).ends(20))) == complained


def test_a_failure_that_a_later_round_repaired_needs_no_mention() -> None:
    again = (
        Acted()
        .customer("Bill?")
        .calls("get_open_invoices", (1, 9), failed())
        .calls("get_open_invoices", (12, 20), gives={"amount": "150.00"}, round_=2)
        .says((30, "You owe $150."), round_=3)
        .ends(40)
    )
    not_a_call = (
        Acted()
        .customer("Order?")
        .calls("unheard_of", None, failed())
        .calls("get_order_status", (12, 20), gives="shipped", round_=2)
        .says((30, "It was shipped."), round_=3)
        .ends(40)
    )
    otherwise = (
        Acted()
        .customer("Order?")
        .calls("get_order_status", (1, 9), failed())
        .calls("list_orders", (12, 20), gives="shipped", round_=2)
        .says((30, "It was shipped."), round_=3)
        .ends(40)
    )

    assert found(again) == found(not_a_call) == found(otherwise) == []


def test_a_failure_that_no_later_round_repaired_needs_a_mention() -> None:
    acted = (
        Acted()
        .customer("Bill, then my order?")
        .calls("get_open_invoices", (1, 9), failed())
        .calls("get_order_status", (12, 20), gives="shipped", round_=2)
        .says((30, "It was shipped."), round_=3)
        .ends(40)
    )

    assert len(found(acted)) == 1


def test_results_of_an_earlier_round_may_serve_the_next_one() -> None:
    acted = (
        Acted()
        .customer("Where is it?")
        .calls("get_open_invoices", (1, 9), gives={"number": "INV-1"})
        .calls("get_order_status", (12, 20), gives="shipped", round_=2)
        .says((30, "It was shipped."), round_=3)
        .ends(40)
    )

    assert found(acted) == []


@pytest.mark.parametrize("how", ["interrupted", "apologised"])
def test_a_turn_without_an_answer_owes_nothing(how: str) -> None:
    acted = Acted().customer("Bill?").calls("get_open_invoices", (1, 9)).says((10, "Sorry."))
    acted.ends(20, "interrupted" if how == "interrupted" else "apologised")

    assert found(acted) == []


def test_in_a_language_without_word_lists_any_answer_admits_a_failure() -> None:
    assert found(two(failed("x"), "Dinsdag om 14:00. Your appointments.", locale="nl")) == []


def test_german_answers_are_read_in_german() -> None:
    good = "Ihr Termin ist am Dienstag. Ihre Rechnungen konnte ich leider nicht prüfen."

    assert found(two(failed("x"), good, locale="de")) == []
    assert len(found(two(failed("x"), "Ihr Termin ist am Dienstag um 14 Uhr.", locale="de"))) == 1


@check_rows("locale", ["en", "de"])
@check_rows(
    "outcome", [failed(), failed("the ledger is closed"), TIMED_OUT, UNKNOWN, denied("ask somebody else")],
    ids=lambda outcome: outcome_name(outcome),
)  # fmt: skip
def test_our_own_words_for_a_failure_count(locale: str, outcome: Outcome) -> None:
    acted = two(outcome, "", locale=locale)
    outcomes = [one.entry.outcome for one in acted.entries if isinstance(one.entry, CallEnded)]
    told = Narration(shipped_book()).narrate_outcomes(outcomes, {spec.name: spec for spec in SPECS}, locale)

    assert found(two(outcome, told, locale=locale)) == []


def test_a_call_without_an_outcome_is_reported() -> None:
    acted = (
        Acted()
        .customer("Bill?")
        .calls("get_open_invoices", (5, None))
        .says((9, "One"), interrupted=True)
        .ends(9, "interrupted")
    )

    (failure,) = failures(acted, ONLY)

    assert (failure.expected, failure.found, failure.at_ms) == (
        "one outcome of get_open_invoices",
        "it started and never ended",
        5,
    )


def test_a_call_with_two_outcomes_is_reported() -> None:
    acted = two(None, "Your appointments and your billing are fine.")
    call = Call(id="c1.1", tool="list_upcoming_appointments")
    acted.logs(65, CallEnded(outcome=CallFailed(call=call, say="", for_model="")))

    assert found(acted) == ["one outcome of list_upcoming_appointments: ok, failed"]


def test_a_call_that_neither_ran_nor_ended_is_reported() -> None:
    acted = Acted().customer("Bill?").calls("get_open_invoices", None).says((9, "Done.")).ends(9)
    entries = tuple(one for one in acted.entries if not isinstance(one.entry, CallEnded))

    class WithoutEnd(Acted):
        @property
        def entries(self):
            return entries

    assert found(WithoutEnd()) == ["one outcome of get_open_invoices: none"]

"""Claims and promises without ground are kept from customers; what is so, and what only looks alike, is not."""

import random
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.prompts.shipped import shipped_book
from assistant.testing.fake_tool import fake_spec
from assistant.turn.guardrails.claims import Patience, SayDo, deeds_said
from assistant.turn.guardrails.evidence import Evidence, Fault, Receipt, ToolDeeds, receipt_of, tool_deeds
from assistant.turn.guardrails.grammar import Grammar, grammar_of
from assistant.turn.guardrails.guardrail import Suppressed
from tests.turn.guardrails.deed_cases import (
    BOOKED,
    FALSE_CLAIMS,
    FALSE_PROMISES,
    FINE,
    LAST_FINE,
    LAST_WRONG,
    LATER_CLAIMS,
    LATER_FINE,
    LATER_PROMISES,
    TOOLS,
    Case,
    failed,
    ok,
)

WRONG = (*FALSE_CLAIMS, *FALSE_PROMISES, *LATER_CLAIMS, *LATER_PROMISES, *LAST_WRONG)
RIGHT = (*FINE, *LATER_FINE, *LAST_FINE)
BOOK = shipped_book()


def grammar(locale: str) -> Grammar:
    return grammar_of(BOOK.words(locale).deeds, locale)


@cache
def deeds(locale: str) -> Mapping[str, ToolDeeds]:
    return {tool.name: tool_deeds(tool, grammar(locale), grammar("en")) for tool in TOOLS}


def guard(case: Case, patience: Patience = "calls") -> SayDo:
    known = deeds(case.locale)

    def evidence(named: Sequence[str]) -> Evidence:
        receipts = [receipt_of(one, known[one.call.tool], grammar(case.locale)) for one in case.known]
        receipts += [Receipt(known[tool], "waiting") for tool in case.waiting]
        receipts += [Receipt(known[tool], "coming") for tool in named]
        nouns = frozenset[str]().union(*(each.things for each in known.values()))
        return Evidence(receipts, grammar(case.locale), nouns)

    def correct(fault: Fault, shown: bool) -> str:
        return f"<{fault}, shown>" if shown else f"<{fault}>"

    own = {verb: act for each in known.values() for verb, act in each.own.items()}
    return SayDo(grammar(case.locale), own, evidence, correct, patience=patience)


def stream(case: Case, pieces: Sequence[str], patience: Patience = "calls") -> tuple[str, list[Suppressed]]:
    """What is shown of a message in these pieces, and what is kept back."""
    say_do = guard(case, patience)
    shown = [say_do.push(piece) for piece in pieces]
    for tool in case.named:
        say_do.called(tool)
    return "".join([*shown, say_do.close()]), say_do.withheld


def cut(text: str, places: Sequence[int]) -> list[str]:
    ends = sorted({0, len(text), *(place % len(text) for place in places)})
    return [text[begin:end] for begin, end in pairwise(ends)]


def words(text: str) -> list[str]:
    """The text as a model writes it: each word with the space before it."""
    return [word if at == 0 else f" {word}" for at, word in enumerate(text.split(" "))]


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case.text)
@pytest.mark.parametrize("seed", range(4))
def test_what_is_not_so_is_kept_back_or_corrected(case: Case, seed: int) -> None:
    chance = random.Random(seed)
    shown, kept = stream(case, cut(case.text, [chance.randrange(200) for _ in range(chance.randrange(12))]))

    assert kept
    assert all(one.text not in shown or one.instead in shown.partition(one.text)[2] for one in kept)


@pytest.mark.parametrize("case", RIGHT, ids=lambda case: case.text)
@pytest.mark.parametrize("seed", range(4))
def test_what_is_so_or_only_looks_alike_is_shown_as_it_is(case: Case, seed: int) -> None:
    chance = random.Random(seed)
    pieces = cut(case.text, [chance.randrange(200) for _ in range(chance.randrange(12))])

    assert stream(case, pieces) == (case.text, [])


@given(st.lists(st.sampled_from((*WRONG, *RIGHT)), min_size=1, max_size=4), st.lists(st.integers(0, 400)))
def test_the_cuts_make_no_difference_to_what_is_kept(cases: Sequence[Case], places: Sequence[int]) -> None:
    whole = Case(text=" ".join(case.text for case in cases), known=(BOOKED,), locale=cases[0].locale)

    _, kept = stream(whole, cut(whole.text, places))
    _, expected = stream(whole, words(whole.text))

    assert [one.text for one in kept] == [one.text for one in expected]


def waits(text: str) -> int:
    """How many words of a sentence are held at most, as a model writes it word by word."""
    say_do, held, most = guard(Case(text=text)), 0, 0
    for word in words(text):
        held = held + 1 if not say_do.push(word) else 0
        most = max(most, held)
    return most


@pytest.mark.parametrize(
    "text",
    [
        "Hello Ana, how can I help you?",
        "Good morning! What would you like to do today?",
        "The shop opens at nine on weekdays.",
        "You owe 150 euros for invoice R-7.",
        "You have an appointment on Tuesday at 2 pm.",
        "On Tuesday you have an eye test with Dr. Weber.",
        "There are two free slots: 10 and 11:30.",
        "We look forward to your visit.",
        "It is due on Friday.",
        "I found two orders under your name.",
        "I'm sorry to hear that.",
        "Which appointment do you mean?",
        "Tuesday at 2 pm suits the optician.",
        "If you tell me the number, I can look it up.",
        "Sie haben am Dienstag um 14 Uhr einen Termin.",
        "Please bring your old glasses.",
    ],
)
def test_a_sentence_that_cannot_become_a_claim_waits_a_word_or_two(text: str) -> None:
    assert waits(text) <= 2


@pytest.mark.parametrize(
    "text",
    [
        "Your next appointment with Dr. Weber is on Tuesday, December 8 at 2 pm in our shop.",
        "Your order of the blue frame with two pairs of lenses and a case arrives on Tuesday.",
        "The appointment on Tuesday at two in the shop on Main Street is with Dr. Weber.",
    ],
)
def test_a_sentence_that_may_become_a_claim_waits_at_most_eight_words(text: str) -> None:
    assert waits(text) <= 9  # the ninth shows that the eighth is complete


def test_only_the_first_of_several_is_answered() -> None:
    case = Case(text="I've cancelled your appointment. I've refunded you. The shop opens at nine.")

    shown, kept = stream(case, words(case.text))

    assert shown == "<not_done> The shop opens at nine."
    assert kept == [
        Suppressed("I've cancelled your appointment.", "<not_done>"),
        Suppressed("I've refunded you.", ""),
    ]


def test_a_claim_that_was_shown_before_it_was_one_is_corrected() -> None:
    text = "Tuesday is free again: I've cancelled your appointment."

    shown, kept = stream(Case(text=text), words(text))

    assert shown == f"{text} <not_done, shown>"
    assert kept == [Suppressed(text, "<not_done, shown>")]


def test_a_correction_stands_between_the_sentences() -> None:
    text = "Tuesday is free again: I've cancelled your appointment. The shop opens at nine."

    assert stream(Case(text=text), words(text))[0] == (
        "Tuesday is free again: I've cancelled your appointment. <not_done, shown> The shop opens at nine."
    )


@pytest.mark.parametrize(
    ("text", "case", "fault"),
    [
        ("I've cancelled it.", Case(text=""), "not_done"),
        ("It has been cancelled.", Case(text=""), "unconfirmed"),
        ("I've cancelled it.", Case(text="", known=(failed("cancel_order"),)), "failed"),
        ("I'll cancel it.", Case(text="", known=(failed("cancel_order"),)), "failed"),
        ("I'll cancel it.", Case(text=""), "promise"),
        ("I cancelled and refunded it.", Case(text="", known=(ok("cancel_order"),)), "partly"),
    ],
)
def test_the_answer_fits_the_fault(text: str, case: Case, fault: str) -> None:
    whole = Case(text=text, known=case.known)

    assert stream(whole, words(text))[0] == f"<{fault}>"


def test_what_the_customer_is_about_to_be_asked_is_dropped_without_a_word() -> None:
    case = Case(text="You owe 150 euros. I've cancelled your appointment.", waiting=("cancel_appointment",))

    assert stream(case, words(case.text)) == (
        "You owe 150 euros. ",
        [Suppressed("I've cancelled your appointment.", "")],
    )


def test_a_promise_waits_for_its_call_and_what_follows_waits_with_it() -> None:
    say_do = guard(Case(text=""))

    assert [say_do.push(word) for word in words("I'll cancel it. One moment.")] == [""] * 5
    say_do.called("cancel_order")
    assert say_do.close() == "I'll cancel it. One moment."
    assert say_do.withheld == []


def test_a_promise_that_no_call_keeps_is_answered_at_the_end() -> None:
    say_do = guard(Case(text=""))

    assert [say_do.push(word) for word in words("I'll cancel it. One moment.")] == [""] * 5
    assert say_do.close() == "<promise> One moment."


def test_a_promise_is_dropped_when_another_call_comes() -> None:
    case = Case(text="I'll cancel it. One moment.", named=("get_order_status",))

    assert stream(case, words(case.text)) == ("", [Suppressed("I'll cancel it.", "")])


def test_a_model_that_will_be_asked_again_is_not_answered_for() -> None:
    say_do = guard(Case(text=""), "again")

    shown = [say_do.push(word) for word in words("You owe 150 euros. I've cancelled it. Bye.")]

    assert "".join([*shown, say_do.close()]) == "You owe 150 euros. "
    assert say_do.unkept == "I've cancelled it."


def test_without_words_nothing_is_kept() -> None:
    case = Case(text="J'ai annulé. I've cancelled it.", locale="fr")
    no_words = grammar_of(type(BOOK.words("en").deeds)(), "fr")

    say_do = SayDo(
        no_words, {}, lambda named: Evidence((), no_words, frozenset()), lambda fault, shown: fault
    )

    assert say_do.push(case.text) + say_do.close() == case.text


def test_a_tools_own_verb_is_told_from_a_negation_that_looks_like_it() -> None:
    note = fake_spec("add_note", "noting that down", "note that down", effect="write")
    own = tool_deeds(note, grammar("en"), grammar("en")).own

    assert list(own) == ["not"]
    assert [each.acts[0].name for each in deeds_said("I've noted that down.", grammar("en"), own)] == [
        "tool:add_note"
    ]
    assert deeds_said("I have not written anything.", grammar("en"), own) == []

"""Claims and promises without evidence are not shown; true ones, and sentences that only look alike, are."""

import random
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.prompts.book import shipped_book
from assistant.testing.fake_tool import fake_spec
from assistant.turn.guardrails.call_evidence import Receipt, ToolDeeds, receipt_of, tool_deeds
from assistant.turn.guardrails.claims import Claims, Patience
from assistant.turn.guardrails.deeds import deeds_said
from assistant.turn.guardrails.evidence import Evidence
from assistant.turn.guardrails.grammar import Grammar, grammar_of
from assistant.turn.guardrails.guardrail import Suppressed
from tests.support.rows import check_rows
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
    SHIPPED,
    TOOLS,
    Case,
)

WRONG = (*FALSE_CLAIMS, *FALSE_PROMISES, *LATER_CLAIMS, *LATER_PROMISES, *LAST_WRONG)
RIGHT = (*FINE, *LATER_FINE, *LAST_FINE)
BOOK = shipped_book()


def grammar(locale: str) -> Grammar:
    return grammar_of(BOOK.words(locale).deeds, locale)


@cache
def deeds(locale: str) -> Mapping[str, ToolDeeds]:
    return {tool.name: tool_deeds(tool, grammar(locale), grammar("en")) for tool in TOOLS}


def guard(case: Case, patience: Patience = "calls") -> Claims:
    known = deeds(case.locale)

    def evidence(named: Sequence[str]) -> Evidence:
        receipts = [receipt_of(one, known[one.call.tool], grammar(case.locale)) for one in case.known]
        receipts += [Receipt(known[tool], "waiting") for tool in case.waiting]
        receipts += [Receipt(known[tool], "coming") for tool in named]
        nouns = frozenset[str]().union(*(each.things for each in known.values() if each.effect == "write"))
        return Evidence(receipts, grammar(case.locale), nouns)

    own = {verb: act for each in known.values() for verb, act in each.own.items()}
    return Claims(grammar(case.locale), own, evidence, lambda left, said: left != "", patience=patience)


def stream(case: Case, pieces: Sequence[str], patience: Patience = "calls") -> tuple[str, list[Suppressed]]:
    """What is shown of a message in these pieces, and what is kept back."""
    claims = guard(case, patience)
    shown = [claims.push(piece) for piece in pieces]
    for tool in case.named:
        claims.called(tool)
    return "".join([*shown, claims.close()]), claims.withheld


def cut(text: str, places: Sequence[int]) -> list[str]:
    ends = sorted({0, len(text), *(place % len(text) for place in places)})
    return [text[begin:end] for begin, end in pairwise(ends)]


def words(text: str) -> list[str]:
    """The text as a model writes it: each word with the space before it."""
    return [word if at == 0 else f" {word}" for at, word in enumerate(text.split(" "))]


@check_rows("case", WRONG, ids=lambda case: case.text)
@check_rows("seed", range(4))
def test_a_false_claim_is_suppressed(case: Case, seed: int) -> None:
    chance = random.Random(seed)
    shown, kept = stream(case, cut(case.text, [chance.randrange(200) for _ in range(chance.randrange(12))]))

    assert kept
    assert all(one.text not in shown for one in kept)


@check_rows("case", RIGHT, ids=lambda case: case.text)
@check_rows("seed", range(4))
def test_a_true_claim_or_a_similar_sentence_is_shown_unchanged(case: Case, seed: int) -> None:
    chance = random.Random(seed)
    pieces = cut(case.text, [chance.randrange(200) for _ in range(chance.randrange(12))])

    assert stream(case, pieces) == (case.text, [])


@given(st.lists(st.sampled_from((*WRONG, *RIGHT)), min_size=1, max_size=4), st.lists(st.integers(0, 400)))
def test_cuts_in_the_stream_make_no_difference(cases: Sequence[Case], places: Sequence[int]) -> None:
    whole = Case(text=" ".join(case.text for case in cases), known=(BOOKED,), locale=cases[0].locale)

    _, kept = stream(whole, cut(whole.text, places))
    _, expected = stream(whole, words(whole.text))

    assert [one.text for one in kept] == [one.text for one in expected]


def waits(text: str) -> int:
    """How many words of a sentence are held at most, as a model writes it word by word."""
    claims, held, most = guard(Case(text=text)), 0, 0
    for word in words(text):
        held = held + 1 if not claims.push(word) else 0
        most = max(most, held)
    return most


@check_rows(
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
def test_a_sentence_that_cannot_become_a_claim_waits_three_words_at_most(text: str) -> None:
    assert waits(text) <= 3


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


def test_a_claim_is_left_out_and_the_rest_is_shown() -> None:
    case = Case(text="I've cancelled your appointment. I've refunded you. The shop opens at nine.")

    shown, kept = stream(case, words(case.text))

    assert shown == "The shop opens at nine."
    assert kept == [Suppressed("I've cancelled your appointment."), Suppressed("I've refunded you.")]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Tuesday is free again: I've cancelled your appointment.", "Tuesday is free again."),
        (
            "Tuesday is free again: I've cancelled it. The shop opens at nine.",
            "Tuesday is free again. The shop opens at nine.",
        ),
        ("You owe 150 euros, and I've emailed you the bill.", "You owe 150 euros."),
        ("Your order has been shipped, and I've cancelled the other one.", "Your order has been shipped."),
    ],
)
def test_only_the_false_clause_is_left_out(text: str, shown: str) -> None:
    assert stream(Case(text=text, known=(SHIPPED,)), words(text))[0] == shown


def test_the_word_before_a_claim_is_not_left_standing() -> None:
    case = Case(text="Den Wunsch nach einem hohen Stockwerk habe ich notiert.", locale="de")

    shown, kept = stream(case, ["Den Wunsch nach einem hohen Stockwerk", " habe", " ich", " notiert."])

    assert shown == "Den Wunsch nach einem hohen Stockwerk."
    assert [each.text for each in kept] == [case.text]


def test_a_claim_about_the_open_question_is_dropped_silently() -> None:
    case = Case(text="You owe 150 euros. I've cancelled your appointment.", waiting=("cancel_appointment",))

    assert stream(case, words(case.text)) == (
        "You owe 150 euros. ",
        [Suppressed("I've cancelled your appointment.")],
    )


def test_a_promise_waits_for_its_call_together_with_what_follows() -> None:
    claims = guard(Case(text=""))

    assert [claims.push(word) for word in words("I'll cancel it. One moment.")] == [""] * 5
    claims.called("cancel_order")
    assert claims.close() == "I'll cancel it. One moment."
    assert claims.withheld == []


def test_a_promise_without_a_call_is_left_out_at_the_end() -> None:
    claims = guard(Case(text=""))

    assert [claims.push(word) for word in words("I'll cancel it. One moment.")] == [""] * 5
    assert claims.close() == "One moment."


def test_a_promise_is_dropped_when_another_call_comes() -> None:
    case = Case(text="I'll cancel it. One moment.", named=("get_order_status",))

    assert stream(case, words(case.text)) == ("", [Suppressed("I'll cancel it.")])


def test_a_rest_without_an_answer_is_refused() -> None:
    claims = guard(Case(text=""), "again")

    shown = [claims.push(word) for word in words("I've cancelled it.")]

    assert "".join([*shown, claims.close()]) == ""
    assert claims.refused == "I've cancelled it."


def test_the_text_after_a_claim_waits_until_it_is_judged() -> None:
    claims = guard(Case(text=""), "again")

    assert "".join(claims.push(word) for word in words("Hello Ana. I've cancelled it. Bye.")) == "Hello Ana. "
    assert (claims.close(), claims.refused) == ("Bye.", "")


def test_a_second_reply_is_shown_as_a_whole() -> None:
    claims = guard(Case(text=""), "last")

    assert "".join(claims.push(word) for word in words("Hello Ana. Bye.")) == ""
    assert claims.close() == "Hello Ana. Bye."


def test_without_word_lists_nothing_is_suppressed() -> None:
    case = Case(text="J'ai annulé. I've cancelled it.", locale="fr")
    no_words = grammar_of(type(BOOK.words("en").deeds)(), "fr")

    claims = Claims(no_words, {}, lambda named: Evidence((), no_words, frozenset()), lambda left, said: True)

    assert claims.push(case.text) + claims.close() == case.text


def test_a_tools_own_verb_differs_from_a_negation_that_looks_like_it() -> None:
    note = fake_spec("add_note", "noting that down", "note that down", effect="write")
    own = tool_deeds(note, grammar("en"), grammar("en")).own

    assert list(own) == ["not"]
    assert [each.acts[0].name for each in deeds_said("I've noted that down.", grammar("en"), own)] == [
        "tool:add_note"
    ]
    assert deeds_said("I have not written anything.", grammar("en"), own) == []

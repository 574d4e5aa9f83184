"""A guardrail's time grows with the length of the text, and no faster."""

from time import process_time

import pytest

from assistant.turn.guardrails.facts import Facts
from assistant.turn.guardrails.guardrail import SentenceGuardrail
from assistant.turn.guardrails.repetition import NotHeardBefore
from tests.turn.guardrails.test_claims import Case, guard
from tests.turn.guardrails.test_facts import Known

SHAPES = (
    "I've cancelled it and I will ",
    "It costs $12.50 on 24.11. at 2 pm, ",
    "ich habe ",
    "I, ",
    "(",
    "a",
    "1",
    "\n",
    "twenty ",
    "* ",
    "1:",
    "a@b.c ",
)
LENGTH = 6_000
MOST_S = 1.5
"""About five times what the slowest takes on a quiet machine: a bound that is not linear takes far more."""


def guardrails(locale: str) -> list[SentenceGuardrail]:
    known = Known([{"amount": 1}], locale)
    return [
        guard(Case(text="", locale=locale)),
        Facts(lambda: known, locale),
        NotHeardBefore(["It is."], locale),
    ]


def seconds(guardrail: SentenceGuardrail, text: str, size: int) -> float:
    began = process_time()
    for at in range(0, len(text), size):
        guardrail.push(text[at : at + size])
    guardrail.close()
    return process_time() - began


@pytest.mark.usefixtures("untraced")
def test_the_time_grows_with_the_length_only() -> None:
    slow = [
        (shape, locale, type(each).__name__, size, took)
        for shape in SHAPES
        for locale in ("en", "de")
        for size in (1, LENGTH)
        for each in guardrails(locale)
        if (took := seconds(each, (shape * LENGTH)[:LENGTH], size)) > MOST_S
    ]

    assert not slow, "\n".join(map(str, slow))


def test_a_number_of_many_digits_is_no_error() -> None:
    known = Known([{"amount": 1}])
    facts = Facts(lambda: known, "en", asks_again=True)

    assert facts.push(f"You owe {'1' * 300}.") + facts.close() == "You owe"

"""What only repeats the acknowledgement is never shown, what is new always, however it streams."""

import random
import re
from itertools import pairwise

import pytest

from assistant.prompts.shipped import shipped_book
from assistant.text.values import Data, values_of
from assistant.turn.guards.repetition import NoRepetition
from tests.turn.guards.repeat_cases import NEW, PURE, WITH_FACTS, Answer, Repeat

LONGEST_WAIT = 8


def guard(told: str, results: Data = None, locale: str = "en") -> NoRepetition:
    book = shipped_book()
    return NoRepetition([told], lambda: values_of(results), book.words(locale).repetition, locale)


def shown(filter_: NoRepetition, pieces: list[str]) -> str:
    return "".join(map(filter_.push, pieces)) + filter_.close()


def tokens(text: str) -> list[str]:
    """As models mostly cut: a word with the space before it."""
    return re.findall(r"\s*[\w'’]+|[^\w]", text)


def ways_to_cut(text: str) -> list[list[str]]:
    """One character at a time, all at once, word by word, and ten ways at random, the same in every run."""
    dice = random.Random(text)
    places = [sorted(dice.sample(range(1, len(text)), dice.randint(0, len(text) - 1))) for _ in range(10)]
    at_random = [[text[begin:end] for begin, end in pairwise([0, *some, len(text)])] for some in places]
    return [list(text), [text], tokens(text), *at_random]


def removed(case: Repeat) -> bool:
    """Whether the repetition is gone, and nothing else, in whatever pieces it came."""
    text = f"{case.again} {case.rest}"
    return all(
        shown(guard(case.told, case.results, case.locale), pieces) == case.rest
        for pieces in ways_to_cut(text)
    )


def kept(case: Answer) -> set[str]:
    return {shown(guard(case.told, case.results, case.locale), pieces) for pieces in ways_to_cut(case.text)}


def test_nearly_every_mere_repetition_is_removed() -> None:
    left = [case.again for case in PURE if not removed(case)]

    assert len(PURE) - len(left) >= 27, left


@pytest.mark.parametrize("case", WITH_FACTS, ids=lambda case: case.text)
def test_no_fact_is_ever_lost(case: Answer) -> None:
    for seen in kept(case):
        assert all(fact in seen for fact in case.facts)


@pytest.mark.parametrize("case", NEW, ids=lambda case: case.text)
def test_what_does_not_repeat_is_left_as_it_is(case: Answer) -> None:
    assert kept(case) == {case.text}


@pytest.mark.parametrize("case", NEW, ids=lambda case: case.text)
def test_what_does_not_repeat_hardly_waits(case: Answer) -> None:
    filter_ = guard(case.told, case.results, case.locale)
    waited = 0
    for token in tokens(case.text):
        waited = 0 if filter_.push(token) else waited + 1
        assert waited <= LONGEST_WAIT

"""A sentence that only repeats the acknowledgement is never shown, and news is always shown."""

import random
import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from assistant.language.facts import values_of
from assistant.language.values import Data
from assistant.prompts.book import shipped_book
from assistant.prompts.words import RepetitionWords
from assistant.turn.guardrails.repetition import NoRepetition
from tests.support.rows import check_rows
from tests.turn.guardrails.repeat_cases import BOTH, NEW, PURE, SLOT, WITH_FACTS, Answer, Repeat
from tests.turn.guardrails.repeat_cases_unseen import UNSEEN_PURE, UNSEEN_WITH_FACTS

LONGEST_WAIT = 8


SCRAPS = [
    "Sure!",
    "I've checked your billing.",
    "You owe $150.",
    "your",
    "I",
    "appointments.",
    "looked up",
    "Dr. Weber",
    "no",
    "here's what I found:",
    "here's",
    "3.50",
    "One moment.",
    "\n\n",
]


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


def is_part_of(some: list[str], all_: list[str]) -> bool:
    """Whether these words stand among all of them, in this order."""
    left = iter(all_)
    return all(word in left for word in some)


def removed(case: Repeat) -> bool:
    """Whether the repetition is gone, and nothing else, in whatever pieces it came."""
    text = f"{case.again} {case.rest}"
    return all(
        shown(guard(case.told, case.results, case.locale), pieces) == case.rest
        for pieces in ways_to_cut(text)
    )


def kept(case: Answer) -> set[str]:
    return {shown(guard(case.told, case.results, case.locale), pieces) for pieces in ways_to_cut(case.text)}


def test_nearly_every_repetition_is_removed() -> None:
    left = [case.again for case in PURE if not removed(case)]

    assert len(PURE) - len(left) >= 27, left


def test_unseen_repetitions_are_removed_too() -> None:
    left = [case.again for case in UNSEEN_PURE if not removed(case)]

    assert len(UNSEEN_PURE) - len(left) >= 18, left


@check_rows("case", [*WITH_FACTS, *UNSEEN_WITH_FACTS], ids=lambda case: case.text)
def test_no_fact_is_ever_lost(case: Answer) -> None:
    for seen in kept(case):
        assert all(fact in seen for fact in case.facts)


@check_rows("case", NEW, ids=lambda case: case.text)
def test_a_sentence_that_does_not_repeat_is_unchanged(case: Answer) -> None:
    assert kept(case) == {case.text}


@check_rows("case", NEW, ids=lambda case: case.text)
def test_a_sentence_that_does_not_repeat_waits_only_briefly(case: Answer) -> None:
    filter_ = guard(case.told, case.results, case.locale)
    waited = 0
    for token in tokens(case.text):
        waited = 0 if filter_.push(token) else waited + 1
        assert waited <= LONGEST_WAIT


@check_rows(
    ("told", "said"),
    [
        ("No problem, I'll check your two bills.", "I found no bills."),
        ("No problem, I'll check your two bills.", "I found two bills."),
        ("One moment. I'll check your billing.", "I see one billing."),
        (BOTH, "Can I check your billing?"),
        (BOTH, "I have."),
        (SLOT, "I found a free slot."),
        ("", "Sure, I'll check your billing."),
    ],
)
def test_possible_news_stays_although_its_words_were_told(told: str, said: str) -> None:
    assert shown(guard(told), [said]) == said


def test_a_value_of_the_results_keeps_its_sentence_although_it_was_told() -> None:
    told, said = "I'll check your order 10482.", "I've checked your order 10482."

    assert shown(guard(told, {"order": "10482"}), [said]) == said
    assert shown(guard(told, {"order": "7"}), [said]) == ""


def test_an_article_that_was_told_is_not_new() -> None:
    assert shown(guard(SLOT), ["I've looked for a free slot."]) == ""


def test_a_polite_phrase_is_kept_or_dropped_with_the_next_sentence() -> None:
    assert shown(guard(BOTH), ["Great! You owe $150."]) == "Great! You owe $150."
    assert shown(guard(BOTH), ["Great! I've checked your billing. You owe $150."]) == "You owe $150."
    assert shown(guard(BOTH), ["You owe $150. Great!"]) == "You owe $150. Great!"
    assert shown(guard(BOTH), ["Great!"]) == ""


def test_suppressed_text_is_returned_sentence_by_sentence() -> None:
    filter_ = guard(BOTH)

    assert shown(filter_, ["Sure! I've checked your billing. ", "I looked up your appointments.\n\n"]) == ""
    assert [kept.text for kept in filter_.withheld] == [
        "Sure!",
        "I've checked your billing.",
        "I looked up your appointments.",
    ]


def test_endless_small_words_do_not_wait() -> None:
    filter_ = guard(BOTH)
    pieces = [filter_.push(" I") for _ in range(8)]

    assert pieces[:6] == [""] * 6
    assert "".join(pieces) == " I" * 8
    assert "".join(map(guard(BOTH).push, ["your billing "] * 60)).startswith("your billing your")


def test_without_word_lists_nothing_counts_as_a_repetition() -> None:
    none = RepetitionWords(empty=(), beside=(), speaker=(), looking=(), neutral=())
    filter_ = NoRepetition([BOTH], lambda: values_of(None), none)

    assert shown(filter_, [BOTH]) == BOTH


@given(st.lists(st.sampled_from(SCRAPS), max_size=12).map(" ".join), st.randoms(use_true_random=False))
def test_a_sentence_is_shown_whole_or_not_shown(text: str, dice: random.Random) -> None:
    places = sorted(dice.sample(range(len(text)), dice.randint(0, len(text) // 2))) if text else []
    filter_ = guard(BOTH)
    seen = shown(filter_, [text[begin:end] for begin, end in pairwise([0, *places, len(text)])])

    kept = " ".join(one.text for one in filter_.withheld)
    assert all(one.text in text for one in filter_.withheld)
    assert sorted(f"{seen} {kept}".split()) == sorted(text.split())
    assert is_part_of(seen.split(), text.split())
    assert shown(guard(BOTH), [text]) == seen

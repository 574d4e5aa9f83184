"""A value without a source is never shown; a known value is shown in any notation."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.language.known import Source
from assistant.language.reader import read
from assistant.language.totals import is_total
from assistant.language.values import Data, Found, Value
from assistant.language.worked_out import NO_TERMS, Terms, together
from assistant.turn.guardrails.facts import Facts, follows, is_fact
from assistant.turn.guardrails.swaps import is_one_of_several, is_swapped
from tests.turn.guardrails.fact_cases import CASES, INVENTED, NO_FACTS, SAME, SWAPPED, Told

TODAY = date(2026, 11, 23)


class Known:
    """The evidence of a test."""

    def __init__(self, known: Sequence[Data], locale: str = "en") -> None:
        self._sources = [Source(one, TODAY, locale) for one in known]

    def states(self, value: Value, written: str) -> bool:
        return any(source.states(value, written) for source in self._sources)

    today = TODAY

    def terms(self) -> Terms:
        return together(source.terms for source in self._sources)

    def is_one_of_several(self, value: Value) -> bool:
        groups = [group for source in self._sources for group in source.groups]
        return is_one_of_several(value, groups, TODAY)

    def is_total(self, amount: Decimal, said: Sequence[Decimal]) -> bool:
        return is_total(amount, said, self._sources)

    def is_miscounted(self, sentence: str, found: Sequence[Found]) -> bool:
        return False

    def is_swapped(self, sentence: str, found: Sequence[Found]) -> bool:
        groups = [group for source in self._sources for group in source.groups]
        return is_swapped(sentence, found, groups, TODAY)


def shown(text: str, known: Sequence[Data], locale: str = "en", size: int = 5) -> str:
    """What a customer sees of an answer that streams in pieces."""
    evidence = Known(known, locale)
    guard = Facts(lambda: evidence, locale)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return "".join(guard.push(piece) for piece in pieces) + guard.close()


def changed(text: str, found: Found) -> Iterator[str]:
    """The text with this value changed: another digit, two digits swapped, another weekday or month."""
    written = text[found.start : found.end]
    spots = [at for at, char in enumerate(written) if char.isdigit()]
    variants: set[str] = set()
    for at in spots:
        variants.add(f"{written[:at]}{(int(written[at]) + 1) % 10}{written[at + 1 :]}")
        variants.add(f"{written[:at]}{(int(written[at]) + 4) % 10}{written[at + 1 :]}")
    for one, other in pairwise(spots):
        digits = list(written)
        digits[one], digits[other] = digits[other], digits[one]
        variants.add("".join(digits))
    for words in _OTHER_WORDS:
        for one, other in zip(words, (*words[1:], words[0]), strict=True):
            if re.search(rf"\b{one}\b", written, re.IGNORECASE):
                variants.add(re.sub(rf"\b{one}\b", other, written, flags=re.IGNORECASE))
    for variant in sorted(variants - {written}):
        yield f"{text[: found.start]}{variant}{text[found.end :]}"


_OTHER_WORDS = (
    ("Monday", "Saturday", "Thursday", "Tuesday", "Friday", "Wednesday"),
    ("Mon", "Sat", "Thu", "Tue", "Fri", "Wed"),
    ("montags", "samstags"),
    ("Dienstag", "Samstag", "Donnerstag", "Sonntag", "Mittwoch"),
    ("November", "October", "December", "February", "January", "March", "April"),
    ("Nov", "Oct", "Dec", "Sep"),
    ("tomorrow", "yesterday"),
    ("morgen", "gestern", "übermorgen", "vorgestern"),
    ("two", "four", "three", "eight", "ten", "thirty", "fifty", "nine", "six"),
    ("zwei", "vier", "drei", "acht", "zehn", "dreißig", "neun", "elf", "sieben", "fünf"),
    ("a hundred", "two hundred"),
)


def facts(text: str, locale: str) -> list[Value]:
    return [one.value for one in read(text, locale) if is_fact(one.value)]


def mutations(told: Told) -> Iterator[str]:
    """Answers with one value that is now stated nowhere, and cannot be worked out either."""
    known = Known(told.known, told.locale)
    for answer in told.answers:
        before = facts(answer, told.locale)
        for found in read(answer, told.locale):
            if not is_fact(found.value):
                continue
            for variant in changed(answer, found):
                new = [one for one in facts(variant, told.locale) if one not in before]
                if new and not any(
                    known.states(one, "") or follows(one, before, NO_TERMS, TODAY) for one in new
                ):
                    yield variant


@pytest.mark.parametrize("locale", ["en", "de"])
def test_good_answers_pass_unchanged(locale: str) -> None:
    spoiled = [
        (answer, shown(answer, told.known, locale))
        for told in CASES
        if told.locale == locale
        for answer in told.answers
        if shown(answer, told.known, locale) != answer
    ]

    assert not spoiled, "\n".join(map(str, spoiled))


@pytest.mark.parametrize("locale", ["en", "de"])
def test_no_changed_value_is_shown(locale: str) -> None:
    cases = [(told, text) for told in CASES if told.locale == locale for text in mutations(told)]
    wrong = [text for told, text in cases if shown(text, told.known, locale) == text]

    assert len(cases) >= 300
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong)


def test_a_value_of_another_record_is_not_shown() -> None:
    wrong = [text for known, text in SWAPPED if shown(text, [known]) == text]
    spoiled = [text for known, text in SAME if shown(text, [known]) != text]

    assert not wrong + spoiled, "\n".join([*wrong, "", *spoiled])


def test_an_unknown_value_is_not_shown() -> None:
    locale = {text: "de" if re.search(r"\b(?:Das|Wir)\b", text) else "en" for text in INVENTED}
    wrong = [text for text in INVENTED if shown(text, ["Hello"], locale[text]) == text]

    assert not wrong, "\n".join(wrong)


def test_answers_without_facts_need_no_evidence() -> None:
    spoiled = [text for text in NO_FACTS if shown(text, []) != text or shown(text, [], "de") != text]

    assert not spoiled, "\n".join(spoiled)


@given(size=st.integers(1, 40), at=st.integers(0, len(CASES) - 1))
def test_cuts_in_the_stream_make_no_difference(size: int, at: int) -> None:
    told = CASES[at]
    for answer in told.answers:
        assert shown(answer, told.known, told.locale, size) == answer


def test_text_without_values_streams_immediately() -> None:
    guard = Facts(lambda: Known([INVENTED]), "en")
    for piece in ("I", " can", " help", " you", " with", " that", " if", " you", " like", "."):
        assert guard.push(piece) == piece


def test_a_sentence_waits_only_from_its_value_on() -> None:
    known = Known([{"amount": "150.00"}])
    guard = Facts(lambda: known, "en")

    assert guard.push("You owe ") == "You owe "
    assert guard.push("$150") == ""
    assert guard.push(".00 for the") == ""
    assert guard.push(" new ") == "$150.00 for the new "
    assert guard.push("pair") == "pair"


def test_a_wrong_sentence_is_cut_before_the_value() -> None:
    known = Known([{"amount": "150.00"}])
    guard = Facts(lambda: known, "en")

    assert guard.push("You owe $180.00 in all. Anything else?") + guard.close() == "You owe … Anything else?"
    assert [one.text for one in guard.withheld] == ["You owe $180.00 in all."]


def test_after_a_refusal_nothing_more_is_shown() -> None:
    guard = Facts(lambda: Known([]), "en", asks_again=True)

    assert guard.push("Fine. You owe $180.00. Anything else?") + guard.close() == "Fine. You owe"
    assert guard.refused == "You owe $180.00."


def test_a_huge_result_is_read_in_part_and_searched_for_the_rest() -> None:
    filler = [{"text": "lorem ipsum " * 400, "n": at} for at in range(500)]
    source = Source([*filler, {"total": "98765.43"}], TODAY)

    (found,) = [one for one in read("It is $98765.43.") if is_fact(one.value)]
    assert source.states(found.value, "$98765.43")
    assert not source.states(found.value, "$98765.44")


def test_days_are_counted_from_today() -> None:
    due = (TODAY + timedelta(days=3)).isoformat()

    assert shown("It is due in three days.", [{"due": due}]) == "It is due in three days."
    assert shown("It is due in four days.", [{"due": due}], size=9) == "It is due in …"

"""Suppresses amounts, dates, times, numbers and addresses that nothing in the conversation states.

Text streams until a value begins. The rest of the sentence waits until its values are complete and proved. At a
value without a source, the shown part of the sentence ends.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import lru_cache
from itertools import combinations
from typing import Final, Protocol

from assistant.language.durations import lengths_named
from assistant.language.reader import begins_value, read
from assistant.language.sentences import LONGEST_SENTENCE, SentenceCutter, with_completeness
from assistant.language.values import (
    Day,
    DaysAway,
    Duration,
    Found,
    Money,
    Number,
    Percent,
    Value,
)
from assistant.language.worked_out import Terms, days_between, in_days, is_worked_out, terms_of
from assistant.turn.guardrails.guardrail import Suppressed

LARGEST_COUNT: Final = 12
"""A number without a unit up to this one is a count or a position in a list, not a fact."""

_MOST_ADDED: Final = 8
_WORDS_AFTER: Final = 3
_MOST_STATED: Final = 24
"""The maximum number of earlier values from which the next value may follow."""

_DAY_MINUTES: Final = 24 * 60
_TOKEN: Final = re.compile(r"\S+")
_EDGES: Final = "()[]{}<>\"'“”„‘’*_,.;:!?–—-/"
_CLAUSE_SIGN: Final = re.compile(r"[,;:)–—]$")
_CENTS: Final = re.compile(r"\d[.,]\d\d\Z")
"""An amount with cents is no count: "9.00"."""

_COUNTED: Final = re.compile(r"[^\W\d_]+")
_TOTAL: Final = re.compile(
    r"\b(?:total|altogether|in all|overall|sum|combined|together"
    r"|insgesamt|zusammen|gesamt\w*|summe|alles in allem)\b",
    re.IGNORECASE,
)
_TWO: Final = re.compile(
    r"\b(?:both|each|twice|double[ds]?|half|pair|couple|either|beide\w*|je|jeweils|doppelt\w*|zweimal|halb\w*|hälfte|paar)\b",
    re.IGNORECASE,
)
"""Words for the factor two. Without one of them, twice an amount follows from nothing."""

_COMPARES: Final = re.compile(
    r"\b(?:later|earlier|after|before|apart|between|follow(?:s|ing)|später|früher|nach|vor|danach|davor|darauf|vorher"
    r"|zuvor|zwischen|dazwischen|auseinander)\b",
    re.IGNORECASE,
)
"""Words that compare days with each other, not with today."""


class FactEvidence(Protocol):
    """What the conversation states."""

    @property
    def today(self) -> date:
        """The date of the answer."""
        ...

    def terms(self) -> Terms:
        """The terms for calculations."""
        ...

    def states(self, value: Value, written: str) -> bool:
        """Whether the value is stated in any notation, or follows from a stated value."""
        ...

    def is_one_of_several(self, value: Value) -> bool:
        """Whether some rows of a list have the value, and others do not."""
        ...

    def is_total(self, amount: Decimal, said: Sequence[Decimal]) -> bool:
        """Whether an amount is stated as it is, or the sum of the amounts ``said`` before, or of known ones."""
        ...

    def is_swapped(self, sentence: str, found: Sequence[Found]) -> bool:
        """Whether a sentence gives one record the value of another one."""
        ...

    def is_miscounted(self, sentence: str, found: Sequence[Found]) -> bool:
        """Whether a sentence counts something for which results state another number: "3 guests"."""
        ...


class Facts:
    """A filter for one message of a model.

    Args:
        evidence: called when the first value has come, because it is expensive.
        asks_again: the model is asked once more when a value is not proved. All text after the value is
            dropped, and ``refused`` has the sentence. False: only the sentence is left out.
        whole: a sentence is shown as a whole or not shown, because no further reply can correct it.
    """

    def __init__(
        self,
        evidence: Callable[[], FactEvidence],
        locale: str,
        *,
        asks_again: bool = False,
        whole: bool = False,
    ) -> None:
        self.withheld: list[Suppressed] = []
        self.refused = ""
        self._evidence, self._locale = evidence, locale
        self._asks_again, self._whole = asks_again, whole
        self._known: FactEvidence | None = None
        self._cutter = SentenceCutter(locale, longest=LONGEST_SENTENCE)
        self._sentence = ""
        self._released = 0
        self._holds = False
        self._failed = self._waits_for_end = False
        self._stated: list[Value] = []

    def push(self, text: str) -> str:
        """Add text; returns what may be shown now, perhaps nothing."""
        if (
            not (self._holds or self._failed or self._whole or self.refused)
            and (text[:1].isspace() or self._sentence[-1:].isspace())
            and _is_plain(text)
            and self._cutter.goes_on(text)
        ):
            self._sentence += text
            return self._release(len(self._sentence))
        shown: list[str] = []
        for piece, whole in with_completeness(self._cutter.push(text)):
            if self.refused and self._asks_again:
                break
            if piece.begins:
                shown.append(self._end())
                if self.refused and self._asks_again:
                    break
            if whole and self._proved(piece.text):
                self._note_stated(piece.text)
                shown.append(piece.text)
            else:
                self._sentence += piece.text
                shown.append(self._go_on())
        return "".join(shown)

    def close(self) -> str:
        """End the text; returns the held text that is proved."""
        return "" if self.refused and self._asks_again else self._end()

    def _go_on(self) -> str:
        """Release text without a value; hold text that may contain one."""
        if self._failed:
            return ""
        if self._whole:
            self._holds = True
            return ""
        begin = self._first_value()
        self._holds = begin is not None
        if begin is None:
            return self._release(len(self._sentence))
        return self._release(begin) + self._settle()

    def _first_value(self) -> int | None:
        """Where a value may begin in the text that is not released; None if nowhere."""
        sentence = self._sentence
        # The last released word may still grow.
        begin = self._released
        while begin > 0 and not sentence[begin - 1].isspace():
            begin -= 1
        for token in _TOKEN.finditer(sentence, begin):
            if _may_begin(token[0], growing=token.end() == len(sentence)):
                at = token.start()
                while at > self._released and sentence[at - 1].isspace():
                    at -= 1
                return max(at, self._released)
        return None

    def _settle(self) -> str:
        """Release the held text when enough text has come after its last value to know the value."""
        if self._waits_for_end:
            return ""
        after, sign = 0, False
        tokens = list(_TOKEN.finditer(self._sentence, self._released))
        if tokens[-1].end() == len(self._sentence):
            # The last token may still grow.
            tokens.pop()
        for token in tokens:
            if _may_begin(token[0], growing=False):
                after, sign = 0, _CLAUSE_SIGN.search(token[0]) is not None
            elif _COUNTED.search(token[0]):
                after += 1
        if after < (2 if sign else _WORDS_AFTER):
            return ""
        end = tokens[-1].end()
        if not self._proved(self._sentence[:end]) or self._may_be_swapped(self._sentence[:end]):
            # The source of the value, or the record that it belongs to, may still come ("ten days after
            # November 24").
            self._waits_for_end = True
            return ""
        return self._release(end) + self._go_on()

    def _end(self) -> str:
        """Decide about the complete sentence."""
        shown, begun = "", self._released > 0
        if self._sentence and not self._failed:
            if not self._holds or self._proved(self._sentence):
                shown = self._release(len(self._sentence))
                self._note_stated(self._sentence)
            else:
                shown = self._fail()
        if self._failed and not self._asks_again:
            self.withheld.append(Suppressed(self._sentence.strip()))
            if begun:
                shown += self._sentence[len(self._sentence.rstrip()) :]
        self._sentence, self._released = "", 0
        self._holds = self._failed = self._waits_for_end = False
        return shown

    def _note_stated(self, sentence: str) -> None:
        """Remember the values of shown text, because later values may follow from them."""
        if self._known is not None:
            said = [found.value for found in read(sentence, self._locale)]
            self._stated = [*self._stated, *said][-_MOST_STATED:]

    def _release(self, to: int) -> str:
        shown, self._released = self._sentence[self._released : to], max(self._released, to)
        return shown

    def _fail(self) -> str:
        """Leave out the rest of the sentence; "…" shows where it broke off, unless another reply continues it."""
        self._failed = True
        if self._asks_again:
            self.withheld.append(Suppressed(self._sentence.strip()))
        self.refused = self.refused or self._sentence.strip()
        begun = self._sentence[: self._released]
        if self._asks_again or not begun.strip(_EDGES + " \n"):
            return ""
        return "…" if begun[-1].isspace() else " …"

    def _may_be_swapped(self, sentence: str) -> bool:
        if self._known is None:
            return False
        known = self._known
        return any(known.is_one_of_several(found.value) for found in read(sentence, self._locale))

    def _proved(self, sentence: str) -> bool:
        found = read(sentence, self._locale)
        if not found:
            return True
        facts = [one for one in found if is_fact(one.value) or _CENTS.search(sentence, one.start, one.end)]
        if not facts and not any(isinstance(one.value, Number) for one in found):
            return True
        if self._known is None:
            self._known = self._evidence()
        if not facts:
            return not self._known.is_miscounted(sentence, found)
        if _only_asks(sentence, facts):
            return True
        known = self._known
        if (total := _total_in(sentence, found)) is not None:
            said = [one.amount for one in self._stated if isinstance(one, Money)]
            return known.is_total(total, said)
        stated = [one.value for one in found if one not in facts]
        open_ = list[Value]()
        for one in facts:
            is_stated = known.states(one.value, sentence[one.start : one.end])
            (stated if is_stated else open_).append(one.value)
        if open_ and not self._all_follow(sentence, _without_examples(open_, stated), stated):
            return False
        return not (known.is_miscounted(sentence, found) or known.is_swapped(sentence, facts))

    def _all_follow(self, sentence: str, open_: Sequence[Value], stated: list[Value]) -> bool:
        """Whether each value that is not stated follows from the stated values, or from another one that
        follows.
        """
        if len(open_) > _MOST_STATED:
            return False
        while open_ and self._known is not None:
            known, said = self._known, [*self._stated, *stated][-_MOST_STATED:]
            left = [
                one
                for one in open_
                if not follows(one, said, known.terms(), known.today, sentence, self._locale)
            ]
            if len(left) == len(open_):
                return False
            stated += [one for one in open_ if one not in left]
            open_ = left
        return True


def _total_in(sentence: str, found: Sequence[Found]) -> Decimal | None:
    """The amount of a sentence that only tells a total: "That's $150 in all". With more values it may be worked
    out from them.
    """
    if len(found) != 1 or not isinstance(value := found[0].value, Money) or not _TOTAL.search(sentence):
        return None
    return value.amount


def _only_asks(sentence: str, facts: Sequence[Found]) -> bool:
    """Whether the sentence only asks for a duration: "Two or three nights?"."""
    return sentence.rstrip(_EDGES.replace("?", "") + " \n").endswith("?") and all(
        isinstance(one.value, Duration) for one in facts
    )


def _without_examples(open_: Sequence[Value], stated: list[Value]) -> list[Value]:
    """The values without examples: "$12 a night, so three nights would be $36" is an example with three nights.

    The duration of the example and its total are then added to ``stated``.
    """
    amounts = [one.amount for one in stated if isinstance(one, Money | Number)]
    supposed = [
        (length, one)
        for length in open_
        if isinstance(length, Duration)
        for one in open_
        if isinstance(one, Money)
        and any(amount and one.amount == amount * _count(length) for amount in amounts)
    ]
    shown = {value for pair in supposed for value in pair}
    stated += [one for one in open_ if one in shown]
    return [one for one in open_ if one not in shown]


def _sums_of_three(amounts: Sequence[Decimal]) -> set[Decimal]:
    """The possible sums of three or four prices of a table."""
    return {sum(some, Decimal(0)) for count in (3, 4) for some in combinations(amounts, count)}


def _count(length: Duration) -> Decimal:
    return length.amount / _DAY_MINUTES if length.unit == "minute" else length.amount


def is_fact(value: Value) -> bool:
    """Whether a value needs a source: small counts, positions in a list and today do not.

    >>> is_fact(Number(Decimal(2))), is_fact(Number(Decimal(2041))), is_fact(DaysAway(0))
    (False, True, False)
    """
    match value:
        case Number(amount=amount):
            return amount > LARGEST_COUNT or amount != int(amount)
        case DaysAway(days=days):
            return days != 0
        case Percent(amount=amount):
            return amount not in (0, 100)
        case _:
            return True


def follows(
    value: Value, stated: Sequence[Value], known: Terms, today: date, sentence: str = "", locale: str = "en"
) -> bool:
    """Whether a value can be calculated from what the answer has ``stated`` so far and from what is
    ``known``.

    ``sentence`` is the value's sentence. If it contains a duration ("two days later"), a date counts only if it is
    that duration away from another date.
    """
    if isinstance(value, Money | Number):
        amounts = list(dict.fromkeys(one.amount for one in stated if isinstance(one, Money | Number)))
        if value.amount in (sum(amounts[start:], Decimal(0)) for start in range(len(amounts) - 1)):
            return True
        if len(amounts) <= _MOST_ADDED and value.amount in _sums_of_three(amounts):
            return True
    lengths = lengths_named(sentence)
    said = terms_of([*stated, *lengths], today)
    if _TWO.search(sentence):
        said = replace(said, counts=said.counts | {Decimal(2)})
    values = [one.value for one in read(sentence, locale)]
    said = replace(said, apart=_apart(sentence, sum(isinstance(one, Day) for one in values), said, known))
    own = [one for one in values if isinstance(one, Duration)]
    # A duration in the sentence ("7 days before") is not combined with the duration of another rule.
    rules = {
        days for one in own if one.unit != "night" and (days := in_days(one)) is not None
    } & known.lengths
    away = {days for one in lengths if (days := in_days(one)) is not None}
    if not rules and away and isinstance(value, Day) and is_worked_out(value, said, known, today, away):
        # "A week later" is later than any known day.
        return True
    return is_worked_out(value, said, known, today, rules | away if rules else frozenset())


def _apart(sentence: str, days: int, said: Terms, known: Terms) -> frozenset[int]:
    """The possible numbers of days between two days. ``days``: how many days the sentence states itself. If it
    states fewer, more of the known days may be meant.
    """
    compares = _COMPARES.search(sentence) is not None
    apart = set(known.apart) if compares else set[int]()
    if compares and not days:
        apart |= days_between(known.days)
    elif days == compares:
        apart |= {abs((one - other).days) for one in said.days for other in known.days}
    return frozenset(apart)


@lru_cache(maxsize=2048)
def _is_plain(text: str) -> bool:
    """Whether no value begins in a piece of text, or may begin with its last word."""
    tokens = _TOKEN.findall(text)
    growing = not text[-1:].isspace()
    return not any(
        _may_begin(token, growing=growing and at == len(tokens) - 1) for at, token in enumerate(tokens)
    )


@lru_cache(maxsize=2048)
def _may_begin(token: str, *, growing: bool) -> bool:
    """Whether a token may begin, or belong to, a value. Cached, because words repeat often."""
    bare = token.strip(_EDGES)
    if "@" in token or (("." in bare) and any(part.isalpha() for part in bare.split("."))):
        return True
    if not bare:
        return False
    growing = growing and token[-1].isalnum()
    return any(begins_value(part, growing=growing) for part in re.split(r"[-–/]", bare) if part)

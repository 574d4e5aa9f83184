"""Finds the rule of ``escalation.toml`` that brings a conversation to people. Pure: it reads the state only."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from math import sqrt
from typing import Final, cast

from assistant.conversation.calls import Call
from assistant.conversation.customer import Customer
from assistant.conversation.documents import SEARCH_DOCUMENTS
from assistant.conversation.outcomes import CallFailed, CallSucceeded, CallTimedOut
from assistant.conversation.state import ConversationState
from assistant.conversation.turn_state import TurnState
from assistant.conversation.values import Json
from assistant.language.words import content_stems
from assistant.policies.escalation import Change, Escalation, EscalationRule
from assistant.prompts.book import PromptBook
from assistant.prompts.locale import language
from assistant.prompts.word_list import WordList

SAME: Final = 0.7
"""From this share of common words, two messages ask the same: "Where is my order?" and "Tell me where my order
is" do, "Cancel Monday's appointment" and "Cancel Tuesday's appointment" do not."""

_LONGEST: Final = 1_000
"""The characters of a message that are looked at; the rest may be a pasted letter."""


@dataclass(frozen=True, slots=True)
class RuleMatch:
    """A rule that matches, and what matched, in words for staff."""

    rule: EscalationRule
    why: str


def matching_rule(
    escalation: Escalation, state: ConversationState, customer: Customer, book: PromptBook
) -> RuleMatch | None:
    """The first rule that the conversation matches; None if it matches none.

    Only what happened since people last had the conversation counts. A rule that is about the customer only
    matches once in a conversation.
    """
    turns = [turn for turn in state.turns[state.turns_with_people :] if not turn.unasked]
    if not turns or not escalation.rules:
        return None
    about = _Conversation(turns, customer, book)
    for rule in escalation.rules:
        if rule.is_about_customer_only and rule.name in state.rules_matched:
            continue
        reasons = about.reasons(rule)
        if reasons is not None:
            return RuleMatch(rule, "; ".join(reasons))
    return None


class _Conversation:
    """What rules ask about a conversation."""

    def __init__(self, turns: Sequence[TurnState], customer: Customer, book: PromptBook) -> None:
        self._turns, self._customer, self._book = turns, customer, book
        self._last = turns[-1]

    def reasons(self, rule: EscalationRule) -> list[str] | None:
        """What matched, one text for each condition; None if a condition is not true."""
        found: list[str] = []
        for condition in self._conditions(rule):
            reason = condition()
            if reason is None:
                return None
            found.append(reason)
        return found

    def _conditions(self, rule: EscalationRule) -> Iterator[Callable[[], str | None]]:
        if rule.levels:
            yield lambda: self._customer.level if self._customer.level in rule.levels else None
        if rule.locales:
            yield lambda: self._locale(rule.locales)
        if rule.words is not None:
            words = rule.words
            yield lambda: _quoted_word(self._last.message.text, words)
        if rule.policies:
            yield lambda: _first("policy", rule.policies, self._last.policies or ())
        if rule.documents:
            yield lambda: _first("document", rule.documents, tuple(_documents(self._last)))
        if rule.change is not None:
            change = rule.change
            yield lambda: _over(change, self._last)
        if rule.failed_tool is not None:
            times = rule.failed_tool
            yield lambda: self._failed(times, rule.tools)
        if rule.asked_times is not None:
            asked = rule.asked_times
            yield lambda: self._asked(asked)
        if rule.angry_messages is not None:
            angry = rule.angry_messages
            yield lambda: self._angry(angry)

    def _locale(self, locales: Sequence[str]) -> str | None:
        locale = self._last.message.locale
        return locale if locale in locales or language(locale) in locales else None

    def _failed(self, times: int, tools: Sequence[str]) -> str | None:
        outcomes = [one for turn in self._turns for one in turn.outcomes.values()]
        failed = Counter(one.call.tool for one in outcomes if isinstance(one, CallFailed | CallTimedOut))
        for tool, number in failed.most_common():
            if number >= times and (not tools or tool in tools):
                return f"{tool} failed {number} times" if number > 1 else f"{tool} failed"
        return None

    def _asked(self, times: int) -> str | None:
        newest, *earlier = [turn.message for turn in reversed(self._turns) if turn.message.button is None]
        same = [one for one in earlier if asks_the_same(newest.text, one.text, newest.locale)]
        return f"asked {len(same) + 1} times" if len(same) + 1 >= times else None

    def _angry(self, times: int) -> str | None:
        messages = [turn.message for turn in self._turns]
        angry = [one for one in messages if is_angry(one.text, self._book.words(one.locale).handoff.angry)]
        if len(angry) < times or angry[-1] is not messages[-1]:
            return None
        return f"{len(angry)} angry messages" if len(angry) > 1 else "an angry message"


def asks_the_same(one: str, other: str, locale: str = "en") -> bool:
    """Whether two messages ask the same, by the words with a meaning that they share.

    >>> asks_the_same("Where is my order?", "Tell me where my order is!!")
    True
    >>> asks_the_same("Cancel Monday's appointment", "Cancel Tuesday's appointment")
    False
    """
    first, second = (frozenset(content_stems(text[:_LONGEST], locale)) for text in (one, other))
    return bool(first and second) and len(first & second) / sqrt(len(first) * len(second)) >= SAME


_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_EXCLAIMS: Final = re.compile(r"!\s*!\s*!|!\?|\?!|\?\s*\?\s*\?")
_FEWEST_WORDS: Final = 3


def is_angry(text: str, angry: Sequence[str]) -> bool:
    """Whether a message is angry: it contains an angry phrase, or is in capitals with several exclamation marks.

    Capitals alone may be a habit, and exclamation marks alone are also joy.

    >>> is_angry("This is useless", ["useless"]), is_angry("WHERE IS MY PARCEL!!!", [])
    (True, True)
    >>> is_angry("WHERE IS MY PARCEL", []), is_angry("Thank you so much!!!", ["useless"])
    (False, False)
    """
    begun = text[:_LONGEST]
    if begun in WordList(tuple(angry)):
        return True
    words = _WORD.findall(begun)
    loud = len(words) >= _FEWEST_WORDS and sum(word.isupper() for word in words) * 4 >= len(words) * 3
    return loud and _EXCLAIMS.search(begun) is not None


def _quoted_word(text: str, words: WordList) -> str | None:
    return next((f"said {word!r}" for word in words if text in WordList((word,))), None)


def _first(what: str, wanted: Sequence[str], found: Sequence[str]) -> str | None:
    return next((f"{what} {name!r}" for name in wanted if name in found), None)


def _documents(turn: TurnState) -> Iterator[str]:
    """The titles of the documents in which something was found for this message."""
    for outcome in turn.outcomes.values():
        if isinstance(outcome, CallSucceeded) and outcome.call.tool == SEARCH_DOCUMENTS:
            for row in cast("Sequence[Mapping[str, Json]]", outcome.value or ()):
                yield str(row.get("source", ""))


def _over(change: Change, turn: TurnState) -> str | None:
    """The number that is too high, in a change that waits for the customer or for staff."""
    asked: tuple[Call, ...] = turn.asked.calls if turn.asked is not None else ()
    waiting = [approval.requested.call_id for approval in turn.approvals.values() if approval.decided is None]
    for call in (*asked, *(call for call in turn.calls if call.id in waiting)):
        number = _number(call.arguments.get(change.argument)) if call.tool == change.tool else None
        if number is not None and number > Decimal(str(change.over)):
            return f"{change.tool}: {change.argument} is {number}, over {change.over:g}"
    return None


def _number(value: Json) -> Decimal | None:
    """The value as a number, if it is one.

    >>> _number("800.50"), _number(7), _number("many"), _number(True)
    (Decimal('800.50'), Decimal('7'), None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None

"""The values that a turn may state: from results, documents, messages, and instructions."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Final

from assistant.conversation.outcomes import CallDenied, CallEmpty, CallFailed, CallSucceeded, Outcome
from assistant.conversation.turn_state import TurnState
from assistant.errors import PromptError
from assistant.language.known import MOST_CHARACTERS, Kind, Record, Source
from assistant.language.reader import read
from assistant.language.totals import is_total
from assistant.language.values import Data, Found, Money, Number, Value
from assistant.language.words import carries_meaning, stem
from assistant.language.worked_out import Terms, together
from assistant.prompts.book import PromptBook
from assistant.prompts.locale import language
from assistant.prompts.narration import Narration
from assistant.turn.context import RunningTurn, TurnDependencies, policies_now
from assistant.turn.guardrails.facts import LARGEST_COUNT
from assistant.turn.guardrails.grammar import Same
from assistant.turn.guardrails.labels import add_labels
from assistant.turn.guardrails.swaps import (
    Statement,
    is_of_another,
    is_one_of_several,
    is_swapped,
    statements_of,
)

_INSTRUCTIONS: Final = ("voice.toml", "models/_instructions.j2", "models/decider.j2", "models/narrator.j2")
_COUNTED: Final = re.compile(r"\s([^\W\d_]{3,}(?:\s[^\W\d_]{3,})?)")
"""The thing that a number counts: one of the two words after it."""

_STEP: Final = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)
_COMMENT: Final = re.compile(r"^#[^\n]*$|\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", re.MULTILINE | re.DOTALL)


_READ_ALWAYS: Final = 1_000
"""The characters of each result and text that are read, although the turn has read ``MOST_CHARACTERS``: reading
them takes less than 1 ms of the loop's time."""


class _SourceReader:
    """Reads what was stated in a conversation, newest first, as far as it is needed.

    Attributes:
        outcomes: the results whose records have no labels yet, by the id of their source.
        tools: the tool of each result, by the id of its source.
    """

    def __init__(self, turn: RunningTurn, parts: TurnDependencies, today: date, told: Source) -> None:
        self._turn, self._parts, self._today, self._told = turn, parts, today, told
        self._left = MOST_CHARACTERS
        self.outcomes: dict[int, CallSucceeded] = {}
        self.tools: dict[int, str] = {}

    def sources(self) -> Iterator[Source]:
        """All sources; a source is read when the iterator reaches it."""
        turn = self._turn
        yield from self._of_turn(turn.state)
        yield self._told
        if policies := policies_now(turn, self._parts):
            # The numbers of a policy's steps state nothing.
            yield Source([_STEP.sub("", policy.text) for policy in policies], self._today, turn.locale)
        for earlier in reversed(turn.earlier):
            yield from self._of_turn(earlier)
        conversation = turn.conversation
        remarks = [remark.text for each in conversation.turns for remark in each.before]
        remarks += [remark.text for remark in conversation.remarks]
        people = conversation.handoff
        about_people = [people.name, people.ticket] if people is not None else []
        if remarks or about_people:
            yield Source([*remarks, *about_people], self._today, turn.locale)
        yield Source([turn.customer.name, turn.customer.id], self._today, turn.locale)

    def _of_turn(self, turn: TurnState) -> Iterator[Source]:
        for outcome in turn.outcomes.values():
            if (data := _brought(outcome)) is not None:
                tool, key = outcome.call.tool, (turn.id, outcome.call.id, "result")
                source = self._remembered(key, data, self._kind_of(tool))
                self.tools[id(source)] = tool
                if isinstance(outcome, CallSucceeded) and tool in self._parts.tools:
                    self.outcomes[id(source)] = outcome
                yield source
        for long in turn.long.values():
            if (progress := long.progress) is not None:
                *counts, share = progress.numbers
                told = [str(progress), *map(str, counts), f"{share} %" if progress.total else str(share)]
                yield Source(told, self._today, turn.message.locale)
        for call in turn.calls:
            # The arguments of a document search are the model's own words, and no evidence.
            if call.arguments and self._kind_of(call.tool) != "document":
                yield self._remembered((turn.id, call.id, "call"), dict(call.arguments))
        for snapshot in turn.snapshots.values():
            if snapshot.call_id not in turn.outcomes:
                key = (turn.id, snapshot.call_id, "snapshot")
                yield self._remembered(key, snapshot.result_summary)
        yield self._remembered((turn.id, "", "message"), turn.message.text, "message")
        if turn.asked is not None:
            yield self._remembered((turn.id, "", "asked"), list(turn.asked.clauses))
        if turn is not self._turn.state:
            # Text that was shown in an earlier turn was proved there.
            ours = [said.text for said in turn.messages]
            if ours:
                yield self._remembered((turn.id, "", "ours"), ours)
        elif ours := [said.text for said in turn.messages if not said.model_written]:
            yield Source(ours, self._today, self._turn.locale)

    def _kind_of(self, tool: str) -> Kind:
        tools = self._parts.tools
        return (
            "document" if tool in tools and tools.get(tool).spec.role in ("searches", "loads") else "result"
        )

    def _remembered(self, key: tuple[str, str, str], data: Data, kind: Kind = "result") -> Source:
        sources = self._turn.views.sources
        if key not in sources:
            most = max(self._left, _READ_ALWAYS)
            sources[key] = Source(data, self._today, self._turn.locale, kind, most=most)
            self._left -= sources[key].characters
        return sources[key]


class TurnFactEvidence:
    """The evidence of one turn, newest first. Each result and text is read once for the whole conversation.

    Args:
        things_of: the stems of the things that a tool finds, in the customer's language.
    """

    def __init__(
        self, turn: RunningTurn, parts: TurnDependencies, things_of: Callable[[str], AbstractSet[str]]
    ) -> None:
        self._turn, self._parts, self._things_of = turn, parts, things_of
        self._today = parts.clock.now().date()
        self._read: list[Source] = []
        # What the instructions say of the company counts as stated, but is no term for calculations.
        self._told = _instructions(parts.book, self._today, parts.clock.now().hour)
        # The reader does not refer to this object, so that nothing of a turn stays in memory after it.
        self._reader = _SourceReader(turn, parts, self._today, self._told)
        self._unread = self._reader.sources()
        self._statements: dict[int, Sequence[Statement]] = {}
        self._counts: dict[int, Sequence[tuple[str, Decimal]]] = {}
        self._proved: set[tuple[Value, str]] = set()
        self._grouped: tuple[int, Sequence[Sequence[Record]]] = (0, ())

    def states(self, value: Value, written: str) -> bool:
        """Whether the value is stated somewhere; older sources are read only if they are needed."""
        key = (value, written)
        if key in self._proved:
            return True
        if any(source.states(value, written) for source in self._all()):
            self._proved.add(key)
            return True
        return False

    @property
    def today(self) -> date:
        """The day of the turn."""
        return self._today

    def terms(self) -> Terms:
        """The terms for calculations, of this turn and of all turns before it."""
        return self._terms

    @cached_property
    def _terms(self) -> Terms:
        return together(source.terms for source in self._all() if source is not self._told)

    def is_total(self, amount: Decimal, said: Sequence[Decimal]) -> bool:
        """Whether an amount is stated, or a sum of the amounts that were ``said`` or are known."""
        return is_total(amount, said, [source for source in self._all() if source is not self._told])

    def is_one_of_several(self, value: Value) -> bool:
        """Whether some rows of a list have the value and other rows do not."""
        return is_one_of_several(value, self._groups(), self._today)

    def is_swapped(self, sentence: str, found: Sequence[Found]) -> bool:
        """Whether a sentence gives one record or thing the value of another."""
        groups = self._groups()
        listed = {id(record) for group in groups for record in group}
        lists = [source for source in self._read if any(id(record) in listed for record in source.records)]
        documents = [source for source in self._read if source.kind == "document"]
        if not lists and not documents:
            return False
        # The customer's statement about a record does not make it true.
        elsewhere = [source for source in self._read if source not in lists and source.kind == "result"]
        own = [
            one
            for one in found
            if not any(source.states(one.value, sentence[one.start : one.end]) for source in elsewhere)
        ]
        for source in lists if own else ():
            self._add_labels(source)
        if own and groups and is_swapped(sentence, own, groups, self._today):
            return True
        in_no_list = [
            one
            for one in own
            if not any(source.states(one.value, sentence[one.start : one.end]) for source in lists)
            and not self._follows_from_asked(one.value)
        ]
        if not documents or not in_no_list:
            return False
        stated = [each for source in documents for each in self._stated_in(source)]
        return is_of_another(sentence, in_no_list, stated, self._today, self._turn.locale)

    def _groups(self) -> Sequence[Sequence[Record]]:
        """The lists of all results read so far.

        Single records of several calls of a tool are a list, too: the free times of each day.
        """
        if self._grouped[0] != len(self._read):
            self._grouped = len(self._read), list(self._find_groups())
        return self._grouped[1]

    def _find_groups(self) -> Iterator[Sequence[Record]]:
        alone: dict[tuple[str, frozenset[str]], list[Record]] = {}
        for source in self._read:
            groups = source.groups
            yield from groups
            listed = {id(record) for group in groups for record in group}
            tool = self._reader.tools.get(id(source))
            for record in source.records if source.kind == "result" else ():
                if tool is not None and id(record) not in listed:
                    alone.setdefault((tool, frozenset(record.row)), []).append(record)
        yield from (records for records in alone.values() if len(records) > 1)

    def _add_labels(self, source: Source) -> None:
        """Let the tool's narration name the records of its result, once."""
        if (outcome := self._reader.outcomes.pop(id(source), None)) is None:
            return
        spec = self._parts.tools.get(outcome.call.tool).spec
        own = spec.narration_in(self._turn.locale)
        if own is None or language(own[0]) != language(self._turn.locale):
            return
        locale, template = own
        narration, arguments = _narration(Same(self._parts.book)), outcome.call.arguments

        def narrate(value: Data) -> str:
            try:
                return narration.render(template, value=value, arguments=arguments, locale=locale)
            except PromptError:
                return ""

        add_labels(source, narrate, locale)

    def _follows_from_asked(self, value: Value) -> bool:
        """Whether an amount is the sum or the difference of the customer's own amount and a known one."""
        asked = together(source.terms for source in self._read if source.kind == "message").amounts
        return isinstance(value, Money | Number) and any(
            value.amount in (one + other, abs(one - other)) for one in asked for other in self._terms.amounts
        )

    def _stated_in(self, document: Source) -> Sequence[Statement]:
        if id(document) not in self._statements:
            self._statements[id(document)] = [
                each
                for text, heading in _passages(document.data)
                for each in statements_of(text, heading, self._turn.locale)
            ]
        return self._statements[id(document)]

    def is_miscounted(self, sentence: str, found: Sequence[Found]) -> bool:
        """Whether a sentence counts something that is stated with another number ("3 guests"), or more of
        something than was found: four orders where a lookup found three.
        """
        return any(
            self._states_another(one.value.amount, noun[1].lower().split())
            for one in found
            if isinstance(one.value, Number)
            and 1 < one.value.amount <= LARGEST_COUNT
            and (noun := _COUNTED.match(sentence, one.end)) is not None
        )

    def _states_another(self, count: Decimal, nouns: Sequence[str]) -> bool:
        sources = list(self._all())
        if any(Number(count) in source.values for source in sources if source.kind == "message"):
            return False
        stated = [
            amounts
            for source in sources
            for key, amounts in source.counted.items()
            if stem(key) == stem(nouns[0])
        ]
        spoken = set(_stems_of(nouns, self._turn.locale))
        stated += [
            {amount for noun, amount in self._counts_in(source) if noun in spoken}
            for source in sources
            if source.kind == "document"
        ]
        rows: dict[str, int] = {}
        for source in sources:
            tool = self._reader.tools.get(id(source))
            if tool is not None and source.rows is not None and spoken & self._things_of(tool):
                rows[tool] = rows.get(tool, 0) + source.rows
        known = frozenset[Decimal]().union(*stated)
        return bool(known or rows) and count not in known and not any(count <= each for each in rows.values())

    def _counts_in(self, document: Source) -> Sequence[tuple[str, Decimal]]:
        """The small numbers in the texts of a document, each with the stem of a word that it counts."""
        if id(document) not in self._counts:
            locale = self._turn.locale
            self._counts[id(document)] = [
                (noun, one.value.amount)
                for text, _ in _passages(document.data)
                for one in read(text, locale)
                if isinstance(one.value, Number) and one.value.amount <= LARGEST_COUNT
                if (counted := _COUNTED.match(text, one.end)) is not None
                for noun in _stems_of(counted[1].lower().split(), locale)
            ]
        return self._counts[id(document)]

    def _all(self) -> Iterator[Source]:
        yield from self._read
        for source in self._unread:
            self._read.append(source)
            yield source


def _stems_of(nouns: Sequence[str], locale: str) -> Iterator[str]:
    """The words after a number that may be what it counts: none in "half past nine and ten are free"."""
    for noun in nouns:
        if not carries_meaning(noun, locale):
            return
        yield stem(noun, locale)


def _brought(outcome: Outcome) -> Data:
    match outcome:
        case CallSucceeded() | CallEmpty():
            return outcome.value
        case CallFailed() | CallDenied():
            return [outcome.say, outcome.for_model]
        case _:
            return None


@lru_cache(maxsize=16)
def _narration(book: Same[PromptBook]) -> Narration:
    return Narration(book.it)


@lru_cache(maxsize=16)
def _instructions(book: PromptBook, today: date, _hour: int) -> Source:
    """What the prompts tell a model about the company and about today."""
    texts = [_COMMENT.sub("", book.sources.get(name, "")) for name in _INSTRUCTIONS]
    hours = book.voice.hours
    spans = (
        [
            f"{first:%A} - {last:%A} {opens:%H:%M} - {closes:%H:%M}"
            for first, last, opens, closes in hours.in_words
        ]
        if hours is not None
        else []
    )
    return Source([*texts, *spans, today.isoformat()], today)


def _passages(data: Data) -> Iterator[tuple[str, str]]:
    """The texts of found documents with their headings: the longest text of each passage, and the text before
    it.
    """
    if isinstance(data, Sequence) and not isinstance(data, str):
        for row in data:
            yield from _passages(row)
    elif isinstance(data, Mapping):
        texts = [one for one in data.values() if isinstance(one, str)]
        if texts:
            longest = max(range(len(texts)), key=lambda at: len(texts[at]))
            yield texts[longest], texts[longest - 1] if longest else ""

"""The clause about a call that follows "Shall I", in everyday words.

Data enters our question here and is kept apart: texts are quoted (see :func:`assistant.quoted`). A tool may
word its clause itself, and should quote the data in it. Text from a result of this conversation is always
quoted here. If a tool's clause contains more than one clause, it is replaced by one made from the tool's hint
and the call's arguments.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import structlog

from assistant.conversation.entries import CallEnded
from assistant.conversation.outcomes import CallFailed, CallSucceeded, Outcome
from assistant.conversation.tool_spec import NO_HINT, ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.language.sanitize import is_one_clause, quoted
from assistant.prompts.book import PromptBook
from assistant.prompts.utterances import DefaultClause, ReadBack
from assistant.tools.confirmation import is_own, own_label, quoted_data
from assistant.tools.execute import read_back
from assistant.tools.tool import PreparedCall
from assistant.turn.confirmation_rules import untrusted_results
from assistant.turn.context import Record, RunningTurn, TurnDependencies

log = structlog.get_logger(__name__)

_ID: Final = re.compile(r"(?:^|[_ ])(?:id|uuid|guid|ref|key)$|(?<=[a-z])I[dD]$", re.IGNORECASE)
_NUMBER: Final = re.compile(
    r"(?:^|[_ ])(?:number|no|nr|code|sku)$|(?<=[a-z])(?:Number|No|Nr|Code)$", re.IGNORECASE
)
_NAME: Final = re.compile(r"(?:^|_)(?:label|name|title)$", re.IGNORECASE)
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*")
_CODE: Final = re.compile(r"[A-Z\d_-]+")
"""These are not words: "LAS", "A-17"."""
_WRITTEN_DOWN: Final = re.compile(r"creat|updat|modif|chang|timestamp", re.IGNORECASE)
_TEXT: Final = re.compile(r"[^\W\d_]{2}.*[^\W\d_]", re.DOTALL)
_MOST_VALUES: Final = 5_000
_LONGEST_LABEL: Final = 200
_SHORTEST: Final = 4


async def prepare_question(
    ready: PreparedCall, turn: RunningTurn, deps: TurnDependencies, record: Record
) -> None:
    """Store the call's clause in ``turn.clauses``; a call that cannot be asked about ends here."""
    clause = await clause_of(turn, ready, deps)
    if isinstance(clause, str):
        turn.clauses[ready.call.id] = clause
    else:
        await record(CallEnded(outcome=clause))


async def clause_of(turn: RunningTurn, ready: PreparedCall, deps: TurnDependencies) -> str | CallFailed:
    """What the call would do: the tool's own wording, or its hint and arguments."""
    # A clause or a hint in another language would break the sentence around it.
    spoken = deps.book.spoken(ReadBack.template, turn.locale)
    own = await read_back(ready, replace(turn.customer, locale=spoken), deps.book, deps.clock)
    if isinstance(own, CallFailed):
        return own
    if own is not None:
        own = _with_results_quoted(own, turn, deps)
        if is_one_clause(own, spoken):
            return own
        log.warning("read-back is more than one clause, so it is not said", tool=ready.call.tool)
    return _default_clause(turn, ready, deps)


def _with_results_quoted(clause: str, turn: RunningTurn, deps: TurnDependencies) -> str:
    """A tool's own clause with quotation marks around text that other people may have written: all texts of
    several words.
    """
    texts = {text for result in untrusted_results(turn, deps) for text in _texts(result) if text in clause}
    if not texts:
        return clause
    # Text that the tool has quoted itself is not changed.
    said = {written: quoted(text) for text in texts for written in (quoted(text), text) if written}
    longest_first = sorted(said, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest_first)), lambda found: said[found[0]], clause)


def _texts(result: Json) -> Iterator[str]:
    """The texts in a result that have more than one word."""
    return (
        one.strip()
        for one in _values(result)
        if isinstance(one, str) and len(one) >= _SHORTEST and quoted(one) not in ("", one.strip())
    )


def _values(result: Json) -> Iterator[Json]:
    """A result and all values in it, up to a maximum number."""
    left, inside = _MOST_VALUES, [result]
    while inside and left:
        left -= 1
        value = inside.pop()
        yield value
        if isinstance(value, Mapping):
            inside.extend(value.values())
        elif isinstance(value, list | tuple):
            inside.extend(value)


def _default_clause(turn: RunningTurn, ready: PreparedCall, deps: TurnDependencies) -> str:
    locale = deps.book.spoken(DefaultClause.template, turn.locale)
    hint = ready.tool.spec.own_hint(locale) or NO_HINT
    records = _Records(turn)
    arguments = tuple(
        said
        for name, value in ready.arguments.items()
        if value is not None
        and (said := _argument(name, value, ready.tool.spec, records, deps.book, locale))[1]
    )
    return deps.book.render(DefaultClause(hint=hint, arguments=arguments), locale)


def _argument(
    name: str, value: Json, spec: ToolSpec, records: "_Records", book: PromptBook, locale: str
) -> tuple[str, str]:
    """The argument's name and value, in the words of the question."""
    if is_own(value, spec, name):
        return name, own_label(value, spec, name)
    if not name.isidentifier():
        # A server may give its arguments any names.
        name = quoted(name)
    said = book.plain(quoted_data(value), locale)
    if not isinstance(value, str | int) or isinstance(value, bool):
        return name, said
    label = records.label(name, value, book, locale)
    if label is None:
        return name, said
    if label.is_enough and _ID.search(name):
        return _ID.sub("", name), label.text
    return name, f"{said}, {label.text}"


@dataclass(frozen=True, slots=True)
class _Label:
    """The words for a record. ``is_enough``: they have a name or a time, so the id is not needed."""

    text: str
    is_enough: bool


class _Records:
    """The records that tools have found in this conversation, to be found by an argument's value."""

    def __init__(self, turn: RunningTurn) -> None:
        turns = (turn.state, *reversed(turn.earlier))
        self._found: Iterable[Outcome] = (one for each in turns for one in each.outcomes.values())
        self._known: list[JsonObject] | None = None

    def label(self, argument: str, value: str | int, book: PromptBook, locale: str) -> _Label | None:
        """The label of the record that has this value as its id or number.

        None if no record has it, or if several records with different labels have it.
        """
        if self._known is None:
            self._known = list(self._records())
        wanted = str(value)
        labels = {
            _label(record, wanted, book, locale)
            for record in self._known
            if str(record.get(_own_id(record, argument))) == wanted
        } - {None}
        return labels.pop() if len(labels) == 1 else None

    def _records(self) -> Iterator[JsonObject]:
        for outcome in self._found:
            if isinstance(outcome, CallSucceeded):
                yield from (value for value in _values(outcome.value) if isinstance(value, Mapping))


def _own_id(record: JsonObject, argument: str) -> str:
    """The field that identifies the record: the first id field, else the first number field, else the
    argument's name.

    A later id belongs to another record: an order also has the id of its customer.
    """
    ids = (key for pattern in (_ID, _NUMBER) for key in record if pattern.search(key))
    return next(ids, argument)


def _label(record: JsonObject, own: str, book: PromptBook, locale: str) -> _Label | None:
    """A record's name, or its first text; and its time, if it has one with a time of day.

    The time at which the record was made is not its time.
    """
    texts = {
        key: one
        for key, one in record.items()
        if isinstance(one, str) and one != own and len(one) <= _LONGEST_LABEL
    }
    names = [one for key, one in texts.items() if _NAME.search(key)]
    words = [
        one
        for key, one in texts.items()
        if _TEXT.search(one)
        and not _CODE.fullmatch(one)
        and not _MOMENT.fullmatch(one)
        and not _ID.search(key)
    ]
    moments = [
        book.plain(one, locale)
        for key, one in texts.items()
        if _MOMENT.fullmatch(one) and not _WRITTEN_DOWN.search(key)
    ]
    said = [quoted(one) for one in (*names, *words)[:1]]
    return _Label(", ".join([*said, *moments[:1]]), bool(names or moments)) if said else None

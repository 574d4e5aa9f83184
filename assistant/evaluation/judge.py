"""Compares what came of a task with what should have."""

from collections.abc import Collection, Iterator, Sequence
from typing import assert_never

from assistant.evaluation.books import Difference, RowAdded, RowChanged, RowRemoved
from assistant.evaluation.task import Added, Change, Changed, Removed, Task, pattern_of

_LONGEST = 400
"""So many characters of what was said stand in a complaint."""

_PLAIN = str.maketrans(
    {"\u00a0": " ", "\u202f": " ", "\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"'}
)


def judge(task: Task, changes: Sequence[Difference], said: Sequence[str], ran: Collection[str]) -> list[str]:
    """What does not fit, a line for each expectation; nothing when the task is done.

    Args:
        task: with its expectations.
        changes: what is different in the books.
        said: the assistant's messages, in order.
        ran: the names of the tools that were run.
    """
    return [*_state(task, changes), *_words(task, said), *_calls(task, ran)]


def _state(task: Task, changes: Sequence[Difference]) -> Iterator[str]:
    left = list(changes)
    for wanted in task.changes:
        found = next((one for one in left if _fits(wanted, one)), None)
        if found is None:
            yield f"state: expected {_spelled(wanted)}; it did not come to that"
        else:
            left.remove(found)
    for one in left:
        yield f"state: nobody expected {one}"


def _fits(wanted: Change, found: Difference) -> bool:
    match wanted, found:
        case Changed(), RowChanged():
            here = (found.table, found.row) == (wanted.table, wanted.row)
            return here and {column: now for column, _, now in found.columns} == wanted.changed
        case Added(), RowAdded():
            return found.table == wanted.table and wanted.added.items() <= found.values.items()
        case Removed(), RowRemoved():
            return (found.table, found.row) == (wanted.table, wanted.removed)
        case _:
            return False


def _spelled(wanted: Change) -> str:
    match wanted:
        case Changed(table=table, row=row, changed=changed):
            return f"{table} {row}: " + ", ".join(f"{name} -> {value!r}" for name, value in changed.items())
        case Added(table=table, added=added):
            return f"a new row in {table}: " + ", ".join(f"{name} {value!r}" for name, value in added.items())
        case Removed(table=table, removed=row):
            return f"{table} {row} to be gone"
        case _:
            assert_never(wanted)


def _words(task: Task, said: Sequence[str]) -> Iterator[str]:
    spoken = " ".join(" ".join(said).translate(_PLAIN).split())
    for choice in task.must:
        if not any(pattern_of(words).search(spoken) for words in choice):
            yield f"must: expected {' or '.join(map(repr, choice))}; said was {_shortened(spoken)!r}"
    for words in task.must_not:
        if (found := pattern_of(words).search(spoken)) is not None:
            around = spoken[max(0, found.start() - 60) : found.end() + 60]
            yield f"must_not: {words!r} was said: {around!r}"


def _calls(task: Task, ran: Collection[str]) -> Iterator[str]:
    told = ", ".join(dict.fromkeys(ran)) or "nothing"
    for tool in task.calls:
        if tool not in ran:
            yield f"calls: expected {tool}; {told} was run"
    for tool in task.calls_not:
        if tool in ran:
            yield f"calls_not: {tool} was run"


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."

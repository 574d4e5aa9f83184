"""Decides whether a trial passed: compares the result with the expectations of its task, without a model."""

from collections.abc import Collection, Iterator, Sequence
from typing import assert_never

from assistant.evaluation.state import Difference, RowAdded, RowChanged, RowRemoved
from assistant.evaluation.tasks import Added, Change, Changed, Removed, Task, pattern_of

_LONGEST = 400
"""The most characters of a text or change in a line."""

_PLAIN = str.maketrans(
    {"\u00a0": " ", "\u202f": " ", "\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"'}
)


def judge(
    task: Task,
    changes: Sequence[Difference],
    said: Sequence[str],
    ran: Collection[str],
    digest: str = "",
    from_solution: Sequence[Difference] = (),
) -> list[str]:
    """Returns the unmet expectations, one line each. The list is empty if the task is done.

    Each line begins with the name of a field of the task.

    Args:
        task: the task with its expectations.
        changes: the differences in the records.
        said: the assistant's messages, in order.
        ran: the names of the tools that were run.
        digest: the hash of the records after the trial.
        from_solution: the differences from the records after the task's solution, if they are known.
    """
    if task.state_hash is None:
        state = _state(task, changes)
    else:
        state = _hash(task.state_hash, digest, changes, from_solution)
    return [*state, *_words(task, said), *_calls(task, ran)]


def _hash(
    expected: str, digest: str, changes: Sequence[Difference], from_solution: Sequence[Difference]
) -> Iterator[str]:
    if digest == expected:
        return
    if from_solution:
        found = _shortened("; ".join(map(str, from_solution)))
        yield f"state: the records are not as after the solution (expected -> found): {found}"
    else:
        changed = _shortened("; ".join(map(str, changes))) or "nothing"
        hashes = f"hash {digest[:12]}, not {expected[:12]}"
        yield f"state: the records are not as expected ({hashes}); changed: {changed}"


def _state(task: Task, changes: Sequence[Difference]) -> Iterator[str]:
    left = list(changes)
    for wanted in task.changes:
        found = next((one for one in left if _fits(wanted, one)), None)
        if found is None:
            yield f"state: expected {_spelled(wanted)}; that did not happen"
        else:
            left.remove(found)
    for one in left:
        yield f"state: not expected: {one}"


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
    for fact in task.facts:
        # Like tau2: search anywhere in the text, without its commas.
        if fact.lower() not in spoken.lower().replace(",", ""):
            yield f"facts: {fact!r} was not told; said was {_shortened(spoken)!r}"
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

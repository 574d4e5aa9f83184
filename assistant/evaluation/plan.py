"""What is left to do of an evaluation, and whether it can be done at all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from assistant.errors import DeclarationError
from assistant.evaluation.row import Row
from assistant.evaluation.task import Task
from assistant.evaluation.worker import Job


@dataclass(frozen=True, slots=True)
class Plan:
    """``jobs`` are the trials left; ``done`` the rows of those that need not be run again."""

    jobs: tuple[Job, ...]
    done: tuple[Row, ...]


def plan(
    tasks: Sequence[Task],
    times: int,
    *,
    model: str,
    bundle: str,
    rows: Sequence[Row],
    simulator: str | None = None,
    again_failed: bool = False,
) -> Plan:
    """Every task ``times`` times; first all of them once, then again.

    A row counts when its task, model and prompts are the same as now, the same ``simulator`` played its
    customer if it has one, and the trial came to its end. The newest row of a trial is the one that counts;
    with ``again_failed`` not even that one, if a provider failed in it.
    """
    known = {
        (row.task, row.digest, row.trial): row
        for row in rows
        if row.broke is None
        and row.judged
        and (row.model, row.bundle) == (model, bundle)
        and row.simulator in (None, simulator)
    }
    if again_failed:
        known = {key: row for key, row in known.items() if not row.model_errors}
    wanted = [(task, trial) for trial in range(1, times + 1) for task in tasks]
    left = [(task, trial) for task, trial in wanted if (task.id, task.digest, trial) not in known]
    keys = [(task.id, task.digest, trial) for task, trial in wanted]
    return Plan(
        jobs=tuple(Job(task=task, trial=trial, bundle=bundle) for task, trial in left),
        done=tuple(known[key] for key in keys if key in known),
    )


def check_tools(tasks: Sequence[Task], known: Sequence[str]) -> None:
    """Make sure that tasks speak of tools that there are.

    Raises:
        DeclarationError: a line for each tool that nobody declared.
    """
    problems = [
        f"task {task.id!r}: {field}: there is no tool {tool!r}; {_cure(tool, known)}"
        for task in tasks
        for field, tool in _named(task)
        if tool not in known
    ]
    if problems:
        raise DeclarationError("\n".join(problems))


def _named(task: Task) -> Iterator[tuple[str, str]]:
    yield from (("before", step.tool) for step in task.before)
    yield from (("calls", tool) for tool in task.calls)
    yield from (("calls_not", tool) for tool in task.calls_not)


def _cure(tool: str, known: Sequence[str]) -> str:
    close = get_close_matches(tool, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known) or 'none'}"

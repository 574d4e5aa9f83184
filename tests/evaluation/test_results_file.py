"""Results stay on the disk, and what is done is not done again."""

from pathlib import Path

import pytest

from assistant.errors import DeclarationError
from assistant.evaluation.plan import check_tools, plan
from assistant.evaluation.results_file import ResultsFile
from assistant.evaluation.row import Row
from assistant.evaluation.task import Task


def task(name: str, **fields: object) -> Task:
    return Task.model_validate({"id": name, "now": "2026-11-21T10:00", "messages": ["Hi"], **fields})


def row(of: Task, **fields: object) -> Row:
    known = {"task": of.id, "digest": of.digest, "trial": 1, "model": "m", "bundle": "b"}
    return Row.model_validate({**known, **fields})


def test_rows_are_there_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "results.jsonl"
    first, second = row(task("a")), row(task("b"), broke="gone")
    results = ResultsFile(path)
    results.add(first)
    results.add(second)

    assert results.rows == [first, second]
    assert ResultsFile(path).rows == [first, second]
    assert path.read_bytes().count(b"\n") == 2


def test_a_last_line_that_was_cut_off_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    ResultsFile(path).add(row(task("a")))
    whole = path.read_bytes()
    for cut in (1, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole + whole[:cut])

        results = ResultsFile(path)
        results.add(row(task("b")))

        assert [one.task for one in ResultsFile(path).rows] == ["a", "b"]


def test_another_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Ana,\nhow are you?\n")

    with pytest.raises(DeclarationError, match=r"letter\.txt:1: this line is no result"):
        ResultsFile(path)

    assert path.read_text() == "Dear Ana,\nhow are you?\n"


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="cannot be used: Is a directory"):
        ResultsFile(tmp_path)


def test_only_what_is_left_is_planned() -> None:
    a, b = task("a"), task("b")
    done = [row(a), row(b, broke="its process ended")]

    todo = plan([a, b], 2, model="m", bundle="b", rows=done)

    assert [(job.task.id, job.trial) for job in todo.jobs] == [("b", 1), ("a", 2), ("b", 2)]
    assert todo.done == (done[0],)


@pytest.mark.parametrize("other", [{"model": "n"}, {"bundle": "c"}, {"digest": "x"}, {"trial": 2}])
def test_a_row_of_something_else_does_not_count(other: dict[str, object]) -> None:
    a = task("a")

    todo = plan([a], 1, model="m", bundle="b", rows=[row(a, **other)])

    assert len(todo.jobs) == 1
    assert todo.done == ()


def test_the_newest_row_of_a_trial_counts() -> None:
    a = task("a")
    newer = row(a, unmet=["worse"])

    assert plan([a], 1, model="m", bundle="b", rows=[row(a), newer]).done == (newer,)


def test_tools_that_nobody_declared_are_named() -> None:
    asks = task("a", before=[{"tool": "open_book"}], calls=["refund"], calls_not=["open_books"])

    with pytest.raises(DeclarationError) as refused:
        check_tools([asks], ["open_books"])

    assert str(refused.value).splitlines() == [
        "task 'a': before: there is no tool 'open_book'; did you mean 'open_books'?",
        "task 'a': calls: there is no tool 'refund'; there are open_books",
    ]
    check_tools([task("b", calls=["open_books"])], ["open_books"])

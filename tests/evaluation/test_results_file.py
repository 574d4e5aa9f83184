"""Results stay on disk, and finished trials are not repeated."""

from pathlib import Path

import pytest

from assistant.errors import DeclarationError
from assistant.evaluation.results import ResultsFile, Row, only_writer, read_results
from assistant.evaluation.tasks import Task
from assistant.evaluation.worker_pool import check_tools, plan


def task(name: str, **fields: object) -> Task:
    return Task.model_validate({"id": name, "now": "2026-11-21T10:00", "messages": ["Hi"], **fields})


def row(of: Task, **fields: object) -> Row:
    known = {"task": of.id, "digest": of.digest, "trial": 1, "model": "m", "bundle": "b"}
    return Row.model_validate({**known, **fields})


def test_stored_rows_are_read_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "results.jsonl"
    first, second = row(task("a")), row(task("b"), broke="gone")
    results = ResultsFile(path)
    results.add(first)
    results.add(second)

    assert results.rows == [first, second]
    assert ResultsFile(path).rows == [first, second]
    assert path.read_bytes().count(b"\n") == 2


def test_an_incomplete_last_line_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    ResultsFile(path).add(row(task("a")))
    whole = path.read_bytes()
    for cut in (1, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole + whole[:cut])

        results = ResultsFile(path)
        results.add(row(task("b")))

        assert [one.task for one in ResultsFile(path).rows] == ["a", "b"]


def test_a_file_of_another_kind_is_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Ana,\nhow are you?\n")

    with pytest.raises(DeclarationError, match=r"letter\.txt:1: this line is no result"):
        ResultsFile(path)

    assert path.read_text() == "Dear Ana,\nhow are you?\n"


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="cannot be used: Is a directory"):
        ResultsFile(tmp_path)


def test_only_one_evaluation_writes_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "results.jsonl"

    with only_writer(path):
        ResultsFile(path).add(row(task("a")))
        with pytest.raises(DeclarationError, match="another evaluation is writing"), only_writer(path):
            pass
    with only_writer(path):
        assert len(ResultsFile(path).rows) == 1
    with pytest.raises(DeclarationError, match="cannot be used: Is a directory"), only_writer(tmp_path):
        pass


def test_results_can_be_read_while_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    ResultsFile(path).add(row(task("a")))
    begun = path.read_bytes() + b'{"task": "b'
    path.write_bytes(begun)

    assert [one.task for one in read_results(path)] == ["a"]
    assert path.read_bytes() == begun


def test_only_missing_trials_are_planned() -> None:
    a, b = task("a"), task("b")
    done = [row(a), row(b, broke="its process ended")]

    todo = plan([a, b], 2, model="m", bundle="b", rows=done)

    assert [(job.task.id, job.trial) for job in todo.jobs] == [("b", 1), ("a", 2), ("b", 2)]
    assert todo.done == (done[0],)


@pytest.mark.parametrize("other", [{"model": "n"}, {"bundle": "c"}, {"digest": "x"}, {"trial": 2}])
def test_a_row_of_another_configuration_does_not_count(other: dict[str, object]) -> None:
    a = task("a")

    todo = plan([a], 1, model="m", bundle="b", rows=[row(a, **other)])

    assert len(todo.jobs) == 1
    assert todo.done == ()


def test_the_newest_row_of_a_trial_counts() -> None:
    a = task("a")
    newer = row(a, unmet=["worse"])

    assert plan([a], 1, model="m", bundle="b", rows=[row(a), newer]).done == (newer,)


OLD_ROW = (
    '{"task":"a","digest":"d","trial":1,"model":"m","bundle":"b","unmet":["must: x"],"broke":null,'
    '"turns":[{"first_ms":5,"whole_ms":9}],"cost":{"input_tokens":7,"output_tokens":1,"usd":null},"ran":["t"],'
    '"asked":["m"],"model_errors":[],"transcript":[["customer","Hi"],["response","Hello."]]}\n'
)


def test_a_file_without_simulated_customers_is_read(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(OLD_ROW)

    (old,) = ResultsFile(path).rows

    assert (old.judged, old.passed, old.unmet) == (True, False, ("must: x",))
    assert (old.simulator, old.again, old.withheld, old.customer_cost) == (None, None, None, None)


def test_a_task_with_messages_keeps_its_digest() -> None:
    fields = {"now": "2026-11-21T10:00", "messages": ["Hi", {"confirm": "yes"}], "must": ["x"]}

    assert task("a", **fields).digest == "e074a2e6a616"


def test_rows_of_a_failed_provider_are_kept_unless_rerun() -> None:
    a, b = task("a"), task("b")
    rows = [row(a, model_errors=["429"]), row(b), row(a, trial=2), row(a, trial=2, model_errors=["gone"])]

    assert plan([a, b], 2, model="m", bundle="b", rows=rows).done == (rows[0], rows[1], rows[3])
    again = plan([a, b], 2, model="m", bundle="b", rows=rows, retry_failed=True)
    assert [(job.task.id, job.trial) for job in again.jobs] == [("a", 1), ("a", 2), ("b", 2)]
    mended = [*rows, row(a), row(a, trial=2)]
    assert len(plan([a, b], 2, model="m", bundle="b", rows=mended, retry_failed=True).jobs) == 1


def test_a_customer_who_could_not_be_played_is_played_again() -> None:
    played = Task.model_validate(
        {"id": "s", "now": "2026-11-21T10:00", "simulated": {"persona": "p", "goal": "g"}}
    )
    rows = [row(played, simulator="p"), row(played, trial=2, simulator="p", customer_failed="gone")]

    def left(simulator: str) -> list[int]:
        todo = plan([played], 2, model="m", bundle="b", rows=rows, simulator=simulator)
        return [job.trial for job in todo.jobs]

    assert left("p") == [2]
    assert left("q") == [1, 2]


def test_undeclared_tools_are_named() -> None:
    asks = task("a", before=[{"tool": "open_book"}], calls=["refund"], calls_not=["open_books"])

    with pytest.raises(DeclarationError) as refused:
        check_tools([asks], ["open_books"])

    assert str(refused.value).splitlines() == [
        "task 'a': before: there is no tool 'open_book'; did you mean 'open_books'?",
        "task 'a': calls: there is no tool 'refund'; there are open_books",
    ]
    check_tools([task("b", calls=["open_books"])], ["open_books"])

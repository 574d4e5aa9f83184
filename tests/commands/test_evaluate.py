"""``assistant evaluate`` as it is typed: figures, exit codes, continuing after a stop."""

import asyncio
import io
import signal
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from assistant.cli import app
from assistant.clock import SystemClock
from assistant.commands.evaluation.evaluate import EvaluateOptions, evaluate, trial_progress, write_report
from assistant.errors import DeclarationError
from assistant.evaluation.results import Row
from assistant.testing.script import Line, says, stalls
from tests.commands.conftest import ProjectFolder, signals_left_alone
from tests.evaluation.ideal import IDEAL
from tests.support.fake_model.model_server import FakeModelServer
from tests.support.fake_model.scripted_replies import on_the_wire

pytestmark = pytest.mark.slow

MODEL = "openai/scripted"

OTHERS = {
    "ASSISTANT_MODEL": "offline",
    "ASSISTANT_NARRATOR_MODEL": "offline",
    "ASSISTANT_FALLBACK_MODELS": "offline",
    "ASSISTANT_NARRATOR_FALLBACK_MODELS": "offline",
}

TASK = "tasks:\n  - id: a\n    now: 2026-11-21T10:00\n    messages: [Hi]\n"


def served(*lines: Line) -> FakeModelServer:
    """A provider that answers one request after the other."""
    return FakeModelServer(*(on_the_wire(line, "openai") for line in lines), clock=SystemClock())


def ideal(*tasks: str) -> list[Line]:
    return [line for task in tasks for line in IDEAL[task]]


def settings(server: FakeModelServer) -> dict[str, str]:
    return {"ASSISTANT_MODEL": MODEL, "OPENAI_BASE_URL": server.url, "ASSISTANT_TIME_ZONE": "UTC"}


def rows(file: Path) -> list[Row]:
    return [Row.model_validate_json(line) for line in file.read_bytes().splitlines()]


async def test_a_model_is_tried_and_finished_trials_are_not_repeated(premises: ProjectFolder) -> None:
    # In the order of their files, not of the command line.
    words = ("evaluate", "balance", "cancel-order", "--concurrency", "1", "--out", "results.jsonl")
    async with served(*ideal("cancel-order", "balance")) as server:
        code, output, errors = await premises.run(*words, **settings(server))
        again = await premises.run(*words, **settings(server))

    assert (code, errors) == (0, "")
    first, warning, *shown = output.splitlines()
    assert first == f"2 tasks with {MODEL}: 2 trials to run."
    assert warning == "Up to 3 messages for this model; its provider may charge for them."
    assert shown[:4] == [
        "[1/2] cancel-order #1: passed",
        "[2/2] balance #1: passed",
        "tasks    2, 2 trials: 2 passed",
        "pass^1   1.000 (95 %: 0.342 to 1.000)",
    ]
    assert shown[4] == "changes  1, without the customer's yes: 0"
    assert shown[6].startswith("cost     unknown; 400 tokens in")
    assert shown[-2:] == ["results  results.jsonl", "report   results.html"]
    assert [(row.task, row.model, row.passed) for row in rows(premises.folder / "results.jsonl")] == [
        ("cancel-order", MODEL, True),
        ("balance", MODEL, True),
    ]
    assert again[0] == 0
    assert again[1].startswith(
        f"2 tasks with {MODEL}: 0 trials to run (2 already in results.jsonl).\ntasks    2, 2 trials: 2 passed"
    )
    assert sorted(path.name for path in premises.folder.iterdir()) == ["results.html", "results.jsonl"]


async def test_a_failing_model_is_reported_with_the_reason(premises: ProjectFolder) -> None:
    words = ("evaluate", "balance", "--concurrency", "1", "--trials", "2", "--out", "results.jsonl")
    async with served(*ideal("balance"), says("You owe nothing.")) as server:
        code, output, _ = await premises.run(*words, **settings(server))
        enough = await premises.run(*words, "--min-pass-rate", "0.5", **settings(server))

    assert code == 1
    assert "balance: 1 of 2 failed" in output
    assert "said was 'You owe nothing.'" in output
    assert "pass^1   0.500 (95 %: 0.055 to 0.945)\npass^2   0.000 (95 %: 0.000 to 0.793)\n" in output
    assert enough[0] == 0


async def test_stopping_prints_how_to_continue(premises: ProjectFolder) -> None:
    words = ("evaluate", "cancel-order", "balance", "--concurrency", "1", "--model", MODEL)
    async with served(*ideal("cancel-order"), stalls("You owe")) as server:
        process = await premises.start(*words, **{**settings(server), **OTHERS})
        async with asyncio.timeout(30):
            await server.stalled.wait()
        process.send_signal(signal.SIGINT)
        output, errors = await process.communicate()
    (file,) = (premises.data / "evaluations").glob("openai-scripted-*.jsonl")
    async with served(*ideal("balance")) as server:
        went_on = await premises.run(*words, "--resume", **{**settings(server), **OTHERS})

    assert (process.returncode, errors) == (130, b"")
    named = file.relative_to(premises.folder)
    stopped = f"Stopped. Finished trials are kept; the same command with --out {named} continues."
    assert output.decode().splitlines()[-1] == stopped
    assert went_on[0] == 0
    assert f"1 trial to run (1 already in {named})" in went_on[1]
    assert [(row.task, row.asked) for row in rows(file)] == [
        ("cancel-order", (MODEL,)),
        ("balance", (MODEL,)),
    ]


async def test_a_process_that_was_killed_loses_only_what_was_running(premises: ProjectFolder) -> None:
    words = ("evaluate", "cancel-order", "balance", "--concurrency", "1", "--out", "results.jsonl")
    async with served(*ideal("cancel-order"), stalls("You owe")) as server:
        process = await premises.start(*words, **settings(server))
        async with asyncio.timeout(30):
            await server.stalled.wait()
        process.kill()
        await process.communicate()
    file = premises.folder / "results.jsonl"
    with file.open("ab") as broken_off:
        broken_off.write(b'{"task": "balan')
    async with served(*ideal("balance")) as server:
        code, output, _ = await premises.run(*words, **settings(server))

    assert code == 0
    assert "1 trial to run (1 already in results.jsonl)" in output
    assert [row.task for row in rows(file)] == ["cancel-order", "balance"]


async def test_a_suite_has_its_own_tools_tasks_and_records(premises: ProjectFolder) -> None:
    suite = premises.folder / "suite"
    for name, text in SUITE.items():
        (suite / name).parent.mkdir(parents=True, exist_ok=True)
        (suite / name).write_text(text)
    words = ("evaluate", "--suite", "suite", "--model", "solutions", "--out", "results.jsonl")

    code, output, errors = await premises.run(*words, "--trials", "2", "--concurrency", "2")
    compared = await premises.run("evaluate", "report", "results.jsonl", "--out", "page.html")

    assert (code, errors) == (1, "")
    assert output.startswith("2 tasks with solutions: 4 trials to run.\n")
    assert (
        "never: 2 of 2 failed\n    state: expected lamps 1: lit -> 'true'; that did not happen (2 times)"
        in output
    )
    assert "tasks    2, 4 trials: 2 passed" in output
    assert "changes  2, without the customer's yes: 0" in output
    assert compared == (0, "report   page.html\n", "")
    assert "solutions" in (premises.folder / "page.html").read_text()


SUITE = {
    "tools/lamps.py": '''
from assistant import tool

LAMPS = {"1": {"lit": False}}


@tool(waiting_hint="switching the lamp on", effect="write", confirm="switch on lamp {{ arguments.number }}")
def light(number: str) -> str:
    """Switch a lamp on.

    Args:
        number: the lamp's.
    """
    LAMPS[number]["lit"] = True
    return "lit"
''',
    "tools/_evaluation.py": """
from tools.lamps import LAMPS


def reset():
    LAMPS["1"]["lit"] = False


def snapshot():
    return {"lamps": LAMPS}
""",
    "tasks/lamps.yaml": """
defaults:
  now: 2026-11-21T10:00
  simulated: {persona: Brief., goal: Light.}
  changes: [{table: lamps, row: 1, changed: {lit: true}}]
tasks:
  - id: lit
    solution: ['light {"number": "1"}']
  - id: never
""",
}


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of tasks where the command is called."""
    monkeypatch.chdir(tmp_path)
    for name in ("ASSISTANT_DATA_DIR", "ASSISTANT_MODEL"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "tasks").mkdir()
    return tmp_path / "tasks" / "own.yaml"


def refused(wishes: EvaluateOptions) -> str:
    with pytest.raises(DeclarationError) as stopped:
        evaluate(wishes)
    return str(stopped.value)


def test_wrong_tasks_are_refused(own: Path) -> None:
    own.write_text("tasks:\n  - id: a\n    messages: [Hi]\n")
    assert refused(EvaluateOptions()) == "tasks/own.yaml:2: now: Field required"

    own.write_text(f"{TASK}    calls: [get_open_invoice]\n")
    known = "did you mean 'get_open_invoices'?"
    assert refused(EvaluateOptions()) == f"task 'a': calls: there is no tool 'get_open_invoice'; {known}"


def test_a_suite_without_tasks_is_refused(own: Path) -> None:
    told = refused(EvaluateOptions(suite=Path("elsewhere")))
    assert told == "elsewhere/tasks: there is no such folder; a suite has its tasks in a folder 'tasks'"


def test_a_report_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match=r"gone\.jsonl cannot be read: No such file"):
        write_report([tmp_path / "gone.jsonl"], None)


def test_missing_results_cannot_be_continued(own: Path) -> None:
    own.write_text(TASK)

    told = refused(EvaluateOptions(resume=True))
    assert told == "data/evaluations has no results of 'offline' to continue"
    assert "name it *.jsonl" in refused(EvaluateOptions(out=Path("results.html")))
    told = refused(EvaluateOptions(resume=True, out=Path("gone.jsonl")))
    assert told == "--out 'gone.jsonl': there is no such file to continue"


async def test_wrong_usage_ends_with_code_2(premises: ProjectFolder) -> None:
    code, output, errors = await premises.run("evaluate", "no-such-task")

    assert (code, output) == (2, "")
    assert errors.startswith("no file, folder or task is called 'no-such-task'; tasks are no-appointments,")


def test_a_terminal_shows_a_bar() -> None:
    shown = io.StringIO()
    row = Row(task="balance", digest="d", trial=1, model="m", bundle="b")
    console = Console(file=shown, force_terminal=True, width=100)

    with trial_progress(console, 2) as show:
        show(row)
        show(row.model_copy(update={"unmet": ("no",)}))

    assert "2/2" in shown.getvalue()
    assert "1 failed" in shown.getvalue()


def test_without_a_terminal_each_trial_is_a_line() -> None:
    shown = io.StringIO()
    row = Row(task="balance", digest="d", trial=1, model="m", bundle="b")

    with trial_progress(Console(file=shown), 3) as show:
        show(row)
        show(row.model_copy(update={"unmet": ("no",)}))
        show(row.model_copy(update={"broke": "gone"}))

    assert shown.getvalue().splitlines() == [
        "[1/3] balance #1: passed",
        "[2/3] balance #1: FAILED",
        "[3/3] balance #1: BROKE",
    ]


def test_an_unreachable_model_fails_and_is_named(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own.write_text(TASK)
    for name, value in {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "ASSISTANT_MODEL_ATTEMPTS": "1"}.items():
        monkeypatch.setenv(name, value)
    words = ["evaluate", "--model", MODEL, "--out", "results.jsonl"]

    with signals_left_alone():
        tried = CliRunner().invoke(app, words)
        again = CliRunner().invoke(app, [*words, "--min-pass-rate", "0"])

    assert (tried.exit_code, again.exit_code) == (0, 0)  # the task asks for nothing but that nothing changes
    (row,) = rows(Path("results.jsonl"))
    assert "127.0.0.1:9" in row.model_errors[0]
    assert "Up to 1 message for this model" in tried.output
    assert "0 trials to run (1 already in results.jsonl)" in again.output


def test_the_configured_model_gets_its_own_file_of_results(own: Path) -> None:
    own.write_text(f"{TASK}    must: [unheard of]\n")

    with signals_left_alone():
        tried = CliRunner().invoke(app, ["evaluate", "a"])

    assert tried.exit_code == 1
    assert "a: 1 of 1 failed\n    must: expected 'unheard of'; said was " in tried.output
    assert len(list(Path("data/evaluations").glob("offline-????????-??????.jsonl"))) == 1
    assert not list(Path("data/evaluations").glob("*.log"))

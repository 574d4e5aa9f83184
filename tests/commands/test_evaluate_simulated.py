"""``assistant evaluate`` with customers that a model plays, and with providers that fail."""

import os
from pathlib import Path

import pytest

from assistant.clock import SystemClock
from assistant.commands.evaluation.evaluate import EvaluateOptions, evaluate
from assistant.errors import DeclarationError
from assistant.evaluation.results import Row
from assistant.testing.script import Line, breaks, calls, says
from tests.commands.conftest import ProjectFolder, signals_left_alone
from tests.evaluation.ideal import IDEAL
from tests.support.fake_model.model_server import FakeModelServer
from tests.support.fake_model.scripted_replies import on_the_wire

pytestmark = pytest.mark.slow

MODEL, PLAYER = "openai/scripted", "openai/player"


def served(*lines: Line) -> FakeModelServer:
    """A provider that answers one request after the other, from any client."""
    return FakeModelServer(*(on_the_wire(line, "openai") for line in lines), clock=SystemClock())


def settings(server: FakeModelServer) -> dict[str, str]:
    return {
        "ASSISTANT_MODEL": MODEL,
        "ASSISTANT_MODEL_ATTEMPTS": "1",
        "ASSISTANT_TIME_ZONE": "UTC",
        "OPENAI_BASE_URL": server.url,
    }


def rows(file: Path) -> list[Row]:
    return [Row.model_validate_json(line) for line in file.read_bytes().splitlines()]


async def test_the_named_model_plays_the_customer(premises: ProjectFolder) -> None:
    words = ("evaluate", "too-late-to-cancel", "--simulator", PLAYER, "--out", "results.jsonl")
    async with served(
        says("cancel 10482. now"),
        calls(("cancel_order", {"order_number": "10482"})),
        says("It's too late for that: order 10482 is on its way."),
        says("[END]"),
    ) as server:
        code, output, errors = await premises.run(*words, **settings(server))

    assert (code, errors) == (0, "")
    assert [request.body["model"] for request in server.received] == [
        "player",
        "scripted",
        "scripted",
        "player",
    ]
    assert output.splitlines()[:3] == [
        f"1 task with {MODEL}: 1 trial to run.",
        "Up to 5 messages for this model; its provider may charge for them.",
        f"{PLAYER} plays the customer in 1 of them: up to 5 requests more.",
    ]
    assert "players  unknown; 200 tokens in, 40 out" in output
    (row,) = rows(premises.folder / "results.jsonl")
    assert (row.simulator, row.customer_left, row.asked) == (PLAYER, "done", (MODEL,))


async def test_with_only_the_embedded_model_no_customer_can_be_played(premises: ProjectFolder) -> None:
    code, output, errors = await premises.run(
        "evaluate", "balance", "only-asking", "too-late-to-cancel", "--out", "results.jsonl"
    )

    assert (code, errors) == (0, "")
    first, _, *figures = output.splitlines()
    assert first == "1 task with offline: 1 trial to run; skipped: 2 tasks need a model to play the customer."
    assert figures[:2] == [
        "tasks    1, 1 trial: 1 passed",
        "skipped  2 tasks need a model to play the customer; --simulator names one",
    ]


@pytest.fixture
def nothing_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, and none of the tester's own settings."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("ASSISTANT_")]:
        monkeypatch.delenv(name)


@pytest.mark.usefixtures("nothing_set")
def test_an_evaluation_without_trials_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    with signals_left_alone():
        code = evaluate(EvaluateOptions(tasks=("only-asking",), min_pass_rate=0.0))

    assert code == 1
    assert "tasks    0, 0 trials: 0 passed\nskipped  1 task needs a model" in capsys.readouterr().out


@pytest.mark.usefixtures("nothing_set")
def test_an_unknown_model_is_refused_before_any_trial() -> None:
    with pytest.raises(DeclarationError, match="openai/"):
        evaluate(EvaluateOptions(tasks=("only-asking",), simulator="openai/"))

    assert not Path("data").exists()


async def test_a_customer_who_could_not_be_played_is_played_again(premises: ProjectFolder) -> None:
    words = ("evaluate", "only-asking", "balance", "--concurrency", "1", "--out", "results.jsonl")
    async with served(*IDEAL["balance"], breaks()) as server:
        code, output, _ = await premises.run(*words, **settings(server))
    async with served(says("How much do I owe?"), says("I cannot see that."), says("[END]")) as server:
        again = await premises.run(*words, **settings(server))

    assert code == 0  # of what could be judged, everything passed
    assert "[2/2] only-asking #1: not judged" in output
    assert f"only-asking #1 could not be judged: {MODEL}, who plays the customer, failed: " in output
    assert "tasks    2, 2 trials: 1 passed, 1 could not be judged" in output
    assert again[0] == 1
    assert "only-asking: 1 of 1 failed" in again[1]
    assert [(row.task, row.judged) for row in rows(premises.folder / "results.jsonl")] == [
        ("balance", True),
        ("only-asking", False),
        ("only-asking", True),
    ]


async def test_trials_with_failed_providers_are_repeated_on_request(
    premises: ProjectFolder,
) -> None:
    words = ("evaluate", "balance", "--out", "results.jsonl")
    async with served(breaks()) as server:
        await premises.run(*words, **settings(server))
    async with served(*IDEAL["balance"]) as server:
        code, output, _ = await premises.run(*words, "--retry-failed", **settings(server))

    assert code == 0
    assert output.startswith(f"1 task with {MODEL}: 1 trial to run.\n")
    failed, mended = rows(premises.folder / "results.jsonl")
    assert (len(failed.model_errors), mended.passed) == (1, True)

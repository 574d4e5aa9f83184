"""``assistant replay --live`` as it is typed: a real client, a fake provider, rates and exit codes."""

import asyncio
import signal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.cli import app
from assistant.clock import SystemClock
from assistant.errors import DeclarationError
from assistant.testing.script import Line, calls, says, stalls
from tests.commands.conftest import ProjectFolder
from tests.replay.cassette_files import GOOD, UNREADABLE, written
from tests.support.fake_model.model_server import FakeModelServer
from tests.support.fake_model.scripted_replies import on_the_wire

pytestmark = pytest.mark.slow

LOOKUP = """\
format: 2
about: A lookup is announced, and its result is told.
now: 2026-11-23 09:00:00+01:00
turns:
  - customer: Check my billing
    replies:
      - decider: {calls: [find_balance]}
      - narrator: "You owe nothing."
    results:
      - find_balance: {returns: {balance: "5.00"}}
    expect:
      hears: [{acknowledgement: "Sure, I'll check your billing."}]
      calls: [find_balance]
tools:
  - {name: find_balance, waiting_hint: checking your billing}
"""

FAILS = GOOD.replace('"Good morning."}', '"Good morning.", ends: stalls}')


def typed(*words: object) -> tuple[int, str]:
    """The exit code, and what is printed."""
    result = CliRunner().invoke(app, ["replay", *map(str, words)])
    if isinstance(result.exception, DeclarationError):
        raise result.exception
    return result.exit_code, result.output


def served(*lines: Line) -> FakeModelServer:
    """A provider that answers one request after the other; one without a line gets status 500."""
    return FakeModelServer(*(on_the_wire(line, "openai") for line in lines), clock=SystemClock())


def settings(server: FakeModelServer) -> dict[str, str]:
    """Another model is configured, and would stand in."""
    return {
        "ASSISTANT_MODEL": "offline",
        "ASSISTANT_FALLBACK_MODELS": "offline",
        "ASSISTANT_MODEL_ATTEMPTS": "1",
        "OPENAI_BASE_URL": server.url,
    }


async def test_conversations_run_with_the_named_model(premises: ProjectFolder) -> None:
    written(premises.folder, "a", LOOKUP)
    written(premises.folder, "b", FAILS)
    lines = [calls("find_balance"), says("Your balance is $5."), says("Your balance is $7.")]
    words = ("replay", ".", "--live", "2", "--model", "openai/scripted")

    async with served(*lines) as server:
        code, shown, errors = await premises.run(*words, **settings(server))
    async with served(*lines) as server:
        enough, _, _ = await premises.run(*words, "--min-pass-rate", "0.5", **settings(server))

    assert (code, enough, errors) == (1, 0, "")
    assert shown.splitlines()[:5] == [
        "1 conversation with openai/scripted: 2 trials.",
        "Left out, 1: their models fail as scripted.",
        "2 messages for this model; its provider may charge for them.",
        "[1/2] a #1: passed",
        "[2/2] a #2: FAILED",
    ]
    assert f"{'a':<23}0.500 (95 %: 0.095 to 0.905)\n" in shown
    assert "the worst: a #2\n" in shown
    assert "Your balance is $7." in shown


async def test_a_failing_provider_fails_the_trial_without_a_fallback(premises: ProjectFolder) -> None:
    written(premises.folder, "a", GOOD)
    async with served() as server:
        words = ("replay", ".", "--live", "1", "--model", "openai/scripted")
        code, shown, _ = await premises.run(*words, **settings(server))

    assert code == 1
    assert "[1/1] a #1: FAILED" in shown
    assert f"{'model':<23}0.000 (95 %: 0.000 to 0.793)\n" in shown
    assert "an answer of the decider" in shown


@pytest.mark.parametrize("lines", [(), (says("Good morning."),)])
async def test_stopping_prints_what_was_run(premises: ProjectFolder, lines: tuple[Line, ...]) -> None:
    written(premises.folder, "a", GOOD)
    async with served(*lines, stalls("Good")) as server:
        words = ("replay", ".", "--live", "3", "--model", "openai/scripted")
        process = await premises.start(*words, **settings(server))
        async with asyncio.timeout(30):
            await server.stalled.wait()
        process.send_signal(signal.SIGINT)
        output, errors = await process.communicate()

    assert (process.returncode, errors) == (130, b"")
    shown = output.decode()
    assert shown.endswith("Stopped. What was held until then is all that is told.\n")
    assert shown.count(" #1: passed") == len(lines)
    assert shown.count("\nall ") == len(lines)


def test_the_embedded_model_costs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_MODEL", "offline")
    written(tmp_path, "a", GOOD)

    code, shown = typed("--live", 1, tmp_path)

    assert code == 0
    assert shown.splitlines()[:2] == ["1 conversation with offline: 1 trial.", "[1/1] a #1: passed"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (UNREADABLE, r"a.conversation.yaml:4: turns"),
        (FAILS, "none of these conversations can be held live: 1: their models fail as scripted"),
        (
            LOOKUP.replace("name: find_balance", "name: other"),
            "a.conversation.yaml: turn 1: 'find_balance' is no",
        ),
    ],
)
def test_a_conversation_that_cannot_run_live_is_refused(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(DeclarationError, match=told):
        typed("--live", 1, written(tmp_path, "a", text))


def test_without_a_path_or_a_library_a_path_is_requested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(DeclarationError, match="name files or folders"):
        typed("--live", 1)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--live", "1", "--update"), "does not go with --live"),
        (("--live", "1", "--show"), "does not go with --live"),
        (("--model", "openai/x"), "goes with --live N"),
        (("--min-pass-rate", "0.5"), "goes with --live N"),
    ],
)
def test_contradictory_options_are_refused(words: tuple[str, ...], told: str) -> None:
    code, shown = typed(*words)

    assert code == 2
    assert told in shown

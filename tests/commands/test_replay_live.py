"""``assistant replay --live`` as it is typed: a real client, a fake provider, rates and exit codes."""

import asyncio
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.cli import app
from assistant.clock import SystemClock
from assistant.errors import DeclarationError
from assistant.testing.fake_model.on_the_wire import on_the_wire
from assistant.testing.fake_model_server import FakeModelServer
from assistant.testing.script import Line, calls, says
from tests.replay.files import GOOD, UNREADABLE, written

LOOKUP = """\
meanwhile: 1
about: A lookup is announced, and its result is told.
now: 2026-11-23 09:00:00+01:00
turns:
  - customer: Check my billing
    replies:
      - decider: {calls: [find_balance]}
      - narrator: {says: "You owe nothing."}
    tools:
      - find_balance: {gives: {balance: "5.00"}}
    expect:
      hears: [{acknowledgement: "Sure, I'll check your billing."}]
      calls: [find_balance]
declares:
  - {name: find_balance, doing: checking your billing}
"""

FAILS = GOOD.replace("first_ms: 300", "ends: stalls")


def typed(*words: object) -> tuple[int, str]:
    """The exit code, and what is printed."""
    result = CliRunner().invoke(app, ["replay", *map(str, words)])
    if isinstance(result.exception, DeclarationError):
        raise result.exception
    return result.exit_code, result.output


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> "Provider":
    """A provider; another model is configured."""
    monkeypatch.setenv("ASSISTANT_MODEL", "offline")
    monkeypatch.setenv("ASSISTANT_FALLBACK_MODELS", "offline")
    return Provider(monkeypatch)


class Provider:
    """Answers one request after the other; ``typed`` runs the command against it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    async def typed(self, *words: object, lines: list[Line]) -> tuple[int, str]:
        """The exit code, and what is printed; requests without a line get status 500."""
        replies = [on_the_wire(line, "openai") for line in lines]
        async with FakeModelServer(*replies, clock=SystemClock()) as server:
            self._monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            return await asyncio.to_thread(typed, *words, "--model", "openai/scripted")


async def test_conversations_are_held_with_the_model_that_is_named(
    provider: Provider, tmp_path: Path
) -> None:
    written(tmp_path, "a", LOOKUP)
    written(tmp_path, "b", FAILS)
    lines = [calls("find_balance"), says("Your balance is $5."), says("Your balance is $7.")]

    code, shown = await provider.typed("--live", 2, tmp_path, lines=lines)
    enough, _ = await provider.typed("--live", 2, "--at-least", "0.5", tmp_path, lines=lines)

    assert (code, enough) == (1, 0)
    assert shown.splitlines()[:5] == [
        "1 conversation with openai/scripted: 2 trials.",
        "Left out, 1: their models fail as scripted.",
        "2 messages for this model; its provider may charge for them.",
        "[1/2] a #1: passed",
        "[2/2] a #2: FAILED",
    ]
    assert "a              0.500 (95 %: 0.095 to 0.905)\n" in shown
    assert "the worst: a #2\n" in shown
    assert "Your balance is $7." in shown


async def test_a_provider_that_fails_fails_the_trial_and_nobody_stands_in(
    provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, "a", GOOD)
    monkeypatch.setenv("ASSISTANT_MODEL_TRIES", "1")

    code, shown = await provider.typed("--live", 1, tmp_path, lines=[])

    assert code == 1
    assert "[1/1] a #1: FAILED" in shown
    assert "model          0.000 (95 %: 0.000 to 0.793)\n" in shown
    assert "an answer of the decider" in shown


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
def test_what_cannot_be_held_is_refused(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(DeclarationError, match=told):
        typed("--live", 1, written(tmp_path, "a", text))


def test_without_a_path_and_without_a_library_one_is_asked_for(
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
        (("--live", "1", "--junit", "a.xml"), "does not go with --live"),
        (("--model", "openai/x"), "goes with --live N"),
        (("--at-least", "0.5"), "goes with --live N"),
    ],
)
def test_options_that_do_not_go_together_are_refused(words: tuple[str, ...], told: str) -> None:
    code, shown = typed(*words)

    assert code == 2
    assert told in shown

"""Written conversations: every shipped cassette, and those of this folder in every provider's format."""

import asyncio
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

from assistant.ports import Model
from assistant.replay.cassette_file import load
from assistant.replay.player.environment import ReplayEnvironment, environment_of
from assistant.replay.player.play import play
from assistant.settings import Settings
from assistant.testing.virtual_time import VirtualClock, run_virtually
from tests.golden.record import Record, Request, record_of, texts_of
from tests.golden.wires import EveryForm, over
from tests.support.cassettes import CASSETTES, cassettes_in

_HERE: Final = Path(__file__).parent
_ROOT: Final = _HERE.parents[1]


def cassettes() -> dict[str, Path]:
    """The shipped cassettes, by name."""
    return dict(CASSETTES)


def chats() -> dict[str, Path]:
    """The conversations of this folder, by name."""
    return dict(cassettes_in(_HERE / "chats"))


def play_cassette(path: Path) -> Record:
    """Play a cassette; the record has each of its requests in every formatter's form."""
    requests: list[Request] = []
    return _played(path, lambda script: EveryForm(script, _loop_ms, requests.append), requests)


def play_chat(path: Path, wire: str) -> Record:
    """Play a conversation whose models answer through a provider's client."""
    requests: list[Request] = []
    clock = VirtualClock()
    return _played(
        path, lambda script: over(wire, script, clock, _environment().book, requests.append), requests
    )


@cache
def _environment() -> ReplayEnvironment:
    """The shipped prompts and tools, whatever this machine's settings are."""
    return environment_of(
        Settings(
            _env_file=None,  # pyright: ignore[reportCallIssue] - pydantic-settings takes it
            prompts_dir=_ROOT / "prompts",
            tools_dir=_ROOT / "tools",
            default_locale="en",
            time_zone="Europe/Stockholm",
            model="offline",
        )
    )


def _played(path: Path, through: Callable[[Model], Model], requests: list[Request]) -> Record:
    played = run_virtually(play(load(path).cassette, _environment(), through=through))
    frames = [(heard.at_ms, heard.frame) for heard in played.frames]
    return record_of(requests, frames, [*texts_of(played.state), *played.unscripted])


def _loop_ms() -> int:
    return round(asyncio.get_running_loop().time() * 1000)

"""The reference turn, "Check my appointments and billing", held in virtual time and watched call by call.

It goes the whole way: a frame from the client, the session, the models, two tools, the log, frames back. The code
that plays the client, the models' replies and the tools' results is not counted.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final, Literal, TypeAlias, TypeVar

import orjson

import assistant
from assistant.assembly.config_builder import ConfigBuilder, Models
from assistant.conversation.codec import to_json
from assistant.ports import Model
from assistant.replay.cassette import Cassette
from assistant.replay.cassette_file import load
from assistant.replay.played import Played
from assistant.replay.player.environment import ReplayEnvironment, environment_of
from assistant.replay.player.play import play
from assistant.settings import Settings
from assistant.testing.virtual_time import VirtualClock, VirtualLoop
from tests.golden.wires import over

With: TypeAlias = Literal["hosted", "demo"]
T = TypeVar("T")

_ROOT: Final = Path(__file__).parents[2]
_REFERENCE: Final = _ROOT / "tests" / "golden" / "chats" / "lookups.conversation.yaml"
_PACKAGE: Final = str(Path(assistant.__file__).parent) + "/"
_GUARDRAILS: Final = ("turn/guardrails/", "language/")
_NOT_COUNTED: Final = (f"{_PACKAGE}replay/", f"{_PACKAGE}testing/")
_INLINED: Final = frozenset({"<listcomp>", "<dictcomp>", "<setcomp>"})
"""From Python 3.12 on these are no functions any more."""


@dataclass(slots=True)
class Watched:
    """What one turn took. ``entered`` counts how often each function of ours was entered or gone on with.

    ``arrows`` counts the calls from one file to another, both ours. ``played`` is what came of it.
    """

    played: Played
    entered: Counter[CodeType] = field(default_factory=Counter[CodeType])
    arrows: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    tasks: int = 0

    @property
    def calls(self) -> int:
        """How often any function of ours was entered."""
        return self.entered.total()

    @property
    def functions(self) -> int:
        """How many different functions."""
        return len(self.entered)

    @property
    def files(self) -> Counter[str]:
        """How often each file was entered, by its path in the package."""
        counted: Counter[str] = Counter()
        for code, times in self.entered.items():
            counted[in_package(code.co_filename)] += times
        return counted

    @property
    def guardrail_calls(self) -> int:
        """How often functions of the guardrails and of the language package were entered."""
        return sum(times for file, times in self.files.items() if file.startswith(_GUARDRAILS))

    @property
    def entries(self) -> int:
        """Entries of the log."""
        return len(self.played.entries)

    @property
    def log_bytes(self) -> int:
        """What the entries take, as JSON."""
        return sum(len(orjson.dumps(to_json(logged), default=dict)) for logged in self.played.entries)


def in_package(file: str) -> str:
    """A file of ours, by its path in the package."""
    return file.removeprefix(_PACKAGE)


def watched_turn(model: With) -> Watched:
    """Hold the turn twice, so that everything is loaded and compiled, and then once more under watch."""
    for _ in range(2):
        _run(_turn(model))
    entered: Counter[CodeType] = Counter()
    arrows: Counter[tuple[str, str]] = Counter()

    def look(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or not _is_counted(frame.f_code):
            return
        entered[frame.f_code] += 1
        before = frame.f_back
        if before is not None and _is_counted(before.f_code):
            pair = before.f_code.co_filename, frame.f_code.co_filename
            if pair[0] != pair[1]:
                arrows[in_package(pair[0]), in_package(pair[1])] += 1

    played, tasks = _run(_turn(model), look)
    return Watched(played, entered, arrows, tasks)


@cache
def _is_counted(code: CodeType) -> bool:
    return (
        code.co_filename.startswith(_PACKAGE)
        and not code.co_filename.startswith(_NOT_COUNTED)
        and code.co_name not in _INLINED
    )


def _run(
    main: Coroutine[Any, Any, T], look: Callable[[FrameType, str, object], None] | None = None
) -> tuple[T, int]:
    """What ``main`` gives on a virtual loop of its own, and how many tasks it took."""
    tasks = 0

    def made(loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> "asyncio.Task[Any]":
        nonlocal tasks
        code: CodeType | None = getattr(coroutine, "cr_code", None)
        tasks += code is None or not code.co_filename.startswith(_NOT_COUNTED)
        return asyncio.Task(coroutine, loop=loop, **options)

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.get_loop().set_task_factory(made)
        before = sys.getprofile()
        sys.setprofile(look)
        try:
            return runner.run(main), tasks
        finally:
            sys.setprofile(before)


async def _turn(model: With) -> Played:
    if model == "demo":
        return await play(_reference(), _environment(), models=_demo_models())
    clock = VirtualClock()

    def through(script: Model) -> Model:
        return over("openai", script, clock, _environment().book, lambda _: None)

    return await play(_reference(), _environment(), through=through)


@cache
def _settings() -> Settings:
    return Settings(
        _env_file=None,  # pyright: ignore[reportCallIssue] - pydantic-settings takes it
        prompts_dir=_ROOT / "prompts",
        tools_dir=_ROOT / "tools",
        default_locale="en",
        time_zone="Europe/Stockholm",
        model="offline",
    )


@cache
def _environment() -> ReplayEnvironment:
    return environment_of(_settings())


@cache
def _demo_models() -> Models:
    return ConfigBuilder(_settings(), VirtualClock()).build_first().version.deps.models


@cache
def _reference() -> Cassette:
    cassette = load(_REFERENCE).cassette
    return cassette.model_copy(update={"turns": cassette.turns[:1]})

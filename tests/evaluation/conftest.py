"""Trials of the demo's tasks with models that follow a script."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest

from assistant.evaluation.results import Row
from assistant.evaluation.tasks import Task, load_tasks
from assistant.evaluation.trial import run_trial
from assistant.ports import Clock
from assistant.prompts.book import shipped_book
from assistant.prompts.narration import Narration
from assistant.sessions.config_version import ConfigVersion
from assistant.settings import Settings
from assistant.testing.script import Line
from assistant.testing.scripted_model import ScriptedModel
from assistant.tools.discovery import discover
from assistant.turn.context import RoleModel, TurnDependencies

ROOT = Path(__file__).parents[2]
ALL_TASKS = load_tasks([str(ROOT / "tests" / "tasks")])
DEMO_TASKS = {task.id: task for task in ALL_TASKS if task.simulated is None}
SIMULATED_TASKS = {task.id: task for task in ALL_TASKS if task.simulated is not None}

TryOut: TypeAlias = Callable[..., Awaitable[Row]]
PlayOut: TypeAlias = Callable[[Task, Sequence[Line], Sequence[Line]], Awaitable[Row]]


def scripted_edition(model: ScriptedModel, clock: Clock) -> ConfigVersion:
    """The demo's prompts and tools, with this model."""
    book = shipped_book()
    deps = TurnDependencies(
        models={"decider": RoleModel(model=model), "narrator": RoleModel(model=model)},
        tools=discover(ROOT / "tools"),
        book=book,
        narrate=Narration(book).narrate_outcomes,
        clock=clock,
    )
    return ConfigVersion(bundle="the-bundle", deps=deps)


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Nothing of the tester's own."""
    for name in ("ASSISTANT_DATA_DIR", "ASSISTANT_NOW", "ASSISTANT_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return Settings(data_dir=tmp_path / "data", model="scripted", time_zone="UTC")


@pytest.fixture
def try_out(settings: Settings) -> TryOut:
    """Run a task with a model that follows these lines to the last."""

    async def run(task: Task, *lines: Line) -> Row:
        model = ScriptedModel(*lines)
        row = await run_trial(task, 1, settings, lambda _, clock: scripted_edition(model, clock))
        model.assert_used_up()
        assert model.closed
        return row

    return run


@pytest.fixture
def play_out(settings: Settings) -> PlayOut:
    """Run a task with a model that plays the customer and one that answers, each by its lines to the last."""

    async def run(task: Task, customer: Sequence[Line], assistant: Sequence[Line]) -> Row:
        player, model = ScriptedModel(*customer, name="player"), ScriptedModel(*assistant)
        row = await run_trial(
            task,
            1,
            settings,
            lambda _, clock: scripted_edition(model, clock),
            lambda _, __: RoleModel(model=player),
        )
        player.assert_used_up()
        model.assert_used_up()
        assert player.closed
        assert model.closed
        return row

    return run

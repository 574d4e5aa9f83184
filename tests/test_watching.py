"""Files are saved while the assistant serves: real files, in real time."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from assistant.app import open_assistant
from assistant.assembly.hot_reload import watch
from assistant.clock import SystemClock
from assistant.sessions.listeners import Notice
from assistant.settings import Settings
from assistant.shipped import shipped

TOOL = '''from assistant import tool


@tool(waiting_hint="counting your points")
def count_points() -> int:
    """Count the points."""
    return 7
'''


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Folders to edit, and a hosted model that is never asked."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody")
    shutil.copytree(shipped("prompts"), "prompts")
    Path("tools").mkdir()
    Path("tools/points.py").write_text(TOOL)
    return Settings(data_dir=tmp_path, model="openai/nobody")


async def until(true: Callable[[], bool]) -> None:
    """Wait for it."""
    async with asyncio.timeout(30):
        while not true():  # noqa: ASYNC110 - what is waited for is a file system's business
            await asyncio.sleep(0.02)


async def test_saved_edits_are_loaded_or_refused_without_a_restart(settings: Settings) -> None:
    async with open_assistant(settings) as assistant:
        heard: list[Notice] = []
        assistant.configs.notices.listen(heard.append)

        Path("tools/more.py").write_text(TOOL.replace("count_points", "count_more"))
        await until(lambda: "count_more" in assistant.deps.tools)
        assert assistant.configs.newest.doing("count_more", "en") == "counting your points"
        Path("prompts/customers/en/apology.j2").write_text("{{ raeson }}")
        await until(lambda: assistant.configs.problem is not None)

    assert [one.message.partition(";")[0] for one in heard] == [
        "loaded: tools/more.py",
        "prompts/customers/en/apology.j2:1: unknown variable 'raeson'",
    ]


async def test_saved_edits_wait_for_a_restart_if_that_was_chosen(settings: Settings) -> None:
    async with open_assistant(settings):
        assert "watch" in running()
    async with open_assistant(settings.model_copy(update={"hot_reload": False})):
        assert "watch" not in running()


def running() -> set[str]:
    """What goes on in the background."""
    return {getattr(task.get_coro(), "__name__", "") for task in asyncio.all_tasks()}


@asynccontextmanager
async def watching(*folders: Path) -> AsyncGenerator[list[int]]:
    """How many files there were at each look."""
    looks: list[int] = []

    async def look() -> None:
        looks.append(sum(len(list(folder.iterdir())) for folder in folders if folder.exists()))

    task = asyncio.create_task(watch(folders, look, SystemClock(), every_s=0.1))
    yield looks
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()


async def test_a_folder_that_replaces_another_is_watched_too(tmp_path: Path) -> None:
    folder, other = tmp_path / "prompts", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    (other / "one").touch()
    with capture_logs() as logged:
        async with watching(folder) as looks:
            await until(lambda: 0 in looks)
            shutil.rmtree(folder)
            await until(lambda: any("edits are looked for" in line["event"] for line in logged))
            other.rename(folder)
            await until(lambda: 1 in looks)
            (folder / "two").touch()
            await until(lambda: 2 in looks)

    assert len(logged) == 1


async def test_a_failed_check_is_not_the_last(tmp_path: Path) -> None:
    looks: list[int] = []

    async def look() -> None:
        looks.append(1)
        if len(looks) < 3:
            raise OSError("the disk is tired")

    with capture_logs() as logged:
        task = asyncio.create_task(watch([tmp_path], look, SystemClock(), every_s=0.05))
        await until(lambda: len(looks) > 3)
        task.cancel()
        await asyncio.wait({task})

    assert [line["why"] for line in logged] == ["the disk is tired"]

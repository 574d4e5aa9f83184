"""Prompts that are edited on one server reach the others, which have their own folders."""

import shutil
from collections.abc import AsyncIterator

import pytest

from assistant.sessions.listeners import Notice
from assistant.testing.script import says
from tests.assembly.conftest import AppFolder
from tests.support.memory_edits import MemoryEdits


@pytest.fixture
async def other(app_folder: AppFolder) -> AsyncIterator[AppFolder]:
    """A second server's folders, with the same contents."""
    app_folder.edits = MemoryEdits()
    folder = app_folder.folder / "other"
    for name in ("prompts", "tools"):
        shutil.copytree(app_folder.folder / name, folder / name)
    copied = AppFolder(folder, edits=app_folder.edits, shared_log=app_folder.log_file)
    yield copied
    for process in copied.processes:
        await process.sessions.close()
        await process.log.close()


async def test_an_edit_on_one_server_reaches_the_other(app_folder: AppFolder, other: AppFolder) -> None:
    here, there = await app_folder.starts(says("One.")), await other.starts(says("One."), says("Two."))
    await there.hears("old")
    app_folder.speaks("dry")
    await here.configs.look()
    await there.configs.look()

    assert there.configs.newest.bundle == here.configs.newest.bundle
    await there.hears("new")
    assert "Your tone is dry." in there.told
    [notice] = there.notices
    assert notice.message.startswith("loaded: prompts from another server; not used: this server's own ")
    assert notice.message.endswith("prompts/voice.toml")


async def test_the_last_edit_wins_wherever_it_was_made(app_folder: AppFolder, other: AppFolder) -> None:
    here, there = await app_folder.starts(), await other.starts()
    app_folder.speaks("dry")
    await here.configs.look()
    await there.configs.look()
    other.speaks("warm")
    await there.configs.look()
    await here.configs.look()
    both = [one.configs.newest.bundle for one in (here, there)]
    assert both[0] == both[1]

    # Each of them is replaced, with its own folder as it is by now.
    here, there = await app_folder.starts(), await other.starts()
    assert [one.configs.newest.bundle for one in (here, there)] == both
    app_folder.speaks("plain")
    await here.configs.look()
    await there.configs.look()
    assert here.configs.newest.bundle == there.configs.newest.bundle != both[0]


async def test_of_two_concurrent_edits_the_last_one_wins_permanently(
    app_folder: AppFolder, other: AppFolder
) -> None:
    here, there = await app_folder.starts(), await other.starts()
    app_folder.speaks("dry")
    other.speaks("warm")
    for server in (here, there):  # neither has looked for the other's
        await server.configs.look()
    for server in (here, there):
        await server.configs.look()
    last = there.configs.newest.bundle
    assert here.configs.newest.bundle == last
    assert here.notices[-1].message.startswith("loaded: prompts from another server; not used: this")
    assert [one.message for one in there.notices] == ["loaded: other/prompts/voice.toml"]

    here, there = await app_folder.starts(says("Hello.")), await other.starts()
    assert [one.configs.newest.bundle for one in (here, there)] == [last, last]
    await here.hears("new")
    assert "Your tone is warm." in here.told


async def test_an_undone_edit_is_undone_on_every_server(app_folder: AppFolder, other: AppFolder) -> None:
    app_folder.speaks("warm")
    other.speaks("warm")
    here, there = await app_folder.starts(), await other.starts()
    began_on = there.configs.newest.bundle
    for tone in ("dry", "warm"):
        app_folder.speaks(tone)
        await here.configs.look()
        await there.configs.look()

    assert here.configs.newest.bundle == there.configs.newest.bundle == began_on


async def test_a_server_with_other_tools_keeps_its_own(
    app_folder: AppFolder, other: AppFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = await app_folder.starts(), await other.starts()
    before = there.configs.newest
    app_folder.edit("tools/_crm.py", lambda text: text.replace("7", "8"))
    await here.configs.look()
    await there.configs.look()
    await there.configs.look()

    assert there.configs.newest is before
    assert capsys.readouterr().out.count("another server has other tools or policies") == 1


async def test_without_the_database_each_server_continues_with_its_own_prompts(
    app_folder: AppFolder, other: AppFolder
) -> None:
    here, there = await app_folder.starts(), await other.starts()
    before = there.configs.newest
    assert isinstance(other.edits, MemoryEdits)
    other.edits.down = True
    app_folder.speaks("dry")
    await here.configs.look()
    await there.configs.look()

    assert there.configs.newest is before
    assert here.notices == [Notice(problem=False, message="loaded: prompts/voice.toml")]


async def test_an_edit_made_without_the_database_is_published_when_it_is_back(
    app_folder: AppFolder, other: AppFolder
) -> None:
    here, there = await app_folder.starts(), await other.starts()
    assert isinstance(app_folder.edits, MemoryEdits)
    app_folder.edits.down = True
    app_folder.speaks("dry")
    await here.configs.look()
    edited = here.configs.newest.bundle
    app_folder.edits.down = False
    await here.configs.look()
    await there.configs.look()

    assert [one.configs.newest.bundle for one in (here, there)] == [edited, edited]


async def test_an_edit_elsewhere_does_not_hide_a_mistake_here(
    app_folder: AppFolder, other: AppFolder
) -> None:
    here, there = await app_folder.starts(), await other.starts()
    other.edit("prompts/voice.toml", lambda text: text + "\n[[[")
    await there.configs.look()
    problem = there.configs.problem
    app_folder.speaks("dry")
    await here.configs.look()
    await there.configs.look()

    assert problem is not None
    assert there.configs.problem == problem
    assert there.configs.newest.bundle == here.configs.newest.bundle

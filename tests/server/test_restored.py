"""A client whose server is restored from a backup: it shows the backup's content, and continues from there."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.ids import SystemIds
from assistant.prompts.book import shipped_book
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.session_registry import SessionRegistry
from assistant.store.copying.backup import Place, make_backup, restore_backup
from assistant.store.sqlite.storage import open_sqlite_storage
from assistant.testing.chat import deps_for
from assistant.testing.script import Line, calls, says
from assistant.testing.scripted_model import ScriptedModel
from tests.server.client import Client, Frame
from tests.server.running_server import RunningServer, new_server, opened
from tests.turn.conftest import Company


@pytest.fixture
def company() -> Iterator[Company]:
    """Its notes need no question."""
    company = Company()
    company.respec(company.note, trusted=True)
    yield company
    for model in company.models:
        model.assert_used_up()


@asynccontextmanager
async def served(company: Company, folder: Path, *lines: Line) -> AsyncGenerator[RunningServer]:
    """A server over this data folder, whose model follows these lines."""
    model = ScriptedModel(*lines, clock=company.clock)
    company.models.append(model)
    deps = deps_for(model, company.tools, shipped_book(), company.clock)
    running = new_server()
    async with open_sqlite_storage(folder, company.clock, SystemIds()) as storage:
        sessions = SessionRegistry(FixedConfig(deps), storage.log, "1")
        running.context = replace(running.context, sessions=sessions)
        async with opened(running):
            yield running
        await sessions.close(0.0)


def texts(snapshot: Frame) -> list[str]:
    messages: list[dict[str, Any]] = snapshot["messages"]
    return [message["text"] for message in messages]


def keys_of(company: Company) -> list[str]:
    """The idempotency keys that the tool was given."""
    return [key for _, key in company.note.ran]


def noted(what: str) -> tuple[Line, Line]:
    """The lines of a model that notes something."""
    return calls(("add_note", {"text": what})), says(f"Noted: {what}.")


async def back_up(company: Company, folder: Path) -> None:
    place = Place(folder=folder / "old", database=None)
    await make_backup(place, folder / "backup", release="1", clock=company.clock)


async def restore(company: Company, folder: Path) -> None:
    place = Place(folder=folder / "new", database=None)
    await restore_backup(folder / "backup", place, restore="r1", clock=company.clock)


async def converses(client: Client, id_: str, text: str) -> list[Frame]:
    """Send a message, and return the frames up to the end of its turn."""
    await client.says(id_, text)
    return await client.hears_until("turn.completed")


async def comes_back(client: Client, server: RunningServer) -> tuple[Client, Frame]:
    """The same client at another server, with the state that it has; and its welcome."""
    again = Client(server)
    again.token, again.epoch, again.cursor = client.token, client.epoch, client.cursor
    return again, await again.enter()


def accepted_at(frames: list[Frame], id_: str) -> int:
    [seq] = [frame["seq"] for frame in frames if frame["type"] == "accepted" and frame["id"] == id_]
    return seq


async def test_a_client_gets_the_backups_content_and_nothing_lost(company: Company, tmp_path: Path) -> None:
    async with served(company, tmp_path / "old", *noted("tea"), *noted("milk")) as server:
        ana = Client(server)
        await ana.enter()
        await converses(ana, "w-1", "Please note that I drink tea")
        await back_up(company, tmp_path)
        await converses(ana, "w-2", "Please note that I take milk")  # will be lost
    await restore(company, tmp_path)

    async with served(company, tmp_path / "new", *noted("sugar")) as server:
        again, welcome = await comes_back(ana, server)
        snapshot = await again.hear()

        assert (welcome["resumed"], snapshot["type"]) == ("snapshot", "snapshot")
        assert welcome["epoch"] != ana.epoch
        assert snapshot["seq"] < ana.cursor
        assert [texts(snapshot)[0], texts(snapshot)[-1]] == ["Please note that I drink tea", "Noted: tea."]
        assert "milk" not in str(snapshot)

        # It sends a message with an id that only the lost history knew.
        frames = await converses(again, "w-2", "Please note that I take sugar")

    assert accepted_at(frames, "w-2") > snapshot["seq"]
    assert [one["text"] for one in frames if one["type"] == "message.completed"][-1] == "Noted: sugar."
    of = welcome["conversation_id"]
    assert keys_of(company) == [f"{of}/t1/c1.1", f"{of}/t2/c1.1", f"{of}/t2/c1.1~0-r1"]


async def test_a_conversation_from_after_the_backup_begins_again(company: Company, tmp_path: Path) -> None:
    async with served(company, tmp_path / "old", says("Hello!"), *noted("milk")) as server:
        ben, ana = Client(server), Client(server)
        await ben.enter()
        await converses(ben, "w-0", "Hello")
        await back_up(company, tmp_path)
        await ana.enter()
        await converses(ana, "w-1", "Please note that I take milk")  # will be lost
    await restore(company, tmp_path)

    async with served(company, tmp_path / "new", *noted("sugar")) as server:
        again, welcome = await comes_back(ana, server)

        assert welcome["resumed"] == "new"  # a client discards what it had shown
        frames = await converses(again, "w-1", "Please note that I take sugar")

    assert accepted_at(frames, "w-1")
    of = welcome["conversation_id"]
    assert keys_of(company) == [f"{of}/t1/c1.1", f"{of}/t1/c1.1~0-r1"]

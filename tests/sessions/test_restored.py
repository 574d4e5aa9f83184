"""After a restore, a conversation continues from the backup, and no key of the lost history is repeated."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.conversation.entries import (
    CallEnded,
    CallRequested,
    CallStarted,
    TurnEnded,
)
from assistant.ids import SystemIds
from assistant.prompts.book import shipped_book
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.session import Session
from assistant.sessions.session_registry import SessionRegistry
from assistant.store.copying.backup import Place, make_backup, restore_backup
from assistant.store.sqlite.storage import open_sqlite_storage
from assistant.testing.chat import ANA, KEY, Chat, deps_for
from assistant.testing.script import Line, calls, says
from assistant.testing.scripted_model import ScriptedModel
from tests.turn.conftest import Company

TEA = calls(("add_note", {"text": "tea"}))
MILK = calls(("add_note", {"text": "milk"}))


@asynccontextmanager
async def served(company: Company, folder: Path, *lines: Line) -> AsyncGenerator[Chat]:
    """Ana's conversation on a server over this data folder, whose model follows these lines."""
    model = ScriptedModel(*lines, clock=company.clock)
    company.models.append(model)
    deps = deps_for(model, company.tools, shipped_book(), company.clock)
    async with open_sqlite_storage(folder, company.clock, SystemIds()) as storage:
        sessions = SessionRegistry(FixedConfig(deps), storage.log, "1")
        session = await sessions.open(KEY, ANA)
        yield Chat(session, _said=len(session.state.said))
        await sessions.close(0.0)


async def backed_up(company: Company, folder: Path, to: Path) -> None:
    await make_backup(Place(folder=folder, database=None), to, release="1", clock=company.clock)


async def restored(company: Company, backup: Path, folder: Path, restore: str) -> None:
    await restore_backup(backup, Place(folder=folder, database=None), restore=restore, clock=company.clock)


@pytest.fixture
def company(company: Company) -> Company:
    """Its notes need no question."""
    company.respec(company.note, trusted=True)
    return company


async def test_a_write_after_a_restore_has_a_new_key(company: Company, tmp_path: Path) -> None:
    lines = (TEA, says("Noted: tea."), MILK, says("Noted: milk."))
    async with served(company, tmp_path / "old", *lines) as ana:
        await ana.says("Please note that I drink tea")
        await backed_up(company, tmp_path / "old", tmp_path / "backup")
        remembered = ana.transcript
        await ana.says("Please note that I take milk")  # lost
        old_epoch = ana.session.epoch

    epochs = [old_epoch]
    for number in (1, 2):
        new = tmp_path / f"new{number}"
        await restored(company, tmp_path / "backup", new, f"r{number}")
        async with served(company, new, calls(("add_note", {"text": "sugar"})), says("Noted: sugar.")) as ana:
            assert ana.transcript == remembered
            epochs.append(ana.session.epoch)
            await ana.says("Please note that I take sugar")
            assert ana.transcript[-1] == "assistant: Noted: sugar."

    keys = [key for _, key in company.note.ran]
    assert keys == ["c-1/t1/c1.1", "c-1/t2/c1.1", "c-1/t2/c1.1~0-r1", "c-1/t2/c1.1~0-r2"]
    assert epochs == ["1", "1.0-r1", "1.0-r2"]


async def left_in_the_middle(
    company: Company, folder: Path, up_to: type[CallRequested | CallStarted]
) -> None:
    """A turn that notes something, cut off after the first entry of this kind, as by a crash."""
    async with served(company, folder.with_name("whole"), TEA, says("Noted: tea.")) as ana:
        await ana.says("Please note that I drink tea")
        whole = ana.session.entries
    end = next(place for place, one in enumerate(whole, 1) if isinstance(one.entry, up_to))
    async with open_sqlite_storage(folder, company.clock, SystemIds()) as storage:
        await storage.log.append(KEY, whole[:end])
    company.note.ran.clear()


def outcomes(session: Session) -> list[str]:
    ends = [one.entry.outcome for one in session.entries if isinstance(one.entry, CallEnded)]
    return [type(outcome).__name__ for outcome in ends]


async def test_a_change_that_may_be_in_the_lost_history_is_not_repeated(
    company: Company, tmp_path: Path
) -> None:
    await left_in_the_middle(company, tmp_path / "old", CallRequested)
    await backed_up(company, tmp_path / "old", tmp_path / "backup")
    await restored(company, tmp_path / "backup", tmp_path / "new", "r1")

    async with served(company, tmp_path / "new", says("I cannot tell whether it is noted.")) as ana:
        await ana.session.answered()

        assert company.note.ran == []
        assert outcomes(ana.session) == ["CallUnknown"]
        assert isinstance(ana.session.entries[-1].entry, TurnEnded)


async def test_a_call_that_had_begun_before_the_backup_keeps_its_key(
    company: Company, tmp_path: Path
) -> None:
    company.note.spec = replace(company.note.spec, idempotent=True)
    await left_in_the_middle(company, tmp_path / "old", CallStarted)
    await backed_up(company, tmp_path / "old", tmp_path / "backup")
    await restored(company, tmp_path / "backup", tmp_path / "new", "r1")

    async with served(company, tmp_path / "new", says("Noted: tea.")) as ana:
        await ana.session.answered()

        assert [key for _, key in company.note.ran] == ["c-1/t1/c1.1"]
        assert outcomes(ana.session) == ["CallSucceeded"]


async def test_an_erased_conversation_that_begins_again_repeats_no_key(
    company: Company, tmp_path: Path
) -> None:
    async with served(company, tmp_path / "old", TEA, says("Noted: tea.")) as ana:
        await ana.says("Please note that I drink tea")
    async with open_sqlite_storage(tmp_path / "old", company.clock, SystemIds()) as storage:
        await storage.log.erase(KEY.tenant, KEY.customer)
    async with served(company, tmp_path / "old", MILK, says("Noted: milk.")) as ana:
        await ana.says("Please note that I take milk")

    assert [key for _, key in company.note.ran] == ["c-1/t1/c1.1", "c-1/t1/c1.1~1"]

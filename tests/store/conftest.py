"""Conversations to keep, and every log there is to keep them in."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.ports import Log
from assistant.store.memory_log import MemoryLog
from assistant.store.sqlite_log import SqliteLog

ANA = ConversationKey(tenant="acme", customer="ana", conversation="c1")


@pytest.fixture
def ana() -> ConversationKey:
    """A conversation of Ana's."""
    return ANA


@pytest.fixture
async def sqlite_log(tmp_path: Path) -> AsyncIterator[SqliteLog]:
    """An open log in a file."""
    log = SqliteLog(tmp_path / "log.sqlite3")
    yield log
    await log.close()


@pytest.fixture(params=["memory", "sqlite"])
async def log(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Log]:
    """An open log, of each kind in turn."""
    log: Log = MemoryLog() if request.param == "memory" else SqliteLog(tmp_path / "log.sqlite3")
    yield log
    await log.close()

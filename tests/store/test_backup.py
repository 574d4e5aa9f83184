"""A backup of either storage restores into either, completely, or is refused with the reason."""

import asyncio
import json
import os
import shutil
import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path
from typing import Any, Literal, TypeAlias

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.errors import DeclarationError
from assistant.staff.sessions import OneTimeLink, StaffSession
from assistant.store.copying.backup import Manifest, Place, make_backup, restore_backup
from assistant.store.copying.copy import copy_installation
from assistant.store.sqlite.file import connect
from assistant.store.sqlite.log import SqliteLog
from assistant.store.sqlite.storage import LOG_FILE
from assistant.testing.virtual_time import VirtualClock
from tests.privacy.planted import Words, conversation
from tests.store.test_copying import CUSTOMERS, Served, everything, folder, in_database, in_folder
from tests.support.postgres import empty_database

__all__ = ["folder"]

Kind: TypeAlias = Literal["data folder", "database"]


async def backed_up(place: Place, to: Path, clock: VirtualClock) -> Manifest:
    return await make_backup(place, to, release="1.2.3", clock=clock)


async def restored(backup: Path, place: Place, clock: VirtualClock, restore: str = "r1") -> Manifest:
    return await restore_backup(backup, place, restore=restore, clock=clock)


def opened(place: Place, clock: VirtualClock) -> AbstractAsyncContextManager[Served]:
    return in_folder(place.folder, clock) if place.database is None else in_database(place.database, clock)


async def place_of(kind: Kind, folder: Path, database: str) -> Place:
    """An empty one of this kind."""
    if kind == "data folder":
        return Place(folder=folder, database=None)
    await empty_database(database)
    return Place(folder=folder, database=database)


@pytest.mark.parametrize("kept_in", ["data folder", "database"])
@pytest.mark.parametrize("restored_into", ["data folder", "database"])
async def test_a_restored_installation_answers_as_before(
    folder: Path, tmp_path: Path, database: str, clock: VirtualClock, kept_in: Kind, restored_into: Kind
) -> None:
    source = Place(folder=folder, database=None)
    if kept_in == "database":
        await copy_installation(folder, database, "--to")
        source = Place(folder=tmp_path / "server", database=database)
    async with opened(source, clock) as shop:
        before = await everything(shop)
        await backed_up(source, tmp_path / "backup", clock)  # while it serves
    target = await place_of(restored_into, tmp_path / "new", database)

    manifest = await restored(tmp_path / "backup", target, clock)

    assert (manifest.source, manifest.release) == (kept_in, "1.2.3")
    async with opened(target, clock) as shop:
        after = await everything(shop)
        assert not await shop.storage.used_tokens.use("demo", "nonce-ana", until_ms=9, now_ms=0)
        assert manifest.made_ms <= shop.storage.restored_ms <= clock.now_ms()
    numbered = before.pop("numbering"), after.pop("numbering")
    assert {found: after[found] for found in before} == before
    lengths = [len(entries) for entries in before["entries"]]
    assert [(one.erasures, one.restore, one.restored_seq) for one in numbered[1]] == [
        (1, "r1", length) for length in lengths
    ]


async def test_after_a_restore_staff_sign_in_again(folder: Path, tmp_path: Path, clock: VirtualClock) -> None:
    session = StaffSession(
        tenant="shop", token_hash="t1", account="a-ana", by="password", begun_ms=1, used_ms=1
    )
    link = OneTimeLink(tenant="shop", token_hash="n1", account="a-ana", expires_ms=2**53)
    async with in_folder(folder, clock) as shop:
        await shop.storage.staff.begin_session(session, unused_since_ms=0, begun_before_ms=0)
        await shop.storage.staff.add_link(link, 0)
    await backed_up(Place(folder=folder, database=None), tmp_path / "backup", clock)

    await restored(tmp_path / "backup", Place(folder=tmp_path / "new", database=None), clock)

    async with in_folder(tmp_path / "new", clock) as shop:
        assert await shop.storage.staff.read_session("shop", "t1") is None
        assert await shop.storage.staff.use_link("shop", "n1", 1) is None
        assert len(await shop.storage.staff.list_accounts("shop")) == len(CUSTOMERS) + 1


async def test_only_its_owner_can_read_a_backup(folder: Path, tmp_path: Path, clock: VirtualClock) -> None:
    (folder / "evaluations").mkdir()
    (folder / "evaluations" / "one.json").write_text("{}")
    os.umask(0o022)
    await backed_up(Place(folder=folder, database=None), tmp_path / "backup", clock)
    await restored(tmp_path / "backup", Place(folder=tmp_path / "new", database=None), clock)

    for whole in (tmp_path / "backup", tmp_path / "new"):
        paths = [whole, *whole.rglob("*")]
        assert {path: oct(path.stat().st_mode & 0o777) for path in paths} == {
            path: oct(0o700 if path.is_dir() else 0o600) for path in paths
        }
    assert (tmp_path / "new" / "evaluations" / "one.json").read_text() == "{}"


async def test_concurrent_writes_are_in_it_as_a_whole_or_not(
    folder: Path, tmp_path: Path, clock: VirtualClock
) -> None:
    async with in_folder(folder, clock) as shop:
        over = False

        async def write() -> int:
            number = 0
            while not over:
                number += 1
                key = ConversationKey(tenant="shop", customer="eve", conversation=f"c-{number}")
                await shop.storage.log.append(key, conversation(Words(f"word{number}")))
                await shop.storage.deliveries.begin(["handoff"], key, 3)
            return number

        writing = asyncio.create_task(write())
        while len(await shop.storage.log.conversations("shop", "eve")) < 3:  # noqa: ASYNC110 - it is in a file
            await asyncio.sleep(0)
        # Not in this thread: the writer must go on.
        await asyncio.to_thread(
            lambda: asyncio.run(backed_up(Place(folder=folder, database=None), tmp_path / "backup", clock))
        )
        over = True
        written = await writing
    await restored(tmp_path / "backup", Place(folder=tmp_path / "new", database=None), clock)

    async with in_folder(tmp_path / "new", clock) as shop:
        kept = await shop.storage.log.conversations("shop", "eve")
        assert 3 <= len(kept) < written
        for name in kept:
            key = ConversationKey(tenant="shop", customer="eve", conversation=name)
            entries = await shop.storage.log.read(key)
            assert len(entries) == len(conversation(Words("word")))
        # At most one was not yet noted when reading began.
        noted = [
            one.conversation for one in await shop.storage.deliveries.all("handoff") if one.customer == "eve"
        ]
        assert len(kept) - 1 <= len(noted) <= len(kept)


async def test_a_restored_log_notices_lost_entries_as_before(
    folder: Path, tmp_path: Path, clock: VirtualClock
) -> None:
    await backed_up(Place(folder=folder, database=None), tmp_path / "backup", clock)
    new = tmp_path / "new"
    await restored(tmp_path / "backup", Place(folder=new, database=None), clock)
    key = ConversationKey(tenant="shop", customer="ana", conversation="c-new")
    log = SqliteLog(new / LOG_FILE)
    await log.append(key, conversation(Words("ana")))
    last = (new / f"{LOG_FILE}-last").read_text()
    await log.close()

    shutil.copy(tmp_path / "backup" / "data" / LOG_FILE, new / LOG_FILE)  # an older copy, put there by hand
    (new / f"{LOG_FILE}-last").write_text(last)

    with pytest.raises(DeclarationError, match="has lost its newest entries, which were acknowledged"):
        SqliteLog(new / LOG_FILE)


@asynccontextmanager
async def as_it_was(path: Path) -> AsyncGenerator[None]:
    content = path.read_bytes()
    yield
    path.write_bytes(content)


async def test_a_damaged_backup_is_refused_with_the_file(
    folder: Path, tmp_path: Path, clock: VirtualClock
) -> None:
    backup, new = tmp_path / "backup", Place(folder=tmp_path / "new", database=None)
    await backed_up(Place(folder=folder, database=None), backup, clock)

    async def refused(match: str) -> None:
        with pytest.raises(DeclarationError, match=match):
            await restored(backup, new, clock)
        assert not new.folder.exists()

    async with as_it_was(backup / "data" / "jobs.db"):
        with (backup / "data" / "jobs.db").open("r+b") as file:
            file.seek(5000)
            file.write(b"x")
        await refused(r"jobs\.db is not as it was written: it has 16384 bytes with the SHA-256 ")
    async with as_it_was(backup / "data" / "secret"):
        (backup / "data" / "secret").unlink()
        await refused("is not complete: .*secret")
    manifest = backup / "manifest.json"
    changes: list[tuple[Callable[[dict[str, Any]], object], str]] = [
        (
            lambda told: told.update(format=2),
            r"manifest\.json cannot be read: .*did a newer release make the",
        ),
        (lambda told: told.update(entries=99), r"entries of format 99.*restore it with release 1\.2\.3"),
        (
            lambda told: told["files"].update({"../../etc/passwd": told["files"]["secret"]}),
            "names a file outside of the backup: '../../etc/passwd'",
        ),
    ]
    for change, match in changes:
        async with as_it_was(manifest):
            told = json.loads(manifest.read_text())
            change(told)
            manifest.write_text(json.dumps(told))
            await refused(match)
    manifest.unlink()
    await refused("is no backup")


async def test_nothing_is_overwritten(
    folder: Path, tmp_path: Path, database: str, clock: VirtualClock
) -> None:
    backup, source = tmp_path / "backup", Place(folder=folder, database=None)
    await backed_up(source, backup, clock)
    into_database = await place_of("database", tmp_path / "server", database)

    with pytest.raises(DeclarationError, match=r"is not empty, there is .* name a new folder"):
        await backed_up(source, backup, clock)
    with pytest.raises(DeclarationError, match=r"is not empty, there is .* move it away, or set"):
        await restored(backup, source, clock)
    await restored(backup, into_database, clock)
    with pytest.raises(DeclarationError, match="is there already; name an empty one"):
        await restored(backup, into_database, clock)
    with closing(sqlite3.connect(backup / "data" / LOG_FILE)) as file:
        assert file.execute("SELECT id FROM restores").fetchone() == ("",)  # the backup itself is unchanged


async def test_a_damaged_log_gives_no_backup(folder: Path, tmp_path: Path, clock: VirtualClock) -> None:
    log = folder / LOG_FILE
    with log.open("r+b") as file:
        file.seek(log.stat().st_size // 2)
        file.write(b"\xff" * 8192)

    with pytest.raises(DeclarationError, match="damaged"):
        await backed_up(Place(folder=folder, database=None), tmp_path / "backup", clock)

    assert [path.name for path in tmp_path.iterdir() if "backup" in path.name] == []
    with pytest.raises(DeclarationError, match=r"there is no .*log\.db: is ASSISTANT_DATA_DIR right"):
        await backed_up(Place(folder=tmp_path / "nowhere", database=None), tmp_path / "backup", clock)


async def test_a_backup_of_an_older_release_is_upgraded(
    folder: Path, tmp_path: Path, clock: VirtualClock
) -> None:
    with closing(connect(folder / LOG_FILE)) as file:  # before there were restores
        file.execute("DROP TABLE restores")
        file.execute("ALTER TABLE conversations DROP COLUMN restored_seq")
        for index in ("conversations_by_id", "conversations_newest", "entries_closed"):
            file.execute(f"DROP INDEX {index}")
        file.execute("DROP TRIGGER searchable_with_conversation")
        for table in ("searchable", "searchable_words"):
            file.execute(f"DROP TABLE {table}")
        file.execute("DELETE FROM schema WHERE number >= 12")
        file.execute("CREATE TABLE older AS SELECT tenant, customer, conversation, path FROM recordings")
        file.execute("DROP TABLE recordings")
        file.execute("ALTER TABLE older RENAME TO recordings")
    manifest = await backed_up(Place(folder=folder, database=None), tmp_path / "backup", clock)

    await restored(tmp_path / "backup", Place(folder=tmp_path / "new", database=None), clock)

    assert manifest.tables == 11
    async with in_folder(tmp_path / "new", clock) as shop:
        assert [len(await shop.storage.records.recordings("shop", customer)) for customer in CUSTOMERS] == [
            1,
            1,
            1,
        ]

"""A log that was damaged is refused and reported; it never just ends earlier."""

import shutil
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged, MessageText, TurnEnded
from assistant.errors import DeclarationError, LogError
from assistant.store.sqlite.log import SqliteLog

CONVERSATIONS, ENTRIES = 3, 40
FRAME = 24 + 4096


def key(number: int) -> ConversationKey:
    """One of the conversations."""
    return ConversationKey(tenant="acme", customer=f"customer-{number}", conversation=f"c-{number}")


def text(seq: int) -> Logged:
    """An entry that is told from its neighbours; the last one is the end of a turn."""
    if seq == ENTRIES:
        return Logged(seq, 2_000, "t1", TurnEnded(turn_id="t1", how="answered"))
    return Logged(seq, 1_000 + seq, "t1", MessageText(message_id="m1", text=f"words of entry {seq} " * 9))


async def fill(log: SqliteLog) -> None:
    """Append entries, one at a time, to each conversation in turn."""
    for seq in range(1, ENTRIES + 1):
        for number in range(CONVERSATIONS):
            await log.append(key(number), [text(seq)])


@pytest.fixture
async def killed(tmp_path: Path) -> Path:
    """The files of a log whose process was killed: much is in the journal alone."""
    log = SqliteLog(tmp_path / "live" / "log.db")
    await fill(log)
    shutil.copytree(tmp_path / "live", tmp_path / "killed")  # as a kill leaves them
    await log.close()
    return tmp_path / "killed" / "log.db"


@pytest.fixture
async def closed(tmp_path: Path) -> Path:
    """The file of a log that was closed: there is no journal."""
    log = SqliteLog(tmp_path / "closed" / "log.db")
    await fill(log)
    await log.close()
    sizes = {file.name: file.stat().st_size for file in (tmp_path / "closed").iterdir()}
    assert sizes == {"log.db": sizes["log.db"], "log.db-last": 0}
    return tmp_path / "closed" / "log.db"


async def complaint(path: Path) -> str:
    """What the log says against being used; "nothing" if everything is there."""
    try:
        log = SqliteLog(path)
    except DeclarationError as error:
        return str(error)
    try:
        for number in range(CONVERSATIONS):
            if await log.read(key(number)) != [text(seq) for seq in range(1, ENTRIES + 1)]:
                return "SHORTENED OR CHANGED"
    except LogError as error:
        return str(error)
    finally:
        await log.close()
    return "nothing"


def frames(journal: Path) -> Iterator[int]:
    """Where each frame of the journal begins."""
    yield from range(32, journal.stat().st_size - FRAME + 1, FRAME)


def flip(file: Path, place: int, bit: int) -> None:
    """Change one bit."""
    with file.open("r+b") as opened:
        opened.seek(place)
        (byte,) = opened.read(1)
        opened.seek(place)
        opened.write(bytes([byte ^ 1 << bit]))


async def test_data_left_by_a_kill_is_complete(killed: Path) -> None:
    assert await complaint(killed) == "nothing"


async def test_a_cut_or_changed_journal_is_noticed(killed: Path, tmp_path: Path) -> None:
    random, journal = Random(19), killed.with_name("log.db-wal")
    begins = list(frames(journal))
    assert len(begins) > 100
    damages = [("cut", place) for place in (0, 32, *random.sample(begins, 6), begins[-1], begins[-1] + 100)]
    damages += [("bit", place + random.randrange(FRAME)) for place in random.sample(begins, 8)]
    damages += [("bit", begins[-1] + 30), ("bit", 17)]

    for number, (how, place) in enumerate(damages):
        there = tmp_path / f"damaged-{number}"
        shutil.copytree(killed.parent, there)
        damaged = there / "log.db-wal"
        if how == "cut":
            with damaged.open("r+b") as opened:
                opened.truncate(place)
        else:
            flip(damaged, place, random.randrange(8))
        before = damaged.read_bytes()

        said = await complaint(there / "log.db")

        assert "log.db has lost its newest entries, which were acknowledged" in said, (how, place, said)
        assert "restore a backup" in said
        assert damaged.read_bytes() == before, "what is left must stay for those who look into it"


async def test_a_log_without_its_journal_does_not_count_as_complete(killed: Path) -> None:
    killed.with_name("log.db-wal").unlink()

    assert "has lost its newest entries" in str(await complaint(killed))


async def test_the_lost_part_can_be_given_up_on_purpose(killed: Path) -> None:
    journal = killed.with_name("log.db-wal")
    with journal.open("r+b") as opened:
        opened.truncate([*frames(journal)][-1])
    killed.with_name("log.db-last").unlink()

    log = SqliteLog(killed)
    await log.append(key(0), [text(ENTRIES + 1)])
    await log.close()


async def test_a_cut_file_is_refused(closed: Path) -> None:
    whole = closed.read_bytes()
    for size in (0, 1, 50, 100, 4096, len(whole) // 2, len(whole) - 4096):
        closed.write_bytes(whole[:size])

        said = str(await complaint(closed))

        assert any(word in said for word in ("damaged", "malformed", "not a database")), (size, said)


async def test_an_empty_file_left_by_a_kill_is_a_new_one(tmp_path: Path) -> None:
    (tmp_path / "log.db").touch()

    log = SqliteLog(tmp_path / "log.db")
    await fill(log)
    await log.close()


async def test_a_log_may_be_restored_from_a_backup_after_a_stop(closed: Path, tmp_path: Path) -> None:
    shutil.copy(closed, tmp_path / "backup.db")
    log = SqliteLog(closed)
    await log.append(key(0), [text(ENTRIES + 1)])
    await log.close()
    shutil.copy(tmp_path / "backup.db", closed)

    assert await complaint(closed) == "nothing"


async def test_a_changed_file_is_never_read_as_complete(closed: Path) -> None:
    random, whole = Random(7), closed.read_bytes()
    unnoticed, quiet = list[int](), 0
    for _ in range(150):
        closed.write_bytes(whole)
        place = random.randrange(len(whole))
        flip(closed, place, random.randrange(8))
        try:
            said = await complaint(closed)
        except sqlite3.Error as error:  # pragma: no cover - it would be a bug
            said = f"not worded: {error}"
        if said == "SHORTENED OR CHANGED" or str(said).startswith("not worded"):
            unnoticed.append(place)
        quiet += said == "nothing"

    assert unnoticed == []
    assert quiet < 140  # free space, and what is not read, such as an index


async def test_a_missing_entry_is_noticed(closed: Path) -> None:
    with closing(sqlite3.connect(closed)) as file, file:
        file.execute("DELETE FROM entries WHERE seq = 7 AND customer = 'customer-1'")

    assert await complaint(closed) == (
        "conversation c-1, entry 7: it is missing, so the log is damaged: restore a backup"
    )


async def test_after_an_erasure_nothing_is_missing(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "live" / "log.db")
    await fill(log)
    last = key(CONVERSATIONS - 1)
    await log.erase(last.tenant, last.customer)
    shutil.copytree(tmp_path / "live", tmp_path / "killed")
    await log.close()

    again = SqliteLog(tmp_path / "killed" / "log.db")
    assert await again.read(last) == []
    await again.close()


async def test_the_note_contains_no_names(killed: Path) -> None:
    noted = killed.with_name("log.db-last")

    assert struct.calcsize("50s") == noted.stat().st_size
    assert b"customer" not in noted.read_bytes()
    assert noted.stat().st_mode & 0o077 == 0

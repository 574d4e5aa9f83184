"""Stored data of earlier releases is opened by this one, and everything is found in it."""

import shutil
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TypeAlias, get_args

import orjson
import pytest

from assistant.conversation.codec import kind_named
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Entry
from assistant.privacy.receipts import ReceiptMaker, ReceiptSigner, commitment, read_receipt
from assistant.store.copying.backup import Place, read_manifest, restore_backup
from assistant.store.sqlite.file import inspect_file
from assistant.store.sqlite.storage import LOG_FILE
from tests.fixtures.make import FIXTURES, StillClock, found_in, make
from tests.store.test_copying import Served, in_database, in_folder
from tests.support.postgres import empty_database

NUMBERS = sorted(path.name for path in FIXTURES.iterdir())
_NOT_IN_THE_FIRST: dict[str, list[object]] = {"staff": [], "records": [], "identities": []}
"""What there was no place for in the first ones."""

Opened: TypeAlias = AbstractAsyncContextManager[Served]


@pytest.fixture(params=NUMBERS)
def fixture(request: pytest.FixtureRequest) -> Path:
    """The folder of each fixture in turn."""
    return FIXTURES / str(request.param)


@pytest.fixture(params=["data folder", "restored data folder", "database"])
def place(request: pytest.FixtureRequest, fixture: Path, tmp_path: Path) -> Place:
    """Where the data are opened: a copy of the fixture's data folder, or an empty place of each kind."""
    if request.param == "data folder":
        shutil.copytree(fixture / "backup" / "data", tmp_path / "data")
    address = request.getfixturevalue("database_address") if request.param == "database" else None
    return Place(folder=tmp_path / "data", database=address)


@pytest.fixture
async def opened(place: Place, fixture: Path) -> Opened:
    """The fixture's data as this release opens them: as they are, or restored."""
    clock = StillClock()
    if place.database is not None:
        await empty_database(place.database)
    if not place.folder.exists():
        await restore_backup(fixture / "backup", place, restore="r1", clock=clock)
    return in_folder(place.folder, clock) if place.database is None else in_database(place.database, clock)


async def test_everything_is_found_in_it(opened: Opened, fixture: Path) -> None:
    async with opened as shop:
        found = await found_in(shop)
        assert not await shop.storage.used_tokens.use("demo", "nonce-ana", until_ms=9, now_ms=0)

    expected = _NOT_IN_THE_FIRST | orjson.loads((fixture / "expected.json").read_bytes())
    assert orjson.loads(orjson.dumps(found)) == expected


async def test_receipts_verify_and_are_unchanged(opened: Opened, fixture: Path) -> None:
    given, of_erased = ((fixture / f"{name}.receipt.json").read_bytes() for name in ("ana", "gone"))
    key = ConversationKey(tenant="shop", customer="ana", conversation="0198-abc")

    async with opened as shop:
        signer = ReceiptSigner(shop.storage.keyring.record.current)
        again = await ReceiptMaker(shop.storage.log.read, shop.storage.bundles.read, signer).of_call(
            key, "0198-abc/t2/c1.1"
        )
        assert again == given
        assert read_receipt(given)["public_key"] == signer.public_key
        assert await shop.conversations.erased_at(commitment(of_erased)) == StillClock().now_ms()
    assert read_receipt(of_erased)["public_key"] == signer.public_key


async def test_its_tables_are_upgraded_to_this_release(fixture: Path, tmp_path: Path) -> None:
    shutil.copytree(fixture / "backup" / "data", tmp_path / "data")
    assert inspect_file(tmp_path / "data" / LOG_FILE).schema == read_manifest(fixture / "backup").tables

    async with in_folder(tmp_path / "data", StillClock()):
        pass

    after = inspect_file(tmp_path / "data" / LOG_FILE)
    assert (after.schema, after.pending) == (after.newest, ())


def test_the_newest_has_each_kind_of_entry() -> None:
    newest = FIXTURES / max(NUMBERS, key=int)
    conversations = orjson.loads((newest / "expected.json").read_bytes())["conversations"].values()

    kinds = {line.split()[-1] for one in conversations for line in one["entries"]}
    assert kinds == {kind_named(kind) for kind in get_args(Entry)}


async def test_a_fixture_made_today_equals_the_newest(tmp_path: Path) -> None:
    await make(tmp_path / "new")

    newest = FIXTURES / max(NUMBERS, key=int)
    for name in ("expected.json", "ana.receipt.json", "gone.receipt.json"):
        assert (tmp_path / "new" / name).read_bytes() == (newest / name).read_bytes(), (
            "what is stored has changed: run `python -m tests.fixtures.make NUMBER` with the next number"
        )
    made, kept = (read_manifest(folder / "backup") for folder in (tmp_path / "new", newest))
    assert (made.format, made.entries, made.tables) == (kept.format, kept.entries, kept.tables)

"""All data of one customer is exported, or erased to the last byte, and nothing of others."""

import asyncio
from pathlib import Path

import orjson
import pytest

from assistant.conversation.customer import ConversationKey
from assistant.errors import StoreError
from assistant.store.storage import Recording
from tests.privacy.conftest import DataFolder, opened
from tests.privacy.planted import Words, raw


async def everybody_moves_in(data_folder: DataFolder) -> list[Words]:
    """Ben, a customer of another tenant with Ana's number, and Ana, who was a visitor once; her last file waits."""
    ana, visitor, ben, bank = Words("ana"), Words("visitor"), Words("ben"), Words("bank")
    await data_folder.moves_in(ben, "ben")
    await data_folder.moves_in(bank, "ana", tenant="bank")
    await data_folder.moves_in(visitor, "v-1", known_as="ana")
    await data_folder.moves_in(ana, "ana")
    return [ana, visitor, ben, bank]


def exported(everything: object) -> str:
    return orjson.dumps(everything, default=dict).decode()


async def test_all_of_a_customers_text_is_exported_and_nothing_of_others(data_folder: DataFolder) -> None:
    ana, visitor, *others = await everybody_moves_in(data_folder)
    assert len(ana.planted) >= 50

    given = exported(await data_folder.customers.export("shop", "ana"))

    # What was wrong with a file is of ours, and told to operators.
    unsaid = {"what was wrong with it"}
    assert ana.found_in(given) == set(ana.planted) - unsaid
    assert visitor.found_in(given) == set(visitor.planted) - unsaid
    assert [one.found_in(given) for one in others] == [set(), set()]


async def test_no_byte_of_an_erased_customer_is_left_and_all_of_the_others(data_folder: DataFolder) -> None:
    ana, visitor, *others = await everybody_moves_in(data_folder)
    before = raw(data_folder.folder)
    assert ana.found_in(before) == set(ana.planted)
    kept = [one.found_in(before) for one in others]

    erased = await data_folder.customers.erase("shop", "ana")

    left = raw(data_folder.folder)
    assert (ana.found_in(left), visitor.found_in(left)) == (set(), set())
    assert [one.found_in(left) for one in others] == kept == [set(one.planted) for one in others]
    assert (erased.conversations, len(erased.recordings), erased.left) == (2, 2, ())
    assert erased.documents >= 2 * 5
    assert (await data_folder.customers.erase("shop", "ana")).nothing
    assert exported((await data_folder.customers.export("shop", "ana"))["documents"]) == "[]"


async def test_the_remaining_data_can_be_read_as_before(data_folder: DataFolder) -> None:
    *_, ben, bank = await everybody_moves_in(data_folder)
    tenants = (("shop", "ben", ben), ("bank", "ana", bank))
    before = [exported(await data_folder.customers.export(tenant, who)) for tenant, who, _ in tenants]

    await data_folder.customers.erase("shop", "ana")

    after = [exported(await data_folder.customers.export(tenant, who)) for tenant, who, _ in tenants]
    assert after == before
    assert [word.found_in(text) for text, (_, _, word) in zip(after, tenants, strict=True)] == [
        set(word.planted) - {"what was wrong with it"} for _, _, word in tenants
    ]


async def test_a_recording_elsewhere_is_named_and_not_deleted(
    data_folder: DataFolder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    ana = Words("ana")
    await data_folder.moves_in(ana, "ana")
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "ana.conversation.yaml"
    elsewhere.write_text(ana("recording elsewhere"))
    key = ConversationKey(tenant="shop", customer="ana", conversation=ana.planted["conversation's id"])
    records = data_folder.storage.records
    await records.note_recording(key, Recording(elsewhere))
    await records.note_recording(key, Recording(elsewhere.with_name("gone.conversation.yaml")))

    given = exported(await data_folder.customers.export("shop", "ana"))
    erased = await data_folder.customers.erase("shop", "ana")

    assert ana.planted["recording elsewhere"] in given
    assert erased.left == (elsewhere,)
    assert elsewhere.is_file()
    assert ana.found_in(raw(data_folder.folder)) == set()


async def test_without_the_document_store_the_rest_is_erased(
    data_folder: DataFolder,
) -> None:
    ana, visitor, *_ = await everybody_moves_in(data_folder)
    data_folder.store.refuses = {"ana", "v-1"}

    with pytest.raises(StoreError) as failed:
        await data_folder.customers.erase("shop", "ana")

    told = str(failed.value)
    assert "not everything is erased: the documents are still where they were: the store is away" in told
    assert "erased: 1 conversations, 0 documents, 2 recordings" in told
    assert "ask again" in told
    assert await data_folder.log.conversations("shop", "ana") == []
    data_folder.store.refuses.clear()
    erased = await data_folder.customers.erase("shop", "ana")
    assert erased.documents >= 2
    left = raw(data_folder.folder)
    assert (ana.found_in(left), visitor.found_in(left)) == (set(), set())


async def test_a_job_finishes_a_partial_erasure(data_folder: DataFolder) -> None:
    ana, visitor, *_ = await everybody_moves_in(data_folder)
    data_folder.store.refuses = {"ana", "v-1"}
    with pytest.raises(StoreError, match="it is finished by itself when they can be reached"):
        await data_folder.customers.erase("shop", "ana")

    jobs = data_folder.storage.jobs
    working = asyncio.create_task(jobs.run([data_folder.customers.erasure_kind]))
    await data_folder.clock.sleep(100)
    assert data_folder.store.refuses
    data_folder.store.refuses.clear()
    await data_folder.clock.sleep(200)
    working.cancel()
    await asyncio.wait({working})

    left = raw(data_folder.folder)
    assert (ana.found_in(left), visitor.found_in(left)) == (set(), set())
    assert b"ana" not in (data_folder.folder / "jobs.db").read_bytes()
    assert await jobs.failed() == []


async def test_erasing_an_unknown_customer_changes_nothing(data_folder: DataFolder) -> None:
    ben = Words("ben")
    await data_folder.moves_in(ben, "ben")

    assert (await data_folder.customers.erase("shop", "nobody")).nothing
    assert (await data_folder.customers.export("shop", "nobody"))["conversations"] == []
    assert ben.found_in(raw(data_folder.folder)) == set(ben.planted)


async def test_erased_data_does_not_come_back_with_the_next_start(tmp_path: Path) -> None:
    ana = Words("ana")
    async with opened(tmp_path) as data_folder:
        await data_folder.moves_in(ana, "ana")
        await data_folder.customers.erase("shop", "ana")

    async with opened(tmp_path) as data_folder:
        data_folder.library.start()
        await data_folder.library.written()
        assert (await data_folder.customers.erase("shop", "ana")).nothing
        assert await data_folder.log.unfinished() == []

    assert ana.found_in(raw(tmp_path)) == set()

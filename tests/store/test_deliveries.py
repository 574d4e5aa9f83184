"""The delivery positions survive the process, in every storage."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.errors import DeclarationError, LogError
from assistant.storage_ports import DeliveryAttempt, DeliveryPosition
from assistant.store.sqlite.deliveries import MOST_ATTEMPTS, SqliteDeliveries
from assistant.store.storage import Storage
from tests.store.conftest import Installation

ANA = ConversationKey(tenant="t", customer="ana", conversation="c1")
BEN = ConversationKey(tenant="t", customer="ben", conversation="c1")
CRM, DESK = "crm", "handoff"
TRIED = DeliveryAttempt(
    receiver=CRM, key=ANA, event_id="c1/1", event="turn.ended", at_ms=5, status=503, took_ms=7, problem="away"
)


async def test_a_stored_position_survives_a_restart_until_it_is_deleted(
    installation: Installation,
) -> None:
    async with installation.open() as first:
        await first.deliveries.begin([CRM, DESK], ANA, 3)
        await first.deliveries.note(CRM, ANA, DeliveryPosition(7, 5))
        await first.deliveries.begin([DESK], BEN, 1)
        await first.deliveries.forget(DESK, BEN)

    async with installation.open() as again:
        assert await again.deliveries.delivered(CRM, ANA) == DeliveryPosition(7, 5)
        assert await again.deliveries.delivered(DESK, ANA) == DeliveryPosition(3, 3)
        assert await again.deliveries.delivered(DESK, BEN) is None
        assert await again.deliveries.all(DESK) == [ANA]
    with pytest.raises(LogError, match="deliveries cannot be kept"):
        await again.deliveries.delivered(CRM, ANA)


async def test_a_delivery_that_has_begun_continues_from_its_position(storage: Storage) -> None:
    await storage.deliveries.note(CRM, ANA, DeliveryPosition(9))
    assert await storage.deliveries.delivered(CRM, ANA) is None

    await storage.deliveries.begin([CRM], ANA, 3)
    await storage.deliveries.note(CRM, ANA, DeliveryPosition(9, 8))
    await storage.deliveries.begin([CRM], ANA, 20)

    assert await storage.deliveries.delivered(CRM, ANA) == DeliveryPosition(9, 8)


async def test_a_resting_position_is_not_listed_and_is_deleted_after_a_while(storage: Storage) -> None:
    for key in (ANA, BEN):
        await storage.deliveries.begin([CRM], key, 3)
        await storage.deliveries.rest(CRM, key, 1_000)
    assert await storage.deliveries.all(CRM) == []

    await storage.deliveries.begin([CRM], BEN, 8)
    await storage.deliveries.drop_rested(1_001)

    assert await storage.deliveries.all(CRM) == [BEN]
    assert await storage.deliveries.delivered(CRM, ANA) is None
    assert await storage.deliveries.delivered(CRM, BEN) == DeliveryPosition(3, 3)


async def test_the_log_of_attempts_keeps_the_newest_of_each_tenant(storage: Storage) -> None:
    await storage.deliveries.add_attempt(replace(TRIED, key=replace(ANA, tenant="u")))
    for number in range(MOST_ATTEMPTS + 2):
        await storage.deliveries.add_attempt(replace(TRIED, at_ms=number))

    kept = await storage.deliveries.attempts("t", 2 * MOST_ATTEMPTS)
    assert (len(kept), kept[0].at_ms, kept[-1].at_ms) == (MOST_ATTEMPTS, MOST_ATTEMPTS + 1, 2)
    assert kept[0] == replace(TRIED, at_ms=MOST_ATTEMPTS + 1)
    assert len(await storage.deliveries.attempts("u", 5)) == 1


async def test_erasing_a_customer_deletes_all_positions_and_attempts(
    storage: Storage,
) -> None:
    others = [BEN, replace(ANA, tenant="u")]
    for key in (ANA, replace(ANA, conversation="c2"), *others):
        await storage.deliveries.begin([CRM], key, 1)
        await storage.deliveries.add_attempt(replace(TRIED, key=key))

    assert await storage.deliveries.erase("t", "ana") == 2
    assert await storage.deliveries.erase("t", "ana") == 0
    assert await storage.deliveries.all(CRM) == others
    assert [one.key for one in await storage.deliveries.attempts("t", 9)] == [BEN]


async def test_positions_of_an_older_release_are_upgraded(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "d.db")) as file:
        file.execute("CREATE TABLE deliveries (tenant, customer, conversation, seq)")
        file.execute("INSERT INTO deliveries VALUES ('t', 'ana', 'c1', 4)")
        file.commit()

    deliveries = SqliteDeliveries(tmp_path / "d.db")

    assert await deliveries.delivered(DESK, ANA) == DeliveryPosition(4)
    await deliveries.close()


def test_an_unusable_file_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="ASSISTANT_DATA_DIR"):
        SqliteDeliveries(tmp_path / "nowhere" / "d.db")

"""How far events were delivered survives the process, in every storage."""

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.errors import DeclarationError, LogError
from assistant.store.deliveries import SqliteDeliveries
from assistant.store.storage import Storage
from tests.store.conftest import Installation

ANA = ConversationKey(tenant="t", customer="ana", conversation="c1")
BEN = ConversationKey(tenant="t", customer="ben", conversation="c1")


async def test_what_was_noted_is_there_after_a_restart_until_it_is_forgotten(
    installation: Installation,
) -> None:
    async with installation.open() as first:
        await first.deliveries.note(ANA, 3)
        await first.deliveries.note(ANA, 7)
        await first.deliveries.note(BEN, 1)
        await first.deliveries.forget(BEN)

    async with installation.open() as again:
        assert await again.deliveries.delivered(ANA) == 7
        assert await again.deliveries.delivered(BEN) is None
        assert await again.deliveries.all() == [ANA]
    with pytest.raises(LogError, match="deliveries cannot be kept"):
        await again.deliveries.delivered(ANA)


async def test_erasing_a_customer_takes_the_positions_of_all_conversations(storage: Storage) -> None:
    others = [BEN, replace(ANA, tenant="u")]
    for key in (ANA, replace(ANA, conversation="c2"), *others):
        await storage.deliveries.note(key, 1)

    assert await storage.deliveries.erase("t", "ana") == 2
    assert await storage.deliveries.erase("t", "ana") == 0
    assert await storage.deliveries.all() == others


def test_a_file_that_cannot_be_used_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="ASSISTANT_DATA_DIR"):
        SqliteDeliveries(tmp_path / "nowhere" / "d.db")

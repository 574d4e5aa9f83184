"""How far events were delivered survives the process."""

from pathlib import Path

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.errors import DeclarationError, LogError
from assistant.store.deliveries import SqliteDeliveries

ANA = ConversationKey(tenant="t", customer="ana", conversation="c1")
BEN = ConversationKey(tenant="t", customer="ben", conversation="c1")


async def test_what_was_noted_is_there_after_a_restart_until_it_is_forgotten(tmp_path: Path) -> None:
    first = SqliteDeliveries(tmp_path / "d.db")
    await first.note(ANA, 3)
    await first.note(ANA, 7)
    await first.note(BEN, 1)
    await first.forget(BEN)
    await first.close()

    again = SqliteDeliveries(tmp_path / "d.db")

    assert await again.delivered(ANA) == 7
    assert await again.delivered(BEN) is None
    assert await again.all() == [ANA]
    await again.close()
    with pytest.raises(LogError, match="cannot be kept"):
        await again.delivered(ANA)


def test_a_file_that_cannot_be_used_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="ASSISTANT_DATA_DIR"):
        SqliteDeliveries(tmp_path / "nowhere" / "d.db")

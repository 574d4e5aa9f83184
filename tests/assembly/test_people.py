"""The settings decide which handoff backends exist, and a wrong one stops the start."""

from pathlib import Path

import pytest

from assistant.assembly.handoff_backends import delivery_of, handoffs_of
from assistant.errors import DeclarationError
from assistant.settings import Settings
from assistant.store.sqlite.storage import open_sqlite_storage
from assistant.testing.counted_ids import CountedIds
from assistant.testing.virtual_time import VirtualClock

SECRET = "a-secret-for-tests-that-is-long-enough"
URL = "http://127.0.0.1:9/events"


async def is_there(tmp_path: Path, **settings: str) -> bool:
    chosen = Settings(data_dir=tmp_path, **settings)  # pyright: ignore[reportArgumentType]
    clock, ids = VirtualClock(), CountedIds()
    async with open_sqlite_storage(tmp_path, clock, ids) as storage:
        handoffs = handoffs_of(chosen, storage, delivery_of(chosen, storage, clock, ids), clock, ids)
        if handoffs is not None:
            await handoffs.close()
        return handoffs is not None


async def test_without_a_setting_the_console_turns_handoff_on(tmp_path: Path) -> None:
    assert await is_there(tmp_path)
    assert not await is_there(tmp_path, console="false")
    assert not await is_there(tmp_path, console="false", handoff_webhook_secret=SECRET)


async def test_a_token_or_an_address_or_both_turn_handoff_on(tmp_path: Path) -> None:
    token, address = (
        {"operator_token": SECRET},
        {"handoff_webhook_url": URL, "handoff_webhook_secret": SECRET},
    )
    for settings in (token, address, token | address):
        assert await is_there(tmp_path, console="false", **settings)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"handoff_webhook_url": URL}, "ASSISTANT_HANDOFF_WEBHOOK_SECRET has 0 characters"),
        (
            {"handoff_webhook_url": URL, "handoff_webhook_secret": "short"},
            "ASSISTANT_HANDOFF_WEBHOOK_SECRET has 5 characters",
        ),
        ({"handoff_webhook_url": "desk.example.com", "handoff_webhook_secret": SECRET}, "is not an address"),
        (
            {"handoff_webhook_url": "ftp://desk.example.com", "handoff_webhook_secret": SECRET},
            "is not an address",
        ),
        (
            {"handoff_webhook_url": "https://me:pw@desk.example.com", "handoff_webhook_secret": SECRET},
            "is not an address",
        ),
    ],
)
async def test_missing_or_wrong_settings_stop_the_start(
    tmp_path: Path, settings: dict[str, str], told: str
) -> None:
    with pytest.raises(DeclarationError, match=told):
        await is_there(tmp_path, **settings)

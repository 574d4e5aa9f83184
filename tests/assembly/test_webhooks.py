"""The settings decide which receivers of webhooks exist, and a wrong one stops the start."""

from pathlib import Path
from typing import Any

import pytest

from assistant.app import open_assistant
from assistant.assembly.webhooks import webhooks_of
from assistant.errors import DeclarationError
from assistant.settings import Settings
from assistant.store.sqlite.storage import open_sqlite_storage
from assistant.testing.counted_ids import CountedIds
from assistant.testing.virtual_time import VirtualClock
from assistant.webhooks.watched_log import WatchedLog

SECRET = "a-secret-for-tests-that-is-long-enough"
URL = "http://127.0.0.1:9/events"


async def receivers(tmp_path: Path, **settings: Any) -> list[str]:
    clock, ids = VirtualClock(), CountedIds()
    async with open_sqlite_storage(tmp_path, clock, ids) as storage:
        delivery = webhooks_of(Settings(data_dir=tmp_path, **settings), storage, clock, ids)
        return [one.client.url for one in delivery.receivers.values()] if delivery is not None else []


async def test_each_address_is_a_receiver(tmp_path: Path) -> None:
    assert await receivers(tmp_path) == []
    urls = [URL, f"{URL}/2", URL]
    assert await receivers(tmp_path, webhook_urls=urls, webhook_secret=SECRET) == [URL, f"{URL}/2"]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"webhook_urls": [URL]}, "ASSISTANT_WEBHOOK_SECRET has 0 characters"),
        (
            {"webhook_urls": ["ftp://crm"], "webhook_secret": SECRET},
            "ASSISTANT_WEBHOOK_URLS='ftp://crm' is not",
        ),
        (
            {"webhook_urls": [URL], "webhook_secret": SECRET, "handoff_webhook_url": URL},
            "contains ASSISTANT_HANDOFF_WEBHOOK_URL",
        ),
    ],
)
async def test_missing_or_wrong_settings_stop_the_start(
    tmp_path: Path, settings: dict[str, Any], told: str
) -> None:
    with pytest.raises(DeclarationError, match=told):
        await receivers(tmp_path, **settings)


async def test_conversations_are_watched_only_if_there_is_a_receiver(tmp_path: Path) -> None:
    async def is_watched(folder: str, **settings: Any) -> bool:
        chosen = Settings(data_dir=tmp_path / folder, hot_reload=False, voice=False, **settings)
        async with open_assistant(chosen) as assistant:
            return isinstance(assistant.sessions._log, WatchedLog)

    assert not await is_watched("a")
    assert await is_watched("b", webhook_urls=[URL], webhook_secret=SECRET)

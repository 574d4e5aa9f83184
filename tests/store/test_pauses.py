"""What staff have paused, in each kind of storage: it survives a restart, and all servers see it."""

from dataclasses import replace

from assistant.staff.pauses import Pause
from assistant.store.storage import Storage
from tests.store.conftest import Installation

WHOLE = Pause(
    tenant="acme", kind="assistant", name="", account="k1", by="Kim Ö", since_ms=1_000, why="wrong prices"
)
TOOL = replace(WHOLE, kind="tool", name="cancel_order", since_ms=2_000, why="")


async def test_a_pause_survives_a_restart(installation: Installation) -> None:
    async with installation.open() as server:
        assert await server.pauses.list_pauses("acme") == []
        assert not await server.pauses.end_pause("acme", "tool", "cancel_order")
        assert [await server.pauses.add_pause(one) for one in (TOOL, WHOLE, WHOLE)] == [True, True, False]
    async with installation.open() as server:
        assert await server.pauses.list_pauses("acme") == [WHOLE, TOOL]
        assert await server.pauses.end_pause("acme", "assistant", "")
        assert await server.pauses.list_pauses("acme") == [TOOL]


async def test_who_paused_first_stays_named(storage: Storage) -> None:
    await storage.pauses.add_pause(WHOLE)

    assert not await storage.pauses.add_pause(replace(WHOLE, by="Lee", why="me too"))

    assert await storage.pauses.list_pauses("acme") == [WHOLE]


async def test_no_tenant_pauses_or_resumes_what_is_anothers(storage: Storage) -> None:
    await storage.pauses.add_pause(WHOLE)

    assert await storage.pauses.list_pauses("bank") == []
    assert not await storage.pauses.end_pause("bank", "assistant", "")
    assert await storage.pauses.add_pause(replace(WHOLE, tenant="bank"))
    assert await storage.pauses.list_pauses("acme") == [WHOLE]


async def test_a_reason_in_any_letters_is_kept(storage: Storage) -> None:
    odd = replace(TOOL, why="„ü“ 日本 \U0001f6d1", name="crm.löschen")

    await storage.pauses.add_pause(odd)

    assert await storage.pauses.list_pauses("acme") == [odd]

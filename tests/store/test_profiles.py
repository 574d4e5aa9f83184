"""How people work, in each kind of storage: it survives a restart, and all servers see it."""

from dataclasses import replace

from assistant.staff.profiles import WorkProfile
from assistant.store.storage import Storage
from tests.store.conftest import Installation

KIM = WorkProfile(
    tenant="acme", account="k1", teams=("billing", "repairs"), skills=("de",), capacity=3, away=True
)


async def test_a_profile_survives_a_restart(installation: Installation) -> None:
    async with installation.open() as server:
        assert await server.profiles.list_profiles("acme") == []
        await server.profiles.save_profile(KIM)
    async with installation.open() as server:
        assert await server.profiles.list_profiles("acme") == [KIM]


async def test_presence_and_profile_do_not_overwrite_each_other(storage: Storage) -> None:
    await storage.profiles.note_presence("acme", "k1", 5_000)
    await storage.profiles.save_profile(KIM)
    await storage.profiles.note_presence("acme", "k1", 9_000)
    await storage.profiles.note_presence("acme", "k1", 7_000)

    assert await storage.profiles.list_profiles("acme") == [replace(KIM, here_ms=9_000)]


async def test_no_tenant_sees_anothers_people(storage: Storage) -> None:
    await storage.profiles.save_profile(KIM)

    assert await storage.profiles.list_profiles("bank") == []
    await storage.profiles.save_profile(replace(KIM, tenant="bank", teams=()))
    await storage.profiles.note_presence("bank", "k1", 9_000)
    assert await storage.profiles.list_profiles("acme") == [KIM]

"""Customers' credentials in every storage: encrypted, bound to their conversation, deleted when they expire."""

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.conversation.customer import ConversationKey, CustomerCredential
from assistant.errors import LogError
from assistant.store.credential_cipher import CredentialCipher
from assistant.store.storage import Storage
from assistant.testing.virtual_time import VirtualClock
from tests.store.conftest import Installation

SECRET = b"the secret of this server, made at its first start"
ANAS = ConversationKey(tenant="shop", customer="ana", conversation="c-1")
BENS = replace(ANAS, customer="ben")
HOUR_MS = 3_600_000


def credential(clock: VirtualClock, token: str = "", lasts_ms: int = HOUR_MS) -> CustomerCredential:
    return CustomerCredential(
        token=token or "anas-own-thing", claims={"plan": "gold-claim"}, expires_ms=clock.now_ms() + lasts_ms
    )


def told(found: CustomerCredential | None) -> tuple[str, dict[str, object], int] | None:
    """All of a credential, to be compared."""
    return None if found is None else (found.token, dict(found.claims), found.expires_ms)


async def test_another_process_finds_it_and_the_stored_data_is_encrypted(
    installation: Installation, clock: VirtualClock
) -> None:
    kept = credential(clock)
    async with installation.open() as server:
        await server.credentials.keep(ANAS, kept)
        assert told(await server.credentials.kept(ANAS)) == told(kept)

    async with installation.open() as server:
        assert told(await server.credentials.kept(ANAS)) == told(kept)
    [row] = await installation.rows("credentials")
    assert b"anas-own" not in repr(row).encode()
    assert b"gold-claim" not in repr(row).encode()
    with pytest.raises(LogError, match="credentials cannot be kept"):
        await server.credentials.kept(ANAS)


async def test_only_its_own_conversation_has_it(storage: Storage, clock: VirtualClock) -> None:
    await storage.credentials.keep(ANAS, credential(clock))

    for other in (BENS, replace(ANAS, tenant="else"), replace(ANAS, conversation="c-2")):
        assert await storage.credentials.kept(other) is None


def test_with_another_place_expiry_or_secret_it_cannot_be_decrypted(clock: VirtualClock) -> None:
    cipher, kept = CredentialCipher(SECRET), credential(clock)
    sealed = cipher.encrypt(ANAS, kept)

    assert told(cipher.decrypt(ANAS, kept.expires_ms, sealed)) == told(kept)
    assert cipher.decrypt(BENS, kept.expires_ms, sealed) is None
    assert cipher.decrypt(ANAS, kept.expires_ms + 1, sealed) is None
    assert cipher.decrypt(ANAS, kept.expires_ms, sealed[:5]) is None
    other = CredentialCipher(b"a secret that was made anew, later on")
    assert other.decrypt(ANAS, kept.expires_ms, sealed) is None


async def test_a_newer_one_replaces_it_and_an_expired_one_is_gone(
    installation: Installation, clock: VirtualClock
) -> None:
    async with installation.open() as server:
        kept = server.credentials
        await kept.keep(ANAS, credential(clock, lasts_ms=1_000))
        for other in (BENS, replace(BENS, tenant="else")):
            await kept.keep(other, credential(clock, lasts_ms=0))
            assert await kept.kept(other) is None
        newer = credential(clock, "anas-newer-thing")
        await kept.keep(ANAS, newer)
        assert told(await kept.kept(ANAS)) == told(newer)

    assert [row[:3] for row in await installation.rows("credentials")] == [("shop", "ana", "c-1")]


async def test_erasing_a_customer_deletes_all_of_their_credentials(
    storage: Storage, clock: VirtualClock
) -> None:
    kept = storage.credentials
    for key in (ANAS, replace(ANAS, conversation="c-2"), BENS):
        await kept.keep(key, credential(clock))

    assert await kept.erase("shop", "ana") == 2
    assert await kept.kept(ANAS) is None
    assert await kept.kept(BENS) is not None


async def test_only_the_owner_of_the_folder_can_read_the_file(
    sqlite_installation: Installation, clock: VirtualClock, tmp_path: Path
) -> None:
    async with sqlite_installation.open() as server:
        await server.credentials.keep(ANAS, credential(clock))

    written = b"".join(file.read_bytes() for file in (tmp_path / "data").iterdir())
    assert b"anas-own" not in written
    assert b"gold-claim" not in written
    assert (tmp_path / "data" / "credentials.db").stat().st_mode & 0o077 == 0

"""Accounts of staff, their sessions and links, and the records of what they did, in each kind of storage."""

import asyncio
from dataclasses import replace

import pytest

from assistant.staff.accounts import Account, StaffRefused
from assistant.staff.audit import AuditRecord
from assistant.staff.sessions import OneTimeLink, StaffSession
from assistant.store.storage import Storage
from tests.store.conftest import Installation

KIM = Account(
    tenant="acme",
    id="k1",
    login="kim@acme.example",
    name="Kim Ö",
    roles=frozenset({"admin", "agent"}),
    created_ms=5,
    password="$argon2id$kim",
    language="de",
)
LEE = replace(KIM, id="l1", login="lee", name="Lee", roles=frozenset({"admin"}), password="")
BANKS = replace(KIM, tenant="bank", name="Another Kim")
SESSION = StaffSession(
    tenant="acme", token_hash="t1", account="k1", by="password", begun_ms=1_000, used_ms=1_000
)
LINK = OneTimeLink(tenant="acme", token_hash="n1", account="k1", expires_ms=9_000)
SAW = AuditRecord(
    tenant="acme",
    at_ms=7,
    account="k1",
    login="kim@acme.example",
    action="conversations.read",
    kind="conversation",
    object="c1",
    customer="ana",
    detail="the transcript",
    address="203.0.113.7",
)


async def begin(
    storage: Storage, session: StaffSession, *, unused_since_ms: int = 0, begun_before_ms: int = 0
) -> None:
    await storage.staff.begin_session(
        session, unused_since_ms=unused_since_ms, begun_before_ms=begun_before_ms
    )


async def seen(storage: Storage, token_hash: str, tenant: str = "acme") -> bool:
    return await storage.staff.read_session(tenant, token_hash) is not None


async def test_accounts_are_as_they_were_after_a_restart(installation: Installation) -> None:
    async with installation.open() as server:
        assert await server.staff.list_accounts("acme") == []
        assert [await server.staff.add_account(one) for one in (LEE, KIM, KIM)] == [True, True, False]
        taken = replace(LEE, id="l2", login=KIM.login)
        assert not await server.staff.add_account(taken)
    async with installation.open() as server:
        assert await server.staff.list_accounts("acme") == [KIM, LEE]
        assert await server.staff.find_account("acme", "lee") == LEE
        assert await server.staff.find_account("acme", "LEE") is None


async def test_an_account_belongs_to_one_person_of_a_provider(installation: Installation) -> None:
    one, other = "https://id.example.com", "https://id.example.org"
    async with installation.open() as server:
        staff = server.staff
        assert await staff.find_identity("acme", one, "u-kim") is None
        await staff.add_account(KIM)
        await staff.add_account(LEE)
        assert await staff.bind_identity("acme", one, "u-kim", "k1")
        assert await staff.bind_identity("acme", one, "u-kim", "k1")
        assert not await staff.bind_identity("acme", one, "u-kim", "l1")
        assert not await staff.bind_identity("acme", one, "u-lee", "k1")
        assert await staff.bind_identity("acme", other, "u-kim", "k1")
        assert await staff.bind_identity("bank", one, "u-kim", "b1")
    async with installation.open() as server:
        staff = server.staff
        assert await staff.find_identity("acme", one, "u-kim") == KIM
        assert await staff.find_identity("acme", one, "u-lee") is None
        assert await staff.unbind_identities("acme", "k1") == 2
        assert await staff.unbind_identities("acme", "k1") == 0
        assert await staff.find_identity("acme", one, "u-kim") is None
        assert await staff.bind_identity("acme", one, "u-lee", "k1")


async def test_the_last_admin_stays_one(storage: Storage) -> None:
    async def disable(account: Account) -> None:
        await storage.staff.change_account("acme", account.id, lambda one: replace(one, disabled=True))

    await storage.staff.add_account(KIM)
    await storage.staff.add_account(LEE)
    await disable(LEE)

    with pytest.raises(StaffRefused, match=r"kim@acme\.example is the last account that may manage people"):
        await disable(KIM)
    with pytest.raises(StaffRefused, match="the last account"):
        await storage.staff.change_account("acme", "k1", lambda one: replace(one, roles=frozenset({"agent"})))
    with pytest.raises(StaffRefused, match="no account with the id 'x1'"):
        await disable(replace(KIM, id="x1"))

    assert await storage.staff.list_accounts("acme") == [KIM, replace(LEE, disabled=True)]


async def test_of_two_admins_who_disable_each_other_one_stays(two_servers: tuple[Storage, Storage]) -> None:
    here, there = two_servers
    for _ in range(5):
        await here.staff.add_account(KIM)
        await here.staff.add_account(LEE)
        answers = await asyncio.gather(
            here.staff.change_account("acme", "k1", lambda one: replace(one, disabled=True)),
            there.staff.change_account("acme", "l1", lambda one: replace(one, disabled=True)),
            return_exceptions=True,
        )

        assert [isinstance(one, StaffRefused) for one in answers].count(True) == 1
        for account in ("k1", "l1"):
            await here.staff.change_account("acme", account, lambda one: replace(one, disabled=False))


async def test_a_session_is_found_with_its_account_as_it_is_now(installation: Installation) -> None:
    async with installation.open() as server:
        await server.staff.add_account(KIM)
        await begin(server, SESSION)
    async with installation.open() as server:
        seen_kim = replace(KIM, seen_ms=1_000)
        assert await server.staff.read_session("acme", "t1") == (SESSION, seen_kim)

        await server.staff.touch_session("acme", "t1", 5_000)
        await server.staff.touch_session("acme", "t1", 4_000)  # another server's clock is behind
        await server.staff.change_account("acme", "k1", lambda one: replace(one, name="K"))

        expected = replace(SESSION, used_ms=5_000), replace(KIM, seen_ms=5_000, name="K")
        assert await server.staff.read_session("acme", "t1") == expected
        await server.staff.end_session("acme", "t1")
        assert not await seen(server, "t1")


@pytest.mark.parametrize("change", ["disabled", "password", "enabled"])
async def test_sessions_and_links_end_with_the_account(storage: Storage, change: str) -> None:
    changes = {
        "disabled": replace(KIM, disabled=True),
        "password": replace(KIM, password="$argon2id$new"),
        "enabled": KIM,
    }
    await storage.staff.add_account(LEE)
    await storage.staff.add_account(replace(KIM, disabled=change == "enabled"))
    for token in ("t1", "t2"):
        await begin(storage, replace(SESSION, token_hash=token))
    await begin(storage, replace(SESSION, token_hash="lees", account="l1"))
    await storage.staff.add_link(LINK, 0)

    await storage.staff.change_account("acme", "k1", lambda _: changes[change], "t2")

    assert [await seen(storage, token) for token in ("t1", "t2", "lees")] == [False, True, True]
    assert await storage.staff.use_link("acme", "n1", 1) is None


async def test_other_changes_end_no_session(storage: Storage) -> None:
    await storage.staff.add_account(LEE)
    await storage.staff.add_account(KIM)
    await begin(storage, SESSION)

    await storage.staff.change_account("acme", "k1", lambda one: replace(one, roles=frozenset({"agent"})))

    found = await storage.staff.read_session("acme", "t1")
    assert found is not None
    assert found[1].roles == {"agent"}


async def test_old_sessions_are_deleted_when_one_begins(storage: Storage) -> None:
    await storage.staff.add_account(KIM)
    ages = {"unused": (5_000, 5_000), "long": (1_000, 9_000), "young": (5_000, 9_000)}
    for token, (begun_ms, used_ms) in ages.items():
        await begin(storage, replace(SESSION, token_hash=token, begun_ms=begun_ms, used_ms=used_ms))

    await begin(storage, SESSION, unused_since_ms=5_000, begun_before_ms=1_000)

    assert [await seen(storage, token) for token in (*ages, "t1")] == [False, False, True, True]


async def test_a_link_opens_once_and_in_time(storage: Storage) -> None:
    await storage.staff.add_link(LINK, 0)
    await storage.staff.add_link(replace(LINK, token_hash="late", account="l1"), 0)

    found = await asyncio.gather(*(storage.staff.use_link("acme", "n1", 1) for _ in range(10)))

    assert [one for one in found if one is not None] == [LINK]
    assert await storage.staff.use_link("acme", "late", 9_000) is None


async def test_a_new_link_replaces_the_persons_earlier_one(storage: Storage) -> None:
    operators = [replace(LINK, token_hash=f"o{number}", account="") for number in range(2)]
    for link in (LINK, replace(LINK, token_hash="l1", account="l1"), *operators):
        await storage.staff.add_link(link, 0)

    await storage.staff.add_link(replace(LINK, token_hash="n2"), 0)

    used = [await storage.staff.use_link("acme", token, 1) for token in ("n1", "n2", "l1", "o0", "o1")]
    assert [one is not None for one in used] == [False, True, True, True, True]


async def test_records_are_read_newest_first_in_pages(installation: Installation) -> None:
    async with installation.open() as server:
        assert await server.audit.list_records("acme", before=None, limit=9) == []
        numbers = [await server.audit.add_record(replace(SAW, at_ms=at_ms)) for at_ms in range(5)]
        await server.audit.add_record(replace(SAW, account="l1", action="people.add"))
        ended = replace(SAW, number=numbers[0], outcome="ok", object="c2", customer="ben", detail="more")
        await server.audit.finish_record(ended)
        await server.audit.finish_record(replace(ended, outcome="failed"))  # it has ended already
    async with installation.open() as server:
        records = await server.audit.list_records("acme", before=None, limit=9)
        kims = await server.audit.list_records("acme", before=None, limit=3, account="k1")
        rest = await server.audit.list_records("acme", before=kims[-1].number, limit=3, account="k1")
        added = await server.audit.list_records("acme", before=None, limit=9, action="people.add")

    assert sorted(numbers) == numbers
    assert [one.number for one in records][1:] == numbers[::-1]
    assert [one.at_ms for one in (*kims, *rest)] == [4, 3, 2, 1, 0]
    assert rest[-1] == replace(ended, at_ms=0)
    assert rest[0] == replace(SAW, at_ms=1, number=numbers[1])
    assert [one.account for one in added] == ["l1"]


async def test_nothing_of_an_erased_customer_stays_in_the_records(storage: Storage) -> None:
    await storage.audit.add_record(SAW)
    await storage.audit.add_record(replace(SAW, customer="ben", object="c2"))
    await storage.audit.add_record(replace(SAW, customer="", object="c3"))

    assert [await storage.audit.erase("acme", customer) for customer in ("ana", "", "zoe")] == [1, 0, 0]

    records = await storage.audit.list_records("acme", before=None, limit=9)
    assert [(one.login, one.action, one.customer, one.object, one.detail) for one in records] == [
        ("kim@acme.example", "conversations.read", "", "c3", "the transcript"),
        ("kim@acme.example", "conversations.read", "ben", "c2", "the transcript"),
        ("kim@acme.example", "conversations.read", "", "", ""),
    ]


async def test_old_records_are_deleted(storage: Storage) -> None:
    for at_ms in (1, 2, 3):
        await storage.audit.add_record(replace(SAW, at_ms=at_ms))

    assert await storage.audit.drop_records("acme", 3) == 2
    assert [one.at_ms for one in await storage.audit.list_records("acme", before=None, limit=9)] == [3]


async def test_what_cannot_be_stored_as_it_is_is_recorded_all_the_same(storage: Storage) -> None:
    number = await storage.audit.add_record(replace(SAW, object="a\0b"))
    await storage.audit.finish_record(replace(SAW, number=number, object="a\0b", outcome="refused"))

    assert await storage.audit.list_records("acme", before=None, limit=9, action="a\0") == []
    [record] = await storage.audit.list_records("acme", before=None, limit=9)
    assert record.outcome == "refused"


async def test_no_tenant_sees_or_changes_anothers_accounts(storage: Storage) -> None:
    await storage.staff.add_account(KIM)
    assert await storage.staff.find_account("bank", KIM.login) is None
    assert await storage.staff.list_accounts("bank") == []
    with pytest.raises(StaffRefused):
        await storage.staff.change_account("bank", "k1", lambda one: replace(one, name="X"))

    assert await storage.staff.bind_identity("acme", "https://id", "u1", "k1")
    assert await storage.staff.find_identity("bank", "https://id", "u1") is None
    assert await storage.staff.unbind_identities("bank", "k1") == 0
    assert await storage.staff.bind_identity("bank", "https://id", "u1", "another")

    assert await storage.staff.add_account(BANKS)  # both may have the same login and id
    await storage.staff.change_account("bank", "k1", lambda one: replace(one, name="Y"))

    assert await storage.staff.list_accounts("acme") == [KIM]
    assert await storage.staff.find_identity("acme", "https://id", "u1") == KIM


async def test_no_tenant_uses_or_ends_anothers_sessions_and_links(storage: Storage) -> None:
    await storage.staff.add_account(KIM)
    await storage.staff.add_account(BANKS)
    await storage.staff.add_account(replace(BANKS, id="b2", login="b2"))
    await begin(storage, SESSION)
    await storage.staff.add_link(LINK, 0)

    assert not await seen(storage, "t1", "bank")
    assert await storage.staff.use_link("bank", "n1", 1) is None
    await storage.staff.touch_session("bank", "t1", 9_000)
    await storage.staff.end_session("bank", "t1")
    await begin(storage, replace(SESSION, tenant="bank"), unused_since_ms=2**40, begun_before_ms=2**40)
    await storage.staff.add_link(replace(LINK, tenant="bank", token_hash="n2"), 2**40)
    await storage.staff.change_account("bank", "k1", lambda one: replace(one, disabled=True))

    assert await storage.staff.read_session("acme", "t1") == (SESSION, replace(KIM, seen_ms=1_000))
    assert await storage.staff.use_link("acme", "n1", 1) == LINK


async def test_no_tenant_reads_or_changes_anothers_records(storage: Storage) -> None:
    number = await storage.audit.add_record(SAW)

    assert await storage.audit.list_records("bank", before=None, limit=9) == []
    await storage.audit.finish_record(replace(SAW, tenant="bank", number=number, outcome="failed"))
    assert await storage.audit.erase("bank", "ana") == 0
    assert await storage.audit.drop_records("bank", 2**53) == 0

    assert await storage.audit.list_records("acme", before=None, limit=9) == [replace(SAW, number=number)]

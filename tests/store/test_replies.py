"""Canned replies, in each kind of storage: they survive a restart, and each company has its own."""

from dataclasses import replace

from assistant.staff.canned_replies import MOST_REPLIES, CannedReply
from assistant.store.storage import Storage
from tests.store.conftest import Installation

HELLO = CannedReply(
    tenant="acme",
    id="r1",
    title="Hello",
    text="Hello {name}, I am {agent}.",
    locale="",
    by="Kim",
    changed_ms=1,
)
BYE = replace(HELLO, id="r2", title="Auf Wiedersehen", text="Tschüß „{name}“ \U0001f44b", locale="de")


async def test_replies_survive_a_restart_and_can_be_changed(installation: Installation) -> None:
    async with installation.open() as server:
        assert await server.replies.list_replies("acme") == []
        assert not await server.replies.delete_reply("acme", "r1")
        assert [await server.replies.put_reply(one) for one in (HELLO, BYE)] == [True, True]
    async with installation.open() as server:
        assert await server.replies.list_replies("acme") == [BYE, HELLO]
        changed = replace(HELLO, text="Hi {name}", by="Lee", changed_ms=2)
        assert await server.replies.put_reply(changed)
        assert await server.replies.delete_reply("acme", "r2")
        assert await server.replies.list_replies("acme") == [changed]


async def test_no_tenant_sees_or_changes_the_replies_of_another(storage: Storage) -> None:
    await storage.replies.put_reply(HELLO)

    assert await storage.replies.list_replies("bank") == []
    assert not await storage.replies.delete_reply("bank", "r1")
    assert await storage.replies.put_reply(replace(HELLO, tenant="bank", text="Good day"))
    assert await storage.replies.list_replies("acme") == [HELLO]


async def test_one_reply_too_many_is_not_stored_and_an_old_one_still_changes(storage: Storage) -> None:
    for number in range(MOST_REPLIES):
        assert await storage.replies.put_reply(replace(HELLO, id=f"r{number}"))

    assert not await storage.replies.put_reply(replace(HELLO, id="one more"))
    assert await storage.replies.put_reply(replace(HELLO, id="r7", title="Changed"))
    assert len(await storage.replies.list_replies("acme")) == MOST_REPLIES

"""Lists of conversations for staff, in each storage: newest first, page by page, one by its id."""

from collections.abc import Sequence

import pytest

from assistant.conversation.codec import kind_named
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CustomerMessage, Entry, Handoff, Logged
from assistant.conversation.staff_entries import ConversationClosed
from assistant.store.storage import Storage

KINDS = [kind_named(CustomerMessage), kind_named(Handoff)]


async def _add(storage: Storage, number: int, *more: Entry, tenant: str = "shop") -> ConversationKey:
    key = ConversationKey(tenant=tenant, customer=f"c{number % 3}", conversation=f"k{number}")
    said = CustomerMessage(message_id="u1", client_message_id="a", text=f"Question {number}")
    entries = [Logged(seq, 1_000 * (number // 2), "", one, 0) for seq, one in enumerate((said, *more), 1)]
    await storage.log.append(key, entries)
    return key


def _names(found: Sequence[object]) -> list[str]:
    return [str(getattr(one, "key").conversation) for one in found]  # noqa: B009


async def test_a_list_is_read_page_by_page_without_gaps(storage: Storage) -> None:
    for number in range(7):  # two begin in each second
        await _add(storage, number)
    await _add(storage, 8, tenant="other")

    pages: list[str] = []
    before = None
    while page := await storage.conversations.newest("shop", KINDS, 2, before=before):
        pages += _names(page)
        before = (page[-1].opened_ms, page[-1].key.conversation)

    assert pages == ["k6", "k5", "k4", "k3", "k2", "k1", "k0"]
    assert _names(await storage.conversations.newest("shop", KINDS, 9, customer="c1")) == ["k4", "k1"]
    assert await storage.conversations.count("shop") == 7


async def test_a_list_brings_only_the_entries_that_are_asked_for(storage: Storage) -> None:
    closed = ConversationClosed(account="a1", name="Kim")
    handoff = Handoff(handoff_id="h1", state="queued", why="a person")
    await _add(storage, 1, closed, handoff)

    [one] = await storage.conversations.newest("shop", KINDS, 9)

    assert [(logged.seq, type(logged.entry)) for logged in one.entries] == [
        (1, CustomerMessage),
        (3, Handoff),
    ]


async def test_waiting_and_closed_conversations_are_found_among_many(storage: Storage) -> None:
    for number in range(6):
        await _add(storage, number)
    await _add(storage, 6, Handoff(handoff_id="h1", state="queued"))
    await _add(storage, 7, Handoff(handoff_id="h2", state="queued"), Handoff(handoff_id="h2", state="ended"))
    await _add(storage, 8, ConversationClosed(account="a1", name="Kim"))

    waiting = await storage.conversations.newest("shop", KINDS, 9, only="handoff")
    closed = await storage.conversations.newest("shop", KINDS, 9, only="closed")

    assert (_names(waiting), _names(closed)) == (["k6"], ["k8"])
    assert await storage.conversations.count("shop", "closed") == 1


@pytest.mark.parametrize(
    ("tenant", "name", "found"), [("shop", "k1", True), ("other", "k1", False), ("shop", "k9", False)]
)
async def test_a_conversation_is_found_by_its_id(
    storage: Storage, tenant: str, name: str, found: bool
) -> None:
    key = await _add(storage, 1)

    assert await storage.conversations.find(tenant, name) == (key if found else None)

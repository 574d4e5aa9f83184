"""The index of conversations finds them, in each kind of storage, and forgets what is erased."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.inspector.conversation_index import ListedOutcome, Position, Search
from assistant.inspector.indexing import ConversationIndexer, form_of, indexed
from assistant.inspector.words import words_of
from assistant.store.storage import Storage
from assistant.testing.virtual_time import VirtualClock
from tests.store.conftest import Installation
from tests.support.logged_visits import DAY, MINUTE, LoggedVisits, empty, failed, ok

IDLE_MS = 30 * MINUTE
NOW_MS = 100 * DAY


def key(conversation: str, customer: str = "ana", tenant: str = "acme") -> ConversationKey:
    return ConversationKey(tenant=tenant, customer=customer, conversation=conversation)


async def write(storage: Storage, at: ConversationKey, said: LoggedVisits, after: int = 0) -> None:
    await storage.log.append(at, said.entries[after:])


def indexer(storage: Storage, tenant: str = "acme") -> ConversationIndexer:
    return ConversationIndexer(tenant, storage.log, storage.index, VirtualClock(), IDLE_MS)


async def found(storage: Storage, tenant: str = "acme", /, **search: object) -> list[str]:
    asked = replace(Search(idle_before_ms=NOW_MS - IDLE_MS), **search)  # pyright: ignore[reportArgumentType]
    return [one.key.conversation for one in await storage.index.find(tenant, asked)]


async def test_conversations_are_found_by_what_was_said(storage: Storage) -> None:
    await write(
        storage, key("k1"), LoggedVisits(1000).asks("Wo ist meine Größe 42?", answer="Order 10482 is.")
    )
    await write(
        storage,
        key("k2", "ben"),
        LoggedVisits(2000).asks("Cancel order 10482").identified("c7", "Ben Ó Roth"),
    )
    await indexer(storage).catch_up()

    for asked, expected in [
        ("10482", ["k2", "k1"]),
        ("groß", ["k1"]),
        ("GROSSE 10482", ["k1"]),
        ("order canc", ["k2"]),
        ("482", []),  # the beginning of a word, not a part of it
        ("order nothing", []),
        ("roth", ["k2"]),
        ("k1", ["k1"]),
    ]:
        assert await found(storage, words=tuple(words_of(asked))) == expected, asked
    for asked, expected in [
        ("ana", ["k1"]),
        ("c7", ["k2"]),
        ("o ro", ["k2"]),
        ("ben", ["k2"]),
        ("order", []),
    ]:
        assert await found(storage, who=tuple(words_of(asked))) == expected, asked


async def test_conversations_are_found_by_what_happened(storage: Storage) -> None:
    await write(
        storage, key("k1"), LoggedVisits(1 * DAY).asks("One", failed("billing"), ok("orders")).rates("down")
    )
    await write(
        storage, key("k2"), LoggedVisits(2 * DAY).asks("Two", empty("billing"), cost_usd=0.5).rates("up")
    )
    await write(storage, key("k3"), LoggedVisits(3 * DAY).asks("Three").hands_over("requested", "accepted"))
    await write(storage, key("k4"), LoggedVisits(4 * DAY).asks("Four", question=True, cost_usd=None))
    await indexer(storage).catch_up()

    searches: list[tuple[dict[str, object], list[str]]] = [
        ({}, ["k4", "k3", "k2", "k1"]),
        ({"marks": ("tool:billing",)}, ["k2", "k1"]),
        ({"marks": ("tool:billing:failed",)}, ["k1"]),
        ({"marks": ("tool:orders", "rating:down")}, ["k1"]),
        ({"marks": ("call:failed",)}, ["k1"]),
        ({"marks": ("rating:up",)}, ["k2"]),
        ({"marks": ("language:en", "version:b")}, ["k4", "k3", "k2", "k1"]),
        ({"marks": ("version:a",)}, []),
        ({"outcome": "handed_over"}, ["k3"]),
        ({"outcome": "abandoned"}, ["k4"]),
        ({"outcome": "confirmed"}, ["k2"]),
        ({"outcome": "unresolved"}, ["k1"]),
        ({"since_ms": 3 * DAY}, ["k4", "k3"]),
        ({"until_ms": 2 * DAY}, ["k1"]),
        ({"cost_from": 0.1}, ["k2"]),
        ({"cost_to": 0.1}, ["k3", "k1"]),
        ({"marks": ("tool:billing",), "words": ("two",), "cost_from": 0.1}, ["k2"]),
    ]
    for search, expected in searches:
        assert await found(storage, "acme", **search) == expected, search


@pytest.mark.parametrize(("ago_ms", "outcome"), [(IDLE_MS - 1, "running"), (IDLE_MS + MINUTE, "answered")])
async def test_a_conversation_runs_until_it_was_idle(
    storage: Storage, ago_ms: int, outcome: ListedOutcome
) -> None:
    said = LoggedVisits(NOW_MS - ago_ms - 1510).asks("One")
    await write(storage, key("k1"), said)
    await indexer(storage).catch_up()

    search = Search(idle_before_ms=NOW_MS - IDLE_MS, outcome=outcome)
    assert [one.outcome for one in await storage.index.find("acme", search)] == [outcome]
    other: ListedOutcome = "answered" if outcome == "running" else "running"
    assert await storage.index.find("acme", replace(search, outcome=other)) == []


async def test_the_list_goes_on_where_it_ended(storage: Storage) -> None:
    for number in range(7):  # several at the same time
        await write(storage, key(f"k{number}"), LoggedVisits(1000 * (number // 3)).asks("One"))
    await indexer(storage).catch_up()

    pages, after = list[list[str]](), None
    while page := await storage.index.find("acme", Search(), after=after, limit=3):
        pages.append([one.key.conversation for one in page])
        after = Position(page[-1].last_ms, page[-1].key.conversation)
    assert pages == [["k6", "k5", "k4"], ["k3", "k2", "k1"], ["k0"]]


async def test_a_row_is_made_again_when_the_conversation_goes_on(storage: Storage) -> None:
    said = LoggedVisits(1000).asks("One")
    await write(storage, key("k1"), said)
    await indexer(storage).catch_up()
    assert await storage.index.outdated("acme", form_of(IDLE_MS), 9) == []
    assert await storage.index.outdated("acme", "another form", 9) == [key("k1")]

    before = len(said.entries)
    await write(storage, key("k1"), said.rates("down"), after=before)
    assert await storage.index.outdated("acme", form_of(IDLE_MS), 9) == [key("k1")]
    await indexer(storage).catch_up()
    assert await found(storage, marks=("rating:down",)) == ["k1"]


async def test_many_older_conversations_are_indexed(installation: Installation) -> None:
    async with installation.open() as before:
        for number in range(50):
            await write(before, key(f"k{number:02}"), LoggedVisits(number).asks("One"))
    async with installation.open() as storage:
        await indexer(storage).catch_up()
        assert len(await storage.index.find("acme", Search(words=("one",)), limit=99)) == 50


async def test_a_tenant_sees_its_own_conversations(storage: Storage) -> None:
    await write(storage, key("k1"), LoggedVisits(1000).asks("One"))
    await write(storage, key("k2", tenant="bank"), LoggedVisits(1000).asks("One"))
    await indexer(storage).catch_up()
    await indexer(storage, "bank").catch_up()

    assert await found(storage, words=("one",)) == ["k1"]
    assert await found(storage, "bank", words=("one",)) == ["k2"]
    assert await storage.index.locate("acme", "k1") == key("k1")
    assert await storage.index.locate("acme", "k2") is None


async def test_an_erased_customer_is_not_found_any_more(storage: Storage) -> None:
    await write(storage, key("k1"), LoggedVisits(1000).asks("A secret wish"))
    await write(storage, key("k2", "ben"), LoggedVisits(1000).asks("A secret wish"))
    await indexer(storage).catch_up()

    await storage.log.erase("acme", "ana")
    assert await found(storage, words=("secret",)) == ["k2"]
    await storage.log.forget(DAY)
    assert await found(storage, words=("secret",)) == []
    assert await found(storage) == []


async def test_a_row_made_before_an_erasure_is_not_stored(storage: Storage) -> None:
    said = LoggedVisits(1000).asks("A secret wish")
    await write(storage, key("k1"), said)
    row = indexed(key("k1"), said.entries, erasures=0, idle_ms=IDLE_MS)
    await storage.log.erase("acme", "ana")
    await storage.index.put([row])
    await write(storage, key("k1"), LoggedVisits(9000).asks("Something longer").asks("Else"))
    await storage.index.put([row])

    assert await found(storage) == []


async def test_no_words_stay_in_the_file_of_an_erased_customer(sqlite_installation: Installation) -> None:
    folder: Path = sqlite_installation.settings.data_dir
    async with sqlite_installation.open() as storage:
        for number in range(30):
            await write(storage, key(f"k{number}"), LoggedVisits(number).asks(f"zanzibar{number}"))
        await write(storage, key("other", "ben"), LoggedVisits(1).asks("quokka"))
        await indexer(storage).catch_up()
        assert b"quokka" in _bytes_of(folder)
        assert b"zanzibar" in _bytes_of(folder)

        await storage.log.erase("acme", "ana")

        assert b"zanzibar" not in _bytes_of(folder)
        assert await found(storage, words=("quokka",)) == ["other"]


def _bytes_of(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir() if file.name.startswith("log"))


async def test_strange_searches_find_nothing(storage: Storage) -> None:
    await write(storage, key("k1"), LoggedVisits(1000).asks('a "quote" \0'))
    await indexer(storage).catch_up()

    strange: Sequence[str] = ('" OR "', "\ud83d", "\0", "* AND", "a' | 'b", "-")
    for asked in strange:
        assert await found(storage, marks=(asked,)) == [], asked
        assert await storage.index.locate("acme", asked) is None
        assert await found(storage, words=(*words_of(asked), "nowhere")) == [], asked
    assert await found(storage, words=("quote",)) == ["k1"]

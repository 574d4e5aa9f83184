"""Staff find conversations and read them; each look is recorded with the customer whose data it is."""

from typing import Any

from assistant.conversation.customer import ConversationKey
from assistant.inspector.indexing import ConversationIndexer
from tests.server.console.browser import IDLE_MS, Browser, Office
from tests.support.logged_visits import MINUTE, LoggedVisits, failed, ok


async def talked(
    office: Office, name: str, said: LoggedVisits, customer: str = "ana-7", tenant: str = "demo"
) -> None:
    """A conversation took place and is indexed."""
    await office.log.append(
        ConversationKey(tenant=tenant, customer=customer, conversation=name), said.entries
    )
    console = office.server.context.console
    assert console is not None
    await ConversationIndexer(
        tenant, office.log, console.conversations.index, office.clock, IDLE_MS
    ).catch_up()


async def found(browser: Browser, query: str = "") -> list[str]:
    answer = await browser.asks("GET", f"conversations{query}")
    assert answer.status == 200, answer.body
    return [one["id"] for one in answer.body["conversations"]]


async def test_an_agent_finds_a_conversation_and_reads_it(office: Office) -> None:
    said = (
        LoggedVisits(5 * MINUTE)
        .identified("c7", "Ana Lind")
        .asks("What do I owe?", failed("billing"))
        .rates("down")
    )
    await talked(office, "k1", said)
    kim = await office.sits_down("kim")

    [row] = (await kim.asks("GET", "conversations?q=owe&call=failed")).body["conversations"]
    read = (await kim.asks("GET", "conversations/k1")).body

    assert (row["id"], row["customer"], row["name"], row["request"]) == (
        "k1",
        "c7",
        "Ana Lind",
        "What do I owe?",
    )
    assert (row["rating"], row["failed"], row["turns"], row["cost_usd"]) == ("down", ["billing"], 1, 0.01)
    [section] = read["sections"]
    assert [item["kind"] for item in section["items"]] == ["customer", "tools", "assistant", "assistant"]
    assert section["turn"]["calls"][0]["outcome"] == "failed"
    assert (await office.recorded())[1:] == [
        "kim conversations.search (q: owe; call: failed): ok",
        "kim conversations.read k1: ok",
    ]
    [newest, *_] = await office.audit.list_records("demo", before=None, limit=1)
    assert (newest.kind, newest.customer) == ("conversation", "ana-7")


async def test_each_filter_finds_what_fits(office: Office) -> None:
    now = office.clock.now_ms()
    await talked(
        office, "old", LoggedVisits(now - 90 * MINUTE).asks("One", ok("billing"), cost_usd=0.5).rates("up")
    )
    await talked(
        office, "new", LoggedVisits(now - MINUTE).asks("Two").hands_over("requested", "accepted"), "ben"
    )
    lee = await office.sits_down("lee")

    for query, expected in [
        ("", ["new", "old"]),
        ("?q=ONE", ["old"]),
        ("?customer=ben", ["new"]),
        ("?tool=billing", ["old"]),
        ("?tool=billing&call=failed", []),
        ("?tool=billing&call=ok", ["old"]),
        ("?outcome=confirmed", ["old"]),
        ("?outcome=handed_over", ["new"]),
        ("?rating=up", ["old"]),
        ("?language=en&version=b", ["new", "old"]),
        ("?version=c", []),
        (f"?since={now - 60 * MINUTE}", ["new"]),
        (f"?until={now - 60 * MINUTE}", ["old"]),
        ("?cost_from=0.4", ["old"]),
        ("?cost_to=0.4", ["new"]),
    ]:
        assert await found(lee, query) == expected, query


async def test_pages_go_on_without_gaps(office: Office) -> None:
    for number in range(101):
        await talked(office, f"k{number:03}", LoggedVisits(1000 * number).asks("One"))
    kim, seen, after = await office.sits_down("kim"), list[str](), ""
    while True:
        page: Any = (await kim.asks("GET", f"conversations?after={after}")).body
        seen += [one["id"] for one in page["conversations"]]
        after = page["after"]
        if after is None:
            break

    assert seen == [f"k{number:03}" for number in reversed(range(101))]


async def test_what_is_not_there_is_said(office: Office) -> None:
    await talked(office, "k1", LoggedVisits(1000).asks("One"), tenant="bank")
    kim = await office.sits_down("kim")

    for path, status, code in [
        ("conversations/k1", 404, "unknown_conversation"),
        ("conversations/%00", 404, "unknown_conversation"),
        ("conversations?outcome=great", 422, "invalid"),
        ("conversations?since=yesterday", 422, "invalid"),
        ("conversations?after=k1", 422, "invalid"),
        ("conversations?cost_from=-1", 422, "invalid"),
    ]:
        answer = await kim.asks("GET", path)
        assert (answer.status, answer.code) == (status, code), path
    assert await found(kim) == []


async def test_strange_characters_are_shown_as_they_are(office: Office) -> None:
    await talked(office, "k1", LoggedVisits(1000).asks("One", answer='a "quote" \0 </script>'))
    kim = await office.sits_down("kim")

    [section] = (await kim.asks("GET", "conversations/k1")).body["sections"]
    assert section["items"][-1]["text"] == 'a "quote" \0 </script>'


async def test_who_may_not_read_conversations_does_not(office: Office) -> None:
    await talked(office, "k1", LoggedVisits(1000).asks("One"))
    await office.hires("eve")
    eve = await office.sits_down("eve")

    for path in ("conversations", "conversations/k1"):
        assert (await eve.asks("GET", path)).status == 403
    assert (await office.recorded())[1:] == [
        "eve conversations.search: refused",
        "eve conversations.read k1: refused",
    ]

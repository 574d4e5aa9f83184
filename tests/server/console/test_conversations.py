"""Staff find conversations and read them; each look is recorded with the customer whose data it is."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.inspector.forked import ChangedOutcome, Fork
from assistant.inspector.indexing import ConversationIndexer
from tests.server.console.browser import IDLE_MS, Browser, FakeInspector, Office, open_office
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


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncGenerator[Office, None]:
    """A conversation of two turns. Lee is analyst, Kim is agent."""
    async with open_office(tmp_path) as office:
        await office.hires("kim", "agent")
        await office.hires("lee", "analyst")
        await talked(office, "k1", LoggedVisits(1000).asks("One", ok("billing")).asks("Two"))
        yield office


async def test_a_request_is_shown_with_its_reply(shop: Office) -> None:
    lee = await shop.sits_down("lee")
    sections = (await lee.asks("GET", "conversations/k1")).body["sections"]
    [first, second] = [one["turn"]["requests"] for one in sections]

    shown = (await lee.asks("GET", f"conversations/k1/requests/{first[0]['seq']}")).body
    failed_ = (await lee.asks("GET", f"conversations/k1/requests/{second[0]['seq']}")).body

    assert shown["rebuilt"]["sections"] == [{"name": "instructions", "text": "You are Willow.", "tokens": 4}]
    assert [(piece["kind"], piece["at_ms"]) for piece in shown["reply"]] == [("end", 9)]
    assert (failed_["rebuilt"], failed_["problem"]) == (None, "the prompts have a mistake")
    assert (await lee.asks("GET", "conversations/k1/requests/1")).code == "unknown_request"
    assert (await lee.asks("GET", "conversations/k9/requests/1")).code == "unknown_conversation"
    assert f"lee conversations.request k1 (entry {first[0]['seq']}): ok" in await shop.recorded()


async def test_an_agent_does_not_see_prompts(shop: Office) -> None:
    kim = await shop.sits_down("kim")

    answer = await kim.asks("GET", "conversations/k1/requests/3")

    assert (answer.status, answer.code) == (403, "not_allowed")
    assert "Willow" not in str(answer.body)
    assert (await shop.recorded())[-1] == "kim conversations.request k1: refused"


async def test_a_receipt_is_a_file(shop: Office) -> None:
    kim = await shop.sits_down("kim")

    receipt = await kim.asks("GET", "conversations/k1/receipts/t1/c1.1")

    assert receipt.body == {"receipt": 1}
    assert receipt.headers["Content-Disposition"] == 'attachment; filename="k1-t1-c1.1.receipt.json"'
    assert (await kim.asks("GET", "conversations/k1/receipts/t9/c1.1")).code == "unknown_call"
    assert "kim conversations.receipt k1 (t1/c1.1): ok" in await shop.recorded()


async def test_a_conversation_is_copied_as_a_test(shop: Office) -> None:
    await talked(shop, "k2", LoggedVisits(2000).asks("One"))
    lee = await shop.sits_down("lee")

    copied = (await lee.asks("POST", "conversations/k1/test")).body

    assert (copied["passes"], copied["masked"]) == (True, 2)
    assert copied["text"].startswith("# ")
    answer = await lee.asks("POST", "conversations/k2/test")
    assert (answer.status, answer.code) == (409, "no_test")
    assert (await shop.recorded())[1:] == [
        "lee conversations.copy_as_test k1: ok",
        "lee conversations.copy_as_test k2: refused",
    ]


async def test_a_conversation_is_replayed_beside_itself(shop: Office) -> None:
    kim = await shop.sits_down("kim")

    replayed = (await kim.asks("POST", "conversations/k1/replay")).body

    assert [(one["turn_id"], one["changes"]) for one in replayed["turns"]] == [("t1", []), ("t2", [])]
    [section] = replayed["turns"][0]["now"]
    assert section["turn"]["calls"][0]["tool"] == "billing"
    assert (await shop.recorded())[1:] == ["kim conversations.replay k1: ok"]


async def test_a_turn_is_tried_with_other_outcomes(shop: Office) -> None:
    lee = await shop.sits_down("lee")
    calls = [
        {"call": "c1.1", "outcome": "failed", "say": "billing is away."},
        {"call": "c1.2", "outcome": "value", "value": '[{"total": 3}]'},
    ]

    asked = (await lee.asks("GET", "conversations/k1/what-if")).body
    tried = await lee.asks("POST", "conversations/k1/what-if", {"turn": "t1", "calls": calls})

    assert asked == {"models": ["anthropic/claude"], "embedded": False}
    assert (tried.status, tried.body["cost_usd"], tried.body["turn"]["turn_id"]) == (200, 0.012, "t1")
    console = shop.server.context.console
    assert console is not None
    assert isinstance(inspector := console.conversations.inspector, FakeInspector)
    assert inspector.forks == [
        Fork(
            turn_id="t1",
            outcomes={
                "c1.1": ChangedOutcome(outcome="failed", say="billing is away"),
                "c1.2": ChangedOutcome(outcome="value", value=[{"total": 3}]),
            },
        )
    ]
    assert (await shop.recorded())[1:] == [
        "lee conversations.what_if k1 (t1: c1.1 failed; c1.2 value; anthropic/claude, $0.0120): ok"
    ]


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        ({"turn": "t1"}, 422, "change the outcome of a call, or write a message"),
        ({"turn": "t1", "message": "  "}, 422, "change the outcome of a call, or write a message"),
        (
            {"turn": "t1", "message": "Hi", "calls": [{"call": "c1.1", "outcome": "empty"}]},
            422,
            "change either the message or the calls",
        ),
        ({"turn": "t1", "calls": [{"call": "c1.1", "outcome": "failed"}]}, 422, "write why it failed"),
        (
            {"turn": "t1", "calls": [{"call": "c1.1", "outcome": "value", "value": "{total"}]},
            422,
            "the result of c1.1 is not JSON: Expecting property name",
        ),
        (
            {"turn": "t1", "calls": [{"call": "c1.1", "outcome": "value", "value": "[" * 20_000}]},
            422,
            "it is nested too deeply",
        ),
        ({"turn": "t9", "message": "Hi"}, 409, "no message of the customer began a turn 't9'"),
    ],
)
async def test_a_trial_that_cannot_be_made_says_why(
    shop: Office, body: dict[str, object], status: int, told: str
) -> None:
    lee = await shop.sits_down("lee")

    answer = await lee.asks("POST", "conversations/k1/what-if", body)

    assert answer.status == status
    assert told in answer.body["error"]["message"]


async def test_an_agent_makes_no_trials(shop: Office) -> None:
    kim = await shop.sits_down("kim")

    assert (await kim.asks("GET", "conversations/k1/what-if")).status == 403
    answer = await kim.asks("POST", "conversations/k1/what-if", {"turn": "t1", "message": "Hi"})

    assert (answer.status, answer.code) == (403, "not_allowed")
    assert (await shop.recorded())[-1] == "kim conversations.what_if k1: refused"

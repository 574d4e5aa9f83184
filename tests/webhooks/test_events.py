"""What another program gets about conversations, and that it gets each event, also after a crash."""

from dataclasses import replace
from datetime import date

from assistant.conversation.entries import Rated
from assistant.conversation.usage import SpendingLimit, SpendingLimits, Spent, SpentToday
from assistant.prompts.book import shipped_book
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import KEY, Chat, deps_for, open_chat
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.testing.script import Line, calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from assistant.turn.spending import Spending
from tests.support.memory_deliveries import MemoryDeliveries
from tests.webhooks.conftest import IDLE_S, FakeCrm, Server, Start


class NoDays:
    """Budgets of days are not used here."""

    async def spent(self, tenant: str, customer: str, day: date) -> SpentToday:
        raise AssertionError(day)

    async def add(self, tenant: str, customer: str, day: date, more: Spent) -> SpentToday:
        raise AssertionError(day)

    async def erase(self, tenant: str, customer: str) -> int:
        raise AssertionError(customer)


LINES = (calls("get_open_invoices"), says("You owe $150."))


async def opens(server: Server, *lines: Line, budget: str = "") -> Chat:
    """Ana's conversation in this process, from where the log is. ``budget`` limits what a conversation spends."""
    model = ScriptedModel(*lines, clock=server.clock)
    tool = FakeTool(
        fake_spec("get_open_invoices", "checking your billing", "check your billing"),
        Gives(["150"]),
        clock=server.clock,
    )
    deps = deps_for(model, [tool], shipped_book(), server.clock)
    if budget:
        limits = SpendingLimits(by_scope={"conversation": SpendingLimit.parse(budget)})
        deps = replace(deps, spending=Spending(limits, NoDays(), server.clock))
    chat = open_chat(deps, server.log, await server.log.read(KEY))
    chat._said = len(chat.session.state.said)
    return chat


async def test_a_conversation_is_reported_from_its_start_to_its_end(crm: FakeCrm, start: Start) -> None:
    server = start()
    ana = await opens(server, *LINES)

    await ana.says("What do I owe?")
    await server.settled()
    await ana.session.record(Rated(message_id="t1/m2", rating="up", text="great"), durable=True)
    await server.settled()
    before = crm.events
    await server.clock.sleep(IDLE_S)

    assert before == ["conversation.started", "turn.ended", "message.rated"]
    assert crm.events == [*before, "conversation.ended"]
    started, turn, rated, ended = crm.taken
    assert started["event_id"] == f"c-1/1/{started['at']}/started"
    assert (turn["turn_id"], turn["how"], turn["customer_text"]) == ("t1", "answered", None)
    assert [tool["tool"] for tool in turn["tools"]] == ["get_open_invoices"]
    assert turn["first_words_ms"] is not None
    assert (rated["rating"], rated["comment"]) == ("up", None)
    assert (ended["turns"], ended["rating"], ended["at"]) == (1, "up", turn["at"])
    assert {event["customer_id"] for event in crm.taken} == {"ana"}


async def test_a_message_without_a_model_request_is_reported(crm: FakeCrm, start: Start) -> None:
    server = start(wanted=("budget.reached",))
    ana = await opens(server, *LINES, budget="1 tokens")

    await ana.says("What do I owe?")
    await server.settled()
    assert crm.events == []  # a budget is exceeded by one request at most
    await ana.says("And when is it due?")
    await server.settled()

    (reached,) = crm.taken
    assert (reached["budget"], reached["turn_id"]) == ("conversation_budget", "t2")


async def test_texts_of_messages_are_sent_only_if_a_setting_says_so(crm: FakeCrm, start: Start) -> None:
    server = start(texts=True)
    ana = await opens(server, *LINES)

    await ana.says("What do I owe?")
    await server.settled()

    assert (crm.taken[1]["customer_text"], crm.taken[1]["answer_text"]) == ("What do I owe?", "You owe $150.")


async def test_only_the_wanted_events_are_sent(crm: FakeCrm, start: Start) -> None:
    server = start(wanted=("turn.ended",))
    ana = await opens(server, *LINES)

    await ana.says("What do I owe?")
    await server.clock.sleep(2 * IDLE_S)

    assert crm.events == ["turn.ended"]


async def test_a_customer_who_returns_starts_the_conversation_again(crm: FakeCrm, start: Start) -> None:
    server = start()
    ana = await opens(server, *LINES, says("You're welcome."))
    await ana.says("What do I owe?")
    await server.clock.sleep(3 * IDLE_S)

    await ana.says("Thanks")
    await server.clock.sleep(2 * IDLE_S)

    assert crm.events == ["conversation.started", "turn.ended", "conversation.ended"] * 2
    assert [event["resumed"] for event in crm.taken if event["event"] == "conversation.started"] == [
        False,
        True,
    ]
    assert len(crm.by_id) == len(crm.taken)


async def test_the_end_comes_before_the_new_start_even_without_a_check_between(
    crm: FakeCrm, start: Start
) -> None:
    crm.answers = [503]
    first = start()
    ana = await opens(first, *LINES)
    await ana.says("What do I owe?")
    await first.stop()
    await first.clock.sleep(2 * IDLE_S)

    crm.answers = [200]
    second = start()
    ana = await opens(second, says("You're welcome."))
    await ana.says("Thanks")
    await second.clock.sleep(600)

    assert crm.events == [
        "conversation.started", "turn.ended", "conversation.ended", "conversation.started", "turn.ended",
    ]  # fmt: skip


async def test_a_crash_after_any_entry_loses_no_event_and_changes_no_id(
    crm: FakeCrm, start: Start, stored: MemoryLog, positions: MemoryDeliveries
) -> None:
    whole = start()
    ana = await opens(whole, *LINES)
    await ana.says("What do I owe?")
    await whole.clock.sleep(2 * IDLE_S)
    await whole.stop()
    entries = await stored.read(KEY)
    expected = {event_id: event["event"] for event_id, event in crm.by_id.items()}
    assert len(expected) == 3

    for most in range(1, len(entries) + 1):
        crm.taken.clear()
        positions.kept.clear()
        positions.rested.clear()
        stored._kept.clear()
        # The first process stored these entries. It died before it could queue anything.
        await positions.begin(["crm"], KEY, 0)
        await stored.append(KEY, entries[:most])
        second = start()
        if most < len(entries):
            await stored.append(KEY, entries[most:])  # what continuing the turn adds
        await second.clock.sleep(IDLE_S + 100)
        await second.stop()

        assert {event_id: event["event"] for event_id, event in crm.by_id.items()} == expected, most


async def test_the_position_is_stored_before_the_entry(
    crm: FakeCrm, start: Start, stored: MemoryLog, positions: MemoryDeliveries
) -> None:
    dies = start(most=0)
    ana = await opens(dies, *LINES)

    await ana.begins("What do I owe?")
    await dies.clock.sleep(5)

    assert await positions.all("crm") == [KEY]
    assert await stored.read(KEY) == []


async def test_a_check_between_the_position_and_the_entry_loses_nothing(
    crm: FakeCrm, start: Start, positions: MemoryDeliveries
) -> None:
    server = start()
    await positions.begin(["crm"], KEY, 0)
    await server.delivery.queue(KEY)
    await server.settled()

    ana = await opens(server, *LINES)
    await ana.says("What do I owe?")
    await server.settled()

    assert crm.events == ["conversation.started", "turn.ended"]


async def test_a_receiver_that_is_away_delays_no_turn_and_gets_all_later(
    crm: FakeCrm, start: Start, positions: MemoryDeliveries
) -> None:
    crm.answers = [503]
    server = start()
    ana = await opens(server, *LINES)

    scene = await ana.says("What do I owe?")
    await server.clock.sleep(300)
    tried = crm.refused
    crm.answers = [200]
    await server.clock.sleep(250)

    assert "You owe $150." in scene
    assert tried > 3
    assert crm.events == ["conversation.started", "turn.ended"]
    assert {one.problem for one in positions.tries if one.status == 503} == {
        "webhook 1 answered with status 503"
    }
    assert [one.status for one in await positions.attempts("shop", 2)] == [200, 200]


async def test_a_redirect_is_not_followed(crm: FakeCrm, start: Start, positions: MemoryDeliveries) -> None:
    crm.answers, crm.headers = [302], {"Location": crm.url}
    server = start()
    ana = await opens(server, *LINES)

    await ana.says("What do I owe?")
    await server.clock.sleep(10)

    assert crm.taken == []
    assert {one.status for one in positions.tries} == {302}


async def test_an_event_that_the_receiver_refuses_blocks_nothing(
    crm: FakeCrm, start: Start, positions: MemoryDeliveries
) -> None:
    crm.answers = [422, 200]
    server = start()
    ana = await opens(server, *LINES)

    await ana.says("What do I owe?")
    await server.settled()

    assert crm.events == ["turn.ended"]
    assert positions.tries[0].problem == "the receiver says that the event is invalid"


async def test_after_an_erasure_nothing_more_is_sent(
    crm: FakeCrm, start: Start, positions: MemoryDeliveries
) -> None:
    crm.answers = [503]
    server = start()
    ana = await opens(server, *LINES)
    await ana.says("What do I owe?")
    await server.clock.sleep(5)

    await server.delivery.erase("shop", "ana")
    crm.answers = [200]
    await server.clock.sleep(2 * IDLE_S)

    assert (crm.taken, positions.kept, positions.tries) == ([], {}, [])


async def test_conversations_before_the_webhook_was_set_are_not_reported(
    crm: FakeCrm, start: Start, stored: MemoryLog, clock: VirtualClock
) -> None:
    unwatched = start()
    unwatched.log = stored
    ana = await opens(unwatched, *LINES)
    await ana.says("What do I owe?")
    await clock.sleep(60)

    server = start()
    ana = await opens(server, says("You're welcome."))
    await ana.says("Thanks")
    await server.settled()

    assert [(event["event"], event.get("turn_id")) for event in crm.taken] == [("turn.ended", "t2")]

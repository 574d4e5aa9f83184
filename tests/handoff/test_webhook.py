"""A webhook backend receives each event once and in order, whatever happens to the connection."""

from collections.abc import Callable

import pytest

from assistant.conversation.documents import Attached
from assistant.conversation.entries import Handoff
from assistant.policies.escalation import Escalation, EscalationRule
from assistant.prompts.word_list import WordList
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import KEY, Chat
from assistant.testing.counted_ids import CountedIds
from assistant.testing.script import calls, says
from tests.handoff.conftest import FakeHelpdesk, Line
from tests.support.handoff_scenario import WAIT_S, HandoffScenario
from tests.support.memory_deliveries import MemoryDeliveries

ASKED = (calls(("talk_to_a_person", {"reason": "a complaint"})), says("I've asked."))

Lines = Callable[[], Line]


def scenario_with(line: Line, log: MemoryLog) -> HandoffScenario:
    return HandoffScenario(log=log, other_backend=line.backend)


async def taken_over(line: Line, log: MemoryLog) -> tuple[HandoffScenario, Chat]:
    """Ana has asked for a person; Sam is with her, and the desk has heard of it."""
    scenario = scenario_with(line, log)
    ana = await scenario.opens(*ASKED)
    await ana.says("A person please")
    await scenario.handoff.accept("Sam")
    await line.settled()
    return scenario, ana


async def test_the_backend_receives_every_event_in_order(
    server: FakeHelpdesk, line: Lines, log: MemoryLog
) -> None:
    one = line()
    scenario = scenario_with(one, log)
    ana = await scenario.opens(*ASKED)

    await ana.says("A person please")
    await scenario.handoff.accept("Sam")
    await ana.says("My parcel is broken")
    await ana.says("And my glasses")
    await scenario.handoff.end_handoff()
    await one.settled()

    assert server.events == [
        "handoff.requested",
        "handoff.accepted",
        "message.created",
        "message.created",
        "handoff.ended",
    ]
    asked, accepted, said = server.taken[:3]
    asking = next(one for one in ana.session.entries if isinstance(one.entry, Handoff))
    handoff_id = f"h-{CountedIds('n0').secret()}"
    assert asked["event_id"] == f"c-1/{asking.seq}/{asking.at_ms}"
    assert {name: asked[name] for name in ("conversation_id", "handoff_id", "why", "customer")} == {
        "conversation_id": "c-1",
        "handoff_id": handoff_id,
        "why": "a complaint",
        "customer": {"id": "ana", "name": "Ana", "level": "verified", "locale": "en"},
    }
    assert asked["transcript"] == [
        {"from": "customer", "name": None, "text": "A person please"},
        {"from": "assistant", "name": None, "text": "Sure, I'll get a colleague for you."},
    ]
    assert accepted["name"] == "Sam"
    assert said["message"] == {"id": "u2", "text": "My parcel is broken"}
    assert len({event["event_id"] for event in server.taken}) == 5


async def test_the_backend_reads_which_rule_brought_a_conversation(
    server: FakeHelpdesk, line: Lines, log: MemoryLog
) -> None:
    one = line()
    scenario = scenario_with(one, log)
    rule = EscalationRule(name="legal", where="", words=WordList(("lawyer",)), team="law", priority="high")
    scenario.changes = {"escalation": Escalation(rules=(rule,))}
    ana = await scenario.opens(says("I see."))

    await ana.says("I will call my lawyer")
    await scenario.clock.sleep(WAIT_S + 1)
    await one.settled()

    assert server.events == ["handoff.requested", "handoff.ticket"]
    for event in server.taken:
        assert event["why"] == "I will call my lawyer"
        assert event["rule"] == {"name": "legal", "why": "said 'lawyer'"}
        assert (event["team"], event["skill"], event["priority"]) == ("law", None, "high")
        assert event["customer"]["id"] == "ana"


async def test_the_backend_reads_which_files_came_with_a_message(
    server: FakeHelpdesk, line: Lines, log: MemoryLog
) -> None:
    one = line()
    _, ana = await taken_over(one, log)
    file = Attached(ref="document:7", name="broken.jpg")

    await ana.session.say(client_message_id="f1", text="Look", locale="en", attachments=(file,))
    await ana.session.say(client_message_id="f2", text="", locale="en", attachments=(file,))
    await ana.session.answered()
    await one.settled()

    note = '[file from the customer: "broken.jpg", document:7]'
    assert [event["message"]["text"] for event in server.taken[2:]] == [f"Look\n{note}", note]


async def test_a_backend_may_say_that_no_agent_is_available(
    server: FakeHelpdesk, line: Lines, log: MemoryLog
) -> None:
    server.answers = [(200, '{"state": "unavailable", "why": "all busy"}'), (200, "")]
    one = line()
    scenario = scenario_with(one, log)
    ana = await scenario.opens(*ASKED)

    await ana.says("A person please")
    await one.settled()

    assert await scenario.states() == ["requested", "unavailable", "ticket"]
    assert server.events == ["handoff.requested", "handoff.ticket"]
    current = ana.session.state.handoff
    assert current is not None
    assert server.taken[1]["ticket"] == current.ticket


async def test_a_backend_that_is_away_for_a_moment_is_asked_again(
    server: FakeHelpdesk, line: Lines, log: MemoryLog
) -> None:
    server.answers = [(503, "")] * 4 + [(200, "[]")]
    scenario = scenario_with(line(), log)
    ana = await scenario.opens(*ASKED)

    await ana.says("A person please")
    answered = await scenario.states()
    await scenario.clock.sleep(20)

    assert answered == ["requested"]
    assert await scenario.states() == ["requested", "queued"]
    assert (server.refused, server.events) == (4, ["handoff.requested"])


async def test_a_backend_that_stays_away_gets_the_ticket_when_it_returns(
    server: FakeHelpdesk, line: Lines, log: MemoryLog
) -> None:
    server.answers = [(500, "")]
    one = line()
    scenario = scenario_with(one, log)
    ana = await scenario.opens(*ASKED)
    await ana.says("A person please")
    await scenario.clock.sleep(10 * WAIT_S)
    states = await scenario.states()

    server.answers = [(204, "")]
    await scenario.clock.sleep(2 * WAIT_S)

    assert states == ["requested", "unavailable", "ticket"]
    assert "handoff.ticket" in server.events
    assert len([line_ for line_ in ana.transcript if "your reference is" in line_]) == 1


async def test_undelivered_events_are_delivered_after_a_restart(
    server: FakeHelpdesk, line: Lines, log: MemoryLog, deliveries: MemoryDeliveries
) -> None:
    first = line()
    scenario, ana = await taken_over(first, log)
    server.answers = [(502, "")]
    await ana.says("My parcel is broken")
    await scenario.handoff.end_handoff()
    await scenario.clock.sleep(30)
    await first.stop()
    before = server.events

    server.answers = [(200, "")]
    second = line()
    await second.settled()

    assert before == ["handoff.requested", "handoff.accepted"]
    assert server.events[2:] == ["message.created", "handoff.ended"]
    assert deliveries.kept == {}


@pytest.mark.parametrize("status", [400, 422])
async def test_an_event_that_the_backend_refuses_does_not_block_later_ones(
    server: FakeHelpdesk, line: Lines, log: MemoryLog, status: int
) -> None:
    one = line()
    _, ana = await taken_over(one, log)

    server.answers = [(status, "no"), (200, "")]
    await ana.says("My parcel is broken")
    await ana.says("And my glasses")
    await one.settled()

    assert [event["message"]["text"] for event in server.taken[2:]] == ["And my glasses"]


async def test_an_unreachable_backend_is_waited_for(
    line: Lines, log: MemoryLog, server: FakeHelpdesk
) -> None:
    server.url = "http://127.0.0.1:9/events"
    scenario = scenario_with(line(), log)
    ana = await scenario.opens(*ASKED)

    await ana.says("A person please")
    await scenario.clock.sleep(2 * WAIT_S)

    assert await scenario.states() == ["requested", "unavailable", "ticket"]
    assert await log.unfinished() == [KEY]

"""Each state of a handoff is restored from the log: another process continues from there."""

from collections.abc import Sequence
from contextlib import suppress

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CustomerMessage, Handoff, Logged
from assistant.errors import LogError
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import KEY, Chat, StoppingLog
from assistant.testing.counted_ids import CountedIds
from assistant.testing.script import calls, says
from tests.support.handoff_scenario import WAIT_S, HandoffScenario
from tests.support.rows import check_rows

FIRST = f"h-{CountedIds('n0').secret()}"
ASKED = (calls("talk_to_a_person"), says("I've asked my colleagues."))


@pytest.fixture
def scenario() -> HandoffScenario:
    return HandoffScenario()


async def asked(scenario: HandoffScenario) -> Chat:
    ana = await scenario.opens(*ASKED)
    await ana.says("A person please")
    return ana


def tickets(chat: Chat) -> list[str]:
    return [line for line in chat.transcript if "your reference is" in line]


async def test_a_waiting_customer_waits_from_the_time_of_the_request(scenario: HandoffScenario) -> None:
    ana = await asked(scenario)
    await scenario.clock.sleep(40)
    await scenario.stops(ana)
    await scenario.clock.sleep(10)

    again = await scenario.opens()
    await scenario.clock.sleep(9)
    before = await scenario.states()
    await scenario.clock.sleep(2)

    assert before == ["requested", "queued"]
    assert await scenario.states() == ["requested", "queued", "unavailable", "ticket"]
    assert len(tickets(again)) == 1
    await scenario.handoffs.close()


async def test_an_overdue_ticket_is_opened_immediately(scenario: HandoffScenario) -> None:
    ana = await asked(scenario)
    await scenario.stops(ana)
    await scenario.clock.sleep(10 * WAIT_S)

    again = await scenario.opens()
    await scenario.clock.sleep(0.5)

    assert len(tickets(again)) == 1
    await scenario.handoffs.close()


async def test_an_unanswered_request_to_the_backend_is_repeated(scenario: HandoffScenario) -> None:
    scenario.backend.after_s = 20
    ana = await asked(scenario)
    await scenario.stops(ana)
    scenario.backend.after_s = 0

    await scenario.opens()
    await scenario.clock.sleep(1)

    assert await scenario.states() == ["requested", "queued"]
    assert scenario.backend.told == [f"request {FIRST}"] * 2
    await scenario.handoffs.close()


async def test_an_agent_still_has_the_conversation(scenario: HandoffScenario) -> None:
    ana = await asked(scenario)
    await scenario.handoff.accept("Sam")
    await scenario.handoff.say("p-1", "Sam", "Hello.")
    await scenario.stops(ana)

    again = await scenario.opens()
    await again.says("My parcel is broken")
    await scenario.clock.sleep(10 * WAIT_S)
    await scenario.handoff.say("p-1", "Sam", "Hello.")
    await scenario.handoff.say("p-2", "Sam", "I see.")

    assert again.transcript[3:] == ["person: Hello.", "customer: My parcel is broken", "person: I see."]
    assert await scenario.states() == ["requested", "queued", "accepted"]
    await scenario.handoffs.close()


async def test_a_message_to_the_agent_just_before_the_crash_is_delivered(scenario: HandoffScenario) -> None:
    ana = await asked(scenario)
    await scenario.handoff.accept("Sam")
    await scenario.stops(ana)
    said = CustomerMessage(message_id="u2", client_message_id="m2", text="Hello?")
    at = len(await scenario.log.read(KEY)) + 1
    await scenario.log.append(KEY, [Logged(at, scenario.clock.now_ms(), "", said)])

    again = await scenario.opens()
    await again.session.answered()

    assert again.session.state.waiting == []
    assert again.transcript[3:] == ["customer: Hello?"]
    await scenario.handoffs.close()


async def test_an_answer_that_a_takeover_stopped_is_not_continued(
    scenario: HandoffScenario,
) -> None:
    ana = await scenario.opens(says("Alpha beta gamma delta epsilon.", each_s=1))
    await ana.begins("Hi")
    await scenario.clock.sleep(2.5)
    await scenario.stops(ana)
    at = len(await scenario.log.read(KEY)) + 1
    accepted = Handoff(handoff_id="h-1", state="accepted", name="Sam")
    await scenario.log.append(KEY, [Logged(at, scenario.clock.now_ms(), "", accepted)])

    again = await scenario.opens(says("Alpha beta gamma delta epsilon.", first_s=1))
    await scenario.clock.sleep(20)

    assert [turn.how for turn in again.session.state.turns] == ["interrupted"]
    assert again.transcript == ["customer: Hi", "assistant: Alpha beta gamma"]
    await scenario.handoffs.close()


async def test_a_ticket_is_told_once_and_the_backend_hears_of_it_again(scenario: HandoffScenario) -> None:
    ana = await asked(scenario)
    await scenario.clock.sleep(WAIT_S + 1)
    told = tickets(ana)
    await scenario.stops(ana)

    again = await scenario.opens()
    await scenario.clock.sleep(10 * WAIT_S)

    assert tickets(again) == told
    assert len(told) == 1
    assert scenario.backend.told[1:] == [scenario.backend.told[1]] * 2
    await scenario.handoffs.close()


async def test_a_ticket_is_told_once_and_the_backend_gets_it_again(scenario: HandoffScenario) -> None:
    ana = await asked(scenario)
    await scenario.handoff.accept("Sam")
    await scenario.handoff.end_handoff()
    await scenario.stops(ana)

    again = await scenario.opens(says("You are welcome."))
    await again.says("Where is my order?")

    assert again.transcript[-1] == "assistant: You are welcome."
    assert await scenario.log.unfinished() == []
    await scenario.handoffs.close()


class WholeBatches(StoppingLog):
    """Dies as a real one does: a batch is kept or it is not."""

    async def append(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
        if len(self.kept) + len(entries) > self.most:
            raise LogError(f"the machine stopped after {len(self.kept)} entries")
        await super().append(key, entries)


@check_rows("most", range(1, 32))
async def test_a_crash_after_any_entry_leaves_one_ticket_that_is_told_once(most: int) -> None:
    scenario = HandoffScenario()
    stopping = WholeBatches(most)
    scenario.log = stopping
    ana = await scenario.opens(*ASKED)
    with suppress(LogError):
        await ana.says("A person please")
    await scenario.clock.sleep(WAIT_S + 1)
    await scenario.handoffs.close()
    scenario.log = MemoryLog()
    await scenario.log.append(KEY, stopping.kept)

    again = await scenario.opens(*ASKED)
    await again.session.answered()
    if not again.session.state.said:
        return
    await scenario.clock.sleep(2 * WAIT_S)

    states = [one for one in await scenario.states() if one != "queued"]
    assert states == ["requested", "unavailable", "ticket"]
    assert len(tickets(again)) == 1
    await scenario.handoffs.close()

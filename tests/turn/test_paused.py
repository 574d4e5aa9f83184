"""Staff pause the assistant, a channel, a tool or a version: customers are told so, and nothing new is done."""

from dataclasses import dataclass, field, replace

import pytest

from assistant.conversation.customer import Channel
from assistant.conversation.entries import ASSISTANT_PAUSED
from assistant.conversation.outcomes import CallDenied
from assistant.conversation.state import ConversationState
from assistant.errors import LogError
from assistant.ports import NoAgentAvailable
from assistant.prompts.book import shipped_book
from assistant.staff.live_pauses import FRESH_S, LivePauses
from assistant.staff.pauses import PausedKind
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import Chat, StoppingLog, deps_for, open_chat
from assistant.testing.fake_tool import Gives
from assistant.testing.scene import scene
from assistant.testing.script import Line, calls, says
from assistant.testing.scripted_model import ScriptedModel
from tests.support.handoff_scenario import HandoffScenario
from tests.support.memory_pauses import MemoryPauses
from tests.turn.conftest import Company

STOPPED = "The automated assistant is switched off at the moment, so I can't help you here just now."
CANCEL = ("cancel_appointment", {"day": "2026-03-10"})


@dataclass
class Shop:
    """A company whose staff can pause things, from this server or from another one."""

    company: Company
    store: MemoryPauses = field(default_factory=MemoryPauses)
    here: LivePauses = field(init=False)

    def __post_init__(self) -> None:
        self.here = LivePauses("shop", self.store, self.company.clock)
        self.elsewhere = LivePauses("shop", self.store, self.company.clock)

    def chat(self, *lines: Line, log: MemoryLog | StoppingLog | None = None) -> Chat:
        model = ScriptedModel(*lines, clock=self.company.clock)
        self.company.models.append(model)
        deps = deps_for(model, self.company.tools, shipped_book(), self.company.clock)
        entries = log.kept if isinstance(log, StoppingLog) else ()
        return open_chat(replace(deps, pauses=self.here), log or MemoryLog(), list(entries))

    async def pauses(self, kind: PausedKind, name: str = "") -> None:
        """Another server pauses it; this one knows a second later."""
        await self.elsewhere.pause(kind, name, account="a1", by="Kim", why="wrong prices")
        await self.company.clock.sleep(FRESH_S)

    async def resumes(self, kind: PausedKind, name: str = "") -> None:
        await self.elsewhere.resume(kind, name)
        await self.company.clock.sleep(FRESH_S)


@pytest.fixture
def shop(company: Company) -> Shop:
    return Shop(company)


async def test_a_paused_assistant_says_so_and_asks_no_model(shop: Shop) -> None:
    ana = shop.chat(says("Hello. How can I help you?"), says("Of course."))
    await ana.says("Hello")
    await shop.pauses("assistant")

    assert (await ana.says("And my appointments?")).startswith(f"Assistant: {STOPPED}")
    assert ana.session.state.turns[-1].how == "apologised"

    await shop.resumes("assistant")
    assert await ana.says("And now?") == "Assistant: Of course."


async def test_a_pause_holds_on_each_server_within_two_seconds(shop: Shop) -> None:
    clock = shop.company.clock
    await shop.here.now()
    await clock.sleep(FRESH_S / 2)
    await shop.elsewhere.pause("assistant", "", account="", by="command line")
    began = clock.monotonic()

    while not (await shop.here.now()).has("assistant"):
        await clock.sleep(0.05)
    assert clock.monotonic() - began < 2

    await shop.elsewhere.resume("assistant", "")
    began = clock.monotonic()
    while (await shop.here.now()).has("assistant"):
        await clock.sleep(0.05)
    assert clock.monotonic() - began < 2


async def test_who_pauses_is_obeyed_at_once_on_the_same_server(shop: Shop) -> None:
    await shop.here.now()

    assert await shop.here.pause("tool", "add_note", account="a1", by="Kim")
    assert not await shop.here.pause("tool", "add_note", account="b1", by="Lee")

    [pause] = (await shop.here.now()).pauses
    assert (pause.by, pause.name) == ("Kim", "add_note")


async def test_pauses_are_asked_for_once_a_second_at_most(shop: Shop) -> None:
    for _ in range(30):
        await shop.here.now()
        await shop.company.clock.sleep(0.1)

    assert shop.store.asked == 3


async def test_what_was_paused_stays_so_while_the_storage_fails(shop: Shop) -> None:
    await shop.pauses("tool", "add_note")
    await shop.here.now()
    shop.store.fails = True
    await shop.company.clock.sleep(5)

    assert (await shop.here.now()).has("tool", "add_note")
    with pytest.raises(LogError):
        await shop.here.resume("tool", "add_note")


async def test_a_reply_that_streams_stops_within_two_seconds(shop: Shop) -> None:
    words = ["Our prices ", *["are low, "] * 40, "and fair."]
    ana = shop.chat(says(words, each_s=0.5))
    await ana.begins("What does it cost?")
    await shop.company.clock.sleep(3)
    paused_at = shop.company.clock.monotonic()
    await shop.elsewhere.pause("assistant", "", account="a1", by="Kim")
    await ana.session.answered()

    assert shop.company.clock.monotonic() - paused_at <= 2
    cut, told = ana.session.state.turns[-1].messages
    assert cut.interrupted
    assert "fair" not in cut.text
    assert told.text.startswith(STOPPED)


async def test_running_calls_finish_and_are_told_without_a_model(shop: Shop) -> None:
    ana = shop.chat(calls("get_open_invoices"))
    shop.company.billing.behaviour = Gives(150, after_s=3)
    await ana.begins("What do I owe?")
    await shop.company.clock.sleep(0.5)
    await shop.pauses("assistant")
    await ana.session.answered()

    assert ana.scene == scene("""
        Assistant (acknowledgement): Let me see. I'll check your billing.
          [get_open_invoices ok]
        Assistant: From templates: get_open_invoices ok.
    """)


async def test_a_write_does_not_begin_once_the_assistant_is_paused(shop: Shop) -> None:
    ana = shop.chat(calls("get_open_invoices", ("add_note", {"text": "late"})))
    shop.company.billing.behaviour = Gives(150, after_s=3)
    await ana.begins("Check my bill, and note that I am late")
    await shop.company.clock.sleep(0.5)
    await shop.pauses("assistant")
    await ana.session.answered()

    assert shop.company.note.ran == []
    assert "get_open_invoices ok, add_note denied" in ana.scene


async def test_a_paused_tool_is_refused_and_the_narrator_is_told(shop: Shop) -> None:
    await shop.pauses("tool", "get_open_invoices")
    ana = shop.chat(
        calls("list_upcoming_appointments", "get_open_invoices"),
        says("You have an appointment. I can't look at your bill: that is not available at the moment."),
    )

    await ana.says("Check my appointments and billing")

    assert ana.scene == scene("""
        Assistant (acknowledgement): Sure, I'll look up your appointments.
          [list_upcoming_appointments ok]
          [get_open_invoices denied]
        Assistant: You have an appointment. I can't look at your bill: that is not available at the moment.
    """)
    assert shop.company.billing.ran == []
    denied = ana.session.state.turns[-1].outcomes["c1.2"]
    assert isinstance(denied, CallDenied)
    assert denied.say == "it is not available at the moment"
    assert "promise nothing" in denied.for_model


async def test_no_question_is_asked_about_a_paused_write(shop: Shop) -> None:
    await shop.pauses("tool", "cancel_appointment")
    ana = shop.chat(calls(CANCEL), says("I can't cancel it: that is not available at the moment."))

    await ana.says("Cancel my appointment on March 10")

    assert ana.session.state.question is None
    assert shop.company.cancel.ran == []


async def test_a_yes_to_a_write_that_was_paused_meanwhile_runs_nothing(shop: Shop) -> None:
    ana = shop.chat(calls(CANCEL), says("It was not cancelled: that is not available at the moment."))
    assert "Shall I cancel your eye test" in await ana.says("Cancel my appointment on March 10")
    await shop.pauses("tool", "cancel_appointment")

    assert await ana.says("Yes", button=True) == scene("""
          [cancel_appointment denied]
        Assistant: It was not cancelled: that is not available at the moment.
    """)
    assert shop.company.cancel.ran == []


async def test_a_yes_to_a_paused_assistant_runs_nothing(shop: Shop) -> None:
    ana = shop.chat(calls(CANCEL))
    await ana.says("Cancel my appointment on March 10")
    await shop.pauses("assistant")

    assert (await ana.says("Yes", button=True)).startswith(f"Assistant: {STOPPED}")
    assert shop.company.cancel.ran == []


async def test_each_channel_is_paused_by_itself(shop: Shop) -> None:
    said = dict[Channel, str]()
    for channel in ("chat", "voice"):
        await shop.pauses("channel", channel)
        ana = shop.chat(says("We open at nine."))
        await ana.session.say(client_message_id="m1", text="When do you open?", locale="en", spoken=True)
        await ana.session.answered()
        spoken = ana.scene
        ana = shop.chat(says("We open at nine."))
        written = await ana.says("When do you open?")
        said[channel] = "spoken" if spoken.startswith(f"Assistant: {STOPPED}") else "written"
        assert (written.startswith(f"Assistant: {STOPPED}")) == (channel == "chat")
        await shop.resumes("channel", channel)
    shop.company.models.clear()  # half of their lines were not needed

    assert said == {"chat": "written", "voice": "spoken"}


async def test_a_german_customer_reads_it_in_german(shop: Shop) -> None:
    await shop.pauses("assistant")
    ana = shop.chat()
    ana.page = "de"

    assert "zurzeit abgeschaltet" in await ana.says("Wann haben Sie geöffnet?")


async def test_a_paused_assistant_hands_over_to_people(company: Company) -> None:
    shop = Shop(company)
    company_with_people = HandoffScenario(
        clock=company.clock, changes={"can_hand_over": True, "pauses": shop.here}
    )
    ana = await company_with_people.opens()
    await shop.pauses("assistant")

    call, told = (await ana.says("Where is my order?")).splitlines()
    assert call == "  [talk_to_a_person ok]"
    assert told == (
        "Assistant: The automated assistant is switched off at the moment. I've asked my colleagues to take over"
        " here, which may take a minute."
    )
    [asked] = company_with_people.backend.asked
    assert asked.why == ASSISTANT_PAUSED
    assert next(line.text for line in asked.transcript) == "Where is my order?"

    assert await ana.says("Hello?") == (
        "Assistant: The automated assistant is switched off at the moment. My colleagues know that you are waiting,"
        " and one of them will answer you here."
    )
    assert len(company_with_people.backend.asked) == 1
    await company_with_people.stops(ana)


async def test_without_a_free_colleague_there_is_a_ticket(company: Company) -> None:
    shop = Shop(company)
    people = HandoffScenario(clock=company.clock, changes={"can_hand_over": True, "pauses": shop.here})
    people.backend.answer = NoAgentAvailable(why="no one is here")
    ana = await people.opens()
    await shop.pauses("assistant")

    for text in ("Where is my order?", "Hello?"):
        told = await ana.says(text)
        assert "none of my colleagues is free just now" in told
        assert "your reference is T-" in told
    assert len(people.backend.asked) == 1
    await people.stops(ana)


async def test_a_customer_whom_an_agent_hands_back_is_handed_over_again(company: Company) -> None:
    shop = Shop(company)
    people = HandoffScenario(clock=company.clock, changes={"can_hand_over": True, "pauses": shop.here})
    ana = await people.opens()
    await shop.pauses("assistant")
    await ana.says("Where is my order?")
    handoff = people.handoffs.find_handoff("shop", ana.session.key.conversation)
    assert handoff is not None
    await handoff.accept("Kim")
    await handoff.end_handoff()

    assert "[talk_to_a_person ok]" in await ana.says("One more thing")
    assert len(people.backend.asked) == 2
    await people.stops(ana)


async def test_a_stop_at_any_entry_of_a_paused_answer_loses_nothing(company: Company) -> None:
    whole = await _answer_paused(company, StoppingLog(10_000))
    for most in range(1, len(whole.kept)):
        cut = await _answer_paused(Company(), StoppingLog(most))
        resumed = await _answer_paused(Company(), StoppingLog(10_000, kept=list(cut.kept)))
        assert _shown(resumed) == _shown(whole), most


async def _answer_paused(company: Company, log: StoppingLog) -> StoppingLog:
    shop = Shop(company)
    await shop.pauses("assistant")
    ana = shop.chat(log=log)
    try:
        ana.session.resume()
        if not ana.session.state.said:
            await ana.begins("Where is my order?")
        await ana.session.answered()
    except LogError:
        pass
    await ana.session.close()
    return log


def _shown(log: StoppingLog) -> list[str]:
    return [message.text for turn in ConversationState(log.kept).turns for message in turn.messages]

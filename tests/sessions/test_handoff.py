"""An agent is requested, comes or does not, writes while the assistant is silent, and gives the conversation
back.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    AgentMessage,
    ConfirmationAnswered,
    ForwardedToAgent,
    HandoffState,
    Logged,
)
from assistant.conversation.outcomes import CallFailed, CallSucceeded
from assistant.conversation.views import FromAssistant, FromCustomer
from assistant.ports import NoAgentAvailable
from assistant.prompts.book import PromptBook, shipped_book
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import Chat
from assistant.testing.counted_ids import CountedIds
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.testing.scene import scene
from assistant.testing.script import calls, says
from assistant.testing.virtual_time import VirtualClock
from tests.support.handoff_scenario import WAIT_S, HandoffScenario

IDS = CountedIds("n0")
FIRST, SECOND = f"h-{IDS.secret()}", f"h-{IDS.secret()}"
"""The ids of the handoffs of the first process."""

PERSON = "talk_to_a_person"
ASKED = (calls(PERSON), says("I've asked my colleagues to join us."))
NOBODY = (
    "assistant: I'm sorry, none of my colleagues is free just now. I've left word for them, "
    "and they will get back to you; your reference is {}."
)
BACK = "assistant: This is Robin, the automated assistant, again. What else can I do for you?"


@pytest.fixture
async def scenario() -> AsyncGenerator[HandoffScenario, None]:
    scenario = HandoffScenario()
    yield scenario
    await scenario.handoffs.close()
    for model in scenario.models:
        model.assert_used_up()


def ticket_in(chat: Chat) -> str:
    current = chat.session.state.handoff
    assert current is not None
    return current.ticket


async def test_an_agent_comes_writes_and_gives_the_conversation_back(scenario: HandoffScenario) -> None:
    ana = await scenario.opens(*ASKED, says("Your order is on its way."))

    asking = await ana.says("Let me talk to a person")
    await scenario.clock.sleep(30)
    await scenario.handoff.accept("Sam")
    await scenario.handoff.say("p-1", "Sam", "Hello Ana, this is Sam.")
    await ana.says("My parcel is broken")
    await scenario.handoff.say("p-2", "Sam", "I'll send a new one.")
    await scenario.clock.sleep(2 * WAIT_S)
    await scenario.handoff.end_handoff()
    await ana.says("Where is my order?")

    assert asking == scene("""
        Assistant (acknowledgement): Sure, I'll get a colleague for you.
          [talk_to_a_person ok]
        Assistant: I've asked my colleagues to join us.
    """)
    assert ana.transcript == [
        "customer: Let me talk to a person",
        "assistant: Sure, I'll get a colleague for you.",
        "assistant: I've asked my colleagues to join us.",
        "person: Hello Ana, this is Sam.",
        "customer: My parcel is broken",
        "person: I'll send a new one.",
        BACK,
        "customer: Where is my order?",
        "assistant: Your order is on its way.",
    ]
    assert await scenario.states() == ["requested", "queued", "accepted", "ended"]
    assert scenario.backend.told == [
        f"request {FIRST}",
        f"pass_on {FIRST}",
        f"pass_on {FIRST}",
        f"close {FIRST}",
    ]


async def test_models_see_the_dialogue_with_the_agent(scenario: HandoffScenario) -> None:
    ana = await scenario.opens(*ASKED, says("You are welcome."))
    await ana.says("A person please")
    await scenario.handoff.accept("Sam")
    await scenario.handoff.say("p-1", "Sam", "Hello.")
    await scenario.handoff.say("p-2", "Sam", "What happened?")
    await ana.says("My parcel is broken")
    await scenario.handoff.end_handoff()
    await ana.says("And now?")

    *_, with_sam, last = scenario.models[-1].requests[-1].view.turns

    assert with_sam.messages == (
        FromAssistant("Sam: Hello. What happened?"),
        FromCustomer("My parcel is broken"),
        FromAssistant(BACK.removeprefix("assistant: ")),
    )
    assert last.messages == (FromCustomer("And now?"),)


async def test_a_mere_yes_is_no_reason_for_a_person(scenario: HandoffScenario) -> None:
    for reason in ("yes", "Yes, please!", ""):
        ana = await scenario.opens(
            says("I'm sorry. Shall I get a colleague?"), calls((PERSON, {"reason": reason})), says("Done.")
        )
        await ana.says("My parcel is broken")
        await ana.says("Yes please")

        assert scenario.backend.asked[-1].why == "My parcel is broken", reason
        await scenario.handoff.end_handoff()
        await scenario.stops(ana)
        scenario.log = MemoryLog()


async def test_the_backend_gets_the_reason_and_the_transcript(scenario: HandoffScenario) -> None:
    ana = await scenario.opens(
        says("We are open until dusk."), calls((PERSON, {"reason": "a complaint"})), says("Done.")
    )
    await ana.says("When do you close?")
    await ana.says("A person please")

    (asked,) = scenario.backend.asked

    assert (asked.why, asked.locale) == ("a complaint", "en")
    assert asked.customer is not None
    assert (asked.customer.id, asked.customer.level, asked.customer.name) == ("ana", "verified", "Ana")
    assert [line.text for line in asked.transcript][:3] == [
        "When do you close?",
        "We are open until dusk.",
        "A person please",
    ]


async def test_without_an_agent_in_a_minute_there_is_a_ticket_told_once(
    scenario: HandoffScenario,
) -> None:
    ana = await scenario.opens(*ASKED)
    await ana.says("A person please")

    await scenario.clock.sleep(WAIT_S - 1)
    before = await scenario.states()
    await scenario.clock.sleep(600)

    assert before == ["requested", "queued"]
    assert await scenario.states() == ["requested", "queued", "unavailable", "ticket"]
    assert ana.transcript[3:] == [NOBODY.format(ticket_in(ana))]
    assert scenario.backend.told == [f"request {FIRST}", f"ticket {FIRST} {ticket_in(ana)}"]


async def test_the_ticket_is_not_told_in_the_middle_of_an_answer(scenario: HandoffScenario) -> None:
    ana = await scenario.opens(*ASKED, says("It takes a while.", each_s=1))
    await ana.says("A person please")
    await scenario.clock.sleep(WAIT_S - 2)

    await ana.says("Meanwhile: where is my order?")
    await scenario.clock.sleep(1)

    assert ana.transcript[3:] == [
        "customer: Meanwhile: where is my order?",
        "assistant: It takes a while.",
        NOBODY.format(ticket_in(ana)),
    ]


async def test_the_answer_says_so_when_no_agent_is_available(scenario: HandoffScenario) -> None:
    scenario.backend.answer = NoAgentAvailable(why="all at lunch")
    ana = await scenario.opens(calls(PERSON), says("Nobody is free just now."))

    await ana.says("A person please")
    await scenario.clock.sleep(600)

    outcome = ana.session.state.turns[0].outcomes["c1.1"]
    assert isinstance(outcome, CallSucceeded)
    assert outcome.value == {
        "state": "unavailable",
        "ticket": ticket_in(ana),
        "tell": NOBODY.format(ticket_in(ana)).removeprefix("assistant: "),
    }
    assert await scenario.states() == ["requested", "unavailable", "ticket"]
    assert len(ana.transcript) == 3


async def test_a_backend_that_fails_counts_as_no_agent(scenario: HandoffScenario) -> None:
    scenario.backend.answer = RuntimeError("no such table")
    ana = await scenario.opens(calls(PERSON), says("Nobody is free just now."))

    await ana.says("A person please")

    assert await scenario.states() == ["requested", "unavailable", "ticket"]
    assert ana.session.state.turns[0].how == "answered"


@pytest.mark.parametrize(
    ("answer", "states"),
    [(None, ["requested", "queued"]), (NoAgentAvailable(why="no"), ["requested", "unavailable", "ticket"])],
)
async def test_a_slow_backend_does_not_delay_the_answer(
    scenario: HandoffScenario, answer: NoAgentAvailable | None, states: list[HandoffState]
) -> None:
    scenario.backend.after_s = 20
    scenario.backend.answer = answer or scenario.backend.answer
    ana = await scenario.opens(*ASKED)
    await ana.says("A person please")
    asked = await scenario.states()
    at_s = scenario.clock.monotonic()

    await scenario.clock.sleep(30)

    assert (asked, at_s) == (["requested"], 3)
    assert await scenario.states() == states
    assert ana.transcript[3:] == ([NOBODY.format(ticket_in(ana))] if answer else [])


async def test_an_agent_who_declines_saves_the_customer_the_wait(scenario: HandoffScenario) -> None:
    ana = await scenario.opens(*ASKED)
    await ana.says("A person please")

    declined = [await scenario.handoff.decline("too busy"), await scenario.handoff.decline("too busy")]

    assert declined == [True, False]
    assert ana.transcript[3:] == [NOBODY.format(ticket_in(ana))]


async def test_asking_twice_requests_one_agent(scenario: HandoffScenario) -> None:
    ana = await scenario.opens(*ASKED, calls(PERSON), says("They know."))
    await ana.says("A person please")

    await ana.says("Agent!")

    outcome = ana.session.state.turns[1].outcomes["c1.1"]
    assert isinstance(outcome, CallSucceeded)
    assert outcome.value == {
        "state": "queued",
        "ticket": None,
        "tell": "My colleagues know already that you would like to talk to one of them. "
        "You can go on asking me meanwhile.",
    }
    assert await scenario.states() == ["requested", "queued"]


async def test_a_ticket_can_be_answered_and_closed_later(scenario: HandoffScenario) -> None:
    ana = await scenario.opens(*ASKED)
    await ana.says("A person please")
    await scenario.clock.sleep(WAIT_S + 1)
    number = ticket_in(ana)

    await scenario.handoff.accept("Kim")
    await scenario.handoff.say("p-1", "Kim", "Sorry for the wait.")
    await scenario.handoff.end_handoff()

    assert ana.transcript[3:] == [NOBODY.format(number), "person: Sorry for the wait.", BACK]
    assert (await scenario.states())[-2:] == ["accepted", "ended"]


async def test_a_customer_with_a_ticket_may_ask_for_an_agent_again(scenario: HandoffScenario) -> None:
    ana = await scenario.opens(*ASKED, calls(PERSON), says("I've asked my colleagues again."))
    await ana.says("A person please")
    await scenario.clock.sleep(WAIT_S + 1)

    await ana.says("Is there a person now?")

    assert (await scenario.states())[-2:] == ["requested", "queued"]
    assert scenario.backend.told[-1] == f"request {SECOND}"


async def test_a_ticket_that_no_agent_took_is_closed_silently(scenario: HandoffScenario) -> None:
    ana = await scenario.opens(*ASKED)
    await ana.says("A person please")
    await scenario.clock.sleep(WAIT_S + 1)

    number = ticket_in(ana)

    ended = [await scenario.handoff.end_handoff(), await scenario.handoff.end_handoff()]

    assert ended == [True, False]
    assert ana.transcript[3:] == [NOBODY.format(number)]


async def test_the_first_of_two_agents_has_the_conversation(scenario: HandoffScenario) -> None:
    ana = await scenario.opens(*ASKED)
    await ana.says("A person please")

    first, second, again = [await scenario.handoff.accept(name) for name in ("Sam", "Kim", "Sam")]

    assert (first.name, second.name, again.name) == ("Sam", "Sam", "Sam")
    assert (await scenario.states()).count("accepted") == 1


async def test_an_agent_may_take_over_without_a_request(scenario: HandoffScenario) -> None:
    ana = await scenario.opens(says("Hello."))
    await ana.says("Hi")

    await scenario.handoff.accept("Sam")
    await ana.says("Is anybody there?")

    assert await scenario.states() == ["accepted"]
    assert ana.transcript == ["customer: Hi", "assistant: Hello.", "customer: Is anybody there?"]


async def test_speech_stops_when_an_agent_comes_and_lookups_are_kept() -> None:
    scenario = HandoffScenario()
    billing = FakeTool(
        fake_spec("get_open_invoices", "checking your billing", "check your billing"),
        Gives([{"amount": "150.00"}], after_s=5),
        scenario.clock,
    )
    scenario.tools = [billing]
    ana = await scenario.opens(calls("get_open_invoices"))
    await ana.begins("Check my bill")
    await scenario.clock.sleep(1)

    await scenario.handoff.accept("Sam")
    await scenario.clock.sleep(10)

    (turn,) = ana.session.state.turns
    assert turn.how == "interrupted"
    assert isinstance(turn.outcomes["c1.1"], CallSucceeded)
    assert not [message for message in turn.messages if message.kind == "response"]
    await scenario.handoffs.close()


async def test_a_request_is_not_told_after_an_agent_has_come() -> None:
    scenario = HandoffScenario()
    ana = await scenario.opens(
        calls(PERSON), says("I've asked my colleagues to join us.", each_s=5), says("You are welcome.")
    )
    await ana.begins("Let me talk to a person")
    await scenario.clock.sleep(2)
    await scenario.handoff.accept("Sam")
    await scenario.clock.sleep(1)
    await scenario.handoff.end_handoff()

    answer = await ana.says("Thank you")

    assert answer == "Assistant: You are welcome."
    await scenario.handoffs.close()


async def test_messages_that_wait_when_an_agent_comes_go_to_the_agent(scenario: HandoffScenario) -> None:
    ana = await scenario.opens(says("One two three four.", each_s=5))
    await ana.begins("Hi")
    await scenario.clock.sleep(6)
    await ana.begins("And my order?")

    await scenario.handoff.accept("Sam")

    assert len(ana.session.state.turns) == 1
    assert ana.session.state.waiting == []
    assert ana.session.entries[-1].entry == ForwardedToAgent(message_id="u2", handoff_id=FIRST)


async def test_an_open_question_is_closed_when_an_agent_comes() -> None:
    scenario = HandoffScenario()
    cancel = FakeTool(
        fake_spec(
            "cancel_appointment",
            "cancelling your appointment",
            "cancel your appointment",
            effect="write",
            confirm=True,
        ),
        Gives({"cancelled": True}),
        scenario.clock,
        clause="cancel your eye test",
    )
    scenario.tools = [cancel]
    ana = await scenario.opens(calls("cancel_appointment"), says("Yes to what?"))
    await ana.says("Cancel my eye test")

    await scenario.handoff.accept("Sam")
    answered = [one.entry for one in ana.session.entries if isinstance(one.entry, ConfirmationAnswered)]
    await scenario.handoff.end_handoff()
    await ana.says("Yes")

    assert [one.answer for one in answered] == ["dropped"]
    assert cancel.ran == []
    await scenario.handoffs.close()


@pytest.mark.parametrize("words", ["Back to the assistant", "back to the assistant!", "Assistant, please"])
async def test_the_customer_can_ask_for_the_assistant_in_words(scenario: HandoffScenario, words: str) -> None:
    ana = await scenario.opens(*ASKED)
    await ana.says("A person please")
    await scenario.handoff.accept("Sam")

    await ana.says(words.replace(",", ""))

    assert ana.transcript[-2:] == [f"customer: {words.replace(',', '')}", BACK]
    assert (await scenario.states())[-1] == "ended"


async def test_the_customers_button_ends_a_handoff_and_has_no_other_effect(
    scenario: HandoffScenario,
) -> None:
    ana = await scenario.opens(*ASKED)
    await ana.says("A person please")
    await scenario.handoff.give_back()
    waiting = await scenario.states()
    await scenario.handoff.accept("Sam")

    await scenario.handoff.give_back()
    await scenario.handoff.give_back()

    assert waiting == ["requested", "queued"]
    assert (await scenario.states())[2:] == ["accepted", "ended"]
    assert ana.transcript.count(BACK) == 1


async def test_an_agents_repeated_message_is_said_once(scenario: HandoffScenario) -> None:
    ana = await scenario.opens(*ASKED)
    await ana.says("A person please")
    early = await scenario.handoff.say("p-1", "Sam", "Hello")
    await scenario.handoff.accept("Sam")

    said = [await scenario.handoff.say("p-1", "Sam", "Hello") for _ in range(3)]

    assert (early, said) == (False, [True, True, True])
    assert len([one for one in ana.session.entries if isinstance(one.entry, AgentMessage)]) == 1


async def test_the_assistant_does_not_hand_over_again_right_after_return(
    scenario: HandoffScenario,
) -> None:
    ana = await scenario.opens(
        *ASKED,
        calls(PERSON),
        says("What is wrong with it?"),
        calls(PERSON),
        says("I've asked my colleagues."),
    )
    await ana.says("A person please")
    await scenario.handoff.accept("Sam")
    await scenario.handoff.end_handoff()

    await ana.says("My parcel is broken")
    refused = ana.session.state.turns[-1].outcomes["c1.1"]
    await ana.says("I still want to talk to somebody")

    assert isinstance(refused, CallFailed)
    assert "has just come back from a person" in refused.for_model
    assert (await scenario.states())[-3:] == ["ended", "requested", "queued"]


async def test_a_customer_who_asks_right_after_the_way_back_gets_an_agent(scenario: HandoffScenario) -> None:
    ana = await scenario.opens(*ASKED, calls(PERSON), says("I've asked my colleagues."))
    await ana.says("A person please")
    await scenario.handoff.accept("Sam")
    await scenario.handoff.end_handoff()

    await ana.says("No, I want a person")

    assert (await scenario.states())[-2:] == ["requested", "queued"]


def with_hours(hours: str) -> PromptBook:
    sources = dict(shipped_book().sources)
    sources["voice.toml"] += f"\n[hours]\n{hours}\n"
    return PromptBook(sources)


@pytest.mark.parametrize(
    ("hours", "told"),
    [
        (
            'mon = ["10:00-18:00"]\ntue = ["10:00-18:00"]',
            " They are here Monday to Tuesday from 10 am to 6 pm.",
        ),
        ('mon = ["06:00-09:00"]', " They are here Monday from 6 am to 9 am."),
        ('mon = ["06:00-18:00"]\nclosed = ["2026-03-02"]', " They are here Monday from 6 am to 6 pm."),
    ],
)
async def test_outside_hours_a_ticket_is_opened_and_the_hours_are_named(hours: str, told: str) -> None:
    scenario = HandoffScenario(book=with_hours(hours))
    ana = await scenario.opens(calls(PERSON), says("They are not here now."))

    await ana.says("A person please")

    outcome = ana.session.state.turns[0].outcomes["c1.1"]
    assert isinstance(outcome, CallSucceeded)
    assert outcome.value == {
        "state": "unavailable",
        "ticket": ticket_in(ana),
        "tell": f"I'm sorry, none of my colleagues is here at this hour.{told} I've left word for them, "
        f"and they will get back to you; your reference is {ticket_in(ana)}.",
    }
    assert scenario.backend.told == [f"ticket {FIRST} {ticket_in(ana)}"]
    await scenario.handoffs.close()


async def test_within_the_hours_an_agent_is_requested(scenario: HandoffScenario) -> None:
    scenario.book = with_hours('mon = ["09:00-18:00"]')
    ana = await scenario.opens(*ASKED)

    await ana.says("A person please")

    assert await scenario.states() == ["requested", "queued"]


async def test_everything_works_in_german(scenario: HandoffScenario) -> None:
    ana = await scenario.opens(calls(PERSON), says("Ich habe jemanden gebeten."))
    ana.page = "de"

    await ana.says("Ich möchte mit einem Menschen sprechen, bitte")
    await scenario.clock.sleep(WAIT_S + 1)
    number = ticket_in(ana)
    await scenario.handoff.accept("Sam")
    await ana.says("Zurück zum Assistenten")

    assert ana.transcript == [
        "customer: Ich möchte mit einem Menschen sprechen, bitte",
        "assistant: Gerne, ich hole jemanden aus dem Team dazu.",
        "assistant: Ich habe jemanden gebeten.",
        "assistant: Es tut mir leid, gerade ist niemand aus unserem Team frei. "
        "Ich habe eine Nachricht hinterlassen, und jemand meldet sich bei Ihnen; "
        f"Ihre Vorgangsnummer ist {number}.",
        "customer: Zurück zum Assistenten",
        "assistant: Hier ist wieder Robin, der automatische Assistent. Was kann ich noch für Sie tun?",
    ]


class SlowLog(MemoryLog):
    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()

    async def append(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
        self.asked.set()
        await VirtualClock().sleep(1)
        await super().append(key, entries)


async def test_a_conversation_without_stored_messages_is_not_listed() -> None:
    log = SlowLog()
    scenario = HandoffScenario(log=log)
    ana = await scenario.opens(says("Hello."))

    saying = asyncio.create_task(ana.says("Hi"))
    await log.asked.wait()
    assert await scenario.handoffs.all_of("shop") == []
    await saying

    assert [each.session.key for each in await scenario.handoffs.all_of("shop")] == [ana.session.key]
    await scenario.handoffs.close()

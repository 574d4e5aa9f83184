"""A call that Twilio transcribes and speaks."""

import pytest

from assistant.conversation.entries import (
    ClientDisconnected,
    ConfirmationAnswered,
    CustomerMessage,
    TurnEnded,
)
from assistant.server.phone.phone_context import PhoneLimits
from assistant.testing.chat import StoppingLog
from assistant.testing.fake_tool import FakeTool, Gives
from assistant.testing.scripted_model import calls, says
from tests.server.phone.company import Company
from tests.server.phone.relay_caller import calling
from tests.server.phone.twilio import asked

PICK_UP = "You can pick them up at our shop in Park Street. "
HOURS = "We are there from dawn to dusk. "
BRING = "Please bring your order number with you."


def cancelling(company: Company) -> FakeTool:
    return company.tool(
        "cancel_order",
        "cancelling your order",
        effect="write",
        confirm=True,
        behaviour=Gives({"cancelled": True}),
        clause="cancel order 4711",
    )


async def test_a_caller_is_greeted_and_answered(company: Company) -> None:
    async with company.open(says("We are open from dawn to dusk.")) as shop, calling(shop) as ana:
        assert ana.greeting is not None
        assert ana.greeting.endswith("You are talking to an automated assistant.")
        assert await ana.says("When are you open?") == ["We are open from dawn to dusk."]

    assert await company.heard(ana.call) == {"t1/m1": 30}
    said = [one.entry for one in await company.entries(ana.call) if isinstance(one.entry, CustomerMessage)]
    assert [(one.text, one.spoken) for one in said] == [("When are you open?", True)]
    assert isinstance((await company.entries(ana.call))[-1].entry, ClientDisconnected)


async def test_only_one_sentence_is_sent_ahead_to_twilio(company: Company) -> None:
    async with company.open(says(PICK_UP + HOURS + BRING)) as shop, calling(shop) as ana:
        assert await ana.says("Are my glasses ready?", then_s=1.0) == [PICK_UP.strip(), HOURS.strip()]
        assert await ana.hears(4.0) == [BRING]
        frame = ana.socket.frames[0]
        assert frame == {
            "type": "text",
            "token": PICK_UP,
            "last": True,
            "interruptible": True,
            "preemptible": False,
        }


async def test_an_interruption_is_answered_and_the_rest_counts_as_unsaid(company: Company) -> None:
    lines = (says(PICK_UP + HOURS + BRING), says("Yes, on Saturdays as well."))
    async with company.open(*lines) as shop, calling(shop) as ana:
        await ana.says("Are my glasses ready?", then_s=2.0)
        await ana.interrupts("You can pick them up at our")
        assert await ana.says("On Saturdays, too?") == ["Yes, on Saturdays as well."]

        assert (await company.heard(ana.call))["t1/m1"] == len("You can pick them up at our")
        assert company.model is not None
        history = str(company.model.requests[1].view.messages)
        assert "You can pick them up at our…" in history
        assert "dawn to dusk" not in history


async def test_a_cough_interrupts_only_for_a_moment(company: Company) -> None:
    async with company.open(says(PICK_UP + HOURS + BRING)) as shop, calling(shop) as ana:
        await ana.says("Are my glasses ready?", then_s=2.0)
        await ana.interrupts("You can pick them up at our sh")

        assert await ana.hears(4.0) == ["shop in Park Street.", HOURS.strip()]
        assert await ana.hears(8.0) == [BRING]
    assert await company.heard(ana.call) == {"t1/m1": len(PICK_UP + HOURS + BRING)}


async def test_mhm_does_not_interrupt(company: Company) -> None:
    async with company.open(says(PICK_UP + HOURS)) as shop, calling(shop) as ana:
        await ana.says("Are my glasses ready?", then_s=2.0)
        await ana.interrupts("You can pick them up at")
        assert await ana.says("Mhm.") == ["our shop in Park Street.", HOURS.strip()]


async def test_partial_words_are_no_message(company: Company) -> None:
    async with company.open() as shop, calling(shop) as ana:
        assert await ana.says("Where is", last=False) == []
    assert await company.entries(ana.call) == []


@pytest.mark.parametrize(("key", "spoken"), [("1", None), (None, "Yes, please.")])
async def test_a_question_is_answered_by_key_or_by_voice(
    company: Company, key: str | None, spoken: str | None
) -> None:
    cancel = cancelling(company)
    lines = (calls("cancel_order"), says("Your order is cancelled."))
    async with company.open(*lines, tools=[cancel]) as shop, calling(shop) as ana:
        asked = await ana.says("Cancel order 4711")
        assert asked == ["Shall I cancel order four seven one one?", "Press one for yes or two for no."]
        answer = await (ana.presses(key) if key else ana.says(str(spoken)))
        assert answer[-1] == "Your order is cancelled."
    assert len(cancel.ran) == 1


async def test_the_key_2_means_no(company: Company) -> None:
    cancel = cancelling(company)
    async with company.open(calls("cancel_order"), tools=[cancel]) as shop, calling(shop) as ana:
        await ana.says("Cancel order 4711")
        assert await ana.presses("2") == ["All right, I have not changed anything."]
    assert cancel.ran == []


async def test_a_yes_to_an_interrupted_question_does_not_count(company: Company) -> None:
    cancel = cancelling(company)
    async with company.open(calls("cancel_order"), tools=[cancel]) as shop, calling(shop) as ana:
        await ana.says("Cancel order 4711", then_s=0.6)
        await ana.interrupts("Shall I cancel")
        again = await ana.says("Yes.")
        assert "Shall I cancel order four seven one one?" in " ".join(again)
    assert cancel.ran == []
    answers = [
        one.entry for one in await company.entries(ana.call) if isinstance(one.entry, ConfirmationAnswered)
    ]
    assert [one.answer for one in answers] == ["unclear"]


async def test_a_yes_before_the_question_was_heard_does_not_count(company: Company) -> None:
    cancel = cancelling(company)
    async with company.open(calls("cancel_order"), tools=[cancel]) as shop, calling(shop) as ana:
        await ana.says("Cancel order 4711", then_s=0.5)
        await ana.says("Yes.")
    assert cancel.ran == []


async def test_an_answer_without_interruption_may_follow_fast_speech(company: Company) -> None:
    cancel = cancelling(company)
    lines = (calls("cancel_order"), says("Your order is cancelled."))
    async with company.open(*lines, tools=[cancel]) as shop, calling(shop) as ana:
        await ana.says("Cancel order 4711", then_s=2.6)
        await ana.says("Yes.")
    assert len(cancel.ran) == 1


async def test_twilios_report_of_playback_has_priority_over_estimates(company: Company) -> None:
    async with company.open(says(PICK_UP + HOURS + BRING)) as shop, calling(shop) as ana:
        await ana.says("Are my glasses ready?", then_s=0.5)
        await ana.socket.send(type="info", name="tokensPlayed", value="You can pick them up")
        await ana.hears(0.1)
        assert (await company.heard(ana.call))["t1/m1"] == len("You can pick them up")
        await ana.socket.send(type="info", name="tokensPlayed", value="at our shop in Park Street.")
        assert await ana.hears(0.1) == [BRING]


async def test_a_lost_report_does_not_silence_the_call(company: Company) -> None:
    async with company.open(says(PICK_UP + HOURS + BRING)) as shop, calling(shop) as ana:
        await ana.says("Are my glasses ready?", then_s=0.5)
        await ana.socket.send(type="info", name="tokensPlayed", value="You can pick")
        assert await ana.hears(20) == [BRING]


async def test_a_cut_connection_is_resumed_in_the_same_call(company: Company) -> None:
    lines = (says("We are open from dawn to dusk."), says("On Saturdays as well."))
    async with company.open(*lines) as shop:
        async with calling(shop) as ana:
            await ana.says("When are you open?")
        again = "/v1/phone/ended?again=0"
        async with calling(shop, address=again, SessionStatus="failed", ErrorCode="64105") as ana:
            assert ana.greeting is None
            assert await ana.says("And on Saturdays?") == ["On Saturdays as well."]
    assert company.model is not None
    assert "dawn to dusk" in str(company.model.requests[1].view.messages)


async def test_text_during_a_disconnect_is_said_afterwards(company: Company) -> None:
    line = says("We are open from dawn to dusk.", first_s=3.0)
    async with company.open(line) as shop:
        async with calling(shop) as ana:
            await ana.says("When are you open?", then_s=0.2)
        await company.clock.sleep(5)
        async with calling(shop, address="/v1/phone/ended?again=0") as ana:
            assert await ana.hears() == ["We are open from dawn to dusk."]


async def test_a_malformed_message_changes_nothing(company: Company) -> None:
    async with company.open(says("We are open from dawn to dusk.")) as shop, calling(shop) as ana:
        for raw in (
            "not json",
            "[]",
            '{"type":"prompt"}',
            '{"type":"from the future"}',
            '{"type":"dtmf","digit":"12"}',
        ):
            await ana.socket.send_raw(raw)
        await ana.socket.send_raw(b"\x00\x01")
        await ana.socket.send(type="error", description="Invalid message received")
        assert await ana.says("When are you open?") == ["We are open from dawn to dusk."]


async def test_a_call_without_speech_is_ended(company: Company) -> None:
    limits = PhoneLimits(idle_s=30)
    async with company.open(says("Bye."), limits=limits) as shop, calling(shop) as ana:
        await ana.says("Hello", then_s=25)
        assert await ana.gets(10) == [{"type": "end", "handoffData": '{"reason": "idle"}'}]
        assert await ana.socket.closed() == 1000


async def test_a_second_socket_of_a_call_replaces_the_first(company: Company) -> None:
    async with company.open(says("Hello to you.")) as shop, calling(shop) as first, calling(shop) as second:
        assert await first.socket.closed() == 1000
        assert await second.says("Hello") == ["Hello to you."]


async def test_too_many_messages_end_the_socket(company: Company) -> None:
    async with company.open(limits=PhoneLimits(frames_per_minute=5)) as shop, calling(shop) as ana:
        for _ in range(6):
            await ana.socket.send(type="info", name="agentSpeaking", value="on")
        assert await ana.socket.closed() == 4429


async def test_a_socket_that_names_no_call_is_not_waited_for(company: Company) -> None:
    async with company.open() as shop, calling(shop, setup=False) as ana:
        await ana.socket.send(type="prompt", voicePrompt="Hello", lang="en-US", last=True)
        assert await ana.socket.closed() == 4408


@pytest.mark.parametrize("keys", ["4711#", "4711"])
async def test_a_requested_number_can_be_entered_with_keys(company: Company, keys: str) -> None:
    lines = (says("What is your order number?"), says("Thank you for that."))
    async with company.open(*lines) as shop, calling(shop) as ana:
        await ana.says("Where is my order?")
        assert await ana.presses(keys) == ["Thank you for that."]
    said = [
        one.entry.text for one in await company.entries(ana.call) if isinstance(one.entry, CustomerMessage)
    ]
    assert said == ["Where is my order?", "4711"]


async def test_the_key_0_asks_for_an_agent(company: Company) -> None:
    async with company.open(says("I'm here to help.")) as shop, calling(shop) as ana:
        assert await ana.presses("0") == ["I'm here to help."]
    said = [
        one.entry.text for one in await company.entries(ana.call) if isinstance(one.entry, CustomerMessage)
    ]
    assert said == [company.book.words("en").handoff.examples[0]]


async def test_the_first_fact_cuts_off_a_waiting_message(company: Company) -> None:
    slow = company.tool("get_hours", "looking up our hours", behaviour=Gives("9 to 5", after_s=2.5))
    lines = (calls("get_hours"), says("We are open from dawn to dusk."))
    async with company.open(*lines, tools=[slow]) as shop, calling(shop) as ana:
        await ana.says("When are you open?", then_s=8)
        texts = [frame for frame in ana.socket.frames if frame["type"] == "text"]
        assert texts[-1]["token"].strip() == "We are open from dawn to dusk."
        assert [frame["preemptible"] for frame in texts] == [*[True] * (len(texts) - 1), False]
        assert len(texts) > 1


async def test_a_turn_that_ends_after_the_hang_up_is_complete(company: Company) -> None:
    async with company.open(says("We are open from dawn to dusk.", first_s=2.0)) as shop:
        async with calling(shop) as ana:
            await ana.says("When are you open?", then_s=0.1)
        await company.clock.sleep(5)
        entries = [one.entry for one in await company.entries(ana.call)]
    assert isinstance(entries[-1], TurnEnded)
    assert await company.heard(ana.call) == {}


async def test_a_log_failure_cuts_the_connection_and_the_call_is_resumed(company: Company) -> None:
    company.log = StoppingLog(most=3)
    async with company.open(says("We are open."), says("We are open.")) as shop, calling(shop) as ana:
        await ana.socket.send(type="prompt", voicePrompt="When are you open?", lang="en-US", last=True)
        assert (await ana.gets())[-1] == {"type": "end", "handoffData": '{"reason": "broken"}'}
        assert await ana.socket.closed() == 1000
        again = await asked(shop, "/v1/phone/ended?again=0", SessionStatus="ended")
        assert again.find("Connect/ConversationRelay") is not None


async def test_a_message_that_is_too_large_ends_the_socket(company: Company) -> None:
    async with company.open(limits=PhoneLimits(frame_bytes=200)) as shop, calling(shop, setup=False) as ana:
        await ana.socket.send(type="prompt", voicePrompt="x" * 300, lang="en-US", last=True)
        assert await ana.socket.closed() == 1009


async def test_two_interruptions_count_as_one_caller(company: Company) -> None:
    lines = (says(PICK_UP + HOURS), says("Of course."))
    async with company.open(*lines) as shop, calling(shop) as ana:
        await ana.says("Are my glasses ready?", then_s=2.0)
        await ana.interrupts("You can pick")
        await ana.interrupts("")
        assert await ana.says("Could you speak slowly?") == ["Of course."]


async def test_a_key_that_interrupts_the_question_does_not_answer_it(company: Company) -> None:
    cancel = cancelling(company)
    async with company.open(calls("cancel_order"), tools=[cancel]) as shop, calling(shop) as ana:
        await ana.says("Cancel order 4711", then_s=1.0)
        await ana.interrupts("Shall I")
        again = await ana.presses("1")
        assert "Shall I cancel order four seven one one?" in " ".join(again)
    assert cancel.ran == []


async def test_a_call_changes_its_language_with_the_caller(company: Company) -> None:
    replies = [says("We are."), says("Das haben wir."), says("Nous sommes ouverts."), says("Demain aussi.")]
    async with company.open(*replies) as shop, calling(shop) as ana:
        await ana.says("When are you open?")
        await ana.says("Bis wann haben Sie geöffnet?")
        await ana.says("Et vous êtes ouverts jusqu'à quelle heure le samedi ?")
        await ana.says("Merci, et demain ?")
        told = [frame for frame in ana.socket.frames if frame["type"] == "language"]

    assert told == [
        {"type": "language", "ttsLanguage": "de-DE", "transcriptionLanguage": "de-DE"},
        {"type": "language", "ttsLanguage": "fr-FR", "transcriptionLanguage": "fr-FR"},
    ]
    said = [one.entry for one in await company.entries(ana.call) if isinstance(one.entry, CustomerMessage)]
    assert [one.locale for one in said] == ["en", "de", "fr", "fr"]

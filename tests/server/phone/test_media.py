"""Phone calls with our own speech recognition and synthesis."""

import asyncio

from assistant.conversation.entries import CustomerMessage
from assistant.errors import SpeechError
from assistant.server.phone.phone_context import PhoneLimits
from assistant.testing.scripted_model import calls, says
from assistant.voice.ports import VoiceServices
from assistant.voice.session import VoiceSessionFactory
from tests.server.phone.company import COLLEAGUES, URL, Company
from tests.server.phone.media_caller import calling
from tests.server.phone.twilio import asked

PICK_UP = "You can pick them up at our shop in Park Street. "
HOURS = "We are there from dawn to dusk. "
BRING = "Please bring your order number with you."


async def said(company: Company, call: str) -> list[str]:
    return [one.entry.text for one in await company.entries(call) if isinstance(one.entry, CustomerMessage)]


async def test_a_caller_is_greeted_heard_and_answered(company: Company) -> None:
    voice = company.speaking("Are my glasses ready?")
    async with company.open(says(PICK_UP + HOURS), via="media", voice=voice) as shop, calling(shop) as ana:
        await shop.clock.sleep(9)
        assert "You are talking to an automated assistant." in shop.text_to_speech.said
        greeted_s = ana.played_s
        assert greeted_s > 5
        await ana.speaks(1.0, then_s=12)
        assert await said(shop, ana.call) == ["Are my glasses ready?"]
        assert shop.text_to_speech.said[-2:] == [PICK_UP.strip(), HOURS.strip()]
        length_s = 0.06 * len(PICK_UP.strip() + HOURS.strip())
        assert abs(ana.played_s - greeted_s - length_s) < 0.1
        assert await company.heard(ana.call) == {"t1/m1": len(PICK_UP + HOURS)}


async def test_only_a_second_of_sound_is_sent_ahead(company: Company) -> None:
    async with company.open(via="media", voice=company.speaking()) as shop, calling(shop) as ana:
        most = 0.0
        for _ in range(60):
            await shop.clock.sleep(0.1)
            most = max(most, ana.ahead_s)
        assert 0.5 < most <= 1.2


async def test_an_interruption_silences_the_assistant_and_drops_the_rest(
    company: Company,
) -> None:
    voice = company.speaking("Are my glasses ready?", "On Saturdays, too?")
    lines = (says(PICK_UP + HOURS + BRING), says("Yes, on Saturdays as well."))
    async with company.open(*lines, via="media", voice=voice) as shop, calling(shop) as ana:
        await shop.clock.sleep(9)
        before = ana.played_s
        await ana.speaks(1.0, then_s=3.0)
        await ana.speaks(1.2)
        heard_s = ana.played_s - before
        assert ana.cleared == 1
        await shop.clock.sleep(8)
        assert await said(shop, ana.call) == ["Are my glasses ready?", "On Saturdays, too?"]
        heard = (await company.heard(ana.call))["t1/m1"]
        assert 0 < heard <= heard_s / 0.06  # a character takes 60 ms
        assert heard >= heard_s / 0.06 - 12
        assert company.model is not None
        assert (PICK_UP + HOURS)[:heard] + "…" in str(company.model.requests[1].view.messages)
        assert shop.text_to_speech.said[-1] == "Yes, on Saturdays as well."


async def test_after_a_cough_the_assistant_continues(company: Company) -> None:
    voice = company.speaking("Are my glasses ready?", "")
    async with company.open(says(PICK_UP + HOURS), via="media", voice=voice) as shop, calling(shop) as ana:
        await shop.clock.sleep(9)
        before = ana.played_s
        await ana.speaks(1.0, then_s=3.0)
        await ana.speaks(0.3, then_s=8)
        assert ana.cleared == 1
        assert await company.heard(ana.call) == {"t1/m1": len(PICK_UP + HOURS)}
        length_s = 0.06 * len(PICK_UP.strip() + HOURS.strip())
        # Of what was on its way to the ear a little is heard twice.
        assert length_s - 0.1 < ana.played_s - before < length_s + 0.6


async def test_a_question_is_answered_with_a_key(company: Company) -> None:
    cancel = company.tool(
        "cancel_order", "cancelling your order", effect="write", confirm=True, clause="cancel order 4711"
    )
    voice = company.speaking("Cancel order 4711")
    lines = (calls("cancel_order"), says("Your order is cancelled."))
    async with company.open(*lines, tools=[cancel], via="media", voice=voice) as shop, calling(shop) as ana:
        await shop.clock.sleep(9)
        await ana.speaks(1.0, then_s=8)
        assert shop.text_to_speech.said[-2:] == [
            "Shall I cancel order four seven one one?",
            "Press one for yes or two for no.",
        ]
        await ana.presses("1")
        await shop.clock.sleep(4)
        assert shop.text_to_speech.said[-1] == "Your order is cancelled."
    assert len(cancel.ran) == 1


async def test_a_key_pressed_before_the_question_was_heard_is_no_consent(company: Company) -> None:
    cancel = company.tool(
        "cancel_order", "cancelling your order", effect="write", confirm=True, clause="cancel order 4711"
    )
    voice = company.speaking("Cancel order 4711")
    lines = (calls("cancel_order"),)
    async with company.open(*lines, tools=[cancel], via="media", voice=voice) as shop, calling(shop) as ana:
        await shop.clock.sleep(9)
        await ana.speaks(1.0, then_s=1.0)
        await ana.presses("1")
        await shop.clock.sleep(4)
    assert cancel.ran == []


async def test_a_requested_number_can_be_entered_with_keys(company: Company) -> None:
    voice = company.speaking("Where is my order?")
    lines = (says("What is your order number?"), says("Thank you for that."))
    async with company.open(*lines, via="media", voice=voice) as shop, calling(shop) as ana:
        await shop.clock.sleep(9)
        await ana.speaks(1.0, then_s=4)
        await ana.presses("10")
        await shop.clock.sleep(5)
        assert await said(shop, ana.call) == ["Where is my order?", "10"]


async def test_a_telephone_without_marks_is_estimated_by_the_clock(company: Company) -> None:
    voice = company.speaking("Are my glasses ready?")
    async with company.open(says(HOURS), via="media", voice=voice) as shop, calling(shop) as ana:
        await shop.clock.sleep(9)
        ana.marks = False
        await ana.speaks(1.0, then_s=9)
    assert await company.heard(ana.call) == {"t1/m1": len(HOURS)}


async def test_a_malformed_message_changes_nothing(company: Company) -> None:
    voice = company.speaking("Are my glasses ready?")
    async with company.open(says(HOURS), via="media", voice=voice) as shop, calling(shop) as ana:
        for raw in (
            "not json",
            '{"event":"media"}',
            '{"event":"media","media":{"payload":"%%%"}}',
            '{"event":"x"}',
        ):
            await ana.send_raw(raw)
        await ana.send(event="media", media={"payload": "AAAA", "track": "outbound"})
        await ana.send(event="mark", mark={"name": "nobody's"})
        await ana.begins()
        await shop.clock.sleep(9)
        await ana.speaks(1.0, then_s=4)
        assert await said(shop, ana.call) == ["Are my glasses ready?"]


async def test_a_request_for_an_agent_closes_the_stream_to_transfer_the_call(company: Company) -> None:
    voice = company.speaking("A person, please")
    lines = (calls("talk_to_a_person"), says("I've asked my colleagues to join us."))
    async with (
        company.open(*lines, via="media", voice=voice, transfer=COLLEAGUES) as shop,
        calling(shop) as ana,
    ):
        await shop.clock.sleep(9)
        await ana.speaks(1.0, then_s=12)
        assert await ana.closed() == 1000
        assert shop.text_to_speech.said[-1] == "Please stay on the line."
        response = await asked(shop, "/v1/phone/ended?again=0")
        number = response.find("Dial/Number")
        assert number is not None
        assert number.text == COLLEAGUES


async def test_a_stopped_stream_is_closed_and_a_cut_call_is_not_greeted(
    company: Company,
) -> None:
    voice = company.speaking("Are my glasses ready?")
    async with company.open(says(HOURS), via="media", voice=voice) as shop:
        async with calling(shop) as ana:
            await shop.clock.sleep(9)
            await ana.speaks(1.0, then_s=4)
            await ana.send(event="stop", sequenceNumber="9", streamSid=ana.stream, stop={"callSid": ana.call})
            assert await ana.closed() == 1000
        said_before = len(shop.text_to_speech.said)
        async with calling(shop, address="/v1/phone/ended?again=0") as ana:
            await shop.clock.sleep(5)
        assert len(shop.text_to_speech.said) == said_before


async def test_a_call_rings_until_the_models_are_loaded(company: Company) -> None:
    began, loaded = asyncio.Event(), asyncio.Event()

    async def load() -> VoiceServices:
        began.set()
        await loaded.wait()
        raise SpeechError("no such weights")

    voice = VoiceSessionFactory(load=load)
    async with company.open(via="media", voice=voice) as shop:
        waits = await asked(shop, "/v1/phone/incoming")
        await began.wait()
        assert [one.tag for one in waits] == ["Pause", "Redirect"]
        assert waits[1].text == f"{URL}/v1/phone/incoming?again=1"
        given_up = await asked(shop, "/v1/phone/incoming?again=10")
        assert [one.tag for one in given_up] == ["Hangup"]


async def test_a_stream_without_a_loaded_voice_is_closed(company: Company) -> None:
    async with (
        company.open(via="media", voice=VoiceSessionFactory("loading")) as shop,
        calling(shop, address="/v1/phone/ended?again=0") as caller,
    ):
        assert await caller.closed() == 1011


async def test_an_idle_call_is_ended_and_not_resumed(company: Company) -> None:
    limits = PhoneLimits(idle_s=20)
    async with (
        company.open(via="media", voice=company.speaking(), limits=limits) as shop,
        calling(shop) as ana,
    ):
        await shop.clock.sleep(25)
        assert await ana.closed() == 1000
        over = await asked(shop, "/v1/phone/ended?again=0")
        assert over.find("Hangup") is not None

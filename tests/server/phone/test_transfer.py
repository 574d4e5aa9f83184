"""A caller wants an agent: the call is transferred, and returns if no one answers."""

import pytest

from assistant.conversation.entries import Handoff
from assistant.ports import NoAgentAvailable
from assistant.testing.scripted_model import calls, says
from tests.server.phone.company import COLLEAGUES, URL, Company
from tests.server.phone.relay_caller import RelayCaller, calling
from tests.server.phone.twilio import CALL, Frame, asked, request

ASKED = "I've asked my colleagues to join us."
GOING = ["I'm putting you through now.", "Please stay on the line."]
BACK = "This is Robin, the automated assistant, again."


async def states(company: Company) -> list[str]:
    entries = [logged.entry for logged in await company.entries(CALL)]
    return [entry.state for entry in entries if isinstance(entry, Handoff)]


async def is_put_through(ana: RelayCaller) -> list[Frame]:
    """Ask for a person, and listen to the end."""
    await ana.socket.send(type="prompt", voicePrompt="A person, please", lang="en-US", last=True)
    return await ana.gets(14)


async def dialled(company: Company) -> tuple[str, str]:
    """Twilio asks what is next, and is to dial: the addresses for who answers, and for how it ended."""
    response = await asked(company, "/v1/phone/ended?again=0", SessionStatus="ended", HandoffData="{}")
    dial, number = response.find("Dial"), response.find("Dial/Number")
    assert dial is not None
    assert number is not None
    assert number.text == COLLEAGUES
    assert dial.get("timeout") == "25"
    return str(number.get("url")), str(dial.get("action"))


async def test_a_caller_is_transferred_after_hearing_so(company: Company) -> None:
    lines = (calls("talk_to_a_person"), says(ASKED))
    async with company.open(*lines, transfer=COLLEAGUES) as shop:
        async with calling(shop) as ana:
            frames = await is_put_through(ana)
            spoken = [frame["token"].strip() for frame in frames if frame["type"] == "text"]
            assert spoken[-3:] == [ASKED, *GOING]
            assert frames[-1] == {"type": "end", "handoffData": '{"reason": "transfer"}'}
        answered, ended = await dialled(shop)

        assert list(await asked(shop, answered, CallSid="CA99", ParentCallSid=CALL)) == []
        assert await states(shop) == ["requested", "queued", "accepted"]

        over = await asked(shop, ended, DialCallStatus="completed", CallStatus="completed")
        assert over.find("Hangup") is not None
        assert (await states(shop))[-1] == "ended"
        await shop.clock.sleep(1)
        assert list((await shop.heard(CALL)).values())[-1] == 0  # words that no one could hear were not heard


async def test_a_caller_who_stays_gets_the_assistant_again(company: Company) -> None:
    lines = (calls("talk_to_a_person"), says(ASKED), says("You're welcome."))
    async with company.open(*lines, transfer=COLLEAGUES) as shop:
        async with calling(shop) as ana:
            await is_put_through(ana)
        answered, ended = await dialled(shop)
        await asked(shop, answered, CallSid="CA99")
        async with calling(shop, address=ended, DialCallStatus="completed") as ana:
            assert ana.greeting is None
            assert " ".join(await ana.hears()).startswith(BACK)
            assert await ana.says("Thank you") == ["You're welcome."]


async def test_the_end_of_a_call_does_not_end_an_operators_handoff(company: Company) -> None:
    async with company.open(calls("talk_to_a_person"), says(ASKED), transfer=COLLEAGUES) as shop:
        async with calling(shop) as ana:
            await is_put_through(ana)
        answered, ended = await dialled(shop)
        handoff = shop.handoffs.find_handoff("shop", f"call-{CALL}")
        assert handoff is not None
        await handoff.accept("Sam", "operators")

        await asked(shop, answered, CallSid="CA99", ParentCallSid=CALL)
        await asked(shop, ended, DialCallStatus="completed", CallStatus="completed")

        assert await states(shop) == ["requested", "queued", "accepted"]


@pytest.mark.parametrize("status", ["no-answer", "busy", "failed"])
async def test_without_an_answer_the_caller_hears_of_a_ticket_and_may_continue(
    company: Company, status: str
) -> None:
    lines = (calls("talk_to_a_person"), says(ASKED), says("Gladly."))
    async with company.open(*lines, transfer=COLLEAGUES) as shop:
        async with calling(shop) as ana:
            await is_put_through(ana)
        _, ended = await dialled(shop)
        async with calling(shop, address=ended, DialCallStatus=status) as ana:
            told = " ".join(await ana.hears(14))
            assert told.startswith("I'm sorry, none of my colleagues is free just now.")
            assert "your reference is" in told
            assert await ana.says("Then tell me yourself") == ["Gladly."]
        assert await states(shop) == ["requested", "queued", "unavailable", "ticket"]


async def test_without_a_number_the_usual_message_is_all(company: Company) -> None:
    lines = (calls("talk_to_a_person"), says(ASKED))
    async with company.open(*lines) as shop, calling(shop) as ana:
        frames = await is_put_through(ana)
        assert frames[-1]["token"].strip() == ASKED


async def test_without_an_available_agent_nothing_is_dialled(company: Company) -> None:
    company.backend.answer = NoAgentAvailable(why="night")
    lines = (calls("talk_to_a_person"), says("Nobody is free. Your ticket is T-1."))
    async with company.open(*lines, transfer=COLLEAGUES) as shop, calling(shop) as ana:
        assert all(frame["type"] == "text" for frame in await is_put_through(ana))


async def test_a_caller_who_talks_over_the_last_words_is_transferred_too(company: Company) -> None:
    lines = (calls("talk_to_a_person"), says(ASKED), says("Of course."))
    async with company.open(*lines, transfer=COLLEAGUES) as shop, calling(shop) as ana:
        await ana.says("A person, please", then_s=6)
        await ana.interrupts("I'm putting")
        await ana.says("Thank you!", then_s=3)
        assert (await ana.gets(12))[-1]["type"] == "end"


async def test_a_caller_who_hangs_up_while_it_rings_leaves_a_ticket(company: Company) -> None:
    lines = (calls("talk_to_a_person"), says(ASKED))
    async with company.open(*lines, transfer=COLLEAGUES) as shop:
        async with calling(shop) as ana:
            await is_put_through(ana)
        _, ended = await dialled(shop)
        over = await asked(shop, ended, DialCallStatus="no-answer", CallStatus="completed")
        assert over.find("Hangup") is not None
        assert (await states(shop))[-1] == "ticket"


async def test_an_ended_call_stays_ended(company: Company) -> None:
    async with company.open(transfer=COLLEAGUES) as shop:
        for form in ({"CallStatus": "completed"}, {"CallSid": "../etc"}):
            answer = await asked(shop, "/v1/phone/ended?again=0", **form)
            assert answer.find("Hangup") is not None


async def test_a_connection_that_is_cut_repeatedly_is_given_up(company: Company) -> None:
    async with company.open() as shop:
        again = await asked(shop, "/v1/phone/ended?again=2", SessionStatus="failed")
        assert str(again.find("Connect").get("action")) == f"{URL}/v1/phone/ended?again=3"  # pyright: ignore
        over = await asked(shop, "/v1/phone/ended?again=3", SessionStatus="failed")
        assert over.find("Hangup") is not None


async def test_an_old_address_does_nothing(company: Company) -> None:
    lines = (calls("talk_to_a_person"), says(ASKED))
    async with company.open(*lines, transfer=COLLEAGUES) as shop:
        async with calling(shop) as ana:
            await is_put_through(ana)
        await request(shop, f"/v1/phone/answered?call={CALL}&handoff=h-old")
        await request(shop, "/v1/phone/answered")
        assert await states(shop) == ["requested", "queued"]

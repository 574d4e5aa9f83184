"""Calls behind one address with two servers: Twilio asks either, and an interrupted call continues at either."""

import asyncio

import pytest
from structlog.testing import capture_logs

from assistant.server.phone.phone_context import PhoneLimits, Via, conversation_of
from assistant.testing.script import calls, says
from tests.server.phone.company import COLLEAGUES, SECRET, TENANT
from tests.server.phone.media_caller import calling as calling_with_sound
from tests.server.phone.relay_caller import calling
from tests.server.phone.test_call_tokens import takes_over
from tests.server.phone.twilio import CALL, asked, parameters
from tests.server.phone.two_servers import Servers
from tests.support.memory_used_tokens import call_registry

CONVERSATION = conversation_of(TENANT, CALL)
AGAIN = "/v1/phone/ended?again=0"
PICK_UP = "You can pick them up at our shop in Park Street. "
HOURS = "We are there from dawn to dusk. "
BRING = "Please bring your order number with you."


@pytest.fixture
def servers() -> Servers:
    return Servers()


async def test_one_server_takes_the_call_and_another_its_socket(servers: Servers) -> None:
    async with (
        servers.open((), (says("Hello Ana."),)) as (here, there),
        calling(there, told_by=here) as ana,
    ):
        assert await ana.says("Hello") == ["Hello Ana."]


async def test_a_token_is_valid_for_one_socket_of_all_servers(servers: Servers) -> None:
    async with servers.open((), ()) as (here, there), calling(there, told_by=here) as ana:
        await ana.hears(0.1)
        with capture_logs() as logged:
            assert await takes_over(here, CALL, **parameters(ana.relay)) == 4401
        assert [line["event"] for line in logged] == ["refused: a socket without its call's token"]


async def test_a_token_needs_the_secret_and_the_tenant_of_these_servers(servers: Servers) -> None:
    other = call_registry(servers.clock, servers.used, secret=b"x" * 32)
    tenant = call_registry(servers.clock, servers.used, secret=SECRET, tenant="other")
    async with servers.open((), ()) as (here, _):
        for forger in (other, tenant):
            assert await takes_over(here, CALL, token=forger.expect(CALL, 60)) == 4401


async def test_a_call_of_a_stopped_server_continues_its_sentence_elsewhere(servers: Servers) -> None:
    answer, more = says(PICK_UP + HOURS + BRING), says("On Saturdays as well.")
    async with servers.open((answer,), (more,)) as (here, there):
        async with calling(here) as ana:
            assert (await ana.says("Are my glasses ready?", then_s=4.5))[0] == PICK_UP.strip()
            await here.stop()
            assert await ana.socket.closed() == 1012
        assert len(PICK_UP) < (await there.heard(CALL))["t1/m1"] < len(PICK_UP + HOURS)
        async with calling(there, address=AGAIN) as ana:
            assert ana.greeting is None
            assert await ana.hears(20) == [HOURS.strip(), BRING]
            assert await ana.says("On Saturdays, too?") == ["On Saturdays as well."]
        assert await servers.said(CONVERSATION) == ["Are my glasses ready?", "On Saturdays, too?"]
        assert there.model is not None
        assert BRING in str(there.model.requests[-1].view.messages)  # all of it was heard


async def test_a_call_of_a_dead_server_is_answered_elsewhere(servers: Servers) -> None:
    """Until the dead server's lease ends, the other one reads the conversation; then it writes it."""
    slow, answer, more = says(PICK_UP, first_s=60), says(HOURS), says("On Saturdays as well.")
    async with servers.open((slow,), (answer, more)) as (here, there):
        async with calling(here) as ana:
            await ana.says("When are you open?", then_s=1.0)
            await here.die()
            await ana.socket.closed()
        async with calling(there, address=AGAIN) as ana:
            assert await ana.socket.closed() == 1000
            assert ana.socket.frames[-1] == {"type": "end", "handoffData": '{"reason": "broken"}'}
        async with calling(there, address="/v1/phone/ended?again=1") as ana:
            assert await ana.hears() == [HOURS.strip()]
            assert await ana.says("On Saturdays, too?") == ["On Saturdays as well."]
        assert await servers.said(CONVERSATION) == ["When are you open?", "On Saturdays, too?"]


async def test_a_call_with_sound_of_a_dead_server_is_answered_elsewhere(servers: Servers) -> None:
    slow, answer, more = says(PICK_UP, first_s=60), says(HOURS), says("On Saturdays as well.")
    heard = (("When are you open?",), ("On Saturdays, too?",))
    async with servers.open((slow,), (answer, more), via="media", heard=heard) as (here, there):
        async with calling_with_sound(here) as ana:
            await asyncio.sleep(9)
            await ana.speaks(1.0, then_s=3.0)
            await here.die()
            await ana.closed()
        async with calling_with_sound(there, address=AGAIN) as ana:
            assert await ana.closed() == 1000
        async with calling_with_sound(there, address="/v1/phone/ended?again=1") as ana:
            await asyncio.sleep(8)
            assert there.text_to_speech.said[-1] == HOURS.strip()
            await ana.speaks(1.0, then_s=6.0)
            assert there.text_to_speech.said[-1] == "On Saturdays as well."
        assert await servers.said(CONVERSATION) == ["When are you open?", "On Saturdays, too?"]


async def test_speech_before_the_end_of_the_lease_is_answered_after_it(servers: Servers) -> None:
    async with servers.open((says(HOURS),), (says("On Saturdays as well."),)) as (here, there):
        async with calling(here) as ana:
            await ana.says("When are you open?")
            await here.die()
            await ana.socket.closed()
        async with calling(there, address=AGAIN) as ana:
            await ana.says("On Saturdays, too?", then_s=1.0)
            assert await ana.socket.closed() == 1000
        async with calling(there, address="/v1/phone/ended?again=1") as ana:
            assert await ana.hears() == ["On Saturdays as well."]
        assert await servers.said(CONVERSATION) == ["When are you open?", "On Saturdays, too?"]


async def test_a_call_continues_at_a_server_that_only_reads_the_conversation(servers: Servers) -> None:
    lines = (says(HOURS), says("On Saturdays as well."))
    async with servers.open(lines, ()) as (here, there):
        async with calling(here) as ana:
            await ana.says("When are you open?")
        async with calling(there, address=AGAIN) as ana:
            assert await ana.says("On Saturdays, too?") == ["On Saturdays as well."]
        assert await there.heard(CALL) == {"t1/m1": len(HOURS), "t2/m1": 21}


async def test_a_call_with_sound_continues_at_another_server(servers: Servers) -> None:
    answer, more = says(PICK_UP + HOURS + BRING), says("On Saturdays as well.")
    heard = (("Are my glasses ready?",), ("On Saturdays, too?",))
    async with servers.open((answer,), (more,), via="media", heard=heard) as (here, there):
        async with calling_with_sound(here, told_by=there) as ana:
            await asyncio.sleep(9)
            await ana.speaks(1.0, then_s=4.9)
            await here.stop()
            assert await ana.closed() == 1012
        assert 0 < (await there.heard(CALL))["t1/m1"] < len(PICK_UP + HOURS)
        async with calling_with_sound(there, address=AGAIN) as ana:
            await asyncio.sleep(12)
            assert there.text_to_speech.said[-2:] == [HOURS.strip(), BRING]
            await ana.speaks(1.0, then_s=6.0)
            assert there.text_to_speech.said[-1] == "On Saturdays as well."
        assert await servers.said(CONVERSATION) == ["Are my glasses ready?", "On Saturdays, too?"]


@pytest.mark.parametrize("via", ["relay", "media"])
async def test_a_call_that_one_server_ended_is_not_resumed_by_another(servers: Servers, via: Via) -> None:
    call = calling if via == "relay" else calling_with_sound
    async with servers.open((), (), via=via, limits=PhoneLimits(idle_s=20)) as (here, there):
        async with call(here):
            await asyncio.sleep(30)
        for server in (there, here):
            assert (await asked(server, AGAIN)).find("Hangup") is not None


async def test_a_transfer_works_through_any_server(servers: Servers) -> None:
    lines = (calls("talk_to_a_person"), says("I've asked my colleagues to join us."), says("You're welcome."))
    async with servers.open(lines, (), transfer=COLLEAGUES) as (here, there):
        async with calling(here) as ana:
            await ana.says("A person, please", then_s=14)
        dial = (await asked(there, AGAIN)).find("Dial")
        assert dial is not None
        await asked(here, str(dial[0].get("url")), CallSid="CA99")
        async with calling(there, address=str(dial.get("action")), DialCallStatus="completed") as ana:
            assert " ".join(await ana.hears()).startswith("This is Robin, the automated assistant, again.")
            assert await ana.says("Thank you") == ["You're welcome."]

"""A call's websocket is admitted with a token of that call: once, for a short time, and in a known audio
format.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from structlog.testing import capture_logs

from assistant.server.phone.call_registry import CallRegistry
from assistant.testing.counted_ids import CountedIds
from assistant.testing.script import says
from assistant.testing.virtual_time import VirtualClock
from tests.server.phone.company import Company
from tests.server.phone.media_caller import calling as calling_with_sound
from tests.server.phone.relay_caller import calling
from tests.server.phone.twilio import CALL, Socket, asked, parameters
from tests.support.memory_used_tokens import MemoryUsedTokens, call_registry

RELAY = "wss://talk.example.com/v1/phone/relay"
OTHER_CALL = "CA00000000000000000000000000000002"


async def takes_over(shop: Company, call: str, **shown: str) -> int:
    """A socket with a signature from a log, which says that it is this call; gives the code of its end."""
    socket = await Socket.open(shop, RELAY)
    await socket.send(type="setup", callSid=call, customParameters=shown)
    code = await socket.closed()
    await socket.hang_up()
    return code


async def test_a_signature_and_a_call_id_do_not_take_over_a_live_call(company: Company) -> None:
    async with company.open(says("Hello Ana."), says("Still here.")) as shop, calling(shop) as ana:
        assert await ana.says("Hello") == ["Hello Ana."]
        used = parameters(ana.relay)

        with capture_logs() as logged:
            codes = [
                await takes_over(shop, CALL),
                await takes_over(shop, CALL, token=""),
                await takes_over(shop, CALL, token="guessed"),
                await takes_over(shop, CALL, token="gesprächig"),
                await takes_over(shop, CALL, **used),
            ]

        assert codes == [4401] * 5
        assert [line["event"] for line in logged] == ["refused: a socket without its call's token"] * 5
        assert used["token"] not in str(logged)
        assert await ana.says("Are you there?") == ["Still here."]


async def test_the_token_of_one_call_is_not_valid_for_another(company: Company) -> None:
    async with company.open() as shop:
        verb = (await asked(shop, "/v1/phone/incoming", CallSid=OTHER_CALL)).find("Connect/ConversationRelay")
        assert verb is not None
        assert await takes_over(shop, CALL, **parameters(verb)) == 4401


async def test_a_token_is_valid_for_a_minute(company: Company) -> None:
    async with company.open() as shop:
        verb = (await asked(shop, "/v1/phone/incoming")).find("Connect/ConversationRelay")
        assert verb is not None
        await asyncio.sleep(61)
        assert await takes_over(shop, CALL, **parameters(verb)) == 4401


async def test_each_answer_to_twilio_has_a_token_of_its_own(company: Company) -> None:
    async with company.open() as shop:
        answers = [await asked(shop, "/v1/phone/incoming", CallSid=call) for call in (CALL, OTHER_CALL)]
        answers.append(await asked(shop, "/v1/phone/ended?again=0"))
    verbs = [verb for answer in answers for verb in answer.iter("ConversationRelay")]
    assert len({parameters(verb)["token"] for verb in verbs}) == 3
    assert {verb.get("url") for verb in verbs} == {RELAY}  # addresses are logged


@pytest.mark.parametrize(
    "sound", [{"encoding": "audio/opus"}, {"sampleRate": 48_000}, {"channels": 2}], ids=str
)
async def test_a_stream_in_another_format_is_refused(company: Company, sound: dict[str, Any]) -> None:
    async with company.open(via="media", voice=company.speaking()) as shop:
        with capture_logs() as logged:
            async with calling_with_sound(shop, sound=sound) as ana:
                assert await ana.closed() == 1003
        over = await asked(shop, "/v1/phone/ended?again=0")

    assert [line["sent"] for line in logged if "only mu-law" in line["event"]]
    assert over.find("Hangup") is not None  # the next stream would be no better
    assert await company.entries(CALL) == []


@dataclass(frozen=True)
class Replaced:
    """A secret that has been replaced; what was made with the previous one is still accepted."""

    signing: bytes = b"n" * 32
    accepted: Sequence[bytes] = (b"n" * 32, b"o" * 32)


async def test_a_token_from_before_the_rotation_of_the_secret_is_accepted() -> None:
    clock, used = VirtualClock(), MemoryUsedTokens()
    before = call_registry(clock, used, secret=b"o" * 32).expect(CALL, 60)
    calls = CallRegistry(Replaced(), tenant="shop", clock=clock, ids=CountedIds("new-"), used=used)
    assert await calls.admit(CALL, before)
    assert await calls.admit(CALL, calls.expect(CALL, 60))
    assert not await calls.admit(CALL, call_registry(clock, used, secret=b"x" * 32).expect(CALL, 60))

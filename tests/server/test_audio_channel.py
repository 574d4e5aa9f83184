"""Customers who speak over the websocket."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace

import orjson
import pytest

from assistant.clock import SystemClock
from assistant.conversation.entries import (
    DeliveryReceipt,
    MessageClosed,
    MessageOpened,
    MessageText,
    TurnStarted,
)
from assistant.errors import SpeechError
from assistant.prompts.book import shipped_book
from assistant.server.frame_sender import AudioQueue
from assistant.testing.counted_ids import CountedIds
from assistant.voice.ports import VoiceServices
from assistant.voice.session import VoiceSessionFactory
from tests.server.client import Client, Frame, bare
from tests.server.running_server import RunningServer, new_server, opened, with_limits
from tests.support.spoken_chat import (
    FakeSpeechToText,
    FakeTextToSpeech,
    FakeVoiceActivity,
    silence,
    speech,
)

SECOND = 32_000
UTTERANCE = speech(0.5) + silence(1.6)


def voice(*understood: str) -> VoiceServices:
    clock = SystemClock()
    return VoiceServices(
        speech_to_text=FakeSpeechToText(clock, understood, takes_s=0.0),
        text_to_speech=FakeTextToSpeech(clock, takes_s=0.0),
        voice_activity=FakeVoiceActivity(),
        clock=clock,
        ids=CountedIds("said-"),
        book=shipped_book,
    )


def speaking(*understood: str) -> RunningServer:
    server = new_server()
    factory = VoiceSessionFactory()
    factory.set_services(voice(*understood))
    server.context = replace(server.context, voice=factory)
    return server


@pytest.fixture
async def server() -> AsyncGenerator[RunningServer, None]:
    async with opened(speaking("Where is my order?", "And my bill?")) as server:
        yield server


async def starts(ana: Client, **how: object) -> Frame:
    await ana.enter()
    await ana.say(type="audio.start", **how)
    return (await hears_until(ana, "audio.ready"))[-1]


async def hears_until(ana: Client, type_: str) -> list[Frame]:
    """The text frames up to one of this type; sound goes to ``ana.heard`` as bytes."""
    frames: list[Frame] = []
    while not frames or frames[-1]["type"] != type_:
        raw = await ana.ws.recv()
        frames.append(orjson.loads(raw) if isinstance(raw, str) else {"type": "sound", "bytes": raw})
    return frames


async def sends(ana: Client, sound: bytes) -> None:
    for at in range(0, len(sound), SECOND):
        await ana.ws.send(sound[at : at + SECOND])


def publish_answer(server: RunningServer, text: str) -> None:
    server.session.publish(
        TurnStarted(turn_id="t1", message_id="u1", cause="message", bundle="b"),
        MessageOpened(message_id="t1/m1", round=1, model_written=True),
        MessageText(message_id="t1/m1", text=text),
        MessageClosed(message_id="t1/m1", kind="response"),
        turn_id="t1",
    )


async def test_a_client_is_told_whether_voice_is_available(server: RunningServer) -> None:
    assert (await Client(server).enter())["voice"] == {"ready": True, "problem": None}
    assert server.context.voice is not None
    server.context.voice.mark_unavailable("pip install it")
    assert (await Client(server).enter())["voice"] == {"ready": False, "problem": "pip install it"}
    ana = Client(server)
    await ana.enter()
    await ana.say(type="audio.start")
    assert bare(await ana.hear()) == {
        "type": "error",
        "code": "not_supported",
        "retryable": False,
        "message": "pip install it",
    }


async def test_a_customer_can_write_while_the_speech_models_load() -> None:
    loaded = asyncio.Event()

    async def load() -> VoiceServices:
        await loaded.wait()
        return voice("Where is my order?")

    server = new_server()
    server.context = replace(server.context, voice=VoiceSessionFactory(load=load))
    async with opened(server):
        ana = Client(server)
        await ana.enter()
        await ana.say(type="audio.start")
        await ana.say(type="message", id="m1", text="Can you hear me?")
        assert (await ana.hear())["type"] == "accepted"
        loaded.set()
        assert (await hears_until(ana, "audio.ready"))[-1]["mode"] == "hands_free"


async def test_a_microphone_that_is_turned_off_meanwhile_stays_off() -> None:
    loaded = asyncio.Event()

    async def load() -> VoiceServices:
        await loaded.wait()
        return voice()

    server = new_server()
    factory = VoiceSessionFactory(load=load)
    server.context = replace(server.context, voice=factory)
    async with opened(server):
        ana = Client(server)
        await ana.enter()
        await ana.say(type="audio.start")
        await ana.say(type="audio.stop")
        await ana.say(type="ping")
        assert (await ana.hear())["type"] == "pong"
        loaded.set()
        await factory.services()
        await ana.say(type="ping")
        assert (await ana.hear())["type"] == "pong"


async def test_a_microphone_whose_models_cannot_be_loaded_is_refused() -> None:
    async def load() -> VoiceServices:
        raise SpeechError("no such weights")

    server = new_server()
    server.context = replace(server.context, voice=VoiceSessionFactory(load=load))
    async with opened(server):
        ana = Client(server)
        await ana.enter()
        await ana.say(type="audio.start")
        refused = await ana.hear()
        assert (refused["code"], refused["message"]) == ("not_supported", "no such weights")


async def test_speech_becomes_a_message_and_the_answer_is_spoken(server: RunningServer) -> None:
    ana = Client(server)
    ready = await starts(ana, tempo=1.5)
    assert ready == {"type": "audio.ready", "mode": "hands_free", "speak": True, "tempo": 1.5}

    await sends(ana, UTTERANCE)
    accepted = (await hears_until(ana, "accepted"))[-1]
    publish_answer(server, "It is on its way.")
    frames = await hears_until(ana, "audio.clip_end")

    assert (accepted["id"], accepted["text"], accepted["spoken"]) == ("v-said-1", "Where is my order?", True)
    clip = next(frame for frame in frames if frame["type"] == "audio.clip")
    assert clip == {
        "type": "audio.clip", "clip": 1, "rate": 24_000, "message_id": "t1/m1", "start": 0, "end": 17,
    }  # fmt: skip
    sound = b"".join(frame["bytes"][4:] for frame in frames if frame["type"] == "sound")
    assert len(sound) == 2 * 24 * frames[-1]["ms"]
    assert all(frame["bytes"][:4] == b"\x01\0\0\0" for frame in frames if frame["type"] == "sound")

    await ana.say(type="audio.played", clip=1, ms=frames[-1]["ms"], playing=False)
    await ana.say(type="audio.stop")
    assert await nothing_but_pong(ana)
    assert heard(server) == [("t1/m1", 0), ("t1/m1", 17)]


def heard(server: RunningServer) -> list[tuple[str, int]]:
    told = (logged.entry for logged in server.session.entries)
    return [
        (one.message_id, one.up_to) for one in told if isinstance(one, DeliveryReceipt) and one.how == "heard"
    ]


async def nothing_but_pong(ana: Client) -> bool:
    await ana.say(type="ping", id="end")
    return (await hears_until(ana, "pong"))[-1]["id"] == "end"


async def test_a_typed_message_and_a_stop_clear_the_playback(server: RunningServer) -> None:
    ana = Client(server)
    await starts(ana)
    publish_answer(server, "It is on its way. It will be there on Tuesday. Anything else?")
    await hears_until(ana, "audio.clip_end")
    await ana.say(type="audio.played", clip=1, ms=600)
    await ana.says("m1", "Thanks")
    frames = await hears_until(ana, "accepted")
    assert "audio.clear" in [frame["type"] for frame in frames]
    assert heard(server)[-1][1] == len("It is on")


async def test_with_push_to_talk_the_customer_ends_the_utterance(server: RunningServer) -> None:
    ana = Client(server)
    await starts(ana, mode="push_to_talk", speak=False)
    await sends(ana, speech(0.6))
    await ana.say(type="audio.end")
    assert (await hears_until(ana, "accepted"))[-1]["text"] == "Where is my order?"


@pytest.mark.parametrize("size", [3, SECOND + 2])
async def test_invalid_sound_is_refused_with_the_right_format(server: RunningServer, size: int) -> None:
    ana = Client(server)
    await starts(ana)
    await ana.ws.send(bytes(size))
    error = (await hears_until(ana, "error"))[-1]
    assert error["code"] == "bad_frame"
    assert error["message"].startswith(f"binary frame of {size} bytes: send whole 16-bit samples")


async def test_more_sound_than_real_time_closes_the_socket() -> None:
    async with opened(with_limits(speaking(), sound_burst_s=2.0)) as server:
        ana = Client(server)
        await starts(ana)
        await ana.ws.send(bytes(SECOND))
        await ana.ws.send(bytes(SECOND))
        assert await nothing_but_pong(ana)
        server.clock.advance(1.0)
        await ana.ws.send(bytes(SECOND))
        assert await nothing_but_pong(ana)
        await ana.ws.send(bytes(SECOND))
        assert await ana.is_shown_out() == 4429


async def test_the_last_window_that_turned_its_microphone_on_speaks(server: RunningServer) -> None:
    laptop, phone = Client(server), Client(server)
    await starts(laptop)
    phone.token = laptop.token
    await starts(phone)
    error = (await hears_until(laptop, "error"))[-1]
    assert (error["code"], "another window" in error["message"]) == ("not_supported", True)

    publish_answer(server, "Hello.")
    assert "audio.clip" in [frame["type"] for frame in await hears_until(phone, "audio.clip_end")]
    await laptop.say(type="ping", id="end")
    assert "audio.clip" not in [frame["type"] for frame in await hears_until(laptop, "pong")]
    await sends(laptop, UTTERANCE)
    assert await nothing_but_pong(laptop)
    assert server.session.customer_said == []


async def test_a_customer_who_leaves_is_not_spoken_to_any_more(server: RunningServer) -> None:
    ana, ben = Client(server), Client(server)
    await starts(ana)
    ben.token = ana.token
    await ben.enter()
    await ana.leave()
    assert await ben.hears_nothing_more()
    publish_answer(server, "Hello.")
    await hears_until(ben, "message.completed")
    assert len(server.session.listeners) == 1


def test_dropped_sound_is_not_sent() -> None:
    queue = AudioQueue()
    for clip in (1, 2):
        queue.put({"type": "audio.clip", "clip": clip}, clip)
        queue.put(bytes(100), clip)
    queue.put({"type": "audio.caption"})
    queue.forget([1])
    queue.put_first({"type": "audio.drop"})
    assert queue.size == 100 + 3 * 200
    assert [queue.pop() for _ in range(len(queue))] == [
        {"type": "audio.drop"}, {"type": "audio.clip", "clip": 2}, bytes(100), {"type": "audio.caption"},
    ]  # fmt: skip
    queue.put(bytes(50), 3)
    queue.forget()
    assert (len(queue), queue.size) == (0, 0)

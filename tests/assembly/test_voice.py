"""The speech models are loaded for the first customer who speaks, and report what is missing."""

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from assistant.assembly.voice import SpeechModels, load_services, voice_of
from assistant.clock import SystemClock
from assistant.errors import DeclarationError, SpeechError
from assistant.models.speech.choose import WarmTextToSpeech
from assistant.prompts.book import shipped_book
from assistant.settings import Settings
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import deps_for, open_chat
from assistant.testing.counted_ids import CountedIds
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.testing.scripted_model import ScriptedModel
from assistant.turn.context import TurnDependencies
from assistant.voice.ports import VoiceServices
from assistant.voice.session import VoiceSession, VoiceSessionFactory
from tests.support.spoken_chat import FakeLoudspeaker, FakeSpeechToText, FakeTextToSpeech, FakeVoiceActivity

CLOCK = SystemClock()


class Warmed:
    """A model that can be warmed, or cannot."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.warmed = asyncio.Event()
        self.gate: asyncio.Event | None = None
        self.times = 0

    async def warm(self) -> None:
        self.times += 1
        self.warmed.set()
        if self.gate is not None:
            await self.gate.wait()
        if self.error is not None:
            raise self.error


class Hears(FakeSpeechToText, Warmed):
    def __init__(self, error: Exception | None = None) -> None:
        FakeSpeechToText.__init__(self, CLOCK)
        Warmed.__init__(self, error)


class Speaks(FakeTextToSpeech, Warmed):
    def __init__(self, error: Exception | None = None) -> None:
        FakeTextToSpeech.__init__(self, CLOCK)
        Warmed.__init__(self, error)


class Notices(FakeVoiceActivity, Warmed):
    """Speech in sound."""


def deps() -> TurnDependencies:
    slow = replace(fake_spec("slow", "looking", "look"), timeout_s=40.0)
    return deps_for(ScriptedModel(), [FakeTool(slow, Gives(1), CLOCK)], shipped_book(), CLOCK)


def factory(hearing: "Hears") -> VoiceSessionFactory:
    """Opens voice sessions with these models."""
    speech: WarmTextToSpeech = Speaks()
    models = SpeechModels(hearing=hearing, speech=speech, activity=Notices())
    return VoiceSessionFactory(load=partial(load_services, models, clock=CLOCK, ids=CountedIds(), deps=deps))


async def opens(voice: VoiceSessionFactory) -> VoiceSession:
    """A customer speaks."""
    return await voice.open_session(open_chat(deps(), MemoryLog()).session, FakeLoudspeaker(), locale="en")


async def test_the_first_customer_who_speaks_waits_for_the_models() -> None:
    hearing = Hears()
    voice = factory(hearing)
    assert voice.problem is None
    assert not hearing.warmed.is_set()

    session = await opens(voice)

    assert hearing.warmed.is_set()
    assert isinstance(voice.voice, VoiceServices)
    assert voice.voice.book() == shipped_book()
    # A tool's time-out is taken for ten times what it usually needs.
    assert voice.voice.waits.expected_s(["slow"]) == 4.0
    assert voice.voice.waits.expected_s(["gone"]) == 1.5
    await voice.close_session(session)
    await voice.close()
    assert voice.problem == "the server is stopping"


async def test_customers_who_come_while_the_models_load_wait_for_the_same_ones() -> None:
    hearing = Hears()
    voice = factory(hearing)

    sessions = await asyncio.gather(opens(voice), opens(voice), opens(voice))

    assert len(set(sessions)) == 3
    assert hearing.times == 1
    await voice.close()


async def test_models_can_be_loaded_before_a_customer_speaks() -> None:
    hearing = Hears()
    voice = factory(hearing)

    voice.start_loading()
    await hearing.warmed.wait()

    assert (await voice.services()).speech_to_text is hearing
    await voice.close()


async def test_a_server_that_stops_while_models_load_does_not_wait_for_them() -> None:
    hearing = Hears()
    hearing.gate = asyncio.Event()
    voice = factory(hearing)
    voice.start_loading()
    await hearing.warmed.wait()

    await voice.close()

    assert voice.problem == "the server is stopping"


@pytest.mark.parametrize("error", [SpeechError("no such weights"), RuntimeError("no such weights")])
async def test_a_model_that_cannot_load_is_reported_and_customers_can_write(error: Exception) -> None:
    voice = factory(Hears(error))
    with capture_logs() as logs:
        for _ in range(2):
            with pytest.raises(SpeechError, match="no such weights"):
                await opens(voice)
    assert "no such weights" in (voice.problem or "")
    assert [line["event"] for line in logs] == ["no voice"]
    await voice.close()


def settings(tmp_path: Path, **chosen: object) -> Settings:
    return Settings.model_validate({"data_dir": tmp_path, **chosen})


async def test_there_is_no_voice_if_it_is_turned_off(tmp_path: Path) -> None:
    chosen = settings(tmp_path, voice=False)
    async with voice_of(chosen, clock=CLOCK, ids=CountedIds(), jitter=lambda: 0.5, deps=deps) as voice:
        assert voice is None


async def test_nothing_is_loaded_at_the_start(tmp_path: Path) -> None:
    async with voice_of(
        settings(tmp_path), clock=CLOCK, ids=CountedIds(), jitter=lambda: 0.5, deps=deps
    ) as voice:
        assert voice is not None
        assert voice.problem is None
        assert voice.voice is None


async def test_a_wrong_model_stops_the_start_with_its_solution(tmp_path: Path) -> None:
    chosen = settings(tmp_path, whisper_dir=tmp_path / "nowhere")
    with pytest.raises(DeclarationError, match="nowhere"):
        async with voice_of(chosen, clock=CLOCK, ids=CountedIds(), jitter=lambda: 0.5, deps=deps):
            pass

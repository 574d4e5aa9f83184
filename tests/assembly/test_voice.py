"""What hears and speaks is loaded behind a server that is ready, and says what is missing."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from assistant.assembly.voice import LOADING, SpeechModels, VoiceAtStart, voice_of
from assistant.clock import SystemClock
from assistant.errors import DeclarationError, SpeechError
from assistant.models.speech.choose import WarmSpeechToText, WarmTextToSpeech
from assistant.prompts.book import shipped_book
from assistant.settings import Settings
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import open_chat, parts_for
from assistant.testing.counted_ids import CountedIds
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.testing.scripted_model import ScriptedModel
from assistant.turn.context import TurnDependencies
from assistant.voice.ports import VoiceServices
from assistant.voice.session import VoiceSessionFactory
from tests.support.spoken_chat import FakeLoudspeaker, FakeSpeechToText, FakeTextToSpeech, FakeVoiceActivity

CLOCK = SystemClock()


class Warmed:
    """A model that can be warmed, or cannot."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.warmed = asyncio.Event()

    async def warm(self) -> None:
        self.warmed.set()
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


def parts() -> TurnDependencies:
    slow = replace(fake_spec("slow", "looking", "look"), timeout_s=40.0)
    return parts_for(ScriptedModel(), [FakeTool(slow, Gives(1), CLOCK)], shipped_book(), CLOCK)


def at_start(error: Exception | None = None) -> VoiceAtStart:
    hearing: WarmSpeechToText = Hears(error)
    speech: WarmTextToSpeech = Speaks()
    models = SpeechModels(hearing=hearing, speech=speech, activity=Notices())
    return VoiceAtStart(VoiceSessionFactory(LOADING), models, clock=CLOCK, ids=CountedIds(), parts=parts)


async def loaded(voice: VoiceAtStart) -> VoiceSessionFactory:
    voice.load()
    voice.load()
    assert voice.switchboard.problem == LOADING
    while voice.switchboard.problem == LOADING:  # noqa: ASYNC110 (it tells nobody else)
        await asyncio.sleep(0)
    return voice.switchboard


async def test_one_can_speak_as_soon_as_everything_is_loaded() -> None:
    voice = at_start()
    switchboard = await loaded(voice)
    assert switchboard.problem is None
    assert isinstance(switchboard.voice, VoiceServices)
    assert switchboard.voice.book() == shipped_book()
    # A tool's time-out is taken for ten times what it usually needs.
    assert switchboard.voice.waits.expected_s(["slow"]) == 4.0
    assert switchboard.voice.waits.expected_s(["gone"]) == 1.5
    await voice.close()
    assert switchboard.problem == "the server is stopping"


@pytest.mark.parametrize("error", [SpeechError("no such weights"), RuntimeError("no such weights")])
async def test_what_cannot_be_loaded_is_said_and_one_can_still_write(error: Exception) -> None:
    voice = at_start(error)
    with capture_logs() as logs:
        switchboard = await loaded(voice)
    assert "no such weights" in (switchboard.problem or "")
    assert [line["event"] for line in logs] == ["no voice"]
    await voice.close()


def settings(tmp_path: Path, **chosen: object) -> Settings:
    return Settings.model_validate({"data_dir": tmp_path, **chosen})


async def test_where_nobody_is_to_speak_there_is_no_voice(tmp_path: Path) -> None:
    chosen = settings(tmp_path, voice=False)
    async with voice_of(chosen, clock=CLOCK, ids=CountedIds(), jitter=lambda: 0.5, parts=parts) as voice:
        assert voice is None


async def test_nothing_is_loaded_before_it_is_told_to(tmp_path: Path) -> None:
    async with voice_of(
        settings(tmp_path), clock=CLOCK, ids=CountedIds(), jitter=lambda: 0.5, parts=parts
    ) as voice:
        assert voice is not None
        assert voice.switchboard.voice is None
        with pytest.raises(SpeechError):
            await voice.switchboard.open_session(
                open_chat(parts(), MemoryLog()).session, FakeLoudspeaker(), locale="en"
            )


async def test_a_wrong_model_stops_the_start_with_its_cure(tmp_path: Path) -> None:
    chosen = settings(tmp_path, whisper_dir=tmp_path / "nowhere")
    with pytest.raises(DeclarationError, match="nowhere"):
        async with voice_of(chosen, clock=CLOCK, ids=CountedIds(), jitter=lambda: 0.5, parts=parts):
            pass

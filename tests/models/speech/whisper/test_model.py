"""The embedded transcription model: loaded once, for the first caller."""

import asyncio

import numpy as np
import pytest

from assistant.errors import SpeechError
from assistant.models.speech.transcribe import LoadedModel
from assistant.models.speech.whisper_model import CtranslateEngine, Whisper
from assistant.testing.virtual_time import VirtualClock
from tests.models.speech.small_whisper import NOBODY, SmallEngine, loaded, said, scripted, tone
from tests.support.spoken_chat import silence


def whisper(engine: SmallEngine, loads: list[str], *problems: Exception) -> Whisper:
    failing = iter(problems)

    def load() -> LoadedModel:
        loads.append("load")
        if problem := next(failing, None):
            raise problem
        return loaded(engine)

    return Whisper(load, worker_slots=2, clock=VirtualClock())


async def test_it_is_loaded_once_when_it_is_warmed() -> None:
    loads: list[str] = []
    engine = scripted(NOBODY, said("stop"), said("stop"))
    speech_to_text = whisper(engine, loads)
    assert (speech_to_text.name, loads) == ("offline", [])
    await speech_to_text.warm()
    assert len(engine.seen) == 1
    heard = await asyncio.gather(speech_to_text.transcribe(tone(440)), speech_to_text.transcribe(tone(440)))
    assert [one.text for one in heard] == ["stop", "stop"]
    assert loads == ["load"]


async def test_a_failed_load_is_tried_again() -> None:
    loads: list[str] = []
    speech_to_text = whisper(scripted(said("stop")), loads, SpeechError("the Whisper model is damaged"))
    with pytest.raises(SpeechError, match="is damaged"):
        await speech_to_text.warm()
    assert (await speech_to_text.transcribe(tone(440))).text == "stop"


async def test_any_error_of_the_model_is_a_speech_error() -> None:
    speech_to_text = whisper(scripted(MemoryError("no room")), [])
    with pytest.raises(SpeechError, match=r"'offline' transcribed nothing: MemoryError\('no room'\)"):
        await speech_to_text.transcribe(silence(1))


def test_ctranslate2_is_asked_for_one_window_and_the_tokens_needed() -> None:
    class Result:
        sequences_ids = ((3, 4),)
        scores = (-0.5,)
        no_speech_prob = 0.1

    class Model:
        n_mels = 80
        asked: tuple[object, ...] = ()

        def generate(self, *shown: object, **how: object) -> list[Result]:
            self.asked = (*shown, how["max_length"])
            return [Result()]

    class Library:
        class StorageView:
            from_array = len

    engine = CtranslateEngine(Library(), model := Model())
    decode = engine.decode(np.zeros((80, 100), np.float32), [1, 2], 12)
    assert (engine.bands, decode.ids, decode.mean_log, decode.silent) == (80, (3, 4), -0.5, 0.1)
    # One window, one prompt, and twice as many tokens as wanted: it gives half of them to the prompt.
    assert model.asked == (1, [[1, 2]], 24)

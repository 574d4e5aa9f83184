"""Voice detection with Silero's own model."""

import os
import subprocess
import wave
from collections.abc import Iterator
from shutil import which

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.audio import Resampler
from assistant.errors import DeclarationError
from assistant.models.speech.silero import Silero, model_path
from assistant.speech_ports import FRAME_SAMPLES, HEARD_RATE, Pcm
from assistant.voice.endpointing import EndpointDetector, EndpointingEvent, SpeechStarted, UtteranceEnded
from tests.support.rows import check_rows
from tests.support.spoken_chat import frames, silence

SECONDS = np.arange(2 * HEARD_RATE) / HEARD_RATE
NEEDS_ESPEAK = pytest.mark.skipif(
    which("espeak-ng") is None and os.environ.get("CI") != "true",
    reason="espeak-ng, which speaks here, is not installed",
)


def pcm(sound: NDArray[np.float64]) -> Pcm:
    return (np.clip(sound, -1, 1) * 32_000).astype("<i2").tobytes()


def noise(loudness: float) -> Pcm:
    return pcm(np.random.default_rng(1).standard_normal(2 * HEARD_RATE) * loudness)


def music() -> Pcm:
    """Four chords of organ pipes, half a second each."""
    chords = [(262, 330, 392), (294, 349, 440), (247, 294, 392), (262, 330, 392)]
    sound = np.zeros(len(SECONDS))
    for number, chord in enumerate(chords):
        played = number == SECONDS // 0.5
        for tone in chord:
            for part in (1, 2, 3):
                sound += played * np.sin(2 * np.pi * tone * part * SECONDS) / part
    return pcm(sound / 12)


def knocks() -> Pcm:
    """Something hits the table twice a second."""
    return pcm(np.random.default_rng(2).standard_normal(2 * HEARD_RATE) * np.exp(-(SECONDS % 0.5) * 60) * 0.5)


def heard(sound: Pcm) -> list[EndpointingEvent]:
    return EndpointDetector(Silero().stream()).process_audio(silence(0.5) + sound + silence(2.0))


@check_rows(
    "sound",
    [silence(2.0), noise(0.01), noise(0.2), music(), knocks(), pcm(np.sin(2 * np.pi * 440 * SECONDS) / 2)],
    ids=["silence", "a fan", "a storm", "music", "knocks", "a tone"],
)
def test_other_sounds_are_no_speech(sound: Pcm) -> None:
    assert heard(sound) == []


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pcm]:
    file = tmp_path_factory.mktemp("said") / "said.wav"
    said = "I would like to cancel my appointment."
    subprocess.run(["espeak-ng", "-v", "en-us", "-w", str(file), said], check=True)
    with wave.open(str(file)) as read:
        resampler = Resampler(read.getframerate(), HEARD_RATE)
        yield resampler.push(read.readframes(read.getnframes())) + resampler.close()


@NEEDS_ESPEAK
def test_a_sentence_is_one_complete_utterance(spoken: Pcm) -> None:
    events = heard(spoken)

    assert events[0] == SpeechStarted()
    (audio,) = [event.audio for event in events if isinstance(event, UtteranceEnded)]
    loud = np.flatnonzero(np.abs(np.frombuffer(spoken, "<i2")) > 500)
    speech = spoken[2 * loud[0] : 2 * loud[-1]]
    assert speech in audio
    assert len(audio) < len(speech) + 2 * HEARD_RATE * 0.8


@pytest.mark.slow
def test_the_assistants_own_voice_is_speech_as_well() -> None:
    from hibari import SAMPLE_RATE, Hibari

    voice = np.asarray(Hibari()("Your appointment is on Tuesday.", seed=1), dtype=np.float64)
    resampler = Resampler(SAMPLE_RATE, HEARD_RATE)
    events = heard(resampler.push(pcm(voice)) + resampler.close())

    assert [type(event) for event in events].count(UtteranceEnded) == 1


@NEEDS_ESPEAK
def test_a_sentence_in_noise_is_detected_too(spoken: Pcm) -> None:
    sound = np.frombuffer(spoken, "<i2") / 32_768
    noisy = pcm(sound + np.random.default_rng(3).standard_normal(len(sound)) * 0.02)

    assert [type(event) for event in heard(noisy)].count(UtteranceEnded) == 1


@NEEDS_ESPEAK
def test_alternating_callers_do_not_affect_each_other(spoken: Pcm) -> None:
    silero = Silero()
    alone, one, other = silero.stream(), silero.stream(), silero.stream()
    expected = [alone.push(frame) for frame in frames(spoken)]
    storm = frames(noise(0.3))

    by_turns: list[float] = []
    for frame in frames(spoken):
        by_turns.append(one.push(frame))
        other.push(next(storm, bytes(2 * FRAME_SAMPLES)))

    assert by_turns == expected
    assert max(expected) > 0.9


async def test_it_is_loaded_off_the_loop_and_once() -> None:
    await Silero().warm()

    assert Silero().stream().push(bytes(2 * FRAME_SAMPLES)) < 0.1


def test_a_wrong_frame_length_is_an_error() -> None:
    with pytest.raises(ValueError, match="a frame has 512 samples, not 160"):
        Silero().stream().push(bytes(320))


def test_without_the_package_the_start_says_what_to_install() -> None:
    with pytest.raises(DeclarationError, match=r"'not_there'.*pip install 'meanwhile-assistant\[voice\]'"):
        model_path("not_there")
    assert model_path().is_file()

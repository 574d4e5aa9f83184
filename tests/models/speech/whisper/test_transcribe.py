"""From an utterance to text, with an engine whose output the test sets."""

from math import exp

import pytest

from assistant.errors import SpeechError
from assistant.models.speech.transcribe import DecodeResult, transcribe
from assistant.speech_ports import Pcm, Transcription
from tests.models.speech.small_whisper import NOBODY, SmallEngine, loaded, said, scripted, tone
from tests.support.spoken_chat import silence


def heard(engine: SmallEngine, audio: Pcm, hint: str = "") -> Transcription:
    return transcribe(audio, loaded(engine), "en", hint)


def windows(engine: SmallEngine) -> list[float]:
    return [window_s for window_s, _, _ in engine.seen]


def test_an_utterance_is_decoded_in_a_short_window_once() -> None:
    engine = scripted(said("when is it due", mean_log=-0.2))
    assert heard(engine, tone(440, 3)) == Transcription(text="when is it due", likely=exp(-0.2), seconds=3.0)
    assert windows(engine) == [10]


def test_a_repeating_transcript_is_decoded_again_without_the_hint() -> None:
    engine = scripted(said("when is it when is it"), said("when is it due"))
    assert heard(engine, tone(440, 3), hint="one two").text == "when is it due"
    assert windows(engine) == [10, 30]
    assert [len(prompt) for _, prompt, _ in engine.seen] == [7, 4]


def test_a_text_from_both_windows_is_accepted() -> None:
    engine = scripted(said("stop stop stop stop"), said("stop stop stop stop"))
    assert heard(engine, tone(440, 3)).text == "stop stop stop stop"


def test_an_endless_repetition_is_kept_once() -> None:
    # Three seconds have thirty tokens at most.
    engine = scripted(*[said("it is due " * 12)] * 2)
    assert heard(engine, tone(440, 3)).text == "it is due"
    assert [most for _, _, most in engine.seen] == [30, 30]


def test_a_dense_transcript_that_does_not_repeat_is_kept() -> None:
    many = "a b c d e f g h one two three four"
    engine = scripted(said(many), said(many))
    assert heard(engine, tone(440, 0.5)).text == many
    assert windows(engine) == [10, 30]


def test_the_whole_window_is_not_decoded_twice_the_same_way() -> None:
    engine = scripted(said("when is it when is it"))
    assert heard(engine, tone(440, 29)).text == "when is it when is it"
    assert windows(engine) == [30]


@pytest.mark.parametrize(
    "decode",
    [NOBODY, said("thank you", mean_log=-1.2, silent=0.8), said("one", mean_log=-2.9, silent=0.4)],
)
def test_text_invented_for_silence_is_dropped(decode: DecodeResult) -> None:
    assert heard(scripted(decode), tone(50, 2)) == Transcription(text="", seconds=2.0)


@pytest.mark.parametrize(
    "decode",
    [said("thank you", mean_log=-0.3, silent=0.6), said("stop", mean_log=-1.3, silent=0.25)],
)
def test_the_same_text_counts_if_it_was_spoken(decode: DecodeResult) -> None:
    assert heard(scripted(decode), tone(440, 2)).text in {"thank you", "stop"}


def test_a_tenth_of_a_second_is_not_decoded() -> None:
    engine = scripted()
    assert heard(engine, b"") == Transcription(text="")
    assert heard(engine, silence(0.09)).text == ""
    assert engine.seen == []


def test_a_long_utterance_is_transcribed_in_pieces_with_context() -> None:
    engine = scripted(said("one two", mean_log=-0.1), NOBODY, said("three four stop", mean_log=-0.4))
    audio = tone(440, 20) + silence(1) + tone(440, 20) + silence(1) + tone(440, 10)
    transcript = heard(engine, audio, hint="a b c")
    assert (transcript.text, transcript.seconds) == ("one two three four stop", 52.0)
    assert transcript.likely == pytest.approx(exp((2 * -0.1 + 3 * -0.4) / 5))
    assert [len(prompt) for _, prompt, _ in engine.seen] == [8, 7, 7]


def test_invalid_and_too_long_sound_is_refused() -> None:
    with pytest.raises(SpeechError, match="3 bytes are not 16-bit samples"):
        heard(scripted(), b"\0\0\0")
    with pytest.raises(SpeechError, match="an utterance of 301 s is too long; at most 300 s are transcribed"):
        heard(scripted(), silence(301))

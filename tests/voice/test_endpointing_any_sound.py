"""Any sound, in any pieces: nothing is lost, doubled or left open, and the events are the same."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from assistant.speech_ports import FRAME_SAMPLES, HEARD_RATE, Pcm
from assistant.voice.endpointing import (
    EndpointDetector,
    EndpointingConfig,
    EndpointingEvent,
    SpeechPaused,
    SpeechResumed,
    SpeechStarted,
    UtteranceEnded,
)
from tests.support.spoken_chat import silence

FRAME = 2 * FRAME_SAMPLES
SHORT = EndpointingConfig(max_utterance_s=4.0, long_utterance_s=3.0)


class Loudness:
    """As likely as the first byte of a frame says."""

    def push(self, frame: Pcm) -> float:
        return frame[0] / 255


def sound_of(likely: Sequence[int]) -> Pcm:
    """Frames that are as likely as is said, each of them another."""
    return b"".join(
        likely.to_bytes() + number.to_bytes(4, "little") + bytes(FRAME - 5)
        for number, likely in enumerate(likely, start=1)
    )


# Runs of the same likelihood are what speech looks like; single frames are what noise looks like.
RUNS = st.lists(st.tuples(st.sampled_from([0, 60, 100, 140, 200, 255]), st.integers(1, 60)), max_size=25)
SOUNDS = RUNS.map(lambda runs: sound_of([likely for likely, times in runs for _ in range(times)]))


def heard(detector: EndpointDetector, sound: Pcm, cuts: Sequence[int]) -> list[EndpointingEvent]:
    events: list[EndpointingEvent] = []
    places = sorted({min(cut, len(sound)) for cut in cuts})
    for start, end in zip([0, *places], [*places, len(sound)], strict=True):
        events += detector.process_audio(sound[start:end])
    return events


def utterances(events: Sequence[EndpointingEvent]) -> list[Pcm]:
    return [event.audio for event in events if isinstance(event, UtteranceEnded)]


@given(
    sound=SOUNDS,
    cuts=st.lists(st.integers(0, 200_000), max_size=20),
    held=st.booleans(),
    audible=st.booleans(),
)
def test_cuts_of_the_sound_make_no_difference(sound: Pcm, cuts: list[int], held: bool, audible: bool) -> None:
    told: list[list[EndpointingEvent]] = []
    for places in ([], cuts):
        detector = EndpointDetector(Loudness(), SHORT)
        detector.push_to_talk, detector.audible = held, audible
        told.append([*heard(detector, sound, places), *detector.finish()])

    assert told[0] == told[1]


@given(sound=SOUNDS)
def test_every_utterance_ends_after_speech_ends(sound: Pcm) -> None:
    detector = EndpointDetector(Loudness(), SHORT)

    events = detector.process_audio(sound + silence(SHORT.max_silence_s + 0.1))

    assert [type(event) for event in events].count(SpeechStarted) == len(utterances(events))
    assert detector.finish() == []


@given(sound=SOUNDS)
def test_the_events_come_in_order(sound: Pcm) -> None:
    detector = EndpointDetector(Loudness(), SHORT)
    before: type[EndpointingEvent] = UtteranceEnded

    for event in [*detector.process_audio(sound), *detector.finish()]:
        assert (
            type(event)
            in {
                UtteranceEnded: {SpeechStarted},
                SpeechStarted: {SpeechPaused, UtteranceEnded},
                SpeechPaused: {SpeechResumed, UtteranceEnded},
                SpeechResumed: {SpeechPaused, UtteranceEnded},
            }[before]
        )
        before = type(event)

    assert before is UtteranceEnded


@given(sound=SOUNDS)
def test_no_sound_is_in_two_utterances_and_all_speech_is_in_one(sound: Pcm) -> None:
    detector, at = EndpointDetector(Loudness(), SHORT), 0
    left_out = bytearray()

    for audio in utterances([*detector.process_audio(sound), *detector.finish()]):
        assert len(audio) <= (SHORT.max_utterance_s + 0.1) * HEARD_RATE * 2
        found = sound.index(audio, at)  # each a piece of the sound, after the one before it
        left_out += sound[at:found] + bytes(FRAME) * 3
        at = found + len(audio)

    left_out += sound[at:]  # whole frames: an utterance is cut between two of them
    assert longest_run(bytes(left_out)) < SHORT.min_speech_frames


def longest_run(sound: Pcm) -> int:
    """How many frames in a row are surely speech, among those that begin in it."""
    longest = run = 0
    for place in range(0, len(sound) - FRAME + 1, FRAME):
        run = run + 1 if sound[place] / 255 >= SHORT.start_threshold else 0
        longest = max(longest, run)
    return longest

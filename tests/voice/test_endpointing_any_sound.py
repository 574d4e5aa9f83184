"""Whatever is heard, in whatever pieces: nothing is lost, doubled or left open, and it tells the same."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.ports.speech import FRAME_SAMPLES, HEARD_RATE, Pcm
from assistant.testing.fake_speech import silence
from assistant.voice.endpointing import EarEvent, Ears, Manners, Paused, SpeechBegan, UtteranceEnded, WentOn

FRAME = 2 * FRAME_SAMPLES
SHORT = Manners(longest_s=4.0, long_s=3.0)


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


def heard(ears: Ears, sound: Pcm, cuts: Sequence[int]) -> list[EarEvent]:
    events: list[EarEvent] = []
    places = sorted({min(cut, len(sound)) for cut in cuts})
    for start, end in zip([0, *places], [*places, len(sound)], strict=True):
        events += ears.hear(sound[start:end])
    return events


def utterances(events: Sequence[EarEvent]) -> list[Pcm]:
    return [event.audio for event in events if isinstance(event, UtteranceEnded)]


@settings(deadline=None, max_examples=60)
@given(
    sound=SOUNDS,
    cuts=st.lists(st.integers(0, 200_000), max_size=20),
    held=st.booleans(),
    audible=st.booleans(),
)
def test_any_cutting_of_the_sound_tells_the_same(
    sound: Pcm, cuts: list[int], held: bool, audible: bool
) -> None:
    told: list[list[EarEvent]] = []
    for places in ([], cuts):
        ears = Ears(Loudness(), SHORT)
        ears.push_to_talk, ears.audible = held, audible
        told.append([*heard(ears, sound, places), *ears.end()])

    assert told[0] == told[1]


@settings(deadline=None, max_examples=60)
@given(sound=SOUNDS)
def test_every_utterance_ends_once_nobody_speaks(sound: Pcm) -> None:
    ears = Ears(Loudness(), SHORT)

    events = ears.hear(sound + silence(SHORT.most_s + 0.1))

    assert [type(event) for event in events].count(SpeechBegan) == len(utterances(events))
    assert ears.end() == []


@settings(deadline=None, max_examples=60)
@given(sound=SOUNDS)
def test_the_events_come_in_their_order(sound: Pcm) -> None:
    ears = Ears(Loudness(), SHORT)
    before: type[EarEvent] = UtteranceEnded

    for event in [*ears.hear(sound), *ears.end()]:
        assert (
            type(event)
            in {
                UtteranceEnded: {SpeechBegan},
                SpeechBegan: {Paused, UtteranceEnded},
                Paused: {WentOn, UtteranceEnded},
                WentOn: {Paused, UtteranceEnded},
            }[before]
        )
        before = type(event)

    assert before is UtteranceEnded


@settings(deadline=None, max_examples=60)
@given(sound=SOUNDS)
def test_no_sound_is_in_two_utterances_and_none_that_is_speech_is_in_no_one(sound: Pcm) -> None:
    ears, at = Ears(Loudness(), SHORT), 0
    left_out = bytearray()

    for audio in utterances([*ears.hear(sound), *ears.end()]):
        assert len(audio) <= (SHORT.longest_s + 0.1) * HEARD_RATE * 2
        found = sound.index(audio, at)  # each a piece of the sound, after the one before it
        left_out += sound[at:found] + bytes(FRAME) * 3
        at = found + len(audio)

    left_out += sound[at:]  # whole frames: an utterance is cut between two of them
    assert longest_run(bytes(left_out)) < SHORT.believed


def longest_run(sound: Pcm) -> int:
    """How many frames in a row are surely speech, among those that begin in it."""
    longest = run = 0
    for place in range(0, len(sound) - FRAME + 1, FRAME):
        run = run + 1 if sound[place] / 255 >= SHORT.starts else 0
        longest = max(longest, run)
    return longest

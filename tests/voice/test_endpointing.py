"""The detector of utterances: a customer's sound, and the events at their times."""

from collections.abc import Sequence

import pytest

from assistant.prompts.words import ListeningWords
from assistant.speech_ports import HEARD_RATE, Pcm
from assistant.voice.dictation import ExpectedInput
from assistant.voice.endpointing import (
    EndpointDetector,
    EndpointingEvent,
    SpeechPaused,
    SpeechResumed,
    SpeechStarted,
    UtteranceEnded,
)
from tests.support.rows import check_rows
from tests.support.spoken_chat import FakeVoiceActivity, silence, speech

FRAME_S = 0.032
PUSH = 320 * 2  # 20 ms, as a microphone sends it


class Caller:
    """A customer who is listened to. A pause is understood as the next of ``texts``, ``takes_s`` later."""

    def __init__(self, words: ListeningWords, texts: Sequence[str] = (), takes_s: float = 0.2) -> None:
        self.detector = EndpointDetector(FakeVoiceActivity().stream(), words=words)
        self._texts, self._takes_s = iter(texts), takes_s
        self._heard, self._known_at = 0.0, float("inf")
        self.events: list[EndpointingEvent] = []

    def says(self, *sounds: Pcm) -> list[tuple[str, float]]:
        """What happened and when, in seconds from the beginning of these sounds."""
        began, told = self._heard, list[tuple[str, float]]()
        sound = b"".join(sounds)
        for at in range(0, len(sound), PUSH):
            piece = sound[at : at + PUSH]
            self._heard += len(piece) / 2 / HEARD_RATE
            for event in self.detector.process_audio(piece):
                self.events.append(event)
                told.append((type(event).__name__, round(self._heard - began, 2)))
                self._known_at = (
                    self._heard + self._takes_s if isinstance(event, SpeechPaused) else float("inf")
                )
            if self._heard >= self._known_at:
                self._known_at = float("inf")
                if (text := next(self._texts, None)) is not None:
                    self.detector.update_transcript(text)
        return told

    @property
    def utterances(self) -> list[Pcm]:
        return [event.audio for event in self.events if isinstance(event, UtteranceEnded)]


def names(told: list[tuple[str, float]]) -> list[str]:
    return [name for name, _ in told]


def test_a_finished_sentence_is_answered_soon(words: ListeningWords) -> None:
    caller = Caller(words, ["I'd like to cancel my order."])

    told = caller.says(silence(1.0), speech(2.0), silence(2.0))

    assert names(told) == ["SpeechStarted", "SpeechPaused", "UtteranceEnded"]
    (_, began), (_, paused), (_, ended) = told
    assert began == pytest.approx(1.1, abs=0.05)
    assert paused == pytest.approx(3.17, abs=0.04)
    assert ended == pytest.approx(3.47, abs=0.04)


@check_rows(
    ("text", "expecting", "at_least", "at_most"),
    [
        ("When is my appointment?", "anything", 0.45, 0.55),
        ("Yes.", "digits", 0.45, 0.55),
        ("cancel the order from", "anything", 1.2, 1.5),
        ("I'd like to change my.", "anything", 1.2, 1.5),
        ("My appointment", "anything", 0.7, 0.9),
        ("It is 1 0 4", "digits", 1.4, 1.6),
        ("My order number is 104", "anything", 1.4, 1.6),
        ("ana at exam", "email", 1.4, 1.6),
        ("", "anything", 0.7, 0.9),
        (None, "anything", 1.4, 1.6),
        (None, "digits", 1.4, 1.6),
    ],
)
def test_the_length_of_silence_depends_on_the_words(
    text: str | None, expecting: ExpectedInput, at_least: float, at_most: float, words: ListeningWords
) -> None:
    caller = Caller(words, [] if text is None else [text])
    caller.detector.expecting = expecting

    told = caller.says(speech(1.0), silence(4.0))

    assert names(told) == ["SpeechStarted", "SpeechPaused", "UtteranceEnded"]
    assert at_least <= told[-1][1] - 1.0 <= at_most


@pytest.mark.parametrize("pause", [0.4, 0.6, 0.8, 1.0])
def test_a_customer_who_thinks_in_the_middle_of_a_sentence_can_finish(
    pause: float, words: ListeningWords
) -> None:
    caller = Caller(words, ["I'd like to cancel my", "I'd like to cancel my appointment."])

    told = caller.says(speech(1.2), silence(pause), speech(0.8), silence(2.0))

    assert names(told) == ["SpeechStarted", "SpeechPaused", "SpeechResumed", "SpeechPaused", "UtteranceEnded"]
    assert told[-1][1] == pytest.approx(1.2 + pause + 0.8 + 0.5, abs=0.05)


@pytest.mark.parametrize("pause", [0.4, 0.7, 1.0])
def test_a_number_is_dictated_with_pauses_and_slow_transcription(pause: float, words: ListeningWords) -> None:
    caller = Caller(words, ["My order number is 1 0", "My order number is 1 0 4", "1 0 4 8"], takes_s=0.35)

    told = caller.says(
        speech(1.5), silence(pause), speech(0.3), silence(pause), speech(0.3), silence(pause), speech(0.3)
    )
    assert names(told).count("UtteranceEnded") == 0

    assert names(caller.says(silence(3.0))) == ["SpeechPaused", "UtteranceEnded"]


def test_a_number_that_is_not_transcribed_yet_counts_as_a_number(words: ListeningWords) -> None:
    caller = Caller(words, ["My order number is 1 0"])

    told = caller.says(speech(1.5), silence(0.6), speech(0.3), silence(1.4))

    assert names(told) == ["SpeechStarted", "SpeechPaused", "SpeechResumed", "SpeechPaused"]


def test_a_cough_is_no_utterance(words: ListeningWords) -> None:
    caller = Caller(words)

    assert caller.says(silence(0.5), speech(0.05), silence(2.0), speech(0.06), silence(2.0)) == []


def test_a_click_in_a_pause_neither_ends_nor_extends_it(words: ListeningWords) -> None:
    caller = Caller(words, ["That is all."])

    told = caller.says(speech(1.0), silence(0.28), speech(0.05), silence(2.0))

    assert names(told) == ["SpeechStarted", "SpeechPaused", "UtteranceEnded"]
    assert told[-1][1] == pytest.approx(1.5, abs=0.06)


def test_a_customer_who_continues_at_the_last_moment_is_not_cut_off(words: ListeningWords) -> None:
    caller = Caller(words, ["That is all."])

    told = caller.says(speech(1.0), silence(0.42), speech(1.0), silence(0.1))

    assert names(told) == ["SpeechStarted", "SpeechPaused", "SpeechResumed"]


def test_an_utterance_has_its_lead_in_and_a_short_tail(words: ListeningWords) -> None:
    caller = Caller(words, ["That is all."])

    caller.says(silence(1.0), speech(1.0), silence(2.0))

    (audio,) = caller.utterances
    paused = next(event for event in caller.events if isinstance(event, SpeechPaused))
    assert paused.audio == audio
    loud = len(audio.replace(b"\0", b"")) / 2 / HEARD_RATE
    assert loud == pytest.approx(1.0, abs=0.01)
    before = audio.index(b"\x40") / 2 / HEARD_RATE
    assert before == pytest.approx(0.3, abs=FRAME_S)
    assert len(audio) / 2 / HEARD_RATE - before - 1.0 == pytest.approx(0.1, abs=FRAME_S)


def test_the_text_of_an_earlier_pause_does_not_count_for_the_next(words: ListeningWords) -> None:
    caller = Caller(words)
    caller.says(speech(1.0), silence(0.3))
    caller.detector.update_transcript("That is all.")

    told = caller.says(speech(0.5), silence(1.0))

    assert names(told) == ["SpeechResumed", "SpeechPaused"]


def test_a_transcript_without_a_pause_is_ignored(words: ListeningWords) -> None:
    caller = Caller(words)
    caller.detector.update_transcript("That is all.")
    caller.says(speech(1.0))
    caller.detector.update_transcript("That is all.")

    assert names(caller.says(silence(1.0))) == ["SpeechPaused"]


def test_two_utterances_follow_each_other(words: ListeningWords) -> None:
    caller = Caller(words, ["That is all.", "Or is it?"])

    told = caller.says(speech(1.0), silence(0.7), speech(1.0), silence(0.7))

    assert names(told) == ["SpeechStarted", "SpeechPaused", "UtteranceEnded"] * 2


def test_sound_before_an_utterance_may_follow_the_last_one_directly(words: ListeningWords) -> None:
    caller = Caller(words, ["That is all.", "Or is it?"])

    caller.says(speech(1.024), silence(0.512), speech(1.0), silence(0.7))

    _, second = caller.utterances
    assert second.index(b"\x40") / 2 / HEARD_RATE == pytest.approx(0.32, abs=0.001)


class TestTheAssistantSpeaks:
    """While it is audible it takes more to interrupt it than to begin on a quiet line."""

    def test_speech_is_detected_within_150_ms(self, words: ListeningWords) -> None:
        for late in range(0, 512, 37):
            caller = Caller(words)
            caller.detector.audible = True
            caller.says(silence(1.0))

            ((name, at),) = caller.says(bytes(2 * late), speech(0.3))

            assert name == "SpeechStarted"
            assert at - late / HEARD_RATE <= 0.15

    def test_right_after_the_assistant_begins_nothing_counts_as_speech(self, words: ListeningWords) -> None:
        caller = Caller(words)
        caller.says(silence(1.0))
        caller.detector.audible = True

        assert caller.says(speech(0.16), silence(2.0)) == []
        caller.detector.audible = True  # it goes on
        assert names(caller.says(speech(0.16))) == ["SpeechStarted"]

    def test_while_the_assistant_speaks_more_certainty_is_required(self, words: ListeningWords) -> None:
        detector = EndpointDetector(Unsure(0.6), words=words)
        detector.audible = True
        assert detector.process_audio(silence(2.0)) == []

        detector.audible = False
        assert detector.process_audio(silence(0.5)) == [SpeechStarted()]

    def test_the_assistants_speech_does_not_cut_the_customers(self, words: ListeningWords) -> None:
        caller = Caller(words, ["That is all."])
        caller.says(speech(1.0))
        caller.detector.audible = True

        assert names(caller.says(speech(1.0), silence(1.0))) == ["SpeechPaused", "UtteranceEnded"]


class Unsure:
    """As sure as is said, frame by frame, and then as at the last."""

    def __init__(self, *likely: float) -> None:
        self.likely = list(likely)

    def push(self, frame: Pcm) -> float:
        return self.likely.pop(0) if len(self.likely) > 1 else self.likely[0]


@check_rows(
    ("audible", "likely", "begins"),
    [
        (False, [0.55, 0.4, 0.4, 0.0], True),
        (False, [0.4, 0.4, 0.4, 0.4, 0.0], False),
        (False, [0.55, 0.3, 0.55, 0.55, 0.0], False),
        (True, [0.75, 0.75, 0.75, 0.0], True),
        (True, [0.6, 0.75, 0.75, 0.0], False),
        (True, [0.75, 0.6, 0.6, 0.0], False),
    ],
)
def test_a_clear_beginning_may_continue_softly_unless_it_is_echo(
    audible: bool, likely: list[float], begins: bool
) -> None:
    detector = EndpointDetector(Unsure(*[0.0] * 10, *likely))
    detector.audible = audible

    assert [type(event) for event in detector.process_audio(silence(0.6))] == (
        [SpeechStarted, SpeechPaused] if begins else []
    )


def test_after_clear_speech_softer_speech_counts_too(words: ListeningWords) -> None:
    detector = EndpointDetector(Unsure(*[0.9] * 10, *[0.0] * 10, 0.55, 0.4))

    assert [type(event) for event in detector.process_audio(silence(1.5))] == [
        SpeechStarted,
        SpeechPaused,
        SpeechResumed,
    ]


class TestPushToTalk:
    """With the button, the customer marks the beginning and the end."""

    def test_with_the_button_all_sound_is_the_utterance(self, words: ListeningWords) -> None:
        caller = Caller(words)
        caller.detector.push_to_talk = True
        held = [silence(0.5), speech(0.5), silence(5.0), speech(0.0301)]

        assert caller.says(*held) == [("SpeechStarted", 0.04)]
        assert caller.detector.finish() == [UtteranceEnded(b"".join(held))]
        assert caller.detector.finish() == []

    def test_sound_before_the_button_is_not_in_it(self, words: ListeningWords) -> None:
        caller = Caller(words)
        caller.says(silence(1.024))
        caller.detector.push_to_talk = True
        caller.says(speech(0.512))

        assert caller.detector.finish() == [UtteranceEnded(speech(0.512))]

    def test_a_very_short_press_is_no_utterance(self, words: ListeningWords) -> None:
        caller = Caller(words)
        caller.detector.push_to_talk = True

        assert caller.says(speech(0.03)) == []
        assert caller.detector.finish() == []

    def test_with_the_button_it_is_cut_after_a_minute_and_continues(self, words: ListeningWords) -> None:
        caller = Caller(words)
        caller.detector.push_to_talk = True

        told = caller.says(speech(70.0))

        assert names(told) == ["SpeechStarted", "UtteranceEnded", "SpeechStarted"]
        (last,) = caller.detector.finish()
        assert isinstance(last, UtteranceEnded)
        assert b"".join([*caller.utterances, last.audio]) == speech(70.0)

    def test_without_the_button_pauses_count_again(self, words: ListeningWords) -> None:
        caller = Caller(words, ["That is all."])
        caller.detector.push_to_talk = True
        caller.says(speech(1.0), silence(1.0))
        caller.detector.push_to_talk = False

        assert names(caller.says(silence(1.0))) == ["SpeechPaused", "UtteranceEnded"]


class TestTheMicrophoneIsSwitchedOff:
    """Whatever was begun is complete, and forgotten."""

    def test_releasing_the_button_in_the_middle_of_a_word_keeps_the_word(self, words: ListeningWords) -> None:
        caller = Caller(words)
        sound = speech(1.01)
        caller.says(sound)

        assert caller.detector.finish() == [UtteranceEnded(sound)]

    def test_releasing_the_button_in_a_pause_ends_the_utterance(self, words: ListeningWords) -> None:
        caller = Caller(words)
        caller.says(speech(1.0), silence(0.4))
        paused = next(event for event in caller.events if isinstance(event, SpeechPaused))

        assert caller.detector.finish() == [UtteranceEnded(paused.audio)]

    def test_releasing_the_button_in_silence_leaves_nothing_for_later(self, words: ListeningWords) -> None:
        caller = Caller(words, ["That is all."])
        caller.says(silence(1.0), speech(0.05))

        assert caller.detector.finish() == []
        assert names(caller.says(speech(1.0), silence(1.0))) == [
            "SpeechStarted",
            "SpeechPaused",
            "UtteranceEnded",
        ]
        assert caller.utterances[0].startswith(speech(1.0))

    def test_releasing_the_button_right_after_the_beginning_keeps_it(self, words: ListeningWords) -> None:
        caller = Caller(words)
        caller.says(silence(1.024), speech(0.064))

        assert caller.detector.finish() == []
        assert caller.says(speech(0.064), silence(1.0)) == []


class TestNobodySpeaksForEver:
    """What neither pauses nor ends is cut, and not a word of it is lost."""

    def test_speech_without_a_pause_is_cut_after_a_minute(self, words: ListeningWords) -> None:
        caller = Caller(words)
        sound = speech(125.0)

        told = caller.says(sound)

        assert names(told) == ["SpeechStarted", "UtteranceEnded"] * 2 + ["SpeechStarted"]
        assert told[1][1] == pytest.approx(60.0, abs=0.05)
        (last,) = caller.detector.finish()
        assert isinstance(last, UtteranceEnded)
        assert b"".join([*caller.utterances, last.audio]) == sound

    def test_very_long_speech_is_cut_at_the_next_pause(self, words: ListeningWords) -> None:
        caller = Caller(words, ["and"])

        told = caller.says(speech(56.0), silence(0.3), speech(1.0))

        assert names(told) == ["SpeechStarted", "SpeechPaused", "UtteranceEnded", "SpeechStarted"]

    def test_noise_that_was_cut_ends_as_well(self, words: ListeningWords) -> None:
        caller = Caller(words)
        flicker = (speech(0.064) + silence(0.032)) * 200

        told = caller.says(speech(1.0), silence(0.3), flicker)

        assert names(told)[-1] == "UtteranceEnded"
        assert told[-1][1] <= 1.0 + 3.0 + 0.1


def test_speech_after_a_cut_needs_certainty_like_a_beginning(words: ListeningWords) -> None:
    caller = Caller(words)
    caller.says(speech(1.0), silence(0.5))

    ((name, at),) = caller.says(speech(0.5))

    assert (name, caller.events[-1]) == ("SpeechResumed", SpeechResumed())
    assert 0.09 <= at <= 0.15

"""Endpointing: detects when the customer begins to speak, pauses, continues, and has finished.

``EndpointDetector`` turns sound into events. How long it waits in silence depends on ``EndpointingConfig``
and on the transcript so far (``classify_ending``). docs/guides/speech.md explains the numbers.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

from assistant.prompts.word_list import plain_words
from assistant.prompts.words import NO_LISTENING_WORDS, ListeningWords
from assistant.speech_ports import FRAME_SAMPLES, HEARD_RATE, Pcm, VoiceStream
from assistant.voice.dictation import DictatedToken, ExpectedInput, find_email_address, tokenize_dictation

UtteranceEnding: TypeAlias = Literal["unknown", "finished", "unclear", "unfinished", "dictated"]
"""``unknown``: not transcribed yet. ``dictated``: a number or a spelled word that may continue."""

_DATE = re.compile(r"\d{1,4}([/.-])\d{1,2}\1\d{1,4}\W*$|(?:19|20)\d\d\W*$")
_LAST_WORD = re.compile(r"(\w{2,})\W*$")
_COMPLETE_DIGITS = 10  # digits of a telephone number; few dictated numbers are longer
_SHORT_CODE = 3  # characters; a shorter number is a count or a time
_TRAILING_MARK = re.compile(r"(?:\.\.+|[…,;:–—-])$")
_MARKS = re.compile(r"[\s.,;:!?…–—]+|-(?!\w)")
_QUOTES = "\"'”’ "
_FEW_WORDS = 3
_SAMPLE_BYTES = 2
_FRAME_BYTES = FRAME_SAMPLES * _SAMPLE_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointingConfig:
    """Durations in seconds of sound, and thresholds for the probability of speech, from 0 to 1.

    Silence is counted from the end of the last speech, so each silence includes the pause before it.

    Attributes:
        start_threshold: from here on, the customer begins to speak.
        continue_threshold: from here on, the customer continues to speak.
        barge_in_threshold: from here on, the customer speaks while the assistant is audible. It is higher,
            because the sound may be the assistant's own voice.
        min_speech_frames: this many consecutive frames are speech; fewer are a cough.
        echo_guard_s: no sound counts as speech for this time after the assistant becomes audible, because echo
            cancellation needs time to adapt.
        lead_in_s: the sound that is kept from before the speech, because speech begins softly.
        tail_s: the sound that is kept from after the speech.
        pause_s: a short pause, after which transcription begins.
        finished_s: silence that ends a finished sentence.
        unclear_s: silence that ends a sentence that may be finished.
        unknown_s: silence that ends an utterance that is not transcribed yet. Waiting costs nothing, because
            there is no text to answer.
        unfinished_s: silence that ends a text whose last word is "and" or similar.
        dictated_s: silence that ends a number that may continue.
        max_silence_s: silence that ends any utterance.
        max_utterance_s: the longest utterance; it ends even in the middle of a word.
        long_utterance_s: a longer utterance ends at the next pause.
    """

    start_threshold: float = 0.5
    continue_threshold: float = 0.35
    barge_in_threshold: float = 0.7
    min_speech_frames: int = 3
    echo_guard_s: float = 0.15
    lead_in_s: float = 0.32
    tail_s: float = 0.096
    pause_s: float = 0.16
    finished_s: float = 0.448
    unclear_s: float = 0.8
    unknown_s: float = 1.5
    unfinished_s: float = 1.3
    dictated_s: float = 1.5
    max_silence_s: float = 3.0
    max_utterance_s: float = 60.0
    long_utterance_s: float = 55.0

    def silence_s(self, ending: UtteranceEnding) -> float:
        """Returns the silence in seconds that ends an utterance with this ending."""
        match ending:
            case "finished":
                silence = self.finished_s
            case "unclear":
                silence = self.unclear_s
            case "unknown":
                silence = self.unknown_s
            case "unfinished":
                silence = self.unfinished_s
            case "dictated":
                silence = self.dictated_s
            case _:
                assert_never(ending)
        return min(silence, self.max_silence_s)


DEFAULT_ENDPOINTING = EndpointingConfig()


@dataclass(frozen=True, slots=True)
class SpeechStarted:
    """The customer has certainly begun to speak. If the assistant is speaking, this interrupts it."""


@dataclass(frozen=True, slots=True)
class SpeechPaused:
    """A short pause, after which the customer may have finished.

    ``audio`` is the utterance so far, with its lead-in.
    """

    audio: Pcm


@dataclass(frozen=True, slots=True)
class SpeechResumed:
    """The customer continues, so a transcript from the pause is incomplete."""


@dataclass(frozen=True, slots=True)
class UtteranceEnded:
    """The customer has finished.

    If no speech followed, ``audio`` is the same as in the last ``SpeechPaused``.
    """

    audio: Pcm


EndpointingEvent: TypeAlias = SpeechStarted | SpeechPaused | SpeechResumed | UtteranceEnded


class EndpointDetector:
    """Finds the utterances of one customer in the sound of their microphone.

    Time is counted in sound, so the same sound gives the same events, whatever the length of its pieces. You
    can set the attributes at any time; they apply from the next frame on.

    Attributes:
        expecting: the input that the assistant has just asked for. Dictated text gets longer silences.
        push_to_talk: all sound until ``finish`` is one utterance. Its first frame gives ``SpeechStarted``;
            there is no ``SpeechPaused``.
    """

    def __init__(
        self,
        stream: VoiceStream,
        config: EndpointingConfig = DEFAULT_ENDPOINTING,
        words: ListeningWords = NO_LISTENING_WORDS,
    ) -> None:
        self.expecting: ExpectedInput = "anything"
        self.push_to_talk = False
        self._stream, self._config, self._words = stream, config, words
        self._partial = bytearray()  # an incomplete frame
        # The lead-in, or the utterance with the silence after it. No sound belongs to two utterances.
        self._buffer = bytearray()
        self._speech_end = 0  # the end of the last speech in the buffer, in bytes
        self._speech_frames = 0  # the current number of consecutive frames that may be speech
        self._open = self._paused = False
        self._ending: UtteranceEnding = "unknown"
        self._audible, self._guard_left = False, 0

    @property
    def audible(self) -> bool:
        """Whether the customer hears the assistant. Then ``barge_in_threshold`` applies.

        Set it as long as the assistant speaks, not for each clip: ``echo_guard_s`` begins when it becomes
        true.
        """
        return self._audible

    @audible.setter
    def audible(self, audible: bool) -> None:
        if audible and not self._audible:
            self._guard_left = _bytes(self._config.echo_guard_s)
        self._audible = audible

    def process_audio(self, pcm: Pcm) -> list[EndpointingEvent]:
        """Process more sound, of any length, and return its events in order.

        ``SpeechStarted`` comes first, then ``SpeechPaused`` and ``SpeechResumed`` alternate, then
        ``UtteranceEnded``, which may also follow ``SpeechStarted`` or ``SpeechResumed`` directly.
        """
        self._partial += pcm
        whole = len(self._partial) // _FRAME_BYTES * _FRAME_BYTES
        frames, self._partial = self._partial[:whole], self._partial[whole:]
        return [
            event
            for at in range(0, whole, _FRAME_BYTES)
            for event in self._frame(bytes(frames[at : at + _FRAME_BYTES]))
        ]

    def update_transcript(self, text: str) -> None:
        """Set the text of the last ``SpeechPaused``. It decides which silence ends the utterance.

        Do not call it for an earlier pause. It has no effect after the customer has continued or finished.
        """
        self._ending = classify_ending(text, self.expecting, self._words)

    def finish(self) -> list[EndpointingEvent]:
        """End the utterance, because the customer released the button or switched the microphone off."""
        self._buffer += self._partial
        ended: list[EndpointingEvent] = [self._ended()] if self._open else []
        self._partial.clear()
        self._buffer.clear()
        self._speech_frames = 0
        return ended

    def _frame(self, frame: Pcm) -> Iterator[EndpointingEvent]:
        self._buffer += frame
        guarded, self._guard_left = self._guard_left > 0, max(0, self._guard_left - _FRAME_BYTES)
        if self.push_to_talk:
            yield from self._push_to_talk()
        elif not self._open:
            likely = self._stream.push(frame)  # even if it is not used: the stream must have no gaps
            yield from self._quiet(0.0 if guarded else likely)
        elif self._paused:
            yield from self._waiting(self._stream.push(frame))
        else:
            yield from self._speaking(self._stream.push(frame))
        if self._open and len(self._buffer) >= _bytes(self._config.max_utterance_s):
            yield self._ended()

    def _push_to_talk(self) -> Iterator[EndpointingEvent]:
        """Handle a frame in push-to-talk mode: while the button is held, all sound is speech."""
        if not self._open:
            del self._buffer[:-_FRAME_BYTES]
            self._open = True
            yield SpeechStarted()
        self._paused, self._speech_frames, self._speech_end = False, 0, len(self._buffer)

    def _quiet(self, likely: float) -> Iterator[EndpointingEvent]:
        """Handle a frame outside of an utterance; the customer may begin to speak."""
        config = self._config
        begins = config.barge_in_threshold if self._audible else config.start_threshold
        goes_on = config.barge_in_threshold if self._audible else config.continue_threshold
        heard = likely >= (goes_on if self._speech_frames else begins)
        self._speech_frames = self._speech_frames + 1 if heard else 0
        del self._buffer[: -_bytes(config.lead_in_s) - self._speech_frames * _FRAME_BYTES]
        if self._speech_frames >= config.min_speech_frames:
            self._open, self._speech_frames, self._speech_end = True, 0, len(self._buffer)
            yield SpeechStarted()

    def _speaking(self, likely: float) -> Iterator[EndpointingEvent]:
        """Handle a frame while the customer speaks or is briefly silent."""
        if likely >= self._config.continue_threshold:
            self._speech_end = len(self._buffer)
        elif self._silence >= _bytes(self._config.pause_s):
            self._paused, self._ending = True, "unknown"
            yield SpeechPaused(self._utterance())

    def _waiting(self, likely: float) -> Iterator[EndpointingEvent]:
        """Handle a frame in a pause: the customer continues, or the silence ends the utterance."""
        config = self._config
        heard = likely >= (config.continue_threshold if self._speech_frames else config.start_threshold)
        self._speech_frames = self._speech_frames + 1 if heard else 0
        if self._speech_frames >= config.min_speech_frames:
            self._paused, self._speech_frames, self._speech_end = False, 0, len(self._buffer)
            yield SpeechResumed()
        elif not self._speech_frames and self._silence >= _bytes(self._required_silence_s()):
            yield self._ended()

    def _required_silence_s(self) -> float:
        """Returns the silence that ends the utterance, counted from the end of the speech."""
        if self._speech_end >= _bytes(self._config.long_utterance_s):
            return self._config.pause_s
        return self._config.silence_s(self._ending)

    @property
    def _silence(self) -> int:
        return len(self._buffer) - self._speech_end

    def _utterance(self) -> Pcm:
        return bytes(self._buffer[: self._speech_end + _bytes(self._config.tail_s)])

    def _ended(self) -> UtteranceEnded:
        """Close the utterance. The sound after it is kept, because it may be the lead-in of the next one."""
        audio = self._utterance()
        del self._buffer[: len(audio)]
        self._open = self._paused = False
        return UtteranceEnded(audio)


def _bytes(seconds: float) -> int:
    return round(seconds * HEARD_RATE) * _SAMPLE_BYTES


def classify_ending(text: str, expecting: ExpectedInput, words: ListeningWords) -> UtteranceEnding:
    """Returns the kind of ending of a text, judged by its words and punctuation.

    The last words have priority over the punctuation, because a transcriber adds a full stop to any text.
    """
    said = text.strip().rstrip(_QUOTES)
    plain, asks = plain_words(_MARKS.sub(" ", said)), said.endswith("?")
    if not plain:
        return "unclear"
    if words.brief.is_one(plain):
        return "finished"
    if dictation := _classify_dictation(said, expecting, words):
        return dictation
    if _TRAILING_MARK.search(said) or words.open_ends.ends(plain) or words.openers.is_one(plain):
        return "unfinished"
    if asks:
        return "finished"
    if words.open_statements.ends(plain) or ("," not in said and words.conditions.begins(plain)):
        return "unfinished"
    # After two words, the full stop is the transcriber's: "My order." A customer who was asked for a number
    # and says none may be looking for it.
    stops = said.endswith((".", "!")) and len(plain.split()) >= _FEW_WORDS
    return "finished" if stops and expecting == "anything" else "unclear"


def _classify_dictation(said: str, expecting: ExpectedInput, words: ListeningWords) -> UtteranceEnding | None:
    """Returns the kind of ending of a dictation, or None if the text does not end with one."""
    tail = _spelled_tail(tokenize_dictation(said, words))
    digits = sum(map(str.isdigit, "".join(token.means for token in tail)))
    letters = sum(token.kind == "letter" for token in tail)
    asks = said.endswith("?")
    match expecting:
        case "email":
            return _dictated_email(said, words)
        case "name":
            # Letters that are said one by one are often transcribed as a word in capitals: "LIND".
            last = _LAST_WORD.search(said)
            return "dictated" if letters or (last and last[1].isupper()) else None
        case "digits" if (
            digits and _DATE.search(said) and (said in words.months or digits >= _COMPLETE_DIGITS - 2)
        ):
            return "finished"
        case "digits":
            return _dictated_digits(digits) if digits or letters else None
        case "anything" if not asks and (
            len(tail) > 1 or any(len(token.means) >= _SHORT_CODE for token in tail)
        ):
            return _dictated_digits(digits)
        case _:
            return None


def _dictated_digits(digits: int) -> UtteranceEnding:
    return "unclear" if digits >= _COMPLETE_DIGITS else "dictated"


def _dictated_email(said: str, words: ListeningWords) -> UtteranceEnding | None:
    if find_email_address(said, tokenize_dictation(said, words)):
        return "unclear"  # "dot co" may continue with "dot uk"
    plain = said.strip(" .!")
    return None if said.endswith("?") or words.brief.is_one(plain) else "dictated"


def _spelled_tail(tokens: Sequence[DictatedToken]) -> list[DictatedToken]:
    """Returns the spelled tokens at the end."""
    place = len(tokens)
    while place and tokens[place - 1].kind != "word":
        place -= 1
    return [token for token in tokens[place:] if token.spelled]

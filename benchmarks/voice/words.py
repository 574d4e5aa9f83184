"""How many words are misunderstood, and what hearing and speaking cost.

The same sentences clean, as a telephone carries them, and in noise; once given to Whisper whole, once cut out of
the room by the detector. Numbers are compared as they are spoken, whichever way they are written.
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assistant.audio import decode_mulaw, encode_mulaw, resample
from assistant.prompts.book import shipped_book
from assistant.speech_ports import HEARD_RATE, Pcm
from assistant.voice.endpointing import EndpointDetector, UtteranceEnded
from assistant.voice.text_normalization.normalize import normalize_for_speech
from benchmarks.voice.embedded import Embedded
from benchmarks.voice.speakers import as_pcm, in_a_room, quiet, said, speakers
from benchmarks.voice.spoken_clips import BEFORE_S

SENTENCES = (
    "Check my appointments and billing.",
    "When is my next appointment?",
    "Can you move my eye exam to Thursday at half past nine?",
    "How much do I owe you, and when is it due?",
    "No, the second one.",
    "The lens I ordered three weeks ago has not arrived yet, and nobody has answered my letters.",
    "Yes, please do that.",
    "Do I still have to pay the invoice from November?",
    "I have lost my glasses and need a new pair before the end of the month.",
    "Could somebody call me back this afternoon?",
    "What are your opening hours on Saturday?",
    "I want to send the frame back, it is too wide for me.",
    "Is the repair covered by the guarantee?",
    "I was charged twice for the same order.",
    "Which of these lenses would you recommend for driving at night?",
    "I would rather come on Monday morning, if you have anything before ten.",
    "Can I pay the rest in three parts?",
    "I would like to speak to a person.",
    "Put me on the waiting list for the afternoon.",
    "The left hinge is broken.",
)
SNR_DB = 15
TELEPHONE_HZ = (300, 3_400)
TELEPHONE_RATE = 8_000
_AFTER_S = 2.0

Spoil = Callable[[Pcm, float], Pcm]
"""Makes it harder to understand a sound whose speech is so loud."""


def clean(sound: Pcm, loud: float) -> Pcm:
    """As it was said."""
    return sound


def telephone(sound: Pcm, loud: float) -> Pcm:
    """Through a telephone: 300 to 3400 Hz, 8 kHz, mu-law, and back."""
    heard = np.frombuffer(sound, "<i2").astype(np.float64)
    spectrum, pitches = np.fft.rfft(heard), np.fft.rfftfreq(len(heard), 1 / HEARD_RATE)
    lowest, highest = TELEPHONE_HZ
    spectrum[(pitches < lowest) | (pitches > highest)] = 0
    narrow = as_pcm(np.fft.irfft(spectrum, len(heard)))
    coded = encode_mulaw(resample(narrow, HEARD_RATE, TELEPHONE_RATE))
    return resample(decode_mulaw(coded), TELEPHONE_RATE, HEARD_RATE)


def noisy(sound: Pcm, loud: float) -> Pcm:
    """In a room where something hums and hisses: pink noise, 15 dB below the speech."""
    heard = np.frombuffer(sound, "<i2").astype(np.float64)
    white = np.fft.rfft(np.random.default_rng(7).normal(0, 1, len(heard)))
    pink = np.fft.irfft(white / np.sqrt(np.arange(len(white)) + 1), len(heard))
    return as_pcm(heard + pink * loud * 10 ** (-SNR_DB / 20) / pink.std())


CONDITIONS: dict[str, Spoil] = {"clean": clean, "telephone": telephone, "noise 15 dB": noisy}


@dataclass(slots=True)
class Mistakes:
    """Words wrong, missing or too many, of so many that were said."""

    wrong: int = 0
    said: int = 0

    def count(self, sentence: str, understood: str) -> None:
        """One more sentence."""
        self.wrong += _edits(_words(sentence), _words(understood))
        self.said += len(_words(sentence))

    def __str__(self) -> str:
        return f"{100 * self.wrong / self.said:5.1f} %"


@dataclass(slots=True)
class Cost:
    """CPU seconds, all threads, for so many seconds of speech."""

    cpu_s: float = 0.0
    speech_s: float = 0.0

    def __str__(self) -> str:
        return f"{60 * self.cpu_s / self.speech_s:5.2f} s CPU a minute of speech"


class Examination:
    """One model's detector and hearing, over all sentences."""

    def __init__(self, models: Embedded) -> None:
        self._models, self._words = models, shipped_book().words("en").listening
        self.hearing, self.detector, self.speaking = Cost(), Cost(), Cost()

    async def understood(self, sound: Pcm) -> str:
        """Written down whole."""
        used = time.process_time()
        transcript = await self._models.hearing.transcribe(sound)
        self.hearing.cpu_s += time.process_time() - used
        self.hearing.speech_s += _seconds(sound)
        return transcript.text

    async def caught(self, sound: Pcm) -> str:
        """Cut out of the room by the detector, and then written down."""
        detector = EndpointDetector(self._models.activity.stream(), words=self._words)
        used = time.process_time()
        events = detector.process_audio(sound)
        self.detector.cpu_s += time.process_time() - used
        self.detector.speech_s += _seconds(sound)
        ended = [event.audio for event in events if isinstance(event, UtteranceEnded)]
        return " ".join([(await self._models.hearing.transcribe(audio)).text for audio in ended])

    async def speak(self, sentence: str) -> None:
        """Say it, its spoken form included."""
        used = time.process_time()
        sound = b"".join([pcm async for pcm in self._models.speech.speak(normalize_for_speech(sentence))])
        self.speaking.cpu_s += time.process_time() - used
        self.speaking.speech_s += len(sound) / 2 / self._models.speech.rate


async def measure(models: Embedded) -> None:
    """Print word error rates, and what they cost."""
    exam = Examination(models)
    for sentence in SENTENCES:
        await exam.speak(sentence)
    for speaker in speakers():
        sounds = {sentence: await said(sentence, speaker) for sentence in SENTENCES}
        for name, spoil in CONDITIONS.items():
            whole, cut = Mistakes(), Mistakes()
            for sentence, sound in sounds.items():
                loud, heard = _loud(sound), in_a_room(sound)
                whole.count(sentence, await exam.understood(spoil(heard, loud)))
                room = quiet(BEFORE_S) + heard + quiet(_AFTER_S)
                cut.count(sentence, await exam.caught(spoil(room, loud)))
            print(
                f"wrong words, {speaker:9} {name:11}: {cut} by the ears, {whole} by bare Whisper, of {whole.said}"
            )
    print(f"hearing  (Whisper): {exam.hearing}")
    print(f"detector     (Silero) : {exam.detector}")
    print(f"speaking (hibari) : {exam.speaking}")


def _loud(sound: Pcm) -> float:
    return float(np.sqrt(np.mean(np.frombuffer(sound, "<i2").astype(np.float64) ** 2)))


def _seconds(sound: Pcm) -> float:
    return len(sound) / 2 / HEARD_RATE


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z']+", normalize_for_speech(text).lower().replace("-", " "))


def _edits(one: list[str], other: list[str]) -> int:
    """How many words have to be put in, left out or changed to make one from the other."""
    row: NDArray[np.int64] = np.arange(len(other) + 1)
    for at, word in enumerate(one, start=1):
        before, row = row, row.copy()
        row[0] = at
        for to, against in enumerate(other, start=1):
            row[to] = min(before[to] + 1, row[to - 1] + 1, before[to - 1] + (word != against))
    return int(row[-1])

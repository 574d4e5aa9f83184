"""A small Whisper: each sound that it has learned means one text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

from assistant.models.speech.transcribe import DecodeResult, Features, LoadedModel, Vocabulary
from assistant.speech_ports import HEARD_RATE, Pcm

SPECIAL = (
    "<|startofprev|>",
    "<|startoftranscript|>",
    "<|en|>",
    "<|de|>",
    "<|no|>",
    "<|transcribe|>",
    "<|notimestamps|>",
)
WORDS = (
    "a",
    "b",
    "c",
    "d",
    "e",
    "f",
    "g",
    "h",
    "one",
    "two",
    "three",
    "four",
    "stop",
    "when",
    "is",
    "it",
    "due",
    "thank",
    "my",
    "next",
    "appointment",
    "please",
    "that",
    "now",
    "you",
)
NOBODY = DecodeResult((len(SPECIAL),), mean_log=-1.0, silent=0.9)


def tokenizer_json(*left_out: str) -> bytes:
    """The vocabulary as a file."""
    known = [token for token in (*SPECIAL, *WORDS, "?") if token not in left_out]
    tokens = Tokenizer(WordLevel({token: number for number, token in enumerate(known)}, unk_token="?"))
    tokens.add_special_tokens(  # pyright: ignore[reportUnknownMemberType]
        [token for token in SPECIAL if token in known]
    )
    tokens.pre_tokenizer = WhitespaceSplit()
    return tokens.to_str().encode()


def ids(text: str) -> tuple[int, ...]:
    """The numbers of words."""
    return tuple(len(SPECIAL) + WORDS.index(word) for word in text.split())


def said(text: str, mean_log: float = -0.1, silent: float = 0.05) -> DecodeResult:
    """A decode of one who is sure."""
    return DecodeResult(ids(text), mean_log, silent)


def tone(hz: float, seconds: float = 1.0) -> Pcm:
    """A sound that the model can tell from others."""
    at = np.arange(round(seconds * HEARD_RATE)) / HEARD_RATE
    return (8_000 * np.sin(2 * np.pi * hz * at)).astype("<i2").tobytes()


@dataclass(slots=True)
class SmallEngine:
    """Guesses what ``answer`` says of what it sees; ``seen`` are the seconds, prompts and limits, in order."""

    answer: Callable[[Features], DecodeResult]
    bands: int = 80
    seen: list[tuple[float, list[int], int]] = field(default_factory=list[tuple[float, list[int], int]])

    def decode(self, seen: Features, prompt: Sequence[int], most: int) -> DecodeResult:
        """What the answer says, and no more of it than is wanted."""
        self.seen.append((seen.shape[1] / 100, list(prompt), most))
        decode = self.answer(seen)
        return DecodeResult(decode.ids[:most], decode.mean_log, decode.silent)


def scripted(*guesses: DecodeResult | Exception) -> SmallEngine:
    """An engine that makes these guesses, one after the other."""
    script = iter(guesses)

    def answer(_: Features) -> DecodeResult:
        decode = next(script)
        if isinstance(decode, Exception):
            raise decode
        return decode

    return SmallEngine(answer)


def loaded(engine: SmallEngine) -> LoadedModel:
    """The engine with its vocabulary."""
    return LoadedModel(engine, Vocabulary(tokenizer_json(), multilingual=True))


def loudest(seen: Features) -> int:
    """The band of a tone; -1 for silence."""
    loudness = seen.mean(axis=1)
    return int(loudness.argmax()) if np.ptp(loudness) > 0.1 else -1

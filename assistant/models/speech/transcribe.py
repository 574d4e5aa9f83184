"""Transcription with Whisper: features, vocabulary, and the transcription of an utterance window by window."""

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import ceil, exp
from typing import Protocol, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from assistant.errors import SpeechError
from assistant.models.speech.dictated_numbers import without_grouping
from assistant.speech_ports import HEARD_RATE, Pcm, Transcription

Features: TypeAlias = NDArray[np.float32]
"""One row for each frequency band, one column for each step of time."""

STEP = 160
"""The number of samples between two columns: 10 ms."""

_QUIETEST = 1e-10
_RANGE = 8.0
"""The dynamic range in powers of ten: everything quieter, compared with the loudest sound, is cut off."""

Samples: TypeAlias = NDArray[np.float32]
"""Mono sound of 16 kHz, with values from -1 to 1."""


def features(samples: Samples, bands: int) -> Features:
    """Returns the logarithmic energy of each band. Most values are between -1 and 1.

    Args:
        samples: the complete window, filled up with silence; at least 201 samples.
        bands: the number of bands that the model was trained with, 80 or 128.
    """
    # The window function is periodic: it leaves out the last sample, which would equal the first one.
    bell = np.hanning(SPECTRUM + 1)[:-1].astype(np.float32)
    around = np.pad(samples, SPECTRUM // 2, mode="reflect")
    steps = len(samples) // STEP
    spectra = np.fft.rfft(sliding_window_view(around, SPECTRUM)[::STEP][:steps] * bell)
    energy = (spectra.real**2 + spectra.imag**2).astype(np.float32)
    loudness = np.log10(np.maximum(mel_bands(bands) @ energy.T, _QUIETEST))
    loudness = np.maximum(loudness, loudness.max() - _RANGE)
    return ((loudness + 4) / 4).astype(np.float32)


SPECTRUM = 400
"""The number of samples for one spectrum: 25 ms."""

_KNEE_HZ = 1_000.0
_HZ_A_MEL = 200 / 3
_KNEE_MEL = _KNEE_HZ / _HZ_A_MEL
_GROWTH = np.log(6.4) / 27
"""Slaney's mel scale: it is linear up to 1 kHz; above, 27 mels are a factor of 6.4."""


def mel_of(hz: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns these frequencies on the mel scale.

    >>> mel_of(np.array([0.0, 200.0, 1000.0, 6400.0])).round(6).tolist()
    [0.0, 3.0, 15.0, 42.0]
    """
    above = _KNEE_MEL + np.log(np.maximum(hz, _KNEE_HZ) / _KNEE_HZ) / _GROWTH
    return np.where(hz < _KNEE_HZ, hz / _HZ_A_MEL, above)


def hz_of(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the inverse of ``mel_of``.

    >>> hz_of(np.array([0.0, 3.0, 15.0])).round(6).tolist()
    [0.0, 200.0, 1000.0]
    """
    above = _KNEE_HZ * np.exp(_GROWTH * (np.maximum(mel, _KNEE_MEL) - _KNEE_MEL))
    return np.where(mel < _KNEE_MEL, mel * _HZ_A_MEL, above)


@cache
def mel_bands(count: int) -> NDArray[np.float32]:
    """Returns the weight of each frequency in each band, one row for each band.

    Bands are triangles that overlap by half, at equal distances on the mel scale. All have the same area, so
    that wide bands do not count more.
    """
    heard = np.fft.rfftfreq(SPECTRUM, 1 / HEARD_RATE)
    top = float(mel_of(np.array([HEARD_RATE / 2]))[0])
    corners = hz_of(np.linspace(0.0, top, count + 2))
    widths = np.diff(corners)
    from_corner = heard - corners[:, None]
    rising = from_corner[:-2] / widths[:-1, None]
    falling = -from_corner[2:] / widths[1:, None]
    triangles = np.maximum(0, np.minimum(rising, falling))
    return (triangles * (2 / (corners[2:] - corners[:-2]))[:, None]).astype(np.float32)


def samples_of(pcm: Pcm) -> Samples:
    r"""Returns the samples as floating-point numbers.

    >>> samples_of(b"\x00\x80\x00\x40").tolist()
    [-1.0, 0.5]

    Raises:
        SpeechError: the number of bytes is odd.
    """
    if len(pcm) % 2:
        raise SpeechError(f"{len(pcm)} bytes are not 16-bit samples: the number must be even")
    return np.frombuffer(pcm, dtype="<i2").astype(np.float32) / np.float32(32_768)


_OTHER_NAMES = {"nb": "no", "fil": "tl", "iw": "he", "in": "id", "cmn": "zh"}
"""Languages for which Whisper uses another code."""

_LONGEST_HINT = 60


class Vocabulary:
    """The vocabulary of a model.

    Args:
        tokenizer: the contents of the model's ``tokenizer.json``.
        multilingual: whether the model must be told the language.

    Raises:
        SpeechError: the file does not belong to a Whisper model.
    """

    def __init__(self, tokenizer: bytes, *, multilingual: bool) -> None:
        # Imported here, because only transcription needs it.
        from tokenizers import Tokenizer

        try:
            self._tokens = Tokenizer.from_buffer(tokenizer)
        except Exception as error:
            # The library raises errors without a common class.
            raise SpeechError(f"tokenizer.json cannot be read: {error}") from error
        self._multilingual = multilingual
        self._begin, self._plain = self._id("<|startoftranscript|>"), self._id("<|notimestamps|>")

    def prompt(self, locale: str, hint: str) -> list[int]:
        """Returns the tokens before the first word: the hint, the language, and the task.

        English is used for an unknown language. Only the end of a long hint is used.
        """
        before = [self._before, *self._hinted(hint)] if hint.strip() else []
        if not self._multilingual:
            return [*before, self._begin, self._plain]
        return [*before, self._begin, self._language(locale), self._transcribe_token, self._plain]

    def text(self, ids: Sequence[int]) -> str:
        """Returns the text of decoded tokens, without surrounding white space."""
        return self._tokens.decode(list(ids), skip_special_tokens=True).strip()

    def _language(self, locale: str) -> int:
        spoken = locale.replace("_", "-").partition("-")[0].casefold()
        known = self._tokens.token_to_id(f"<|{_OTHER_NAMES.get(spoken, spoken)}|>")
        return self._id("<|en|>") if known is None else known

    def _hinted(self, hint: str) -> list[int]:
        return self._tokens.encode(f" {hint.strip()}", add_special_tokens=False).ids[-_LONGEST_HINT:]

    @cached_property
    def _before(self) -> int:
        return self._id("<|startofprev|>")

    @cached_property
    def _transcribe_token(self) -> int:
        return self._id("<|transcribe|>")

    def _id(self, token: str) -> int:
        known = self._tokens.token_to_id(token)
        if known is None:
            raise SpeechError(f"tokenizer.json has no {token}: is it the one of a Whisper model?")
        return known


_SHORTEST_S = 0.1
_LONGEST_S = 300


@dataclass(frozen=True, slots=True)
class DecodeResult:
    """Decoded tokens.

    ``mean_log`` is their mean log probability (natural logarithm). ``silent`` is the probability from 0 to 1
    that the sound contains no speech.
    """

    ids: tuple[int, ...]
    mean_log: float
    silent: float

    @property
    def no_speech(self) -> bool:
        """Whether the sound probably contains no speech.

        The model was trained to write a text for any sound, so it may have invented one.

        >>> results = DecodeResult((1,), mean_log=-0.9, silent=0.9), DecodeResult((1,), mean_log=-0.1, silent=0.6)
        >>> [result.no_speech for result in results]
        [True, False]
        """
        return (self.silent > _SILENT and self.mean_log < _GUESSED) or self.mean_log < _HOPELESS


class Engine(Protocol):
    """The model itself. It must be thread-safe."""

    @property
    def bands(self) -> int:
        """The number of bands in its features."""
        ...

    def decode(self, seen: Features, prompt: Sequence[int], most: int) -> DecodeResult:
        """Decode a window of sound into at most ``most`` tokens. Blocks the thread. An error of the model's
        library is not converted, so any exception may be raised.
        """
        ...


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A loaded model with its vocabulary."""

    engine: Engine
    vocabulary: Vocabulary


@dataclass(frozen=True, slots=True)
class _Decoded:
    """The text of a piece. ``endless`` is True if decoding did not stop before the limit of tokens."""

    text: str
    result: DecodeResult
    endless: bool

    @property
    def doubtful(self) -> bool:
        """Whether there are too many words for the time, or improbable ones."""
        return self.endless or repeats(self.text)


_SILENT = 0.5
_GUESSED = -0.7
_HOPELESS = -2.3
"""Measured: silence, hum, beeps, clicks and noise are below this limit; speech as loud as the noise is above
it."""

_WORD = re.compile(r"\w+(?:['’]\w+)*")

_TIMES = 4
_PHRASE = 3
_LONGEST_PHRASE = 24
_COMPRESSION = 2.4
_LONG = 60


def repeats(text: str) -> bool:
    """Whether a text looks like a repetition loop.

    This means one word four times in a row, three or more words twice in a row, or a long text that
    compresses to less than half. People do say "no, no, no". If someone really repeats a phrase, it is only
    decoded again.

    >>> repeats("When is it? When is it?"), repeats("No, no, no. Not that one."), repeats("Stop. Stop. Stop. Stop.")
    (True, False, True)
    """
    words = _words(text)
    if any(_round_at(words, at) for at in range(len(words))):
        return True
    raw = text.encode()
    return len(raw) >= _LONG and len(raw) / len(zlib.compress(raw)) > _COMPRESSION


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _round_at(words: Sequence[str], at: int) -> int:
    """Returns how many words from here on are repeated immediately, or 0 if none are."""
    for length in range(1, min(_LONGEST_PHRASE, (len(words) - at) // 2) + 1):
        times = 2 if length >= _PHRASE else _TIMES
        again = words[at : at + length]
        if all(words[at + n * length : at + (n + 1) * length] == again for n in range(1, times)):
            return length
    return 0


_NOTHING = _Decoded("", DecodeResult((), mean_log=0.0, silent=1.0), endless=False)


def transcribe(audio: Pcm, model: LoadedModel, locale: str, hint: str) -> Transcription:
    """Returns the transcript of an utterance, or "" if there is no speech. It blocks.

    Raises:
        SpeechError: the sound is invalid, or longer than five minutes.
    """
    samples = samples_of(audio)
    seconds = len(samples) / HEARD_RATE
    if seconds > _LONGEST_S:
        raise SpeechError(
            f"an utterance of {seconds:.0f} s is too long; at most {_LONGEST_S} s are transcribed"
        )
    decoded: list[_Decoded] = []
    for piece in pieces(samples):
        decoded.append(_transcribe_piece(piece, model, locale, hint))
        hint = decoded[-1].text or hint  # The previous text helps to decode the next piece.
    text = " ".join(piece.text for piece in decoded if piece.text)
    return Transcription(
        text=without_grouping(text, locale),
        likely=_likely([piece.result for piece in decoded]),
        seconds=seconds,
    )


def _transcribe_piece(samples: Samples, model: LoadedModel, locale: str, hint: str) -> _Decoded:
    seconds = len(samples) / HEARD_RATE
    if seconds < _SHORTEST_S:
        return _NOTHING
    window_s = window_length_s(seconds)
    piece = _decode(samples, window_s, model, locale, hint)
    if piece.doubtful and (window_s < WHOLE_S or hint):
        # With the longest window and no hint, the model is most likely to find the end.
        piece = _decode(samples, WHOLE_S, model, locale, "")
    if piece.result.no_speech:
        return _NOTHING
    # A text that ends by itself may really contain a repetition. Only an endless one is cut.
    return replace(piece, text=without_repetition(piece.text)) if piece.endless else piece


def _decode(samples: Samples, window_s: float, model: LoadedModel, locale: str, hint: str) -> _Decoded:
    most = most_tokens(len(samples) / HEARD_RATE)
    seen = features(in_window(samples, window_s), model.engine.bands)
    result = model.engine.decode(seen, model.vocabulary.prompt(locale, hint), most)
    return _Decoded(model.vocabulary.text(result.ids), result, endless=len(result.ids) >= most)


def _likely(results: Sequence[DecodeResult]) -> float:
    """Returns the mean log probability over all results, weighted by their numbers of tokens."""
    tokens = sum(len(result.ids) for result in results)
    sum_log = sum(result.mean_log * len(result.ids) for result in results)
    return exp(min(sum_log / tokens, 0.0)) if tokens else 1.0


_TOKENS_A_SECOND = 10
_TOKENS_AT_LEAST = 12
_TOKENS_AT_MOST = 200
"""The limit of tokens. Fast speech has five tokens a second, dictated digits four."""


def most_tokens(seconds: float) -> int:
    """Returns a limit of tokens for this many seconds, which is more than a person can say.

    >>> most_tokens(0.5), most_tokens(3.0), most_tokens(30.0)
    (12, 30, 200)
    """
    return min(max(ceil(seconds * _TOKENS_A_SECOND), _TOKENS_AT_LEAST), _TOKENS_AT_MOST)


def without_repetition(text: str) -> str:
    """Returns the text up to the beginning of its repetition.

    >>> without_repetition("I said: when is it? When is it? When is")
    'I said: when is it?'
    """
    found = list(_WORD.finditer(text))
    words = _words(text)
    for at in range(len(words)):
        if length := _round_at(words, at):
            after = found[at + length].start()
            return text[:after].rstrip()
    return text


WHOLE_S = 30
"""The longest window in seconds: the model was trained with it, and cannot use more."""

_CUT_S = 10
_AFTER_S = 2
"""Seconds of silence after the speech. With less, the model may miss the end and repeat the utterance."""

_EARLIEST_S = 15
_LATEST_S = 29
_STRETCH_S = 0.3


def window_length_s(seconds: float) -> float:
    """Returns the window for an utterance of this length.

    Most utterances need only a quarter of the work of the longest window.

    >>> window_length_s(3.2), window_length_s(11.5), window_length_s(29.0)
    (10, 13.5, 30)
    """
    return min(max(seconds + _AFTER_S, _CUT_S), WHOLE_S)


def in_window(samples: Samples, seconds: float) -> Samples:
    """Returns the sound, filled up with silence to this length."""
    return np.pad(samples, (0, max(0, round(seconds * HEARD_RATE) - len(samples))))


def pieces(samples: Samples) -> Iterator[Samples]:
    """Yields pieces of the sound that each fit into a window. The sound is cut at the quietest point, so that
    no word is cut.
    """
    while len(samples) > WHOLE_S * HEARD_RATE:
        at = _quietest(samples)
        yield samples[:at]
        samples = samples[at:]
    yield samples


def _quietest(samples: Samples) -> int:
    """Returns the middle of the quietest part between the earliest and the latest position for a cut."""
    first, stretch = _EARLIEST_S * HEARD_RATE, round(_STRETCH_S * HEARD_RATE)
    total = np.concatenate(
        [[0.0], np.cumsum(samples[first : _LATEST_S * HEARD_RATE].astype(np.float64) ** 2)]
    )
    return first + int(np.argmin(total[stretch:] - total[:-stretch])) + stretch // 2

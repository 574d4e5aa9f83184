"""Providers' models for speech, through litellm: addresses, requests, and conversion of WAV files."""

import wave
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from io import BytesIO
from typing import TypeVar

from assistant.errors import ModelError, ModelRefused, SpeechError
from assistant.models.hosted_requests import HostedRequests, Patience
from assistant.models.litellm_library import Library
from assistant.models.speech.dictated_numbers import without_grouping
from assistant.speech_ports import HEARD_RATE, Pcm, Transcription

_WHOLE = 0x7FFF_FFFF
_COMPRESSED = (b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2", b"\xff\xf1", b"OggS", b"fLaC")


def to_wav(pcm: Pcm, rate: int) -> bytes:
    """Returns the sound as a WAV file."""
    file = BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(pcm)
    return file.getvalue()


def to_pcm(sound: bytes, rate: int) -> Pcm:
    """Returns the samples of a provider's answer.

    Raw samples are assumed to have the given rate; those of a file are converted to it.

    Raises:
        SpeechError: the sound is compressed, or is in a file that is not mono with 16 bits.
    """
    if sound.startswith(b"RIFF"):
        return _unpacked(sound, rate)
    if sound.startswith(_COMPRESSED):
        raise SpeechError(
            f"the sound begins with {sound[:4]!r}, so it is compressed; 'pcm' or 'wav' is needed"
        )
    return sound[: len(sound) // 2 * 2]


def _unpacked(sound: bytes, rate: int) -> Pcm:
    try:
        with wave.open(BytesIO(sound), "rb") as file:
            kind = (file.getnchannels(), 8 * file.getsampwidth())
            # A file that was streamed while it was written does not contain its own length.
            found, pcm = file.getframerate(), file.readframes(min(file.getnframes(), _WHOLE))
    except (wave.Error, EOFError) as error:
        raise SpeechError(f"the WAV file cannot be read: {error}") from error
    if kind != (1, 16):
        raise SpeechError(f"the WAV file has {kind[0]} channels of {kind[1]} bits; 1 of 16 bits is needed")
    pcm = pcm[: len(pcm) // 2 * 2]
    return pcm if found == rate else _at_rate(pcm, found, rate)


def _at_rate(pcm: Pcm, found: int, rate: int) -> Pcm:
    from assistant.audio import Resampler  # imported here, because most answers need no conversion

    resampler = Resampler(found, rate)
    return resampler.push(pcm) + resampler.close()


PATIENCE = Patience(try_s=8.0, tries=2, pause_s=0.25, longest_pause_s=1.0)
"""The limits of a request. A customer is waiting, so a later answer is useless."""

T = TypeVar("T")


class SpeechRefused(SpeechError):
    """The provider refuses the request: the key, the model's name, or something in the request is wrong."""


async def _asked(requests: HostedRequests, question: Callable[[Library], Awaitable[T]]) -> T:
    """Returns the provider's answer.

    Raises ``SpeechRefused`` if a repetition would be refused, too, else ``SpeechError``.
    """
    try:
        return await requests.ask(question)
    except ModelRefused as error:
        raise SpeechRefused(str(error)) from error
    except ModelError as error:
        raise SpeechError(str(error)) from error


class HostedSpeechToText:
    """A transcription model of any provider that litellm supports. litellm is imported for the first
    utterance.

    Args:
        requests: sends the requests.
    """

    def __init__(self, requests: HostedRequests) -> None:
        self._requests = requests

    @property
    def name(self) -> str:
        """The name in the settings."""
        return self._requests.place.name

    async def warm(self) -> None:
        """Import litellm.

        Nothing is sent. Raises ``DeclarationError`` if litellm does not know the provider.
        """
        await self._requests.warm()

    async def transcribe(self, audio: Pcm, *, locale: str = "en", hint: str = "") -> Transcription:
        """Transcribe an utterance of 16 kHz. Providers report no confidence. Raises ``SpeechError``."""
        if len(audio) % 2:
            raise SpeechError(f"{len(audio)} bytes are not 16-bit samples: the number must be even")
        seconds = len(audio) / 2 / HEARD_RATE
        if not audio:
            return Transcription(text="")
        wav, language = to_wav(audio, HEARD_RATE), locale.replace("_", "-").partition("-")[0]

        async def ask(litellm: Library) -> str:
            place = self._requests.place
            return await litellm.transcribe(place.model, wav, language, hint, place.api_base, place.api_key)

        text = (await _asked(self._requests, ask)).strip()
        return Transcription(text=without_grouping(text, locale), seconds=seconds)


_RATE = 24_000
_BARE = "pcm"
_FILE = "wav"
_FORMS: Mapping[str, str] = {
    "elevenlabs": "pcm_24000",  # bare samples have another rate there
    "groq": _FILE,
    "minimax": _FILE,
    "vertex_ai": _FILE,
}
"""The format to ask a provider for that does not return raw samples of our rate. A file contains its rate."""

_PIECE = _RATE // 5 * 2
"""The bytes of a fifth of a second. Small pieces, so that a listener who stops can do so early."""


class HostedTextToSpeech:
    """A speech model of any provider that litellm supports. litellm is imported for the first text.

    Args:
        requests: sends the requests.
        voice: the provider's name of the voice.
    """

    def __init__(self, requests: HostedRequests, voice: str) -> None:
        self._requests, self._voice = requests, voice
        self._form = _FORMS.get(requests.place.model.partition("/")[0], _BARE)

    @property
    def name(self) -> str:
        """The name in the settings."""
        return self._requests.place.name

    @property
    def rate(self) -> int:
        """The number of samples per second."""
        return _RATE

    async def warm(self) -> None:
        """Import litellm.

        Nothing is sent. Raises ``DeclarationError`` if litellm does not know the provider.
        """
        await self._requests.warm()

    async def speak(self, text: str, *, locale: str = "en", tempo: float = 1.0) -> AsyncIterator[Pcm]:
        """Yields the sound of a clause or sentence, in pieces.

        The first piece comes when all of the sound has arrived.

        The provider's model recognises the language itself. Raises ``SpeechError``.
        """
        del locale
        if not text.strip():
            return
        pcm = to_pcm(await self._sound(text, tempo), _RATE)
        for at in range(0, len(pcm), _PIECE):
            yield pcm[at : at + _PIECE]

    async def _sound(self, text: str, tempo: float) -> bytes:
        try:
            return await self._asked(text, tempo, self._form)
        except SpeechRefused as error:
            if self._form == _FILE or not _about_the_form(str(error), self._form):
                raise
        sound = await self._asked(text, tempo, _FILE)
        self._form = _FILE
        return sound

    async def _asked(self, text: str, tempo: float, form: str) -> bytes:
        async def ask(litellm: Library) -> bytes:
            place = self._requests.place
            return await litellm.synthesize(
                place.model, text, self._voice, form, tempo, place.api_base, place.api_key
            )

        return await _asked(self._requests, ask)


def _about_the_form(told: str, form: str) -> bool:
    return any(word in told.casefold() for word in ("response_format", "format", form))

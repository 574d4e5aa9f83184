"""Providers' models for speech, through litellm: where they are, how they are asked, and sound as WAV files."""

import wave
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Protocol, TypeVar, assert_never

from assistant.errors import DeclarationError, ModelBusy, ModelError, ModelRefused, ModelTimeout, SpeechError
from assistant.models.litellm_library import model_error
from assistant.models.providers import DirectName, LitellmName, check_key, place_of, secrets_in
from assistant.models.speech.dictated_numbers import without_grouping
from assistant.ports import HEARD_RATE, Clock, Pcm, Transcription
from assistant.resilience import CircuitBreaker, Jitter

_WHOLE = 0x7FFF_FFFF
_COMPRESSED = (b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2", b"\xff\xf1", b"OggS", b"fLaC")


def to_wav(pcm: Pcm, rate: int) -> bytes:
    """The sound as a file."""
    file = BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(pcm)
    return file.getvalue()


def to_pcm(sound: bytes, rate: int) -> Pcm:
    """The samples in what a provider gave: bare ones are taken to have that rate, a file's are brought to it.

    Raises:
        SpeechError: it is compressed, or in a file that is not mono with 16 bits.
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
            # A file that was sent while it grew does not know its own length.
            found, pcm = file.getframerate(), file.readframes(min(file.getnframes(), _WHOLE))
    except (wave.Error, EOFError) as error:
        raise SpeechError(f"the WAV file cannot be read: {error}") from error
    if kind != (1, 16):
        raise SpeechError(f"the WAV file has {kind[0]} channels of {kind[1]} bits; 1 of 16 bits is needed")
    pcm = pcm[: len(pcm) // 2 * 2]
    return pcm if found == rate else _at_rate(pcm, found, rate)


def _at_rate(pcm: Pcm, found: int, rate: int) -> Pcm:
    from assistant.audio import Resampler  # only here: most give what they are asked for

    resampler = Resampler(found, rate)
    return resampler.push(pcm) + resampler.close()


T = TypeVar("T")


class SpeechLibrary(Protocol):
    """What we need of litellm. All of it raises litellm's own errors."""

    async def transcribe(
        self, model: str, wav: bytes, language: str, hint: str, api_base: str | None, api_key: str | None
    ) -> str:
        """What is said in a sound."""
        ...

    async def synthesize(
        self,
        model: str,
        text: str,
        voice: str,
        form: str,
        tempo: float,
        api_base: str | None,
        api_key: str | None,
    ) -> bytes:
        """A text, said; in the form that was asked for, or in another."""
        ...

    def problem(self, model: str) -> str | None:
        """What is wrong with a model's name; None when nothing is."""
        ...


async def _library(environ: Mapping[str, str]) -> SpeechLibrary:
    from assistant.models.litellm_library import load

    return await load(environ)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedSpeechModel:
    """A model, and where it is.

    ``name`` is as the operator wrote it in ``variable``, ``model`` as litellm knows it; address and key are given
    where litellm is not to look for them itself.
    """

    name: str
    variable: str
    model: str
    api_base: str | None = None
    api_key: str | None = None

    @property
    def setting(self) -> str:
        """How the operator finds it again."""
        return f"{self.variable}={self.name!r}"


class SpeechRequests:
    """Requests to one model: each may take eight seconds and is sent twice, unless the provider refuses it.

    One that keeps failing is left alone for a while.

    Args:
        place: the model, and where it is.
        clock: measures time-outs and pauses.
        jitter: makes pauses uneven.
        environ: where litellm finds keys and addresses.
        load: brings litellm.
    """

    def __init__(
        self,
        place: HostedSpeechModel,
        *,
        clock: Clock,
        jitter: Jitter,
        environ: Mapping[str, str],
        load: Callable[[Mapping[str, str]], Awaitable[SpeechLibrary]] = _library,
    ) -> None:
        self._place, self._clock, self._jitter, self._environ, self._load = (
            place,
            clock,
            jitter,
            environ,
            load,
        )
        self._secrets = secrets_in(environ).union([place.api_key] if place.api_key else ())
        self._circuit = CircuitBreaker(place.name, clock)

    async def warm(self) -> None:
        """Import litellm. Raises ``DeclarationError`` when it knows no provider for the model."""
        litellm = await self._load(self._environ)
        if (problem := litellm.problem(self._place.model)) is not None:
            raise DeclarationError(f"{self._place.setting}: {problem}, or use 'offline'")

    async def ask(self, question: Callable[[SpeechLibrary], Awaitable[T]]) -> T:
        """The provider's answer to a question.

        Raises:
            SpeechRefused: the provider will not do it; requests again will not help.
            SpeechError: it did not answer, or is left alone.
        """
        # Loading it is nothing that the provider is waited for.
        litellm = await self._load(self._environ)
        for tried in range(1, _TRIES + 1):
            if (shut := self._circuit.open()) is not None:
                raise SpeechError(f"{self._place.setting} is not asked: {shut}")
            try:
                return await self._once(question, litellm)
            except ModelRefused as error:
                raise SpeechRefused(
                    f"{self._place.setting}: {error}; check the model's name and its key, or use 'offline'"
                ) from error
            except ModelError as error:
                if tried == _TRIES:
                    raise SpeechError(f"{self._place.setting}: {error}; tried {_TRIES} times") from error
                await self._clock.sleep(self._pause_s(error))
        raise AssertionError("the last try returns or raises")

    async def _once(self, question: Callable[[SpeechLibrary], Awaitable[T]], litellm: SpeechLibrary) -> T:
        """Ask; raises ``ModelError``, and tells the circuit how it went."""
        self._circuit.enter()
        try:
            async with self._clock.timeout(_PATIENCE_S):
                answer = await question(litellm)
        except TimeoutError as error:
            self._circuit.failed()
            raise ModelTimeout(f"no answer within {_PATIENCE_S:g} s") from error
        except Exception as error:
            # All providers' errors, and litellm's own: the one wall to its code.
            told = model_error(error, self._clock.now(), self._secrets)
            if isinstance(told, ModelRefused):
                self._circuit.answered()
            else:
                self._circuit.failed()
            raise told from error
        except BaseException:
            self._circuit.left()
            raise
        self._circuit.answered()
        return answer

    def _pause_s(self, error: ModelError) -> float:
        asked_s = error.retry_after_s if isinstance(error, ModelBusy) else None
        return min(_PAUSE_S * (0.5 + self._jitter()) if asked_s is None else asked_s, _LONGEST_PAUSE_S)


class HostedSpeechToText:
    """A transcription model of any provider that litellm knows; it is imported for the first utterance.

    Args:
        place: the model, and where it is.
        requests: how it is asked.
    """

    def __init__(self, place: HostedSpeechModel, requests: SpeechRequests) -> None:
        self._place, self._requests = place, requests

    @property
    def name(self) -> str:
        """As the operator wrote it."""
        return self._place.name

    async def warm(self) -> None:
        """Import litellm; nothing is sent. Raises ``DeclarationError`` when it does not know the provider."""
        await self._requests.warm()

    async def transcribe(self, audio: Pcm, *, locale: str = "en", hint: str = "") -> Transcription:
        """What is said in an utterance of 16 kHz. How sure it is, providers do not say. Raises ``SpeechError``."""
        if len(audio) % 2:
            raise SpeechError(f"{len(audio)} bytes are no sound of 16-bit samples: their number must be even")
        seconds = len(audio) / 2 / HEARD_RATE
        if not audio:
            return Transcription(text="")
        wav, language = to_wav(audio, HEARD_RATE), locale.replace("_", "-").partition("-")[0]

        async def ask(litellm: SpeechLibrary) -> str:
            place = self._place
            return await litellm.transcribe(place.model, wav, language, hint, place.api_base, place.api_key)

        text = (await self._requests.ask(ask)).strip()
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
"""What providers are asked for who do not give bare samples of our rate; a file says which rate it has."""

_PIECE = _RATE // 5 * 2
"""Bytes of a fifth of a second: a listener that has stopped need not take all of it."""


class HostedTextToSpeech:
    """A speech model of any provider that litellm knows; it is imported for the first text.

    Args:
        place: the model, and where it is.
        requests: how it is asked.
        voice: which of the provider's voices speaks, by its own name.
    """

    def __init__(self, place: HostedSpeechModel, requests: SpeechRequests, voice: str) -> None:
        self._place, self._requests, self._voice = place, requests, voice
        self._form = _FORMS.get(place.model.partition("/")[0], _BARE)

    @property
    def name(self) -> str:
        """As the operator wrote it."""
        return self._place.name

    @property
    def rate(self) -> int:
        """Samples a second of what it says."""
        return _RATE

    async def warm(self) -> None:
        """Import litellm; nothing is sent. Raises ``DeclarationError`` when it does not know the provider."""
        await self._requests.warm()

    async def speak(self, text: str, *, locale: str = "en", tempo: float = 1.0) -> AsyncIterator[Pcm]:
        """The sound of a clause or sentence, in pieces, once all of it has come.

        The provider's model hears itself which language it is. Raises ``SpeechError``.
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
        async def ask(litellm: SpeechLibrary) -> bytes:
            place = self._place
            return await litellm.synthesize(
                place.model, text, self._voice, form, tempo, place.api_base, place.api_key
            )

        return await self._requests.ask(ask)


def _about_the_form(told: str, form: str) -> bool:
    return any(word in told.casefold() for word in ("response_format", "format", form))


_PATIENCE_S = 8.0
_TRIES = 2
_PAUSE_S = 0.25
_LONGEST_PAUSE_S = 1.0
"""A customer is waiting: a later answer is too late."""


class SpeechRefused(SpeechError):
    """The provider will not: the key, the model's name, or something in the request is wrong."""


def hosted_speech_model(
    name: str, meant: DirectName | LitellmName, environ: Mapping[str, str], *, variable: str, such_as: str
) -> HostedSpeechModel:
    """Where a provider's model is asked that hears or speaks.

    Args:
        name: as the operator wrote it.
        meant: what that means.
        environ: where keys and addresses are looked up.
        variable: the setting that it stands in.
        such_as: a name that would do.

    Raises:
        DeclarationError: the provider has none, or a key is missing.
    """
    match meant:
        case DirectName(provider="openai", model=model):
            place = place_of(meant, environ)
            # A server on this machine needs no key, but litellm insists on one.
            return HostedSpeechModel(
                name=name,
                variable=variable,
                model=f"openai/{model}",
                api_base=place.base_url,
                api_key=place.api_key or "none",
            )
        case DirectName(provider=provider):
            raise DeclarationError(
                f"{variable}={name!r}: {provider} has no models for it that we can ask; use 'offline', or one such "
                f"as {such_as!r}"
            )
        case LitellmName(model=model):
            check_key(meant, environ)
            return HostedSpeechModel(name=name, variable=variable, model=model)
        case _:
            assert_never(meant)

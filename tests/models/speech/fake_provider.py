"""A fake provider in place of litellm, controlled by the test."""

from collections.abc import Mapping
from dataclasses import dataclass

from assistant.models.hosted_requests import HostedModel, HostedRequests
from assistant.models.litellm_library import Library
from assistant.models.speech.hosted import PATIENCE, HostedSpeechToText, HostedTextToSpeech, to_pcm, to_wav
from assistant.speech_ports import HEARD_RATE, Pcm
from assistant.testing.virtual_time import VirtualClock
from tests.support.spoken_chat import MS_PER_CHARACTER, speech

RATE = 24_000


class Failed(Exception):
    """As litellm's errors are: with a status."""

    def __init__(self, status: int, message: str = "no", **headers: str) -> None:
        super().__init__(message)
        self.status_code, self.headers = status, headers


@dataclass(frozen=True, slots=True)
class Asked:
    """What it was asked for."""

    what: Pcm | str
    model: str
    said_beside: tuple[str | float, ...]


class FakeProvider(Library):
    """Gives the entries of ``answers`` (a number is seconds to wait), then default answers.

    It says each character in the same time.
    """

    def __init__(self, *answers: Exception | float | str | bytes, only: str | None = None) -> None:
        self.answers = list(answers)
        self.asked: list[Asked] = []
        self._means: dict[Pcm, str | Exception] = {}
        self.clock = VirtualClock()
        self.loads = 0
        self._only = only

    async def transcribe(
        self, model: str, wav: bytes, language: str, hint: str, api_base: str | None, api_key: str | None
    ) -> str:
        sound = to_pcm(wav, HEARD_RATE)
        self.asked.append(Asked(sound, model, (language, hint)))
        answer = await self._next()
        if answer is None:
            answer = self._means.get(sound, "some words" if any(sound) else "")
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, str)
        return answer

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
        self.asked.append(Asked(text, model, (voice, form, tempo)))
        answer = await self._next()
        if isinstance(answer, bytes):
            return answer
        if self._only not in (None, form):
            raise Failed(400, f"response_format must be {self._only}")
        pcm = b"\x01\x00" * round(len(text) * MS_PER_CHARACTER * RATE / 1_000 / tempo)
        return to_wav(pcm, RATE) if form == "wav" else pcm

    def sound_of_meaning(self, meaning: str | Exception) -> Pcm:
        """A sound that is understood so from now on, or at which it fails; the same one for the same meaning."""
        for sound, known in self._means.items():
            if known == meaning:
                return sound
        sound = speech(0.5, loudness=2_000 + len(self._means))
        self._means[sound] = meaning
        return sound

    def problem(self, model: str) -> str | None:
        return None if model.startswith("openai/") else f"nobody knows {model!r}"

    async def _next(self) -> str | bytes | None:
        match self.answers.pop(0) if self.answers else None:
            case Exception() as error:
                raise error
            case int() | float() as seconds:
                await self.clock.sleep(seconds)
                return None
            case answer:
                return answer

    def hearing(self, model: str = "openai/whisper-1") -> HostedSpeechToText:
        place = HostedModel(
            name=model, variable="ASSISTANT_TRANSCRIPTION_MODEL", model=model, api_key="a-key-of-its-own"
        )
        return HostedSpeechToText(self._asking(place))

    def speech(self, model: str = "openai/tts-1") -> HostedTextToSpeech:
        place = HostedModel(name=model, variable="ASSISTANT_SPEECH_MODEL", model=model)
        return HostedTextToSpeech(self._asking(place), voice="alloy")

    def _asking(self, place: HostedModel) -> HostedRequests:
        async def load(environ: Mapping[str, str]) -> Library:
            self.loads += 1
            return self

        return HostedRequests(
            place,
            PATIENCE,
            clock=self.clock,
            jitter=lambda: 0.5,
            environ={"OPENAI_API_KEY": "a-secret-key"},
            load=load,
        )

"""Builds the speech models that the settings name, and loads them after the server is ready."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

import structlog

from assistant.errors import AssistantError
from assistant.models.speech.choose import (
    WarmSpeechToText,
    WarmTextToSpeech,
    choose_speech_to_text,
    choose_text_to_speech,
    missing,
)
from assistant.ports import Clock, Ids
from assistant.prompts.book import PromptBook
from assistant.resilience import Jitter
from assistant.settings import Settings, environment
from assistant.speech_ports import VoiceActivity
from assistant.turn.context import TurnDependencies
from assistant.voice.ports import VoiceServices
from assistant.voice.session import VoiceSessionFactory
from assistant.voice.speech_cache import CachedSpeech
from assistant.voice.turn_progress import AnswerWaits

LOADING = "loading"
"""Why voice is not available right after the start."""

log = structlog.get_logger(__name__)


class WarmedActivity(VoiceActivity, Protocol):
    """Detects speech, and can be loaded in advance."""

    async def warm(self) -> None:
        """Load the model. Raises ``SpeechError``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechModels:
    """The models for hearing and speaking; none is loaded yet."""

    hearing: WarmSpeechToText
    speech: WarmTextToSpeech
    activity: WarmedActivity

    async def warm(self) -> None:
        """Load all of them. Raises ``AssistantError``."""
        await asyncio.gather(self.hearing.warm(), self.speech.warm(), self.activity.warm())


class VoiceAtStart:
    """Opens voice sessions, and loads the speech models for them.

    Args:
        models: None where something is missing; the switchboard says what.
        parts: what new conversations are answered with, as it is at the moment.
    """

    def __init__(
        self,
        switchboard: VoiceSessionFactory,
        models: SpeechModels | None,
        *,
        clock: Clock,
        ids: Ids,
        parts: Callable[[], TurnDependencies],
    ) -> None:
        self.switchboard = switchboard
        self._models, self._clock, self._ids, self._parts = models, clock, ids, parts
        self._loading: asyncio.Task[None] | None = None

    def load(self) -> None:
        """Begin to load the models in the background."""
        if self._models is not None and self._loading is None:
            self._loading = asyncio.create_task(self._load(self._models))

    async def close(self) -> None:
        """Stop loading and release the models."""
        if self._loading is not None:
            self._loading.cancel()
            await asyncio.wait({self._loading})
        await self.switchboard.close()

    async def _load(self, models: SpeechModels) -> None:
        began = self._clock.monotonic()
        try:
            await models.warm()
        except AssistantError as error:
            log.error("no voice", error=str(error))
            self.switchboard.mark_unavailable(str(error))
            return
        except Exception as error:
            # Strangers' libraries: without them one can still write.
            log.exception("no voice")
            self.switchboard.mark_unavailable(f"the models for speech could not be loaded: {error!r}")
            return
        log.info("voice is ready", ms=round((self._clock.monotonic() - began) * 1_000))
        self.switchboard.set_services(
            VoiceServices(
                speech_to_text=models.hearing,
                text_to_speech=CachedSpeech(models.speech),
                voice_activity=models.activity,
                clock=self._clock,
                ids=self._ids,
                book=self._book,
                waits=AnswerWaits(self._declared_s),
            )
        )

    def _book(self) -> PromptBook:
        return self._parts().book

    def _declared_s(self, tool: str) -> float | None:
        """A tool is given ten times as long as it usually takes."""
        tools = self._parts().tools
        return tools.get(tool).spec.timeout_s / 10 if tool in tools else None


class SharedSpeechModels:
    """The speech models of several tenants: those of this machine are loaded once for all that use the same."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], SpeechModels] = {}

    def of(self, settings: Settings, clock: Clock, jitter: Jitter) -> SpeechModels:
        """The models that these settings name."""
        hosted = {settings.transcription_model, settings.speech_model} - {"offline"}
        # A hosted model is asked with the tenant's own key.
        key = (
            settings.whisper_dir,
            settings.tenant if hosted else "",
            *sorted(hosted),
            settings.speech_voice,
        )
        if key not in self._known:
            self._known[key] = _models(settings, clock, jitter)
        return self._known[key]


@asynccontextmanager
async def voice_of(
    settings: Settings,
    *,
    clock: Clock,
    ids: Ids,
    jitter: Jitter,
    parts: Callable[[], TurnDependencies],
    shared: SharedSpeechModels | None = None,
) -> AsyncGenerator[VoiceAtStart | None]:
    """The voice, which is loaded on request; None if voice is turned off. ``shared`` has the models.

    Raises ``DeclarationError`` when a setting is wrong.
    """
    if not settings.voice:
        yield None
        return
    problem = missing(settings.transcription_model, settings.speech_model)
    models = None if problem is not None else (shared or SharedSpeechModels()).of(settings, clock, jitter)
    voice = VoiceAtStart(VoiceSessionFactory(problem or LOADING), models, clock=clock, ids=ids, parts=parts)
    try:
        yield voice
    finally:
        await voice.close()


def _models(settings: Settings, clock: Clock, jitter: Jitter) -> SpeechModels:
    environ = environment(settings)
    # It brings numpy, which a process that only writes may never need.
    from assistant.models.speech.silero import Silero

    return SpeechModels(
        hearing=choose_speech_to_text(
            settings.transcription_model,
            clock=clock,
            jitter=jitter,
            environ=environ,
            whisper_dir=settings.whisper_dir,
            worker_slots=settings.transcription_workers,
        ),
        speech=choose_text_to_speech(
            settings.speech_model, settings.speech_voice, clock=clock, jitter=jitter, environ=environ
        ),
        activity=Silero(),
    )

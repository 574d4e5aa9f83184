"""Builds the speech models that the settings name.

They are loaded when the first customer speaks, or at the start if ``ASSISTANT_PRELOAD_SPEECH`` is true.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

import structlog

from assistant.errors import AssistantError, SpeechError
from assistant.models.speech.choose import (
    WarmSpeechToText,
    WarmTextToSpeech,
    choose_speech_to_text,
    choose_text_to_speech,
    missing,
)
from assistant.ports import Clock, Ids
from assistant.resilience import Jitter
from assistant.settings import Settings
from assistant.settings_sources import environment
from assistant.speech_ports import VoiceActivity
from assistant.turn.context import TurnDependencies
from assistant.voice.ports import VoiceServices
from assistant.voice.session import VoiceSessionFactory
from assistant.voice.speech_cache import CachedSpeech
from assistant.voice.turn_progress import AnswerWaits

if TYPE_CHECKING:
    from assistant.telemetry.observer import TenantTelemetry

log = structlog.get_logger(__name__)


class WarmedActivity(VoiceActivity, Protocol):
    """Detects speech, and can be loaded in advance."""

    async def warm(self) -> None:
        """Load the model. Raises ``SpeechError``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechModels:
    """The speech-to-text and text-to-speech models; none is loaded yet."""

    hearing: WarmSpeechToText
    speech: WarmTextToSpeech
    activity: WarmedActivity

    async def warm(self) -> None:
        """Load all of them. Raises ``AssistantError``."""
        await asyncio.gather(self.hearing.warm(), self.speech.warm(), self.activity.warm())


class SharedSpeechModels:
    """The speech models of several tenants: tenants with the same local models share them."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], SpeechModels] = {}

    def of(self, settings: Settings, clock: Clock, jitter: Jitter) -> SpeechModels:
        """The speech models that these settings name."""
        hosted = {settings.transcription_model, settings.speech_model} - {"offline"}
        # A hosted model is called with the tenant's own key.
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
    deps: Callable[[], TurnDependencies],
    shared: SharedSpeechModels | None = None,
    telemetry: "TenantTelemetry | None" = None,
) -> AsyncGenerator[VoiceSessionFactory | None]:
    """Opens voice sessions, with nothing loaded yet; None if voice is turned off.

    ``deps`` returns the dependencies of new conversations, ``shared`` has the models of all tenants. Raises
    ``DeclarationError`` if a setting is wrong.
    """
    if not settings.voice:
        yield None
        return
    problem = missing(settings.transcription_model, settings.speech_model)
    if problem is not None:
        voice = VoiceSessionFactory(problem)
    else:
        models = (shared or SharedSpeechModels()).of(settings, clock, jitter)
        load = partial(load_services, models, clock=clock, ids=ids, deps=deps, telemetry=telemetry)
        voice = VoiceSessionFactory(load=load)
    try:
        yield voice
    finally:
        await voice.close()


async def load_services(
    models: SpeechModels,
    *,
    clock: Clock,
    ids: Ids,
    deps: Callable[[], TurnDependencies],
    telemetry: "TenantTelemetry | None" = None,
) -> VoiceServices:
    """Load the models. Raises ``SpeechError``; then customers can still write.

    ``telemetry`` counts how long each stage takes; None: nothing is counted.
    """
    began = clock.monotonic()
    try:
        await models.warm()
    except AssistantError as error:
        log.error("no voice", error=str(error))
        raise SpeechError(str(error)) from error
    except Exception as error:
        # The libraries are third-party code.
        log.exception("no voice")
        raise SpeechError(f"the speech models could not be loaded: {error!r}") from error
    log.info("voice is ready", ms=round((clock.monotonic() - began) * 1_000))

    def usual_s(tool: str) -> float | None:
        """A tool's time limit is ten times its usual duration."""
        tools = deps().tools
        return tools.get(tool).spec.timeout_s / 10 if tool in tools else None

    return VoiceServices(
        speech_to_text=models.hearing,
        text_to_speech=CachedSpeech(models.speech),
        voice_activity=models.activity,
        clock=clock,
        ids=ids,
        book=lambda: deps().book,
        waits=AnswerWaits(usual_s),
        telemetry=telemetry,
    )


def _models(settings: Settings, clock: Clock, jitter: Jitter) -> SpeechModels:
    # It imports numpy, which a process without voice may never need.
    from assistant.models.speech.silero import Silero

    hearing, speech = speech_models(settings, clock, jitter)
    return SpeechModels(hearing=hearing, speech=speech, activity=Silero())


def speech_models(
    settings: Settings, clock: Clock, jitter: Jitter
) -> tuple[WarmSpeechToText, WarmTextToSpeech]:
    """Returns the models that transcribe and speak; they are not loaded yet.

    Raises ``DeclarationError`` for a wrong name or setting.
    """
    environ = environment(settings)
    hearing = choose_speech_to_text(
        settings.transcription_model,
        clock=clock,
        jitter=jitter,
        environ=environ,
        whisper_dir=settings.whisper_dir,
        worker_slots=settings.transcription_workers,
    )
    return hearing, choose_text_to_speech(
        settings.speech_model, settings.speech_voice, clock=clock, jitter=jitter, environ=environ
    )

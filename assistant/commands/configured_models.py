"""The configured models, for commands that try them. No fallback model answers for a model that is being tried."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from assistant.assembly.config_builder import Models
from assistant.assembly.models import build_models
from assistant.ports import Clock
from assistant.prompts.narration import Narration
from assistant.replay.player.environment import ReplayEnvironment
from assistant.settings import Settings


def single_model_settings(model: str) -> dict[str, str | list[str]]:
    """Settings with which this model plays both roles, without fallback models: one of those could be judged."""
    return {"model": model, "narrator_model": model, **_NO_FALLBACK_MODELS}


def without_fallback_models(settings: Settings, model: str | None = None) -> Settings:
    """The settings without fallback models; with ``model`` this one plays both roles."""
    return settings.model_copy(update=_NO_FALLBACK_MODELS if model is None else single_model_settings(model))


_NO_FALLBACK_MODELS: dict[str, list[str]] = {"fallback_models": [], "narrator_fallback_models": []}


@asynccontextmanager
async def configured_models(
    settings: Settings, environment: ReplayEnvironment, clock: Clock
) -> AsyncGenerator[Models]:
    """The model of each role, closed in the end. Raises ``DeclarationError`` for a setting that is wrong."""
    models = build_models(settings, environment.tools, environment.book, Narration(environment.book), clock)
    try:
        yield models
    finally:
        for role in models.values():
            await role.model.close()

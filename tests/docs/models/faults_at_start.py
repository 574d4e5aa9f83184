"""The start-up errors from the page about models, and the doctor's findings, caused for real."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from pydantic import JsonValue

from assistant.assembly.models import build_models
from assistant.doctor.known_settings import read_settings
from assistant.doctor.service_findings import answer_findings, role_findings
from assistant.errors import DeclarationError
from assistant.formats.tools import check_names
from assistant.ports import Clock
from assistant.prompts.book import shipped_book
from assistant.prompts.narration import Narration
from assistant.settings import ModelSettings, Settings
from assistant.tenants import load_settings
from assistant.testing.chat import deps_for
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.testing.script import Line, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.registry import Tools
from assistant.turn.context import TurnDependencies
from tests.docs.models.asking import nobody, providers

Told = Callable[[], Awaitable[str] | str]


def _start(name: str, own: ModelSettings | None = None, **environ: str) -> Told:
    """A model that cannot be made."""

    def told() -> str:
        with pytest.raises(DeclarationError) as refusal:
            providers(environ, own, name).model([name], 1, nobody)
        return str(refusal.value)

    return told


def _set(name: str, value: str) -> Told:
    """A setting that is wrong."""

    def told() -> str:
        with pytest.MonkeyPatch.context() as patched:
            patched.chdir(Path(__file__).parent)  # where no `.env` is
            patched.setenv(f"ASSISTANT_{name}", value)
            with pytest.raises(DeclarationError) as refusal:
                load_settings()
        return str(refusal.value)

    return told


def _too_little_to_think() -> str:
    thinking: dict[str, JsonValue] = {"type": "enabled", "budget_tokens": 4096}
    own = {"anthropic/claude-sonnet-5-5": ModelSettings(extra={"thinking": thinking})}
    settings = Settings(model="anthropic/claude-sonnet-5-5", model_options=own)
    book = shipped_book()
    with pytest.raises(DeclarationError) as refusal:
        build_models(settings, Tools([]), book, Narration(book), VirtualClock(), providers(LOCAL))
    return str(refusal.value)


def _same_names() -> str:
    with pytest.raises(DeclarationError) as refusal:
        check_names([fake_spec("crm.find", "finding", "find"), fake_spec("crm_find", "finding", "find")])
    return str(refusal.value)


LOCAL = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
START = (
    _start("openai/gpt-6-luna"),
    _start("gemini/gemini-3.8-flash"),
    _start("openai/gpt-6-luna", OPENAI_API_KEY="sk-one\nsk-two"),
    _start("openai/small", OPENAI_BASE_URL="localhost:8080"),
    _start("openai/small", OPENAI_BASE_URL="https://me:secret@models.example/v1"),
    _start("openai/"),
    _start("opneai/gpt-6-luna"),
    _start("offline/small"),
    _set("MODEL_OPTIONS", "{openai}"),
    _set("MODEL_OPTIONS", '{"xai/grok-4.6": {"call": "json"}}'),
    _set("MODEL_OPTIONS", '{"xai/grok-4.6": {"calls": "xml"}}'),
    _set("MODEL_OPTIONS", '{"xai/grok-4.6": {"images": "perhaps"}}'),
    _start("anthropic/claude-sonnet-5-5", ModelSettings(extra={"system": "Be rude."}), **LOCAL),
    _too_little_to_think,
    _set("MAX_IMAGE_PIXELS", "100"),
    _same_names,
)


def _options_of_nobody() -> str:
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(Path(__file__).parent)
        patched.setenv("ASSISTANT_MODEL", "xai/grok-4.6")
        patched.setenv("ASSISTANT_MODEL_OPTIONS", '{"grok-4.6": {"images": false}}')
        return role_findings(read_settings())[-1].says


def _answers(line: Line) -> Told:
    def made(settings: Settings, clock: Clock) -> TurnDependencies:
        tool = FakeTool(fake_spec("look", "looking", "look"), Gives(1), clock)
        return deps_for(ScriptedModel(line, clock=clock), [tool], shipped_book(), clock)

    async def told() -> str:
        (finding,) = await answer_findings(Settings(model="one"), made)
        return finding.says

    return told


DOCTOR = (_options_of_nobody, _answers(says("Hello.")), _answers(says([])))

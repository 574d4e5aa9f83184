"""The log errors from the page about models, caused for real."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from assistant.clock import SystemClock
from assistant.formats.registry import formatter
from assistant.models.litellm import LitellmModel
from assistant.models.litellm_library import Library
from assistant.models.price_list import PriceKey, Prices
from assistant.settings import ModelSettings
from tests.docs.models.asking import heard, nobody, providers, refused
from tests.docs.models.faults_at_start import LOCAL, Told
from tests.models.contract.adapters import loaded
from tests.support.fake_model import anthropic_events, openai_events
from tests.support.fake_model.replies import Fault, Wait, refuses, streams


async def _unreachable() -> str:
    hosted = providers(LOCAL)
    try:
        with pytest.raises(Exception, match="cannot reach") as refusal:
            await heard(hosted.model(["openai/fake"], 1, nobody))
        return str(refusal.value)
    finally:
        await hosted.close()


BUSY = refuses(429, "slow down", retry_after="60")
BROKEN = refuses(500, "internal error")
CLAUDE, MINI = "anthropic/claude-fake", "openai/gpt-6-luna"
TOOLLESS = "registry.ollama.ai/library/gemma3:4b does not support tools"
UNPARSED = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
BLIND = "this model does not support image input"
ONLY = "Only the default (1) value is supported."
LUKEWARM = f"Unsupported value: 'temperature' does not support 0.2 with this model. {ONLY}"
POOR = "Your credit balance is too low to access the Anthropic API."
OVERLOADED = anthropic_events.broken_off("overloaded_error", "Overloaded")
LOG: tuple[Told, ...] = (
    lambda: refused(refuses(401, "Incorrect API key provided: sk-test")),
    lambda: refused(refuses(403, "Project does not have access to model fake")),
    lambda: refused(path="/v1"),
    lambda: refused(refuses(400, TOOLLESS)),
    lambda: refused(refuses(400, UNPARSED)),
    lambda: refused(refuses(400, BLIND)),
    lambda: refused(refuses(400, LUKEWARM)),
    lambda: refused(name=MINI, own=ModelSettings(extra={"max_tokens": 1024})),
    lambda: refused(own=ModelSettings(extra={"seeed": 7})),
    lambda: refused(name=CLAUDE, own=ModelSettings(extra={"seed": 7})),
    lambda: refused(name=CLAUDE, own=ModelSettings(extra={"thinking": {"type": "enabled"}})),
    lambda: refused(refuses(400, POOR, provider="anthropic"), name=CLAUDE),
    lambda: refused(refuses(429, "You exceeded your current quota", code="insufficient_quota")),
    lambda: refused(refuses(413, "Request exceeds the maximum size", provider="anthropic"), name=CLAUDE),
    lambda: refused(BUSY),
    lambda: refused(refuses(503, "The engine is currently overloaded")),
    lambda: refused(refuses(529, "Overloaded", provider="anthropic"), name=CLAUDE),
    lambda: refused(streams(anthropic_events.begin(), OVERLOADED), name=CLAUDE),
    lambda: refused(BUSY, asked=["openai/fake"]),
    lambda: refused(BROKEN),
    lambda: refused(refuses(502, "bad gateway")),
    lambda: refused(refuses(504, "gateway timeout")),
    lambda: refused(*[BROKEN] * 5, asked=[f"openai/{each}" for each in "abcde"]),
    lambda: refused(streams(Wait(30.0))),
    lambda: refused(streams(openai_events.text("Well"), Fault.STALL)),
    lambda: refused(streams(openai_events.text("Well"))),
    lambda: refused(streams(openai_events.text("Well"), Fault.CUT)),
    lambda: refused(streams(b"data: <html>\n\n")),
    lambda: refused(streams(*[b"data: " + b" " * 1_048_576 + b"{}\n\n"] * 16)),
    _unreachable,
)


def _warms(name: str, load: Callable[[Mapping[str, str]], Awaitable[Library]]) -> Told:
    async def told() -> str:
        model = LitellmModel(
            name, model=name, formatter=formatter("generic"), clock=SystemClock(), environ={}, load=load
        )
        with capture_logs() as logged:
            await model.warm()
        return " ".join(str(logged[0][key]) for key in ("event", "why", "not_set") if key in logged[0])

    return told


async def _missing(environ: Mapping[str, str]) -> Library:
    raise ModuleNotFoundError("No module named 'litellm'")


async def _no_prices() -> str:
    prices = Prices(Path("nowhere.json"))
    prices.want(PriceKey("gpt-5"))
    with capture_logs() as logged:
        await prices.load()
    return f"{logged[0]['event']} {logged[0]['why']}"


LITELLM = (_warms("nobody/x", loaded), _warms("x/y", _missing), _warms("replicate/some", loaded), _no_prices)

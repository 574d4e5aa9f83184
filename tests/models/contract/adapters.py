"""The adapters, each behind the same script."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from assistant.formats.registry import Formatter, formatter
from assistant.models.anthropic import AnthropicModel
from assistant.models.http_client import Connections, DirectModel
from assistant.models.litellm import LitellmModel
from assistant.models.litellm_library import Library, library
from assistant.models.openai import OpenAIModel, XaiModel
from assistant.models.openai_responses import ResponsesModel
from assistant.ports import Model
from assistant.testing.script import Line
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from tests.support.fake_model.model_server import FakeModelServer
from tests.support.fake_model.replies import Provider
from tests.support.fake_model.scripted_replies import on_the_wire

Adapter = Callable[..., AbstractAsyncContextManager[Model]]


@dataclass(frozen=True, slots=True)
class Served:
    """A model, and the server behind it, which is the provider's."""

    model: Model
    server: FakeModelServer
    provider: Provider


Behind = Callable[..., AbstractAsyncContextManager[Served]]


@asynccontextmanager
async def scripted(*lines: Line) -> AsyncGenerator[Model]:
    model = ScriptedModel(*lines, clock=VirtualClock())
    yield model
    await model.close()
    model.assert_used_up()


_DIRECT: dict[Provider, tuple[type[DirectModel], str]] = {
    "openai": (OpenAIModel, "openai"),
    "openai-responses": (ResponsesModel, "openai-responses"),
    "anthropic": (AnthropicModel, "anthropic"),
    "xai": (XaiModel, "grok"),
    "deepseek": (OpenAIModel, "openai"),
    "gemini": (OpenAIModel, "openai"),
}


def direct(provider: Provider, called: str = "fake") -> Behind:
    """A direct client, and a server that says the lines in its provider's own way."""

    @asynccontextmanager
    async def behind(
        *lines: Line, writer: Formatter | None = None, refused: int = 0
    ) -> AsyncGenerator[Served]:
        clock = VirtualClock()
        kind, format_ = _DIRECT[provider]
        replies = [on_the_wire(line, provider) for line in lines]
        async with FakeModelServer(*replies, clock=clock, wire=provider) as fake:
            model = kind(
                f"{provider}/{called}",
                base_url=fake.url,
                api_key="sk-fake",
                formatter=writer or formatter(format_),
                connections=Connections(clock),
                clock=clock,
            )
            try:
                yield Served(model, fake, provider)
            finally:
                await model.close()
            assert len(fake.received) == len(lines) + refused

    return behind


def through_litellm(provider: Provider, name: str) -> Behind:
    """litellm, and a server that says the lines in the way of the provider that it takes it for."""

    @asynccontextmanager
    async def behind(
        *lines: Line, writer: Formatter | None = None, refused: int = 0
    ) -> AsyncGenerator[Served]:
        clock = VirtualClock()
        replies = [on_the_wire(line, provider) for line in lines]
        async with FakeModelServer(*replies, clock=clock, wire=provider) as fake:
            model = LitellmModel(
                f"litellm/{name}",
                model=name,
                formatter=writer or formatter("generic"),
                clock=clock,
                environ={},
                api_base=fake.url,
                api_key="sk-fake",
                load=loaded,
            )
            yield Served(model, fake, provider)
            assert len(fake.received) == len(lines) + refused

    return behind


async def loaded(environ: Mapping[str, str]) -> Library:
    """litellm, imported at once: in a thread, virtual time would go on meanwhile."""
    return library()


# An adapter is added here: a context manager that takes the lines of a script, maybe what writes the requests and
# how many of them are refused, and gives the model and its server.
THINKERS: dict[str, Behind] = {
    "anthropic": direct("anthropic"),
    "openai_responses": direct("openai-responses"),
    "deepseek": direct("deepseek"),
    "gemini": direct("gemini"),
    "litellm_anthropic": through_litellm("anthropic", "anthropic/claude-fake"),
    "litellm_deepseek": through_litellm("deepseek", "deepseek/deepseek-fake"),
}
"""Those who want back what their models thought."""

PROVIDERS: dict[str, Behind] = {
    "openai": direct("openai"),
    "openai_responses": direct("openai-responses"),
    "anthropic": direct("anthropic"),
    "xai": direct("xai"),
    "litellm": through_litellm("openai", "openai/fake"),
    "litellm_anthropic": through_litellm("anthropic", "anthropic/claude-fake"),
    "litellm_xai": through_litellm("xai", "xai/grok-fake"),
}

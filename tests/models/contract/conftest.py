"""The adapters, each behind the same script."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from assistant.formats.registry import formatter
from assistant.models.anthropic.model import AnthropicModel
from assistant.models.http.connections import Connections
from assistant.models.http.model import DirectModel
from assistant.models.litellm.library import library
from assistant.models.litellm.loaded import Loaded
from assistant.models.litellm.model import LitellmModel
from assistant.models.openai.model import OpenAIModel
from assistant.models.xai.model import XaiModel
from assistant.ports import Model
from assistant.testing.fake_model.on_the_wire import on_the_wire
from assistant.testing.fake_model.wires import Provider
from assistant.testing.fake_model_server import FakeModelServer
from assistant.testing.script import Line
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock, VirtualLoop

Adapter = Callable[..., AbstractAsyncContextManager[Model]]


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"virtual": VirtualLoop}


@asynccontextmanager
async def scripted(*lines: Line) -> AsyncGenerator[Model]:
    model = ScriptedModel(*lines, clock=VirtualClock())
    yield model
    await model.close()
    model.assert_used_up()


def openai(*lines: Line) -> AbstractAsyncContextManager[Model]:
    return direct(OpenAIModel, "openai", "openai", *lines)


def anthropic(*lines: Line) -> AbstractAsyncContextManager[Model]:
    return direct(AnthropicModel, "anthropic", "anthropic", *lines)


def xai(*lines: Line) -> AbstractAsyncContextManager[Model]:
    return direct(XaiModel, "xai", "grok", *lines)


@asynccontextmanager
async def direct(
    kind: type[DirectModel], provider: Provider, format_: str, *lines: Line
) -> AsyncGenerator[Model]:
    """A direct client, and a server that says the lines in its provider's own way."""
    clock = VirtualClock()
    replies = [on_the_wire(line, provider) for line in lines]
    async with FakeModelServer(*replies, clock=clock, wire=provider) as fake:
        model = kind(
            f"{provider}/fake",
            base_url=fake.url,
            api_key="sk-fake",
            formatter=formatter(format_),
            connections=Connections(clock),
            clock=clock,
        )
        yield model
        await model.close()
        assert len(fake.received) == len(lines)


def litellm(*lines: Line) -> AbstractAsyncContextManager[Model]:
    return through_litellm("openai", "openai/fake", *lines)


def litellm_anthropic(*lines: Line) -> AbstractAsyncContextManager[Model]:
    return through_litellm("anthropic", "anthropic/claude-fake", *lines)


@asynccontextmanager
async def through_litellm(provider: Provider, model: str, *lines: Line) -> AsyncGenerator[Model]:
    """litellm, and a server that says the lines in the way of the provider that it takes it for."""
    clock = VirtualClock()
    replies = [on_the_wire(line, provider) for line in lines]
    async with FakeModelServer(*replies, clock=clock, wire=provider) as fake:
        yield LitellmModel(
            f"litellm/{model}",
            model=model,
            formatter=formatter("openai"),
            clock=clock,
            environ={},
            api_base=fake.url,
            api_key="sk-fake",
            load=loaded,
        )
        assert len(fake.received) == len(lines)


async def loaded(environ: Mapping[str, str]) -> Loaded:
    """litellm, imported at once: in a thread, virtual time would go on meanwhile."""
    return library()


# An adapter is added here: a context manager that takes the lines of a script and gives the model.
ADAPTERS = [scripted, openai, anthropic, xai, litellm, litellm_anthropic]


@pytest.fixture(params=ADAPTERS, ids=lambda adapter: adapter.__name__)
def adapter(request: pytest.FixtureRequest) -> Adapter:
    """Makes a model that follows a script, whichever adapter it is."""
    return request.param

"""The adapters, each behind the same script."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import assert_never

import pytest

from assistant.conversation.chunks import CallArguments, CallNamed, StreamEnded, TextDelta
from assistant.formats.registry import formatter
from assistant.models.http.connections import Connections
from assistant.models.openai.model import OpenAIModel
from assistant.ports import Model
from assistant.testing.fake_model import events
from assistant.testing.fake_model import replies as server
from assistant.testing.fake_model_server import FakeModelServer
from assistant.testing.script import Fall, Line, Pause, Silence, Step
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


@asynccontextmanager
async def openai(*lines: Line) -> AsyncGenerator[Model]:
    clock = VirtualClock()
    replies = [server.streams(*(_on_the_wire(step) for step in line.steps)) for line in lines]
    async with FakeModelServer(*replies, clock=clock) as fake:
        model = OpenAIModel(
            "openai/fake",
            base_url=fake.url,
            api_key=None,
            formatter=formatter("openai"),
            connections=Connections(clock),
            clock=clock,
        )
        yield model
        await model.close()
        assert len(fake.received) == len(lines)


@pytest.fixture(params=[scripted, openai], ids=lambda adapter: adapter.__name__)
def adapter(request: pytest.FixtureRequest) -> Adapter:
    """Makes a model that follows a script, whichever adapter it is."""
    return request.param


def _on_the_wire(step: Step) -> server.Step | list[bytes]:
    match step:
        case TextDelta(text=text):
            return events.text(text)
        case CallNamed(index=index, name=name):
            return events.call(index, name, "")
        case CallArguments(index=index, fragment=fragment):
            return events.tool_call({"index": index, "function": {"arguments": fragment}})
        case StreamEnded(reason=reason):
            return events.ending(reason)
        case Pause(seconds=seconds):
            return server.Wait(seconds)
        case Silence():
            return server.Fault.STALL
        case Fall():
            return server.Fault.CUT
        case _:
            assert_never(step)

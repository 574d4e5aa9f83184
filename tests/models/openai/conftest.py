"""A client and a server for it, in virtual time."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import pytest

from assistant.formats.registry import formatter
from assistant.models.http_client import Connections
from assistant.models.openai import OpenAIModel
from assistant.testing.virtual_time import VirtualClock, VirtualLoop
from tests.support.fake_model.model_server import FakeModelServer
from tests.support.fake_model.replies import Reply

Open = Callable[..., "asyncio.Future[tuple[OpenAIModel, FakeModelServer]]"]


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"virtual": VirtualLoop}


@pytest.fixture
async def connect() -> AsyncIterator[object]:
    """Makes a client, and a server that gives these replies."""
    clock = VirtualClock()
    async with AsyncExitStack() as stack:

        async def connect(
            *replies: Reply, api_key: str | None = "sk-secret"
        ) -> tuple[OpenAIModel, FakeModelServer]:
            server = await stack.enter_async_context(FakeModelServer(*replies, clock=clock))
            model = OpenAIModel(
                "openai/gpt-small",
                base_url=f"{server.url}/",
                api_key=api_key,
                formatter=formatter("openai"),
                connections=Connections(clock),
                clock=clock,
            )
            stack.push_async_callback(model.close)
            return model, server

        yield connect

"""The same tests for every adapter."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import pytest

from assistant.ports import Model
from assistant.testing.script import Line
from assistant.testing.virtual_time import VirtualLoop
from tests.models.contract.adapters import PROVIDERS, Adapter, Behind, scripted


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"virtual": VirtualLoop}


@pytest.fixture(params=PROVIDERS)
def behind(request: pytest.FixtureRequest) -> Behind:
    """Makes a model that follows a script, and the strict server of its provider, whichever adapter it is."""
    return PROVIDERS[request.param]


@pytest.fixture(params=["scripted", *PROVIDERS])
def adapter(request: pytest.FixtureRequest) -> Adapter:
    """Makes a model that follows a script, whichever adapter it is."""
    if request.param == "scripted":
        return scripted
    served = PROVIDERS[request.param]

    @asynccontextmanager
    async def model(*lines: Line) -> AsyncGenerator[Model]:
        async with served(*lines) as both:
            yield both.model

    return model

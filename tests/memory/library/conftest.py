"""Libraries in virtual time."""

from asyncio import AbstractEventLoop
from collections.abc import AsyncIterator, Callable

import pytest

from assistant.testing.virtual_time import VirtualClock, VirtualLoop
from tests.support.library import FakeEmbedder, SmallLibrary


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], AbstractEventLoop]]:
    return {"virtual": VirtualLoop}


@pytest.fixture
async def library() -> AsyncIterator[SmallLibrary]:
    """A library that has begun to write, and whose embedding model takes no time."""
    library = SmallLibrary(VirtualClock(), FakeEmbedder())
    library.start()
    yield library
    await library.close()


@pytest.fixture
async def slow() -> AsyncIterator[SmallLibrary]:
    """The same, whose embedding model takes a second for each text."""
    clock = VirtualClock()
    library = SmallLibrary(clock, FakeEmbedder(clock=clock, text_s=1.0))
    library.start()
    yield library
    await library.close()

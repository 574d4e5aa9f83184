"""A running server for the tests of this folder."""

from collections.abc import AsyncGenerator, Callable

import pytest

from tests.server.client import Client
from tests.server.running_server import RunningServer, new_server, opened


@pytest.fixture
async def server() -> AsyncGenerator[RunningServer, None]:
    async with opened(new_server()) as server:
        yield server


@pytest.fixture
def client(server: RunningServer) -> Callable[[], Client]:
    return lambda: Client(server)

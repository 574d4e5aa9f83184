"""An open door for every test here."""

from collections.abc import AsyncGenerator, Callable

import pytest

from tests.server.client import Client
from tests.server.running_server import RunningServer, build_house, opened


@pytest.fixture
async def house() -> AsyncGenerator[RunningServer, None]:
    async with opened(build_house()) as house:
        yield house


@pytest.fixture
def client(house: RunningServer) -> Callable[[], Client]:
    return lambda: Client(house)

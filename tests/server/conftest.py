"""An open door for every test here."""

from collections.abc import AsyncGenerator, Callable

import pytest

from tests.server.client import Client
from tests.server.house import House, build_house, opened


@pytest.fixture
async def house() -> AsyncGenerator[House, None]:
    async with opened(build_house()) as house:
        yield house


@pytest.fixture
def client(house: House) -> Callable[[], Client]:
    return lambda: Client(house)

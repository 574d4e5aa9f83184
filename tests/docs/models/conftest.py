"""The pages about models are tested in virtual time."""

import asyncio
from collections.abc import Callable

from assistant.testing.virtual_time import VirtualLoop


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"virtual": VirtualLoop}

"""Everything but the real provider: a fake model server on loopback, our client, a turn, the server's frames."""

from asyncio import AbstractEventLoop
from collections.abc import Callable

from assistant.testing.virtual_time import VirtualLoop


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], AbstractEventLoop]]:
    return {"virtual": VirtualLoop}

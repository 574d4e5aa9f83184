"""Waits for providers are in virtual time."""

from asyncio import AbstractEventLoop
from collections.abc import Callable

from assistant.testing.virtual_time import VirtualLoop


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], AbstractEventLoop]]:
    return {"virtual": VirtualLoop}

"""Calls in virtual time: a real server on loopback, a real conversation, a model that follows a script."""

from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterator

import pytest

from assistant.testing.virtual_time import VirtualLoop
from tests.server.phone.company import Company


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], AbstractEventLoop]]:
    return {"virtual": VirtualLoop}


@pytest.fixture
def company() -> Iterator[Company]:
    company = Company()
    yield company
    if company.model is not None:
        company.model.assert_used_up()

"""Conversations in virtual time, and their recordings."""

from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterator

import pytest

from assistant.testing.virtual_time import VirtualLoop
from tests.turn.conftest import Company


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], AbstractEventLoop]]:
    return {"virtual": VirtualLoop}


@pytest.fixture
def company() -> Iterator[Company]:
    company = Company()
    yield company
    for model in company.models:
        model.assert_used_up()

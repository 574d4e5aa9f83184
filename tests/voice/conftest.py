"""Spoken conversations, in virtual time; and the word lists that come with the package."""

from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterator

import pytest

from assistant.prompts.book import shipped_book
from assistant.prompts.words import ListeningWords
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


@pytest.fixture(scope="session")
def words() -> ListeningWords:
    return shipped_book().words("en").listening


@pytest.fixture(scope="session")
def german() -> ListeningWords:
    return shipped_book().words("de").listening

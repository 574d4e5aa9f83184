"""The shipped prompts as an environment; cassettes declare the tools that they need."""

import pytest
import structlog

from assistant.prompts.book import shipped_book
from assistant.replay.player.environment import ReplayEnvironment, environment_with


@pytest.fixture(scope="session")
def environment() -> ReplayEnvironment:
    return environment_with(shipped_book())


@pytest.fixture(autouse=True)
def quiet() -> None:
    """Many conversations, and the log of each says what the test says already."""
    structlog.configure(processors=[_drop])


def _drop(*_: object) -> str:
    raise structlog.DropEvent

"""The environment on which files are played."""

import pytest

from assistant.prompts.book import shipped_book
from assistant.replay.player.environment import ReplayEnvironment, environment_with


@pytest.fixture(scope="session")
def plain_environment() -> ReplayEnvironment:
    """The prompts that come with the package, and no tools."""
    return environment_with(shipped_book())

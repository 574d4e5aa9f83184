"""What files are played on."""

import pytest

from assistant.prompts.book import shipped_book
from assistant.replay.player.environment import Stage, stage_with


@pytest.fixture(scope="session")
def plain_stage() -> Stage:
    """The prompts that come with the package, and no tools."""
    return stage_with(shipped_book())

"""The pytest plugin: ``*.conversation.yaml`` are tests, and ``customer`` is a fixture."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from assistant.replay.dsl import Conversation
    from assistant.replay.player.environment import ReplayEnvironment

# No expensive import here: each run of pytest imports this file, and most runs replay no conversation.
SUFFIX = ".conversation.yaml"


def pytest_collect_file(parent: pytest.Collector, file_path: Path) -> pytest.Collector | None:
    """Collect recorded conversations."""
    if file_path.name.endswith(SUFFIX):
        return ConversationFile.from_parent(parent, path=file_path)  # pyright: ignore[reportUnknownMemberType]
    return None


class ConversationFile(pytest.File):
    """A file with one conversation."""

    def collect(self) -> Iterator["ConversationItem"]:
        """Yields the single test of the file."""
        name = self.path.name.removesuffix(SUFFIX)
        yield ConversationItem.from_parent(self, name=name)  # pyright: ignore[reportUnknownMemberType]


class NotAsExpected(Exception):
    """A conversation that differs from its expectations. The message is the report."""


class ConversationItem(pytest.Item):
    """A conversation that is replayed with the prompts and tools of the current folder."""

    def runtest(self) -> None:
        """Replay the conversation. Raises ``NotAsExpected``."""
        from assistant.clock import SystemClock
        from assistant.replay.suite import AsExpected, play_file, result_text

        result = play_file(self.path, _environment(self.config), SystemClock())
        if not isinstance(result, AsExpected):
            raise NotAsExpected(result_text(result))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Returns the report, without a traceback."""
        if isinstance(excinfo.value, NotAsExpected):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Returns the location of a failing test."""
        return self.path, 0, f"conversation: {self.name}"


@pytest.fixture
def customer(pytestconfig: pytest.Config) -> Iterator["Conversation"]:
    """Provides a customer with the prompts and tools of the current folder, see
    ``assistant.replay.dsl.Conversation``.
    """
    from assistant.replay.dsl import Conversation

    with Conversation(_environment(pytestconfig)) as conversation:
        yield conversation


_ENVIRONMENT = pytest.StashKey["ReplayEnvironment"]()


def _environment(config: pytest.Config) -> "ReplayEnvironment":
    """Returns the environment of the replays; made once for all conversations."""
    from assistant.replay.player.environment import environment_of
    from assistant.tenants import load_settings

    if _ENVIRONMENT not in config.stash:
        config.stash[_ENVIRONMENT] = environment_of(load_settings())
    return config.stash[_ENVIRONMENT]

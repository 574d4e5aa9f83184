"""The version of prompts and tools that a conversation uses from its first turn to its last."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from assistant.conversation.entries import Logged, TurnStarted
from assistant.staff.pauses import Paused
from assistant.turn.context import TurnDependencies


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, weakref_slot=True)
class ConfigVersion:
    """Everything that an edit can change, at one point in time; immutable.

    ``bundle`` is the hash of the files of prompts and tools; a conversation's log names it.
    """

    bundle: str
    deps: TurnDependencies

    def doing(self, tool: str, locale: str) -> str:
        """The label of a tool: "looking up your appointments"; "" for a tool without a hint."""
        if tool not in self.deps.tools:
            return ""
        hint = self.deps.tools.get(tool).spec.hint(locale)
        return hint.doing if hint is not None else ""


class ConfigRegistry(Protocol):
    """All versions that conversations use."""

    @property
    def newest(self) -> ConfigVersion:
        """The version for new conversations. Its sources are already stored."""
        ...

    async def version_of(self, bundle: str) -> ConfigVersion:
        """The version with this bundle, rebuilt from its stored sources; the newest if that fails."""
        ...

    async def version_instead(self, version: ConfigVersion, paused: Paused) -> ConfigVersion:
        """The newest version that is not paused, in place of one that is; that one if there is none."""
        ...


class FixedConfig:
    """A registry with one version that never changes: for tests and measurements."""

    def __init__(self, deps: TurnDependencies) -> None:
        self.newest = ConfigVersion(bundle=deps.book.bundle, deps=deps)

    async def version_of(self, bundle: str) -> ConfigVersion:  # noqa: ARG002 - it is always the same
        """The only version."""
        return self.newest

    async def version_instead(self, version: ConfigVersion, paused: Paused) -> ConfigVersion:  # noqa: ARG002 - the same
        """The only version."""
        return version


def bundle_of(entries: Iterable[Logged]) -> str | None:
    """The bundle of a conversation's last turn; None before the first turn."""
    started = [logged.entry.bundle for logged in entries if isinstance(logged.entry, TurnStarted)]
    return started[-1] if started else None

"""What staff have paused: the whole assistant, a channel, a tool, or a configuration version; and the launch mode,
which is stored with it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, TypeAlias

from assistant.conversation.customer import Channel
from assistant.errors import AssistantError
from assistant.staff.launch import USUAL, Launch, launch_of

PausedKind: TypeAlias = Literal["assistant", "channel", "tool", "version"]
StoredKind: TypeAlias = PausedKind | Literal["launch"]


class PauseRefused(AssistantError):
    """Nothing can be paused, or resumed, under this name. The message says which names there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """One thing that is paused, until someone resumes it.

    Args:
        tenant: whose assistant it is.
        kind: what kind of thing it is.
        name: the tool, the channel, or the version; "" for the whole assistant; the text of a launch mode.
        account: the id of the person who paused it; "" for the command line.
        by: that person's name at that time.
        since_ms: since when, in Unix ms.
        why: the reason that the person gave; it may be empty. Customers and models never see it.
    """

    tenant: str
    kind: StoredKind
    name: str
    account: str
    by: str
    since_ms: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class Paused:
    """Everything that a tenant has paused at one moment."""

    pauses: tuple[Pause, ...] = ()

    def has(self, kind: PausedKind, name: str = "") -> bool:
        """Whether this one thing is paused.

        >>> Paused().has("assistant")
        False
        """
        return any((one.kind, one.name) == (kind, name) for one in self.pauses)

    @property
    def parts(self) -> tuple[Pause, ...]:
        """What is paused, without the launch mode."""
        return tuple(one for one in self.pauses if one.kind != "launch")

    @property
    def launch_choice(self) -> Pause | None:
        """Who has chosen the launch mode, and when; None in the usual mode."""
        return next((one for one in reversed(self.pauses) if one.kind == "launch"), None)

    @property
    def launch(self) -> Launch:
        """The launch mode."""
        chosen = self.launch_choice
        return USUAL if chosen is None else launch_of(chosen.name)

    def stops(self, channel: Channel, version: str) -> bool:
        """Whether no answer may be given on this channel with this configuration version."""
        return bool(self.pauses) and (
            self.has("assistant") or self.has("channel", channel) or self.has("version", version)
        )


def check_name(kind: PausedKind, name: str, known: Collection[str]) -> None:
    """Raise ``PauseRefused`` unless ``name`` is one of the ``known`` names of this kind.

    >>> check_name("tool", "refnd", ["refund", "get_order"])
    Traceback (most recent call last):
        ...
    assistant.staff.pauses.PauseRefused: there is no tool 'refnd'; there are get_order, refund
    """
    if name not in known:
        there_are = ", ".join(sorted(known)) or "none"
        raise PauseRefused(f"there is no {kind} {name[:100]!r}; there are {there_are}")

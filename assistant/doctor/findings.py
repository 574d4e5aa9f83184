"""What a look at one thing found: a value, whatever happened."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from assistant.errors import AssistantError


@dataclass(frozen=True, slots=True)
class Fine:
    """It is as it should be."""

    what: str
    says: str


@dataclass(frozen=True, slots=True)
class Doubtful:
    """It works, and may not be meant so."""

    what: str
    says: str
    cure: str


@dataclass(frozen=True, slots=True)
class Wrong:
    """It does not work. ``cure`` is "" where what it ``says`` tells that already."""

    what: str
    says: str
    cure: str = ""


Finding: TypeAlias = Fine | Doubtful | Wrong
Look: TypeAlias = Callable[[], list[Finding] | Awaitable[list[Finding]]]


async def looked_at(what: str, look: Look) -> list[Finding]:
    """What a look finds; what it raises is a finding too. Raises nothing but ``CancelledError``."""
    try:
        found = look()
        return found if isinstance(found, list) else await found
    except AssistantError as error:
        # These name their cure themselves.
        return [Wrong(what, line) for line in str(error).splitlines()]
    except Exception as error:
        told = f"this could not be looked at: {type(error).__name__}: {error}"
        return [Wrong(what, told, "if nothing else here explains it, report it as a fault")]

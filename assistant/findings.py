"""The result of a check: fine, doubtful or wrong. ``assistant doctor`` and ``/readyz`` use it."""

import textwrap
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from assistant.errors import AssistantError


@dataclass(frozen=True, slots=True)
class Fine:
    """Everything is right."""

    what: str
    says: str


@dataclass(frozen=True, slots=True)
class Doubtful:
    """It works, but perhaps not as intended."""

    what: str
    says: str
    cure: str


@dataclass(frozen=True, slots=True)
class Wrong:
    """It does not work. ``cure`` is "" if ``says`` already contains it."""

    what: str
    says: str
    cure: str = ""


Finding: TypeAlias = Fine | Doubtful | Wrong
Look: TypeAlias = Callable[[], list[Finding] | Awaitable[list[Finding]]]


async def looked_at(what: str, look: Look) -> list[Finding]:
    """Returns the findings of a check; an error in it becomes a finding. Raises only ``CancelledError``."""
    try:
        found = look()
        return found if isinstance(found, list) else await found
    except AssistantError as error:
        # These name their cure themselves.
        return [Wrong(what, line) for line in str(error).splitlines()]
    except Exception as error:
        told = f"this could not be looked at: {type(error).__name__}: {error}"
        return [Wrong(what, told, "if nothing else here explains it, report it as a fault")]


_MARK, _WHAT = 7, 14
_NARROWEST = 60


def lines(finding: Finding, width: int | None) -> Iterator[str]:
    """Yields a finding as lines: mark, subject and text in one row, the cure below.

    Args:
        finding: what was found.
        width: the width of the terminal; None: lines are not wrapped.
    """
    match finding:
        case Fine(what, says):
            mark, cure = "ok", ""
        case Doubtful(what, says, cure):
            mark = "warn"
        case Wrong(what, says, cure):
            mark = "WRONG"
        case _:
            assert_never(finding)
    indent = " " * (_MARK + _WHAT)
    # A long name, such as a model's, pushes only its own line.
    head = f"{mark:<{_MARK}}{what:<{_WHAT - 1}} "
    yield from _wrapped(f"{head}{says}", indent, width)
    if cure:
        yield from _wrapped(f"{indent}-> {cure}", f"{indent}   ", width)


def _wrapped(text: str, indent: str, width: int | None) -> list[str]:
    if width is None or len(text) <= width:
        return [text]
    return textwrap.wrap(
        text,
        max(width, _NARROWEST),
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
    )

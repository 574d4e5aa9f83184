"""``assistant doctor``: what is set up, whether it works, and what would mend what does not."""

import asyncio
import shutil
import sys
import textwrap
from collections.abc import Iterator
from contextlib import aclosing
from typing import assert_never

import typer

from assistant.commands.logging import set_up_logging
from assistant.doctor.examine import examine
from assistant.doctor.findings import Doubtful, Finding, Fine, Wrong

_MARK, _WHAT = 7, 14
_NARROWEST = 60


def doctor(*, offline: bool) -> int:
    """Look at everything and say what was found; gives the exit code: 1 when something is wrong."""
    set_up_logging("CRITICAL")  # what goes wrong here is said once, as a finding
    return asyncio.run(_doctor(offline=offline))


async def _doctor(*, offline: bool) -> int:
    found: list[Finding] = []
    async with aclosing(examine(offline=offline)) as looks:
        async for findings in looks:
            found += findings
            for line in (line for finding in findings for line in lines(finding, _width())):
                typer.echo(line)
    typer.echo(_verdict(found, offline=offline))
    return 1 if any(isinstance(finding, Wrong) for finding in found) else 0


def lines(finding: Finding, width: int | None) -> Iterator[str]:
    """A finding as lines: mark, thing and words side by side, the cure below.

    Args:
        finding: what was found.
        width: of the terminal; None: lines are as long as they are.
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


def _width() -> int | None:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _verdict(found: list[Finding], *, offline: bool) -> str:
    wrong = sum(isinstance(finding, Wrong) for finding in found)
    doubtful = sum(isinstance(finding, Doubtful) for finding in found)
    asked = "No model was asked. " if offline else ""
    if wrong:
        return f"\n{asked}{wrong} wrong, {doubtful} to look at."
    return f"\n{asked}Everything works{f'; {doubtful} to look at' if doubtful else ''}."

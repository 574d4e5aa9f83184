"""A server's process: started with little of our environment, and never left behind."""

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress

from assistant.mcp.reach import Child
from assistant.mcp.unreachable import Unreachable
from assistant.ports import Clock

_BASICS = (
    *("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"),
    *("APPDATA", "COMSPEC", "PATHEXT", "SYSTEMROOT", "TEMP", "USERPROFILE"),
)
"""What a program needs to run at all; nothing of ours is secret in it."""

_PATIENCE_S = 1.0
"""So long it may take to end by itself, and again so long when it is asked to."""

_LOOK_S = 0.02


def environment_of(child: Child, ours: Mapping[str, str]) -> dict[str, str]:
    """All that the process is given: basics, what is set for it, and the variables it is named for.

    >>> from pathlib import Path
    >>> child = Child(command="crm", env=("CRM_TOKEN",), plain=(("REGION", "eu"),), folder=Path())
    >>> environment_of(child, {"CRM_TOKEN": "abc", "OPENAI_API_KEY": "sk-1", "HOME": "/root"})
    {'HOME': '/root', 'REGION': 'eu', 'CRM_TOKEN': 'abc'}
    """
    basics = {name: ours[name] for name in _BASICS if name in ours}
    return {**basics, **dict(child.plain), **{name: ours[name] for name in child.env}}


@asynccontextmanager
async def running(child: Child, ours: Mapping[str, str], clock: Clock) -> AsyncGenerator[Process]:
    """The process, ended in the end whatever happens: asked by its closed input, then told, then killed.

    Raises ``Unreachable`` when it cannot be started.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            child.command,
            *child.args,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=environment_of(child, ours),
            cwd=child.folder,
            # A group of its own: Ctrl-C is for us to pass on, and what it starts itself is ended with it.
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        what = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise Unreachable(f"cannot be started: {child.command!r}: {what}") from error
    try:
        yield process
    finally:
        try:
            await _end(process, clock)
        finally:
            # Whatever interrupted us, and whatever it has left behind.
            _signal(process, signal.SIGKILL)


async def _end(process: Process, clock: Clock) -> None:
    if process.stdin is not None:
        process.stdin.close()
    if not await _ended(process, clock):
        _signal(process, signal.SIGTERM)
        if not await _ended(process, clock):
            _signal(process, signal.SIGKILL)
            await _ended(process, clock)


async def _ended(process: Process, clock: Clock) -> bool:
    """Whether it ends within our patience. Its pipes may stay open: what it started can hold them."""
    until = clock.monotonic() + _PATIENCE_S
    while process.returncode is None:
        if clock.monotonic() >= until:
            return False
        await clock.sleep(_LOOK_S)
    return True


def _signal(process: Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)

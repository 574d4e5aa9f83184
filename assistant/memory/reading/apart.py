"""Reads hostile formats in a process of their own: a thread cannot be stopped, and shares our memory."""

import asyncio
import json
import os
import subprocess
import sys

from assistant.errors import DocumentRefused
from assistant.memory.reading.kind import Mime
from assistant.memory.reading.limits import READING_S
from assistant.ports import Clock

_WORKER = "assistant.memory.reading.worker"
_NEEDED = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "LANG")
"""No key of ours is for whoever reads strangers' files."""


async def read_apart(name: str, content: bytes, mime: Mime, clock: Clock) -> tuple[str, str]:
    """The title, "" for none, and the text.

    Raises:
        DocumentRefused: the reader refuses it, breaks down over it, or takes too long.
    """
    environ = {key: os.environ[key] for key in _NEEDED if key in os.environ}
    environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    process = await asyncio.to_thread(_started, mime, environ)
    try:
        async with clock.timeout(READING_S):
            out, _ = await asyncio.to_thread(process.communicate, content)
    except TimeoutError as error:
        raise DocumentRefused(
            f"{name!r} takes longer than {READING_S:.0f} s to read; hand in a smaller or a simpler one"
        ) from error
    finally:
        process.kill()  # ends the thread too that waits for it; nothing happens when it has ended
    return answer_of(name, out)


def _started(mime: Mime, environ: dict[str, str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # noqa: S603 - our own program; what a stranger wrote only goes in
        [sys.executable, "-m", _WORKER, mime],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environ,
        start_new_session=True,
    )


def answer_of(name: str, out: bytes) -> tuple[str, str]:
    """What the process wrote before it ended, if it came to that. Raises ``DocumentRefused``."""
    try:
        answer: dict[str, str] = json.loads(out)
    except ValueError as error:
        # Its bounds ended it, or a fault of the parser's own.
        raise DocumentRefused(
            f"{name!r} is more than can be read; hand in a smaller or a simpler one, or plain text"
        ) from error
    if "refused" in answer:
        raise DocumentRefused(f"{name!r} {answer['refused']}")
    return answer["title"], answer["text"]

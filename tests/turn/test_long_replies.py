"""A long reply takes work in proportion to its text, and never blocks the event loop."""

import asyncio
import subprocess
import sys
from pathlib import Path
from types import FrameType

import pytest

from assistant.testing.script import calls, says
from tests.turn.conftest import Company

ROOT = Path(__file__).parents[2]
SHORT, LONG = 3_000, 6_000
SHAPES = (
    "We have many frames. ",
    "x",
    "\n",
    "I've cancelled it and I will ",
    "I will ",
    "I've cancelled it, a, b, c, d, e, f, g, h, ",
    "150.00 and 150.00 is 300.00. ",
    "150.00, 300.00, 600.00, 1,200.00, 2,400.00, 4,800.00, ",
    "2 4 6 8 10 12 14 16 18 20 22 24 26 28 ",
    "| a | b |\n|---|---|\n",
    "[({<**__",
    "Sure thing. ",
)
MOST_GROWTH = 2.6
"""Twice the text is twice the work, and some for where it happens to be cut."""
LONGEST_STRETCH = 160_000
"""Function calls between two turns of the event loop: some 40 ms."""
_BEATS = 3_000


class Steps:
    """Counts function calls, and the most of them between two turns of the event loop."""

    def __init__(self) -> None:
        self.total = self.longest = self._since = self._beats = 0

    def __enter__(self) -> "Steps":
        asyncio.get_running_loop().call_soon(self._beat)
        sys.setprofile(self._count)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        self._beats = _BEATS
        self._end_stretch()

    def _count(self, _frame: FrameType, event: str, _: object) -> None:
        if event in ("call", "c_call"):
            self._since += 1

    def _beat(self) -> None:
        self._end_stretch()
        self._beats += 1
        # The virtual clock does not move while a task is ready to run.
        if self._beats < _BEATS:
            asyncio.get_running_loop().call_soon(self._beat)

    def _end_stretch(self) -> None:
        self.total += self._since
        self.longest, self._since = max(self.longest, self._since), 0


async def steps(text: str, *, narrated: bool) -> Steps:
    lookup = [calls("list_upcoming_appointments")] if narrated else []
    ana = Company().chat(*lookup, says([text]), says([text]))
    with Steps() as counted:
        await ana.says("I paid 150.00. When am I due?")
    return counted


async def what_is_wrong(*, narrated: bool) -> list[str]:
    """The shapes whose work grows faster than their text, or is done in one stretch; a line each."""
    await steps("Hello.", narrated=narrated)
    wrong: list[str] = []
    for shape in SHAPES:
        short, long = [await steps((shape * length)[:length], narrated=narrated) for length in (SHORT, LONG)]
        if long.total > MOST_GROWTH * short.total:
            wrong.append(
                f"{shape!r}: {short.total} calls for {SHORT} characters, {long.total} for twice as many"
            )
        if long.longest > LONGEST_STRETCH:
            wrong.append(f"{shape!r}: {long.longest} calls in one stretch")
    return wrong


async def test_other_conversations_go_on_during_a_long_piece_of_text() -> None:
    await steps("Hello.", narrated=False)
    long = await steps("We have many frames. " * 400, narrated=False)

    assert long.longest < long.total / 4


@pytest.mark.slow
@pytest.mark.parametrize("narrated", [False, True])
def test_work_grows_with_the_text_and_is_shared(*, narrated: bool) -> None:
    # In a process of its own: what other tests have left running would be counted, too.
    code = (
        "from assistant.testing.virtual_time import run_virtually\n"
        "from tests.turn.test_long_replies import what_is_wrong\n"
        f"print('\\n'.join(run_virtually(what_is_wrong(narrated={narrated}))), end='')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=200, check=False
    )

    assert done.returncode == 0, done.stderr
    assert "calls" not in done.stdout, done.stdout

"""Items that arrive while a batch is written form the next batch."""

import asyncio
import threading
from collections.abc import Sequence

import pytest

from assistant.errors import LogError
from assistant.store.sqlite.log import GroupCommit, Verdict


class SlowPen:
    """Writes down each batch, once it may."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.begun = threading.Event()
        self.may_write = threading.Event()

    def __call__(self, items: Sequence[str]) -> Sequence[Verdict]:
        self.begun.set()
        self.may_write.wait(10)
        self.batches.append(list(items))
        return [LogError(item) if "bad" in item else None for item in items]


async def gathered_behind_the_first(
    commits: GroupCommit[str], pen: SlowPen, *items: str
) -> list[asyncio.Task[None]]:
    """Tasks that add "first", whose writing has begun, and the items, which wait."""
    tasks = [asyncio.create_task(commits.add("first"))]
    await asyncio.to_thread(pen.begun.wait, 10)
    tasks += [asyncio.create_task(commits.add(item)) for item in items]
    await asyncio.sleep(0)
    return tasks


async def test_all_waiting_items_are_written_together_and_in_order() -> None:
    pen = SlowPen()
    commits = GroupCommit(pen)
    tasks = await gathered_behind_the_first(commits, pen, "a", "bad b", "c")
    pen.may_write.set()

    results = await asyncio.gather(*tasks, return_exceptions=True)
    await commits.close()

    assert pen.batches == [["first"], ["a", "bad b", "c"]]
    assert [str(result) for result in results] == ["None", "None", "bad b", "None"]


async def test_closing_writes_waiting_items_and_accepts_no_more() -> None:
    pen = SlowPen()
    commits = GroupCommit(pen)
    tasks = await gathered_behind_the_first(commits, pen, "a", "b")
    closing = asyncio.create_task(commits.close())
    await asyncio.sleep(0)
    with pytest.raises(LogError, match="closed"):
        await commits.add("late")
    pen.may_write.set()

    await asyncio.wait_for(asyncio.gather(closing, *tasks), 60)

    assert pen.batches == [["first"], ["a", "b"]]


async def test_a_failing_write_fails_its_batch_and_the_next_one_is_written() -> None:
    broken = iter([True, False])

    def write(items: Sequence[str]) -> Sequence[Verdict]:
        if next(broken):
            raise OSError("no ink")
        return [None] * len(items)

    commits = GroupCommit(write)

    with pytest.raises(LogError, match="no ink"):
        await commits.add("a")
    await commits.add("b")
    await commits.close()


def test_a_caller_whose_loop_is_gone_does_not_affect_others() -> None:
    pen = SlowPen()
    commits = GroupCommit(pen)

    async def leave() -> None:
        for task in await gathered_behind_the_first(commits, pen):
            task.cancel()

    async def stay() -> None:
        mine = asyncio.create_task(commits.add("mine"))
        await asyncio.sleep(0)
        pen.may_write.set()
        await asyncio.wait_for(mine, 60)
        await commits.close()

    asyncio.run(leave())
    asyncio.run(stay())

    assert pen.batches == [["first"], ["mine"]]

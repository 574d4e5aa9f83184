"""How many callers work at the same time, who waits, and which waiting time is reported."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable

import pytest

from assistant.errors import SpeechError
from assistant.models.speech.whisper_model import WorkerSlots
from assistant.testing.virtual_time import VirtualClock


class Work:
    """Work that is done when the test says so; ``begun`` are the names of what has begun."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self._go: dict[str, threading.Event] = {}
        self._loop = asyncio.get_running_loop()
        self._began = asyncio.Event()

    def named(self, name: str) -> Callable[[], str]:
        go = self._go[name] = threading.Event()

        def work() -> str:
            self._loop.call_soon_threadsafe(self._begins, name)
            if not go.wait(10):
                raise AssertionError(f"nobody lets {name} end")
            return name

        return work

    def ends(self, *names: str) -> None:
        for name in names:
            self._go[name].set()

    async def until_begun(self, *names: str) -> None:
        while not set(names) <= set(self.begun):
            self._began.clear()
            await self._began.wait()

    def all_end(self) -> None:
        self.ends(*self._go)

    def _begins(self, name: str) -> None:
        self.begun.append(name)
        self._began.set()


class Asked(VirtualClock):
    """A clock on which something happens at the next look."""

    then: Callable[[], object] | None = None

    def monotonic(self) -> float:
        if self.then is not None:
            then, self.then = self.then, None
            then()
        return super().monotonic()


@pytest.fixture
async def work() -> AsyncGenerator[Work]:
    work = Work()
    yield work
    work.all_end()


def places(count: int) -> WorkerSlots:
    return WorkerSlots(count, clock=VirtualClock())


async def test_the_number_of_concurrent_callers_is_limited_and_kept_in_order(work: Work) -> None:
    two = places(2)
    tasks = [asyncio.ensure_future(two.run(work.named(name))) for name in "abcd"]
    await work.until_begun("a", "b")
    assert sorted(work.begun) == ["a", "b"]
    work.ends("b")
    await work.until_begun("c")
    assert work.begun[2:] == ["c"]
    work.all_end()
    assert await asyncio.gather(*tasks) == ["a", "b", "c", "d"]
    assert two.wait_s == 0


async def test_a_caller_who_leaves_the_queue_gets_no_work(work: Work) -> None:
    one = places(1)
    first, left, last = [
        asyncio.ensure_future(one.run(work.named(name))) for name in ("first", "left", "last")
    ]
    await work.until_begun("first")
    left.cancel()
    work.ends("first", "last")
    assert await asyncio.gather(first, last) == ["first", "last"]
    assert left.cancelled()
    assert work.begun == ["first", "last"]


@pytest.mark.parametrize("just", ["before", "after"])
async def test_a_caller_who_leaves_at_its_turn_passes_it_to_the_next(work: Work, just: str) -> None:
    clock = Asked()
    one = WorkerSlots(1, clock=clock)
    _, left, last = [asyncio.ensure_future(one.run(work.named(name))) for name in ("first", "left", "last")]
    await work.until_begun("first")
    # When the work is done it is seen how long it took; then the turn is given, and a little later it is taken.
    soon = asyncio.get_running_loop().call_soon
    clock.then = left.cancel if just == "before" else (lambda: soon(left.cancel))
    work.ends("first", "last")
    assert await last == "last"
    assert work.begun == ["first", "last"]
    assert one.wait_s == 0


async def test_cancelled_work_that_has_begun_frees_its_slot_when_done(work: Work) -> None:
    one = places(1)
    left, last = [asyncio.ensure_future(one.run(work.named(name))) for name in ("left", "last")]
    await work.until_begun("left")
    left.cancel()
    await asyncio.wait([left])
    assert work.begun == ["left"]
    assert one.wait_s == pytest.approx(2 * 0.5)  # for the one who left, and for the one who waits
    work.all_end()
    assert await last == "last"


async def test_too_many_callers_get_the_expected_waiting_time(work: Work) -> None:
    one = places(1)
    tasks = [asyncio.ensure_future(one.run(work.named(str(n)))) for n in range(9)]
    await work.until_begun("0")
    with pytest.raises(
        SpeechError, match=r"8 utterances wait .* 1 run at a time: the next one would wait 4.5 s; raise"
    ):
        await one.run(work.named("one too many"))
    tasks[-1].cancel()
    await asyncio.wait([tasks[-1]])
    assert one.wait_s == pytest.approx(4.0)
    tasks.append(asyncio.ensure_future(one.run(work.named("comes instead"))))
    work.all_end()
    await asyncio.wait(tasks)
    assert tasks[-1].result() == "comes instead"


async def test_an_error_frees_the_slot(work: Work) -> None:
    one = places(1)

    def breaks() -> None:
        raise ValueError("no")

    for _ in range(3):
        with pytest.raises(ValueError, match="no"):
            await one.run(breaks)
    work_done = asyncio.ensure_future(one.run(work.named("after")))
    await work.until_begun("after")
    work.ends("after")
    assert await work_done == "after"


async def test_an_error_without_a_caller_is_not_logged(work: Work) -> None:
    one = places(1)

    def breaks() -> None:
        work.named("breaks")()
        raise ValueError("nobody hears this")

    left = asyncio.ensure_future(one.run(breaks))
    await work.until_begun("breaks")
    left.cancel()
    await asyncio.wait([left])
    work.ends("breaks")
    assert await one.run(lambda: "next") == "next"

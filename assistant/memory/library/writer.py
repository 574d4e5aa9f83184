"""Writes in the background what waits, the urgent and the rest side by side."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, Literal, TypeAlias

import structlog

from assistant.conversation.documents import DocumentKind, Waiting
from assistant.memory.library.job import Job
from assistant.memory.library.pace import Pace
from assistant.memory.library.setback import setback
from assistant.memory.library.write import Write

log = structlog.get_logger(__name__)

_Lane: TypeAlias = Literal["given", "results"]

_LOOK_S = 10.0
"""So often somebody looks for results, of which the log tells nobody, and for what is to be tried again."""

_KINDS: Final[dict[_Lane, Sequence[DocumentKind]]] = {
    "given": ("upload", "knowledge"),
    "results": ("result",),
}
_REST: Final[dict[_Lane, float]] = {"given": 0.0, "results": 9.0}


class Writer:
    """Two lanes: what people gave is written at full speed, results at a tenth of one core.

    A result that somebody waits for goes over to the first. What fails stays in the queue and is tried again
    later; the others go on meanwhile. What the store has of another embedder is written anew when nothing that
    people gave waits.
    """

    def __init__(self, write: Write) -> None:
        self._write, self._clock = write, write.clock
        self._jobs: dict[tuple[str, str], Job] = {}
        self._wanted: dict[tuple[str, str], Waiting] = {}
        self._woken: dict[_Lane, asyncio.Event] = {"given": asyncio.Event(), "results": asyncio.Event()}
        self._moved = asyncio.Event()
        self._lanes: list[asyncio.Task[None]] = []
        self._stale_left = True
        self._stale: list[tuple[str, str, str]] | None = None

    def start(self) -> None:
        """Begin; nothing happens when it has begun already."""
        if not self._lanes:
            self._lanes = [asyncio.create_task(self._go_on(lane)) for lane in self._woken]

    async def close(self) -> None:
        """Stop at once: what is half done is done again by the next process."""
        lanes, self._lanes = self._lanes, []
        for lane in lanes:
            lane.cancel()
        if lanes:
            await asyncio.wait(lanes)

    def wake(self) -> None:
        """Something waits."""
        for woken in self._woken.values():
            woken.set()

    def job(self, key: tuple[str, str]) -> Job | None:
        """What is being done for the document with this tenant and reference."""
        return self._jobs.get(key)

    async def hurry(self, waiting: Sequence[Waiting]) -> None:
        """Write these before all others; returns when each has been written, or has failed."""
        for one in waiting:
            if (job := self._jobs.get(one.key)) is not None:
                job.hurry.set()
            else:
                self._wanted[one.key] = one
        self._woken["given"].set()
        while any(one.key in self._wanted or one.key in self._jobs for one in waiting):
            await self.moved()

    async def moved(self) -> None:
        """Return when the next document has been written, or has failed; at the latest after a while."""
        self._moved.clear()
        await self._patiently(self._moved)

    async def let_go(self, which: Callable[[tuple[str, str, str]], bool]) -> None:
        """Leave documents alone, by tenant, customer and reference; when it returns, none is being written."""
        self._wanted = {key: one for key, one in self._wanted.items() if not which(one.whose)}
        dropped = [job for job in self._jobs.values() if which((job.tenant, job.customer, job.ref))]
        for job in dropped:
            job.drop()
        for job in dropped:
            await job.ended.wait()

    async def _go_on(self, lane: _Lane) -> None:
        pace, woken = Pace(self._clock, _REST[lane]), self._woken[lane]
        while True:
            woken.clear()
            try:
                if not await self._take(lane, pace):
                    await self._patiently(woken)
            except Exception as error:
                # Whatever is wrong with queue or store now, the lane must be there when it has passed.
                log.warning("documents that wait cannot be looked up", why=f"{type(error).__name__}: {error}")
                await self._patiently(woken)

    async def _take(self, lane: _Lane, pace: Pace) -> bool:
        """Write the next one, if there is one."""
        waiting = await self._next(lane)
        if waiting is None:
            return lane == "given" and self._stale_left and await self._take_stale(pace)
        return await self._do(Job(*waiting.whose), pace, partial(self._write_waiting, waiting))

    async def _next(self, lane: _Lane) -> Waiting | None:
        if lane == "given" and self._wanted:
            return self._wanted.pop(next(iter(self._wanted)))
        return await self._write.queue.next(_KINDS[lane], self._clock.now_ms())

    async def _write_waiting(self, waiting: Waiting, job: Job, pace: Pace) -> None:
        try:
            await self._write.waiting(waiting.number, job, pace)
        except Exception as error:
            # One document that cannot be written must not keep the others waiting.
            failed = setback(error, waiting.tries)
            log.warning("document not written", ref=job.ref, why=failed.problem, again_in_s=failed.pause_s)
            pause_ms = None if failed.pause_s is None else 1000 * failed.pause_s
            due_ms = None if pause_ms is None else self._clock.now_ms() + pause_ms
            await self._write.queue.put_off(waiting.number, failed.problem, due_ms)

    async def _take_stale(self, pace: Pace) -> bool:
        """Write one document anew of those that another embedder made, if there is one.

        None comes by itself, so the store is asked once for all of them; those that could not be written have
        another try at the next look.
        """
        if self._stale is None:
            self._stale = [*reversed(await self._write.store.stale())]
            self._stale_left = bool(self._stale)
        if not self._stale:
            self._stale = None
            return False
        return await self._do(Job(*self._stale.pop()), pace, self._write.anew)

    async def _do(self, job: Job, pace: Pace, work: Callable[[Job, Pace], Awaitable[None]]) -> bool:
        """Do a job, unless the other lane is at this document: then it is waited for."""
        if (other := self._jobs.get(job.key)) is not None:
            if not pace.rest:
                other.hurry.set()
            await other.ended.wait()
            return True
        if self._wanted.pop(job.key, None) is not None:
            job.hurry.set()
        self._jobs[job.key] = job
        try:
            await work(job, pace)
        finally:
            del self._jobs[job.key]
            job.ended.set()
            self._moved.set()
        return True

    async def _patiently(self, event: asyncio.Event) -> None:
        """Wait for it, but look again after a while."""
        with suppress(TimeoutError):
            async with self._clock.timeout(_LOOK_S):
                await event.wait()

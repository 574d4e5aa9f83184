"""Many callers, one writing thread, one commit for all that has gathered meanwhile."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import Generic, Literal, TypeAlias, TypeVar

from assistant.errors import LogError

T = TypeVar("T")
Verdict: TypeAlias = LogError | None
"""What became of one item: an error, or None when it is kept."""

_Kept: TypeAlias = "asyncio.Future[None]"
_Waiting: TypeAlias = tuple[T, asyncio.AbstractEventLoop, _Kept]


class GroupCommit(Generic[T]):
    """Hands items to ``write`` in the order they come, each batch in the one writing thread.

    While a batch is being written the next one gathers. The callers of a batch are woken together, by one
    call per event loop, because waking costs more than writing does.

    Args:
        write: keeps a batch, in the writing thread, and gives one verdict per item, in order.
    """

    def __init__(self, write: Callable[[Sequence[T]], Sequence[Verdict]]) -> None:
        self._write = write
        self._gathered: SimpleQueue[_Waiting[T] | None] = SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        # A daemon, so that a process that forgets to close can end: what was acknowledged is on the disk.
        self._thread = threading.Thread(target=self._write_batches, name="log-writer", daemon=True)
        self._thread.start()

    async def add(self, item: T) -> None:
        """Return when the item is kept. Cancelled, it may be kept all the same.

        Raises:
            LogError: it is not; the verdict of ``write``.
        """
        loop = asyncio.get_running_loop()
        kept = loop.create_future()
        with self._closing:  # or an item could follow the last one, and wait for ever
            if self._closed:
                raise LogError("the log is closed")
            self._gathered.put((item, loop, kept))
        _tell_the_time(loop, "thread_begins")
        await kept

    async def close(self) -> None:
        """Write what has gathered and let the thread end."""
        with self._closing:
            self._closed = True
            self._gathered.put(None)
        await asyncio.to_thread(self._thread.join)

    def _write_batches(self) -> None:
        while batch := self._next_batch():
            verdicts = self._verdicts([item for item, _, _ in batch])
            _wake(batch, verdicts)

    def _next_batch(self) -> list[_Waiting[T]]:
        """All that has gathered, at least one; nothing when the last has been written."""
        batch: list[_Waiting[T]] = []
        waiting = self._gathered.get()
        while waiting is not None:
            batch.append(waiting)
            if self._gathered.empty():
                return batch
            waiting = self._gathered.get()
        if batch:
            self._gathered.put(None)  # the end, for the next time
        return batch

    def _verdicts(self, items: Sequence[T]) -> Sequence[Verdict]:
        try:
            return self._write(items)
        except Exception as error:
            # Whatever it was, nobody must wait for ever, and the thread must go on.
            verdict = LogError(f"the log could not be written: {error}")
            verdict.__cause__ = error
            return [verdict] * len(items)


def _wake(batch: Sequence[_Waiting[T]], verdicts: Sequence[Verdict]) -> None:
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[_Kept, Verdict]]] = {}
    for (_, loop, kept), verdict in zip(batch, verdicts, strict=True):
        by_loop.setdefault(loop, []).append((kept, verdict))
    for loop, theirs in by_loop.items():
        with suppress(RuntimeError):  # the loop was closed, and its callers with it
            loop.call_soon_threadsafe(_tell, loop, theirs)


def _tell(loop: asyncio.AbstractEventLoop, verdicts: Sequence[tuple[_Kept, Verdict]]) -> None:
    for kept, verdict in verdicts:
        _tell_the_time(loop, "thread_ends")
        if kept.done():  # the caller was cancelled
            continue
        if verdict is None:
            kept.set_result(None)
        else:
            kept.set_exception(verdict)


def _tell_the_time(loop: asyncio.AbstractEventLoop, what: Literal["thread_begins", "thread_ends"]) -> None:
    """Let a loop in virtual time know that a thread is at work for it: else it jumps past the disk's answer."""
    if tell := getattr(loop, what, None):
        tell()

"""Many callers, one writing thread, one commit for all that has gathered meanwhile."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeAlias, TypeVar

from assistant.errors import LogError

T = TypeVar("T")
Verdict: TypeAlias = LogError | None
"""What became of one item: an error, or None when it is kept."""


class GroupCommit(Generic[T]):
    """Hands items to ``write`` in the order they come, each batch in the one writing thread.

    While a batch is being written the next one gathers. The callers of a batch are woken together, by one
    call per event loop, because waking costs more than writing does.

    Args:
        write: keeps a batch, in the writing thread, and gives one verdict per item, in order.
    """

    def __init__(self, write: Callable[[Sequence[T]], Sequence[Verdict]]) -> None:
        self._write = write
        self._gathered: list[_Waiting[T]] = []
        self._lock = threading.Lock()
        self._writing = False
        self._closed = False
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="log-writer")

    async def add(self, item: T) -> None:
        """Return when the item is kept. Cancelled, it may be kept all the same.

        Raises:
            LogError: it is not; the verdict of ``write``.
        """
        loop = asyncio.get_running_loop()
        kept = loop.create_future()
        with self._lock:
            if self._closed:
                raise LogError("the log is closed")
            self._gathered.append((item, loop, kept))
            if not self._writing:
                self._writing = True
                # Through the loop, so that it knows that a thread is at work for it.
                loop.run_in_executor(self._thread, self._write_all)
        await kept

    async def close(self, last: Callable[[], None]) -> None:
        """Write what has gathered, run ``last`` in the writing thread, and let go of it."""
        with self._lock:
            self._closed = True
        await asyncio.get_running_loop().run_in_executor(self._thread, last)
        self._thread.shutdown()

    def _write_all(self) -> None:
        while batch := self._next_batch():
            _wake(batch, self._verdicts([item for item, _, _ in batch]))

    def _next_batch(self) -> "list[_Waiting[T]]":
        with self._lock:
            batch, self._gathered = self._gathered, []
            self._writing = bool(batch)
            return batch

    def _verdicts(self, items: Sequence[T]) -> Sequence[Verdict]:
        try:
            return self._write(items)
        except Exception as error:
            # Whatever it was, nobody must wait for ever, and the thread must go on.
            verdict = LogError(f"the log could not be written: {error!r}")
            verdict.__cause__ = error
            return [verdict] * len(items)


_Waiting: TypeAlias = tuple[T, asyncio.AbstractEventLoop, "asyncio.Future[None]"]


def _wake(batch: "Sequence[_Waiting[T]]", verdicts: Sequence[Verdict]) -> None:
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[None], Verdict]]] = {}
    for (_, loop, kept), verdict in zip(batch, verdicts, strict=True):
        by_loop.setdefault(loop, []).append((kept, verdict))
    for loop, theirs in by_loop.items():
        if not loop.is_closed():
            loop.call_soon_threadsafe(_tell, theirs)


def _tell(verdicts: "Sequence[tuple[asyncio.Future[None], Verdict]]") -> None:
    for kept, verdict in verdicts:
        if kept.done():  # the caller was cancelled
            continue
        if verdict is None:
            kept.set_result(None)
        else:
            kept.set_exception(verdict)

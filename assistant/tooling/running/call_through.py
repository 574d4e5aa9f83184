"""Calls a function that may wait or may block, without ever blocking the others."""

import asyncio
from collections.abc import Callable, Mapping
from contextvars import copy_context
from functools import partial
from inspect import isawaitable, iscoroutinefunction

from assistant.tooling.running.pool import Pool, Work, blocking_pool


async def call_through(
    function: Callable[..., object],
    values: Mapping[str, object],
    *,
    to_the_end: bool = False,
    pool: Pool | None = None,
) -> object:
    """Call it with these keywords: on the loop if it is async, else in a thread with the caller's context.

    A thread cannot be stopped. Cancelled, this leaves it alone at once; with ``to_the_end`` it stays until the
    thread has ended, so that somebody knows when, and only a second cancelling makes it leave.

    Raises whatever the function raises, and ``NoThread``.
    """
    if iscoroutinefunction(function):
        return await function(**values)
    work = Work(partial(copy_context().run, partial(function, **values)))
    result = await _in_thread(work, pool or blocking_pool(), to_the_end=to_the_end)
    # A plain wrapper around an async function hands back what is still to be awaited.
    return await result if isawaitable(result) else result


async def _in_thread(work: Work, pool: Pool, *, to_the_end: bool) -> object:
    running = asyncio.get_running_loop().run_in_executor(pool, work)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        goes_on = work.leave()
        if running.done() or not goes_on or not to_the_end:
            running.cancel()
            raise
        await asyncio.wait([running])
        return running.result()

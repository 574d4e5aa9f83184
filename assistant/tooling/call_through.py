"""Calls a function that may wait or may block, without ever blocking the others."""

import asyncio
from collections.abc import Callable, Mapping
from inspect import isawaitable, iscoroutinefunction


async def call_through(function: Callable[..., object], values: Mapping[str, object]) -> object:
    """Call it with these keywords: on the loop if it is async, else in a thread with the caller's context."""
    if iscoroutinefunction(function):
        return await function(**values)
    result = await asyncio.to_thread(function, **values)
    # A plain wrapper around an async function hands back what is still to be awaited.
    return await result if isawaitable(result) else result

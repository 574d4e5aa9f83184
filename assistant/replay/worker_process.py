"""Runs work of some seconds in a process of its own: a server's conversations go on meanwhile."""

import asyncio
import logging
import multiprocessing
import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar, TypeVarTuple

import structlog

from assistant.errors import AssistantError

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

LONGEST_S = 60
"""The most seconds that the work may take. Then its process is ended."""


async def run_in_process(work: Callable[[*Ts], T], *args: *Ts, longest_s: int = LONGEST_S) -> T:
    """Returns what ``work`` returns. Its arguments and its result are copied between the processes.

    Raises:
        AssistantError: the work raised it, took longer than ``longest_s``, or its process ended.
    """
    # A process that is started, not forked: this one has threads.
    pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
    try:
        return await asyncio.wrap_future(pool.submit(_limited, longest_s, work, *args))
    except BrokenProcessPool as error:
        raise AssistantError(
            f"the process that plays the conversation has ended; it may take {longest_s} seconds, and needs memory"
        ) from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _limited(longest_s: int, work: Callable[[*Ts], T], *args: *Ts) -> T:
    # The signal ends the process, whatever it does; no code of the work can catch it.
    signal.alarm(longest_s)
    # The server has already logged the warnings about tools and settings.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    return work(*args)

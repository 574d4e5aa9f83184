"""Processes the conversations of a log, which a server may be writing, in several processes."""

import asyncio
import logging
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import cache

import structlog

from assistant.app import known_to_tools
from assistant.assembly.context_inspector import inspection_dependencies
from assistant.assembly.library import place_of
from assistant.clock import SystemClock
from assistant.conversation.customer import ConversationKey
from assistant.conversation.documents import Attached
from assistant.errors import AssistantError, LogError
from assistant.recall.conversation import Kept, Period, recall_conversation
from assistant.recall.findings import Failure, Recalled
from assistant.recall.rules import Rules
from assistant.settings import Settings
from assistant.store.log_reader import LogReader

_BATCH = 25
"""Conversations that a process is given at once: enough that handing them over costs nothing."""

_ALONE = 2 * _BATCH
"""Up to so many conversations one process is faster, because another would import the tools first."""


def recall_log(
    settings: Settings,
    keys: Sequence[ConversationKey],
    period: Period,
    *,
    processes: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Recalled:
    """What today's rules would have done differently in these conversations. Read-only.

    Args:
        settings: where the log, the tools and the prompts are.
        keys: the conversations.
        period: from when until when turns are checked.
        processes: how many share the work; as many as there are processors when left out.
        progress: called with the number of conversations that have just been checked.

    Raises:
        AssistantError: the tools, the prompts or the log cannot be used.
    """
    batches = [keys[first : first + _BATCH] for first in range(0, len(keys), _BATCH)]
    processes = processes or (1 if len(keys) <= _ALONE else os.cpu_count() or 1)
    found = Recalled()
    for number, part in _found(settings, batches, period, min(processes, len(batches))):
        found.add(part)
        progress(number)
    found.findings.sort(key=lambda one: (one.place.at_ms, one.place.key.conversation))
    found.gains.sort(key=lambda one: (one.place.at_ms, one.place.key.conversation))
    found.failures.sort(key=lambda one: one.key.conversation)
    return found


def _found(
    settings: Settings, batches: Sequence[Sequence[ConversationKey]], period: Period, processes: int
) -> Iterator[tuple[int, Recalled]]:
    if processes <= 1:
        with _Reader(settings) as reader:
            for batch in batches:
                yield len(batch), reader.recall(batch, period)
        return
    with _Reader(settings):
        pass  # what is wrong with the tools, the prompts or the log is told here, once
    # Tools may have threads, which a fork would copy half.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, initializer=_begin, initargs=(settings,)) as pool:
        jobs = {pool.submit(_recall, batch, period): len(batch) for batch in batches}
        try:
            for job in as_completed(jobs):
                yield jobs[job], job.result()
        except BrokenProcessPool as error:
            raise AssistantError(
                "a process that checked conversations has ended; is there enough memory?"
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


class _Reader:
    """The log, opened to read, with today's rules; a context manager, which closes the log."""

    def __init__(self, settings: Settings) -> None:
        with known_to_tools(settings):
            parts = inspection_dependencies(settings, SystemClock(settings.time_zone), None)
        self._rules = Rules(parts)
        self._log = LogReader(settings.data_dir / "log.db")
        self._prompts = cache(self._keeps_prompts)
        self._asks_for_files = place_of(settings) == "embedded"

    def recall(self, keys: Sequence[ConversationKey], period: Period) -> Recalled:
        """What is found in these conversations."""
        return asyncio.run(self._recall(keys, period))

    async def _recall(self, keys: Sequence[ConversationKey], period: Period) -> Recalled:
        found = Recalled()
        for key in keys:
            try:
                entries = self._log.read(key)
            except LogError as error:
                found.failures.append(Failure(key, str(error)))
                continue
            kept = Kept(prompts=self._prompts, file=self._file_of(key))
            found.add(await recall_conversation(key, entries, self._rules, period, kept))
        return found

    def _keeps_prompts(self, bundle: str) -> bool:
        return self._log.bundle(bundle) is not None

    def _file_of(self, key: ConversationKey) -> Callable[[Attached], bool]:
        if not self._asks_for_files:
            return lambda _: True
        return lambda file: self._log.keeps_file(key.tenant, file.ref)

    def __enter__(self) -> "_Reader":
        return self

    def __exit__(self, *_: object) -> None:
        self._log.__exit__(None, None, None)


_readers: list[_Reader] = []
"""The one reader of a process of the pool, kept between its jobs."""


def _begin(settings: Settings) -> None:
    """Make a process of the pool ready: the tools are imported once in each."""
    # The process that started this one has told what is odd about the tools and the settings.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    _readers.append(_Reader(settings))


def _recall(keys: Sequence[ConversationKey], period: Period) -> Recalled:
    return _readers[0].recall(keys, period)

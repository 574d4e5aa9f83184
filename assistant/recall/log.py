"""Checks the conversations of a log in several processes. A server may be writing to the log meanwhile."""

import asyncio
import logging
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

import structlog

from assistant.app import known_to_tools
from assistant.assembly.context_inspector import inspection_dependencies
from assistant.assembly.storage import open_conversations
from assistant.clock import SystemClock
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CustomerMessage, Logged, TurnStarted
from assistant.errors import AssistantError, LogError
from assistant.recall.conversation import Period, StoredData, recall_conversation
from assistant.recall.findings import Failure, Recalled
from assistant.recall.rules import Rules
from assistant.settings import Settings
from assistant.store.storage import StoredConversations

_BATCH = 25
"""The conversations of one job, so many that passing jobs to processes costs little."""

_ALONE = 2 * _BATCH
"""Up to this number of conversations one process is faster, because another would have to import the tools
first."""


def recall_log(
    settings: Settings,
    keys: Sequence[ConversationKey],
    period: Period,
    *,
    processes: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Recalled:
    """Returns the differences that today's rules would have made in these conversations. Read-only.

    Args:
        settings: the places of the log, the tools and the prompts.
        keys: the conversations.
        period: the period of the turns to check.
        processes: the number of processes; by default the number of processors.
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
        reader = _Reader(settings)
        for batch in batches:
            yield len(batch), reader.recall(batch, period)
        return
    _Reader(settings).recall(
        [], period
    )  # what is wrong with the tools, the prompts or the log is told here, once
    # Processes are started, not forked, because tools may have threads.
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
    """Checks conversations of the log with today's rules."""

    def __init__(self, settings: Settings) -> None:
        with known_to_tools(settings):
            deps = inspection_dependencies(settings, SystemClock(settings.time_zone), None)
        self._settings, self._rules = settings, Rules(deps)
        self._bundles: dict[str, bool] = {}
        """Whether the prompts of each bundle are stored."""
        self._asks_for_files = settings.document_store == "embedded"

    def recall(self, keys: Sequence[ConversationKey], period: Period) -> Recalled:
        """Returns the findings in these conversations."""
        return asyncio.run(self._recall(keys, period))

    async def _recall(self, keys: Sequence[ConversationKey], period: Period) -> Recalled:
        found = Recalled()
        async with open_conversations(self._settings) as conversations:
            for key in keys:
                try:
                    entries = await conversations.read(key)
                except LogError as error:
                    found.failures.append(Failure(key, str(error)))
                    continue
                kept = await self._kept(key, entries, conversations)
                found.add(await recall_conversation(key, entries, self._rules, period, kept))
        return found

    async def _kept(
        self, key: ConversationKey, entries: Sequence[Logged], conversations: StoredConversations
    ) -> StoredData:
        """Returns which prompts and files of a conversation are stored."""
        files: set[str] = set()
        for logged in entries:
            match logged.entry:
                case TurnStarted(bundle=bundle) if bundle not in self._bundles:
                    self._bundles[bundle] = await conversations.bundle(key.tenant, bundle) is not None
                case CustomerMessage(attachments=attachments) if self._asks_for_files:
                    files |= {
                        file.ref
                        for file in attachments
                        if await conversations.keeps_file(key.tenant, file.ref)
                    }
                case _:
                    pass
        return StoredData(
            prompts=self._bundles.__getitem__,
            file=lambda file: not self._asks_for_files or file.ref in files,
        )


_readers: list[_Reader] = []
"""The single reader of a worker process, which is kept between jobs."""


def _begin(settings: Settings) -> None:
    """Prepare a worker process: it imports the tools once."""
    # The main process has already logged the warnings about tools and settings.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    _readers.append(_Reader(settings))


def _recall(keys: Sequence[ConversationKey], period: Period) -> Recalled:
    return _readers[0].recall(keys, period)

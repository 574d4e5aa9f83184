"""What a session does when a turn is over: it puts what has become long into fewer words. Nobody waits for it."""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

import structlog

from assistant.conversation.entries import CallRef
from assistant.conversation.people import ConversationKey
from assistant.conversation.state import ConversationState
from assistant.errors import LogError, ModelError, PromptError
from assistant.sessions.due import Due, due
from assistant.sessions.recorder import Recorder
from assistant.turn.parts import Parts
from assistant.turn.views import Views

log = structlog.get_logger(__name__)

PAUSES_S = (2.0, 15.0)
"""How long it is waited before the same is tried again; then a rule's work has to do."""

AT_ONCE = 2
"""So many summaries are made at a time in one process: customers' models come first."""


class Afterwards:
    """One conversation's summaries, made one after the other while nothing waits for them.

    Args:
        parts: with the decision model's budget and the summary model; asked for anew each time.
        places: held while a model is asked; shared by all conversations of a process.
        views: those of the turns that are taken: what is made and counted of a turn is so once.
    """

    def __init__(
        self,
        *,
        key: ConversationKey,
        state: ConversationState,
        recorder: Recorder,
        parts: Callable[[], Parts],
        places: asyncio.Semaphore,
        views: Views,
    ) -> None:
        self._key, self._state, self._recorder = key, state, recorder
        self._parts, self._places, self._views = parts, places, views
        self._failures: Counter[CallRef] = Counter()
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def idle(self) -> bool:
        """Whether it has nothing to do."""
        return self._task is None

    def start(self) -> None:
        """Look whether something is left to do, and do it; nothing happens when it is at it already."""
        if self._task is None and not self._closed:
            self._task = asyncio.create_task(self._work())

    async def done(self) -> None:
        """Wait until nothing is left to do."""
        while (work := self._task) is not None:
            await asyncio.wait({work})

    async def close(self) -> None:
        """Leave what is not done to whoever opens the conversation next."""
        self._closed = True
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _work(self) -> None:
        try:
            while (job := self._due()) is not None:
                await self._do(job)
        except LogError as error:
            log.error("summary not recorded", conversation=self._key.conversation, error=str(error))
        except Exception:
            # A mistake of ours in what nobody waits for must not reach anybody who does.
            log.exception("summary failed", conversation=self._key.conversation)
        finally:
            self._task = None

    def _due(self) -> Due | None:
        return due(self._key, self._state, self._views.ended, self._parts(), self._given_up)

    def _given_up(self, ref: CallRef) -> bool:
        return self._failures[ref] > len(PAUSES_S)

    async def _do(self, job: Due) -> None:
        clock = self._parts().clock
        began = clock.monotonic()
        told = log.bind(conversation=self._key.conversation)
        try:
            async with self._places:
                made = await job.make()
        except (ModelError, PromptError) as error:
            self._failures[job.ref] += 1
            tries = self._failures[job.ref]
            told.warning("summary failed", of=job.of, tries=tries, error=str(error))
            if not self._given_up(job.ref):
                await clock.sleep(PAUSES_S[tries - 1])
            return
        self._failures.pop(job.ref, None)
        # Perhaps nothing else happens here for days: no other entry takes this one along to the disk.
        await self._recorder.record(made.turn_id, made.entry, durable=True)
        told.info(f"{job.of} summarised", ms=round((clock.monotonic() - began) * 1000), **made.facts)

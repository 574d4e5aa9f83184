"""Writes a conversation: appends its entries in order, and publishes each only when it is durable."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    CallEnded,
    CallRequested,
    CallsPending,
    CallStarted,
    ClientConnected,
    ClientDisconnected,
    DecisionClosed,
    DeliveryReceipt,
    Entry,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    ModelAsked,
    ModelChunks,
    ResultsDelivered,
    SentenceSuppressed,
    Snapshot,
)
from assistant.conversation.state import ConversationState
from assistant.errors import LogError
from assistant.ports import Clock
from assistant.sessions.fair_steps import run_fairly
from assistant.storage_ports import Log

if TYPE_CHECKING:
    from assistant.telemetry.observer import TenantTelemetry

MOST_WAITING = 256
"""The maximum number of entries that wait for the log before `record` waits, too."""

COMPANY_S = 0.03
"""Seconds that an entry that is not urgent waits for others, because each append is a disk write."""

_QUIET = frozenset(
    {
        ModelAsked,
        ModelChunks,
        CallRequested,
        DecisionClosed,
        MessageOpened,
        SentenceSuppressed,
        CallsPending,
        ResultsDelivered,
        Snapshot,
    }
)
"""Entries that a client does not show: they are sent with the next entry that a client shows."""

_SOON = frozenset(
    {MessageClosed, CallStarted, CallEnded, ClientConnected, ClientDisconnected, DeliveryReceipt}
)
"""Entries that change the display, but contain no news. Continued text is of another kind."""


def _ignore(_: Sequence[Logged]) -> None:
    """Publishes nothing."""


class Recorder:
    """The only writer of a conversation.

    ``record`` returns when the entry has its number. Appends run in the background; each writes all entries
    that were recorded since the last append began. The first words of a message are written immediately; later
    text is collected for a moment. Waiting text is joined into one entry, so a slow disk makes larger pieces
    but does not slow the answer.

    Args:
        published: called with each durable batch, in order; with an empty batch when the log fails.
        fence: the number of the lease under which this process writes the conversation; 0 without leases.
        telemetry: is told how long each append took; None: nothing is counted.
    """

    def __init__(
        self,
        key: ConversationKey,
        state: ConversationState,
        log: Log,
        clock: Clock,
        published: Callable[[Sequence[Logged]], None],
        fence: int = 0,
        telemetry: "TenantTelemetry | None" = None,
    ) -> None:
        self._key, self._state = key, state
        self._telemetry = telemetry
        self._log, self._clock = log, clock
        self._fence = fence
        self._published = published
        self._waiting: list[Logged] = []
        self._writer: asyncio.Task[None] | None = None
        self._soon: asyncio.Task[None] | None = None
        self._due = False
        self._appended = asyncio.Event()
        self.failure: LogError | None = None

    @property
    def idle(self) -> bool:
        """Whether no entry waits for the log."""
        return self._writer is None and not self._waiting

    async def record(self, turn_id: str, entry: Entry, *, durable: bool = False) -> None:
        """Record one entry. With ``durable``, wait until it is on disk.

        Raises ``LogError`` when the log has failed: nothing more can be recorded here.
        """
        if self.failure is not None:
            raise self.failure
        kind = type(entry)
        goes_on = isinstance(entry, MessageText) and self._has_begun(turn_id, entry)
        if not self._joined(turn_id, entry):
            self._place(turn_id, entry)
        if goes_on or kind in _SOON:
            self._write_soon()
        elif kind not in _QUIET:
            self._write_now()
        if durable or len(self._waiting) > MOST_WAITING:
            await self.settled()

    async def settled(self) -> None:
        """Wait until all entries recorded so far are on disk. Raises ``LogError`` if that fails."""
        if self._waiting:
            self._write_now()
        while self._writer is not None:
            await asyncio.shield(self._writer)
        if self.failure is not None:
            raise self.failure

    async def appended(self) -> None:
        """Wait until the append that runs now has ended: published, or failed."""
        if self._writer is not None:
            await self._appended.wait()

    def stop_recording(self, why: LogError) -> None:
        """Refuse further entries as if the log had failed; drop the waiting entries."""
        self.failure = why
        self._waiting.clear()
        self._published(())

    def stop_publishing(self) -> None:
        """Forget whom to tell of durable batches."""
        self._published = _ignore

    def _write_now(self) -> None:
        self._due = True
        if self._writer is None and self.failure is None:
            self._appended.clear()
            self._writer = asyncio.create_task(run_fairly(self._key.tenant, self._write))

    def _write_soon(self) -> None:
        if self._soon is None and not self._due:
            self._soon = asyncio.create_task(self._wait_for_company())

    async def _wait_for_company(self) -> None:
        await self._clock.sleep(COMPANY_S)
        self._soon = None
        if self._waiting:
            self._write_now()

    def _has_begun(self, turn_id: str, entry: MessageText) -> bool:
        return bool(self._state.turn(turn_id).message_said(entry.message_id).text)

    def _place(self, turn_id: str, entry: Entry) -> None:
        logged = Logged(self._state.seq + 1, self._clock.now_ms(), turn_id, entry, self._fence)
        self._state.apply(logged)
        self._waiting.append(logged)

    def _joined(self, turn_id: str, entry: Entry) -> bool:
        """Join text with the text that waits immediately before it."""
        last = self._waiting[-1] if self._waiting else None
        if (
            last is None
            or not isinstance(entry, MessageText)
            or not isinstance(last.entry, MessageText)
            or last.entry.message_id != entry.message_id
        ):
            return False
        self._state.turn(turn_id).apply(entry)
        joined = MessageText(message_id=entry.message_id, text=last.entry.text + entry.text)
        self._waiting[-1] = Logged(last.seq, last.at_ms, last.turn_id, joined, last.fence)
        return True

    async def _write(self) -> None:
        try:
            while self._due:
                self._due = False
                batch, self._waiting = self._waiting, []
                self._appended.clear()
                if self._telemetry is None:
                    await self._log.append(self._key, batch)
                else:
                    began = self._clock.monotonic()
                    await self._log.append(self._key, batch)
                    self._telemetry.append_took(self._clock.monotonic() - began)
                self._published(batch)
                self._appended.set()
        except Exception as error:
            # None of these entries may be shown, and no caller may continue as if they were stored.
            self.failure = error if isinstance(error, LogError) else LogError(f"the log failed: {error!r}")
            if self._telemetry is not None:
                self._telemetry.append_failed(self.failure)
            self._published(())
        finally:
            self._writer = None
            self._appended.set()


class DeliveryTracker:
    """Records how far messages were delivered. These entries may be lost when the log fails."""

    def __init__(self, recorder: Recorder, state: ConversationState) -> None:
        self._recorder, self._state = recorder, state
        self._tasks: set[asyncio.Task[None]] = set()

    def record_later(self, entry: Entry) -> None:
        """Record the entry soon, in the background."""
        task = asyncio.create_task(self._record(entry))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def report_delivery(self, message_id: str, how: Literal["sent", "seen"], up_to: int) -> None:
        """Record soon how far a message got, if it is farther than before."""
        message = self._state.message(message_id)
        known = {"sent": message.sent, "seen": message.seen}[how] if message is not None else 0
        if up_to > known:
            self.record_later(DeliveryReceipt(message_id=message_id, how=how, up_to=up_to))

    async def heard(self, message_id: str, up_to: int) -> None:
        """Record immediately how much of a message was heard, if it is more than before. Later entries depend
        on it.
        """
        message = self._state.message(message_id)
        if message is not None and (message.heard is None or up_to > message.heard):
            await self._record(DeliveryReceipt(message_id=message_id, how="heard", up_to=up_to))

    async def taken(self) -> None:
        """Wait until all entries have their numbers."""
        await asyncio.gather(*self._tasks)

    async def _record(self, entry: Entry) -> None:
        with suppress(LogError):
            await self._recorder.record("", entry)

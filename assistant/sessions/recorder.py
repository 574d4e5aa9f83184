"""Appends a conversation's entries in order, and publishes each when it is durable, not before."""

import asyncio
from collections.abc import Callable, Sequence

from assistant.conversation.entries import (
    CallRequested,
    DecisionClosed,
    Entry,
    Logged,
    MessageText,
    ModelAsked,
    ModelChunks,
)
from assistant.conversation.people import ConversationKey
from assistant.conversation.state import ConversationState
from assistant.errors import LogError
from assistant.ports import Clock, Log

MOST_WAITING = 256
"""So many entries may wait for the log before whoever records more has to wait too."""

_QUIET = frozenset({ModelAsked, ModelChunks, CallRequested, DecisionClosed})
"""Entries of a turn that no client is shown. They wait for the next that is: each append is a trip to the disk."""


class Recorder:
    """The one writer of a conversation.

    ``record`` returns as soon as the entry has its place; appends run behind it, each taking everything that
    has come since the last one began. Text that waits is joined into one entry, so a slow disk makes the
    pieces larger, never the answer slower.

    Args:
        published: is handed every batch once it is durable, in order; an empty one when the log fails.
    """

    def __init__(
        self,
        key: ConversationKey,
        state: ConversationState,
        log: Log,
        clock: Clock,
        published: Callable[[Sequence[Logged]], None],
    ) -> None:
        self._key, self._state = key, state
        self._log, self._clock = log, clock
        self._published = published
        self._waiting: list[Logged] = []
        self._writer: asyncio.Task[None] | None = None
        self.failure: LogError | None = None

    @property
    def idle(self) -> bool:
        """Whether nothing waits for the log."""
        return self._writer is None and not self._waiting

    async def record(self, turn_id: str, entry: Entry, *, durable: bool = False) -> None:
        """Take one entry; with ``durable`` wait until it would survive a crash.

        Raises ``LogError`` when the log has failed: nothing more can be recorded here.
        """
        if self.failure is not None:
            raise self.failure
        if not self._joined(turn_id, entry):
            self._place(turn_id, entry)
        if type(entry) not in _QUIET:
            self._start_writing()
        if durable or len(self._waiting) > MOST_WAITING:
            await self.settled()

    async def settled(self) -> None:
        """Wait until everything recorded so far is durable. Raises ``LogError`` when it cannot be."""
        self._start_writing()
        while self._writer is not None:
            await asyncio.shield(self._writer)
        if self.failure is not None:
            raise self.failure

    def _start_writing(self) -> None:
        if self._writer is None and self._waiting and self.failure is None:
            self._writer = asyncio.create_task(self._write())

    def _place(self, turn_id: str, entry: Entry) -> None:
        logged = Logged(self._state.seq + 1, self._clock.now_ms(), turn_id, entry)
        self._state.apply(logged)
        self._waiting.append(logged)

    def _joined(self, turn_id: str, entry: Entry) -> bool:
        """Join text with the text that waits right before it."""
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
            while self._waiting:
                batch, self._waiting = self._waiting, []
                await self._log.append(self._key, batch)
                self._published(batch)
        except LogError as error:
            self.failure = error
            self._published(())
        finally:
            self._writer = None

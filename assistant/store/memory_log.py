"""The log in memory, and rules for all logs: which entry may follow the last one, and which conversations have
unfinished work.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    CallEnded,
    CustomerMessage,
    ForwardedToAgent,
    Handoff,
    Identified,
    Logged,
    LongCallAccepted,
    LongCallStarted,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.snapshots import THINNERS, Aging
from assistant.errors import AlreadySaid, LogConflict, LogError
from assistant.storage_ports import Numbering


def check_numbering(entries: Sequence[Logged], last: int) -> None:
    """Check that these entries continue after number ``last`` without a gap.

    Raises:
        LogConflict: a number is already used, or one is missing.
    """
    for expected, logged in enumerate(entries, last + 1):
        if logged.seq != expected:
            raise LogConflict(f"entry {logged.seq} does not follow: the next number is {expected}")


def client_message_ids(entries: Sequence[Logged]) -> set[str]:
    """The client ids of the customer's messages among these entries.

    Raises:
        AlreadySaid: an id occurs twice.
    """
    said: set[str] = set()
    for logged in entries:
        if isinstance(logged.entry, CustomerMessage):
            message = logged.entry.client_message_id
            if message in said:
                raise already_said(message)
            said.add(message)
    return said


def already_said(message: str) -> AlreadySaid:
    """The error for a client's message id that is already used."""
    return AlreadySaid(f"client message {message!r} is already in this conversation")


@dataclass(frozen=True, slots=True)
class Progress:
    """A log's data about a conversation, to find unfinished ones without reading their entries.

    ``open_turn`` is the last turn's id if it has not ended. ``waiting`` is the last customer message's id if no
    turn has begun for it and no agent has it. ``handoff`` is the id of the newest request for an agent until
    the assistant speaks again. ``long_calls`` are the long calls that one of our processes has to run, or to
    give to their runner, as ``t1/c1.1`` separated by spaces. Each is "" if there is none.
    """

    open_turn: str = ""
    waiting: str = ""
    handoff: str = ""
    long_calls: str = ""

    @property
    def unfinished(self) -> bool:
        """Whether the assistant, or an agent, still has to answer, or a long call needs a process."""
        return bool(self.open_turn or self.waiting or self.handoff or self.long_calls)


_MOVES = (
    CustomerMessage,
    TurnStarted,
    TurnEnded,
    Handoff,
    ForwardedToAgent,
    LongCallStarted,
    LongCallAccepted,
)


def changes_progress(entries: Iterable[Logged]) -> bool:
    """Whether any of these entries can change a conversation's progress. Most cannot."""
    for logged in entries:
        entry = logged.entry
        if isinstance(entry, _MOVES) or (isinstance(entry, CallEnded) and entry.late):
            return True
    return False


def progress_after(progress: Progress, entries: Iterable[Logged]) -> Progress:
    """Update ``progress`` with these entries, in order."""
    open_turn, waiting, handoff = progress.open_turn, progress.waiting, progress.handoff
    long_calls = progress.long_calls.split()
    for logged in entries:
        match logged.entry:
            case CustomerMessage(message_id=message):
                waiting = message
            case TurnStarted(turn_id=turn, message_id=message):
                open_turn = turn
                waiting = "" if message == waiting else waiting
            case ForwardedToAgent(message_id=message):
                waiting = "" if message == waiting else waiting
            case Handoff(handoff_id=handoff_id, state=state):
                handoff = "" if state == "ended" else handoff_id
            case TurnEnded(turn_id=turn):
                open_turn = "" if turn == open_turn else open_turn
            case LongCallStarted(call_id=call_id):
                long_calls.append(f"{logged.turn_id}/{call_id}")
            case LongCallAccepted(call_id=call_id):
                long_calls = [one for one in long_calls if one != f"{logged.turn_id}/{call_id}"]
            case CallEnded(late=True, outcome=outcome):
                long_calls = [one for one in long_calls if one != f"{logged.turn_id}/{outcome.call.id}"]
            case _:
                pass
    return Progress(open_turn, waiting, handoff, " ".join(long_calls))


@dataclass(slots=True)
class _Kept:
    entries: list[Logged] = field(default_factory=list[Logged])
    said: set[str] = field(default_factory=set[str])
    progress: Progress = field(default_factory=Progress)


class MemoryLog:
    """Each conversation as a list. Appending never suspends; everything is lost when the process ends."""

    def __init__(self) -> None:
        self._kept: dict[ConversationKey, _Kept] = {}
        self._closed = False
        self._erasures = 0

    async def append(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
        """Store all of these entries or none. Raises ``LogConflict`` or ``AlreadySaid``; see the port."""
        if self._closed:
            raise LogError("the log is closed")
        kept = self._kept.get(key) or _Kept()
        check_numbering(entries, len(kept.entries))
        said = client_message_ids(entries)
        for message in said & kept.said:
            raise already_said(message)
        kept.entries += entries
        kept.said |= said
        kept.progress = progress_after(kept.progress, entries)
        if kept.entries:
            self._kept[key] = kept

    async def read(self, key: ConversationKey, after: int = 0) -> list[Logged]:
        """The entries with a number above ``after``, in order. Empty for an unknown conversation."""
        kept = self._kept.get(key)
        return kept.entries[max(after, 0) :] if kept else []

    async def conversations(self, tenant: str, customer: str) -> list[str]:
        """The ids of a customer's conversations, oldest first."""
        theirs = [
            (kept.entries[0].at_ms, key.conversation)
            for key, kept in self._kept.items()
            if (key.tenant, key.customer) == (tenant, customer)
        ]
        return [conversation for _, conversation in sorted(theirs)]

    async def unfinished(self) -> list[ConversationKey]:
        """Conversations that wait for the assistant, or for an agent.

        The last turn has no end, or the last customer message has neither a turn nor an agent, or a handoff has
        not ended.
        """
        return [key for key, kept in self._kept.items() if kept.progress.unfinished]

    async def visitors(self, tenant: str, customer: str) -> list[str]:
        """The visitors who were identified as this customer."""
        found = {
            key.customer
            for key, kept in self._kept.items()
            for logged in kept.entries
            if key.tenant == tenant
            and isinstance(logged.entry, Identified)
            and logged.entry.customer == customer
        }
        return sorted(found - {customer})

    async def numbering(self, key: ConversationKey) -> Numbering:  # noqa: ARG002 - it is the same for all
        """The number of erasures; there are no restores."""
        return Numbering(erasures=self._erasures)

    async def erase(self, tenant: str, customer: str) -> int:
        """Erase all conversations of a customer."""
        return self._erase([key for key in self._kept if (key.tenant, key.customer) == (tenant, customer)])

    async def forget(
        self, before_ms: int, keep: Collection[ConversationKey] = (), tenant: str | None = None
    ) -> int:
        """Erase ended conversations without an entry after ``before_ms``, except those in ``keep``."""
        return self._erase(
            [
                key
                for key, kept in self._kept.items()
                if kept.entries[-1].at_ms < before_ms and not kept.progress.unfinished and key not in keep
                if tenant in (key.tenant, None)
            ]
        )

    async def thin_out(self, what: Aging, before_ms: int, tenant: str | None = None) -> int:
        """Remove expired parts from entries older than ``before_ms``."""
        _, thin = THINNERS[what]
        thinned = 0
        for key, kept in self._kept.items():
            for place, logged in enumerate(kept.entries):
                left = thin(key.conversation, logged.turn_id, logged.entry)
                if logged.at_ms < before_ms and left is not logged.entry and tenant in (key.tenant, None):
                    kept.entries[place] = replace(logged, entry=left)
                    thinned += 1
        return thinned

    async def check_writable(self) -> None:
        """Raises ``LogError`` if it is closed."""
        if self._closed:
            raise LogError("the log is closed")

    def _erase(self, keys: Sequence[ConversationKey]) -> int:
        for key in keys:
            del self._kept[key]
        self._erasures += bool(keys)
        return len(keys)

    async def close(self) -> None:
        """Refuse further entries."""
        self._closed = True

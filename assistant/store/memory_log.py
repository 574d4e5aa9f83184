"""The log in memory: for tests, and for measuring what the engine costs without a disk."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Identified, Logged
from assistant.conversation.snapshots import THINNERS, Aging
from assistant.errors import LogError
from assistant.store.log_rules import (
    Progress,
    already_said,
    check_numbering,
    client_message_ids,
    progress_after,
)


@dataclass(slots=True)
class _Kept:
    entries: list[Logged] = field(default_factory=list[Logged])
    said: set[str] = field(default_factory=set[str])
    progress: Progress = field(default_factory=Progress)


class MemoryLog:
    """Every conversation as a list. Appending never suspends; everything is gone with the process."""

    def __init__(self) -> None:
        self._kept: dict[ConversationKey, _Kept] = {}
        self._closed = False
        self._erasures = 0

    async def append(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
        """Keep these entries, all or none. Raises ``LogConflict`` or ``AlreadySaid``; see the port."""
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
        """The entries with a number above ``after``, in order. Unknown conversations are empty."""
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
        """Conversations that wait for the assistant, or for a person.

        The last turn has no end, the last customer message neither turn nor person, or a handoff has not ended.
        """
        return [key for key, kept in self._kept.items() if kept.progress.unfinished]

    async def visitors(self, tenant: str, customer: str) -> list[str]:
        """The visitors in whose conversations it turned out that they are this customer."""
        found = {
            key.customer
            for key, kept in self._kept.items()
            for logged in kept.entries
            if key.tenant == tenant
            and isinstance(logged.entry, Identified)
            and logged.entry.customer == customer
        }
        return sorted(found - {customer})

    async def erasures(self) -> int:
        """How often something was erased or forgotten."""
        return self._erasures

    async def erase(self, tenant: str, customer: str) -> int:
        """Erase all conversations of a customer."""
        return self._erase([key for key in self._kept if (key.tenant, key.customer) == (tenant, customer)])

    async def forget(self, before_ms: int, keep: Collection[ConversationKey] = ()) -> int:
        """Erase the conversations that are over and in which nothing has happened since, but those to keep."""
        return self._erase(
            [
                key
                for key, kept in self._kept.items()
                if kept.entries[-1].at_ms < before_ms and not kept.progress.unfinished and key not in keep
            ]
        )

    async def thin_out(self, what: Aging, before_ms: int) -> int:
        """Take out of entries from before that time what is no longer to be kept."""
        _, thin = THINNERS[what]
        thinned = 0
        for key, kept in self._kept.items():
            for place, logged in enumerate(kept.entries):
                left = thin(key.conversation, logged.turn_id, logged.entry)
                if logged.at_ms < before_ms and left is not logged.entry:
                    kept.entries[place] = replace(logged, entry=left)
                    thinned += 1
        return thinned

    def _erase(self, keys: Sequence[ConversationKey]) -> int:
        for key in keys:
            del self._kept[key]
        self._erasures += bool(keys)
        return len(keys)

    async def close(self) -> None:
        """Take no more entries."""
        self._closed = True

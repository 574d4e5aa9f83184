"""Leases in memory: several servers in one process share a log, with the test's clock."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged
from assistant.conversation.sharing import Command, Hint
from assistant.conversation.state import ConversationState
from assistant.conversation.values import JsonObject
from assistant.errors import Fenced, LogError
from assistant.ports import Clock
from assistant.store.memory_log import MemoryLog


@dataclass(slots=True)
class SharedLeases:
    """The shared state in the database: servers, leases, commands. ``hints``: whether hints are delivered."""

    clock: Clock
    lease_s: float = 10.0
    hints: bool = True
    alive: dict[str, float] = field(default_factory=dict[str, float])
    held: dict[ConversationKey, tuple[str, int]] = field(
        default_factory=dict[ConversationKey, tuple[str, int]]
    )
    commands: list[Command] = field(default_factory=list[Command])
    listeners: dict[str, Callable[[Hint], None]] = field(default_factory=dict[str, Callable[[Hint], None]])
    numbers: "count[int]" = field(default_factory=lambda: count(1))
    hinted: list[Hint] = field(default_factory=list[Hint])

    def holder(self, key: ConversationKey) -> str | None:
        server, _ = self.held.get(key, ("", 0))
        return server if self.alive.get(server, 0.0) > self.clock.monotonic() else None


class FencedLog(MemoryLog):
    """Refuses an append whose fence number is not the lease's, everything while it is ``down``, and any
    append while it is ``full``. Each read takes ``read_s``; each append can be read ``answer_s`` before it
    returns. Reading an ``unreadable`` conversation raises ``refusal``.
    """

    def __init__(self, shared: SharedLeases) -> None:
        super().__init__()
        self.shared = shared
        self.down = self.full = False
        self.refused = 0
        self.unreadable = set[ConversationKey]()
        self.refusal: Exception = LogError("the log cannot be read")
        self.reads = list[ConversationKey]()
        self.read_s = self.answer_s = 0.0

    async def append(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
        if self.down or self.full:
            self.refused += 1
            raise LogError("the log is down")
        _, fence = self.shared.held.get(key, ("", None))
        if fence is not None and entries and entries[0].fence != fence:
            raise Fenced(f"conversation {key.conversation} is written by another server now")
        await super().append(key, entries)
        if self.answer_s:
            await self.shared.clock.sleep(self.answer_s)

    async def read(self, key: ConversationKey, after: int = 0) -> list[Logged]:
        self.reads.append(key)
        if self.down:
            raise LogError("the log cannot be read")
        if key in self.unreadable:
            raise self.refusal
        if self.read_s:
            await self.shared.clock.sleep(self.read_s)
        return await super().read(key, after)


class MemoryLeases:
    """The leases of one server."""

    def __init__(self, shared: SharedLeases, log: MemoryLog, server: str) -> None:
        self.server = server
        self._shared, self._log = shared, log

    def _ask(self) -> None:
        """The leases are in the database of the log."""
        if isinstance(self._log, FencedLog) and self._log.down:
            raise LogError("the leases could not be used")

    async def take(self, key: ConversationKey) -> int | None:
        self._ask()
        if self._shared.holder(key) not in (None, self.server):
            return None
        fence = next(self._shared.numbers)
        self._shared.held[key] = (self.server, fence)
        return fence

    async def release(self, fences: Mapping[ConversationKey, int]) -> None:
        for key, fence in fences.items():
            if self._shared.held.get(key) == (self.server, fence):
                self._shared.held[key] = ("", next(self._shared.numbers))

    async def beat(self) -> int:
        self._ask()
        now = self._shared.clock.monotonic()
        self._shared.alive[self.server] = now + self._shared.lease_s
        return sum(until > now for until in self._shared.alive.values())

    async def leave(self) -> None:
        self._shared.alive.pop(self.server, None)
        for key, (server, _) in list(self._shared.held.items()):
            if server == self.server:
                self._shared.held[key] = ("", next(self._shared.numbers))

    async def free(self, among: Collection[ConversationKey], limit: int) -> list[ConversationKey]:
        wanted = {*await self._log.unfinished(), *(one.key for one in self._shared.commands), *among}
        free = [key for key in wanted if self._shared.holder(key) is None]
        return sorted(free, key=lambda key: key.conversation)[:limit]

    async def send(self, key: ConversationKey, command: JsonObject) -> str | None:
        holder = self._shared.holder(key)
        if holder is not None:
            self._shared.commands.append(Command(next(self._shared.numbers), key, command))
        return holder

    async def commands(self) -> list[Command]:
        self._ask()
        return [one for one in self._shared.commands if self._shared.held[one.key][0] == self.server]

    async def done(self, numbers: Sequence[int]) -> None:
        self._shared.commands = [one for one in self._shared.commands if one.number not in numbers]

    async def positions(self, keys: Collection[ConversationKey]) -> Mapping[ConversationKey, int]:
        read = {key: await MemoryLog.read(self._log, key) for key in keys}
        return {key: entries[-1].seq for key, entries in read.items() if entries}

    async def for_agents(
        self, tenant: str, conversation: str | None, limit: int, *, held: bool = True
    ) -> list[ConversationKey]:
        rows = list[tuple[bool, int, ConversationKey]]()
        for key in {*await self._log.unfinished(), *self._shared.held}:
            entries = await MemoryLog.read(self._log, key)
            if key.tenant == tenant and conversation in (None, key.conversation) and entries:
                asked = ConversationState(entries).handoff is not None
                if asked or (held and self._shared.holder(key) is not None):
                    rows.append((not asked, -entries[-1].at_ms, key))
        return [key for *_, key in sorted(rows, key=lambda row: row[:2])][:limit]

    async def hint(self, hint: Hint) -> None:
        self._shared.hinted.append(hint)
        for server, listener in self._shared.listeners.items():
            if self._shared.hints and server != self.server:
                listener(hint)

    async def listen(self, heard: Callable[[Hint], None]) -> None:
        self._shared.listeners[self.server] = heard
        try:
            await asyncio.Event().wait()
        finally:
            del self._shared.listeners[self.server]

"""Shares conversations with other servers: assigns each to one writer, passes commands on, and reads new entries.

Each conversation is written by the one server that holds its lease. If a server ends, or sends no beat for the
lease's time, other servers take its conversations. Hints only save waiting: everything works without them.
"""

import asyncio
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import inf
from typing import Protocol

import structlog

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Handoff, Logged
from assistant.conversation.sharing import Hint, Leases, Typist
from assistant.conversation.values import JsonObject
from assistant.errors import AssistantError, BeingErased, Fenced, LogError
from assistant.ports import Clock
from assistant.sessions.followed_session import FollowedSession, execute_command
from assistant.sessions.retries import Retries, last_turn
from assistant.sessions.session import Session
from assistant.storage_ports import Log

log = structlog.get_logger(__name__)

POLL_S = 1.0
"""Without hints, the server checks for news of other servers at this interval."""

COALESCE_S = 0.02
"""After a hint, news of this duration are collected for the next hint."""

RELEASE_UNUSED_AFTER_S = 5.0
"""A conversation without a client stays on its server for this time, because a client may be connecting."""

COMPARE_ALL_S = 20.0
"""Without a hint, this is the longest time until the server notices that another server has erased a
conversation.
"""

PRESENT_S = 20.0
"""A client of another server counts as connected for this time after the last report."""

ADOPT_AT_ONCE = 20
"""The maximum number of conversations of a dead server that one server takes over in one step; other servers
take the rest.
"""

MOST_FOR_AGENTS = 500
"""The maximum number of a tenant's conversations with a handoff that a server opens for its agents."""


class HeldSessions(Protocol):
    """The conversations that are open in this process."""

    def open_sessions(self) -> Mapping[ConversationKey, Session]:
        """The conversations that are open now."""
        ...

    def close_unused(self, key: ConversationKey) -> None:
        """Close an unused conversation."""
        ...

    async def open(self, key: ConversationKey, customer: None) -> Session:
        """Open a conversation, to write or to follow it."""
        ...

    async def adopt(self, key: ConversationKey) -> bool:
        """Open a conversation to write it; False if another server was faster."""
        ...


@dataclass(frozen=True, slots=True)
class SessionsOfTenants:
    """The conversations of all tenants. Each tenant's sessions open its conversations, with its configuration.

    Conversations of tenants that this server does not have are left to other servers.
    """

    by_tenant: Mapping[str, HeldSessions]

    def open_sessions(self) -> Mapping[ConversationKey, Session]:
        """The conversations that are open now."""
        if len(self.by_tenant) == 1:
            return next(iter(self.by_tenant.values())).open_sessions()
        return {key: one for each in self.by_tenant.values() for key, one in each.open_sessions().items()}

    def close_unused(self, key: ConversationKey) -> None:
        """Close an unused conversation."""
        self.by_tenant[key.tenant].close_unused(key)

    async def open(self, key: ConversationKey, customer: None) -> Session:
        """Open a conversation, to write or to follow it."""
        return await self.by_tenant[key.tenant].open(key, customer)

    async def adopt(self, key: ConversationKey) -> bool:
        """Open a conversation to write it; False if another server was faster, or for an unknown tenant."""
        sessions = self.by_tenant.get(key.tenant)
        return sessions is not None and await sessions.adopt(key)


@dataclass(slots=True)
class Cluster:
    """This server as a member of the cluster.

    Args:
        lease_s: a server without a beat for this time is replaced.

    Attributes:
        agents_of: gives the tenants whose agents are connected here; None: no agents can connect.
    """

    leases: Leases
    log: Log
    clock: Clock
    lease_s: float
    agents_of: Callable[[], Sequence[str]] | None = None
    _others: bool = False
    _tell: Hint = field(default_factory=Hint)
    _heard: Hint = field(default_factory=Hint)
    _idle_since: dict[ConversationKey, float] = field(default_factory=dict[ConversationKey, float])
    _reported: dict[ConversationKey, float] = field(default_factory=dict[ConversationKey, float])
    _compared_all: float = -inf
    _to_tell: asyncio.Event = field(default_factory=asyncio.Event)
    _to_look: asyncio.Event = field(default_factory=asyncio.Event)
    _retries: Retries = field(init=False)

    def __post_init__(self) -> None:
        self._retries = Retries(self.clock)

    def changed(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
        """Report new entries of a conversation that this server writes."""
        if self._others:
            handoffs = any(isinstance(logged.entry, Handoff) for logged in entries)
            self._announce(Hint(conversations=frozenset({key.conversation}), handoffs=handoffs))

    def typing(self, key: ConversationKey) -> None:
        """Report that the customer of a conversation that another server writes is typing here."""
        self._announce(Hint(typing=frozenset({key.conversation})))

    def tell_typist(self, key: ConversationKey, typist: Typist) -> None:
        """Report who is typing here, for the page of the other one, which may be on another server."""
        if self._others:
            self._announce(Hint(typists=frozenset({(key.conversation, typist)})))

    async def send(self, key: ConversationKey, command: JsonObject) -> bool:
        """Pass a command on; False if no live server holds the conversation."""
        holder = await self.leases.send(key, command)
        if holder is None:
            return False
        self._announce(Hint(servers=frozenset({holder})))
        return True

    async def run(self, sessions: HeldSessions) -> None:
        """Work until cancelled. A failed step is retried; the fence numbers of the log prevent conflicting
        writes.
        """
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._keep_alive())
            tasks.create_task(self._listen())
            tasks.create_task(self._announce_changes())
            tasks.create_task(self._look_again_and_again(sessions))

    async def close(self) -> None:
        """Release all conversations, and notify the other servers, which continue unfinished work."""
        with suppress(LogError):
            await self.leases.leave()
            await self.leases.hint(Hint(free=True))

    async def beat(self) -> None:
        """Record that this server is alive."""
        self._others = await self.leases.beat() > 1

    async def _keep_alive(self) -> None:
        while True:
            await self.clock.sleep(self.lease_s / 4)
            with _logged("not alive to the other servers"):
                await self.beat()

    async def _listen(self) -> None:
        while True:
            with _logged("no hints of other servers"):
                await self.leases.listen(self._hear)
            await self.clock.sleep(POLL_S)

    def _hear(self, hint: Hint) -> None:
        self._heard |= hint
        self._to_look.set()

    def _announce(self, hint: Hint) -> None:
        self._tell |= hint
        self._to_tell.set()

    async def _announce_changes(self) -> None:
        while True:
            await self._to_tell.wait()
            self._to_tell.clear()
            hint, self._tell = self._tell, Hint()
            with _logged("hint not sent"):
                await self.leases.hint(hint)
            await self.clock.sleep(COALESCE_S)

    async def _look_again_and_again(self, sessions: HeldSessions) -> None:
        due = 0.0
        while True:
            self._to_look.clear()
            heard, self._heard = self._heard, Hint()
            polls = self.clock.monotonic() >= due
            with _logged("other servers' news not read"):
                await self.look(sessions, None if polls else heard)
            if polls:
                due = self.clock.monotonic() + POLL_S
            with suppress(TimeoutError):
                async with self.clock.timeout(max(0.0, due - self.clock.monotonic())):
                    await self._to_look.wait()

    async def look(self, sessions: HeldSessions, heard: Hint | None) -> None:
        """Handle the news of other servers; all of them if ``heard`` is None."""
        working = {key: session for key, session in sessions.open_sessions().items() if not session.failed}
        followed = [key for key, session in working.items() if isinstance(session, FollowedSession)]
        self._retries.forget_what_works(working)
        now = self.clock.monotonic()
        if heard is not None:
            new = [key for key in working if key.conversation in heard.conversations]
        elif now - self._compared_all >= COMPARE_ALL_S:
            new, self._compared_all = [*working], now
        else:
            new = followed
        if heard is not None and heard.typing:
            for key, session in working.items():
                # A followed conversation would notify all servers again.
                if key.conversation in heard.typing and not isinstance(session, FollowedSession):
                    session.typing()
        if heard is not None and heard.typists:
            for key, session in working.items():
                for conversation, typist in heard.typists:
                    if key.conversation == conversation:
                        session.typing_signals.note_elsewhere(typist)
        if new:
            await self._compare({key: working[key] for key in new})
        if heard is None or self.leases.server in heard.servers:
            await self._run_commands(sessions)
        if heard is None or heard.handoffs:
            await self._follow_handoffs(sessions)
        if heard is None:
            await self._begin_again_what_broke_off(sessions)
        if heard is None or heard.free:
            if heard is None:
                await self._close_unused(sessions)
                await self._report_clients([working[key] for key in followed])
            # Conversations that cannot be opened now must not use the places of the others.
            free = await self.leases.free(followed, ADOPT_AT_ONCE + len(self._retries))
            for key in free:
                await self._adopt(sessions, key)
            if free:
                # What was meant for the server before. Clients that come back find it done.
                await self._run_commands(sessions)

    async def _compare(self, sessions: Mapping[ConversationKey, Session]) -> None:
        """Read new entries of followed conversations, and close conversations that another server has erased."""
        had = {key: len(session.entries) for key, session in sessions.items()}
        positions = await self.leases.positions(sessions)
        for key, session in sessions.items():
            last = positions.get(key, 0)
            if last < had[key]:
                session.stop_recording(BeingErased("the conversation has been erased"))
            elif isinstance(session, FollowedSession) and last > session.state.seq:
                with _logged("conversation not followed", key):
                    session.receive(await self.log.read(key, session.state.seq))

    async def _follow_handoffs(self, sessions: HeldSessions) -> None:
        """Open conversations of other servers with a handoff, while agents are connected here."""
        for tenant in self.agents_of() if self.agents_of is not None else ():
            for key in await self.leases.for_agents(tenant, None, MOST_FOR_AGENTS, held=False):
                session = sessions.open_sessions().get(key)
                if (session is None or session.failed) and self._retries.may_try(key):
                    with _logged("handoff not shown to agents", key):
                        await sessions.open(key, None)

    async def _begin_again_what_broke_off(self, sessions: HeldSessions) -> None:
        """Reopen conversations after a short failure of the log. This server holds them, so no other server
        continues them.
        """
        for key, session in sessions.open_sessions().items():
            over = isinstance(session, FollowedSession) or isinstance(session.failure, Fenced | BeingErased)
            if session.failed and not over:
                await self._adopt(sessions, key, last_turn(session))

    async def _adopt(self, sessions: HeldSessions, key: ConversationKey, turn: str = "") -> None:
        """Continue a conversation here. If it cannot be opened, the others continue."""
        if self._retries.may_try(key, turn):
            with _logged("conversation not continued", key):
                await sessions.adopt(key)

    async def _run_commands(self, sessions: HeldSessions) -> None:
        carried, waits = dict[int, Session](), set[ConversationKey]()
        for command in await self.leases.commands():
            session = sessions.open_sessions().get(command.key)
            if session is None or session.failed:
                await self._adopt(sessions, command.key)
                session = sessions.open_sessions().get(command.key)
            if session is None or session.failed or isinstance(session, FollowedSession):
                continue
            if command.key in waits:
                continue
            try:
                executed = await execute_command(command.body, session)
            except LogError as error:
                # The command runs again when this server, or another one, continues the conversation.
                executed = isinstance(error, BeingErased)
            except AssistantError as error:
                log.warning(
                    "command of another server failed", conversation=command.key.conversation, why=str(error)
                )
                executed = True
            except Exception:
                # It may be from another release. It must not block the other conversations repeatedly.
                log.exception("command of another server failed", conversation=command.key.conversation)
                executed = True
            if executed:
                carried[command.number] = session
            else:
                waits.add(command.key)
        # Only a stored command is done: a message from another server is stored in no other place.
        done = [number for number, session in carried.items() if await _is_stored(session)]
        if done:
            await self.leases.done(done)

    async def _report_clients(self, followed: Iterable[Session]) -> None:
        """While a client is connected here, the other server keeps the conversation open."""
        now = self.clock.monotonic()
        present = {one.key: one for one in followed if isinstance(one, FollowedSession) and one.has_clients}
        self._reported = {key: at for key, at in self._reported.items() if key in present}
        for key, session in present.items():
            if now - self._reported.get(key, -inf) >= PRESENT_S / 2:
                self._reported[key] = now
                await session.report_clients(PRESENT_S)

    async def _close_unused(self, sessions: HeldSessions) -> None:
        """Another server's client may return to a conversation that is unused here.

        A visit without a message is always closed, because it stores nothing.
        """
        now = self.clock.monotonic()
        idle = {
            key: session
            for key, session in sessions.open_sessions().items()
            if session.idle and session.state.handoff is None and not session.failed
            if self._others or not session.entries
        }
        self._idle_since = {key: self._idle_since.get(key, now) for key in idle}
        unused = {
            key: one for key, one in idle.items() if now - self._idle_since[key] >= RELEASE_UNUSED_AFTER_S
        }
        held = {key: one.fence for key, one in unused.items() if not isinstance(one, FollowedSession)}
        for key in unused:
            sessions.close_unused(key)
        if held:
            await self.leases.release(held)
            self._announce(Hint(free=True))


async def _is_stored(session: Session) -> bool:
    """Wait until all recorded entries of this session are on disk; False if that will never happen."""
    try:
        await session.stored()
    except BeingErased:
        return True  # the commands of the conversation are erased, too
    except LogError:
        return False
    return True


@contextmanager
def _logged(what: str, key: ConversationKey | None = None) -> Generator[None]:
    """Log an error and continue: the next attempt follows."""
    about = {} if key is None else {"conversation": key.conversation}
    try:
        yield
    except AssistantError as error:
        log.warning(what, why=str(error), **about)
    except Exception:
        # Our own bug must not end the task that keeps this server in the cluster.
        log.exception(what, **about)

"""All conversations that are open in this process."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import structlog

from assistant.conversation.customer import ConversationKey, Customer, CustomerCredential
from assistant.conversation.entries import Logged, LongCallEntry
from assistant.conversation.state import ConversationState
from assistant.errors import BeingErased, Fenced, LogError
from assistant.sessions.cluster import Cluster
from assistant.sessions.config_version import ConfigRegistry, ConfigVersion, bundle_of
from assistant.sessions.followed_session import FollowedSession
from assistant.sessions.listeners import Listeners
from assistant.sessions.session import Session
from assistant.sessions.summaries import MAX_CONCURRENT
from assistant.sessions.worker import TakeoverHandler
from assistant.storage_ports import CredentialStore, Log
from assistant.tools.long_calls import LongRunner

if TYPE_CHECKING:
    from assistant.telemetry.observer import TenantTelemetry

log = structlog.get_logger(__name__)

KEEP_IDLE = 500
"""Unused conversations that stay open; further ones are closed."""

_OPENED_AT_ONCE = 4
"""The maximum number of conversations opened at the same time for agents. Each asks the database three times,
which has ten connections for this server.
"""

EXPECTED_S = 30.0
"""Seconds. A client that connects listens within this time, even if the database is slow."""


class SessionRegistry:
    """Opens each conversation once, and closes unused ones.

    Args:
        configs: gives the prompts and tools of conversations.
        epoch: names this numbering of entries; a durable log keeps its epoch.
        takeover: makes, for each conversation, the handler that may answer a message in place of the assistant.
        credentials: stores customers' own credentials across restarts.
        cluster: the other servers that share the log; None: this process alone writes it.
        long_runner: runs long calls elsewhere; None: the process that holds their conversation runs them.
        telemetry: counts and traces what happens; None: nothing is counted.

    Attributes:
        listeners: get the new durable entries of each conversation that is open here, also if another server
            writes it; no entries mean that it was closed or erased.
    """

    def __init__(
        self,
        configs: ConfigRegistry,
        log: Log,
        epoch: str,
        takeover: Callable[[Session], TakeoverHandler] | None = None,
        credentials: CredentialStore | None = None,
        cluster: Cluster | None = None,
        long_runner: LongRunner | None = None,
        telemetry: "TenantTelemetry | None" = None,
    ) -> None:
        self._credentials, self._cluster = credentials, cluster
        self._telemetry = telemetry
        self._configs, self._log, self._epoch = configs, log, epoch
        self._takeover, self._long_runner = takeover, long_runner
        self._places = asyncio.Semaphore(MAX_CONCURRENT)
        self.listeners = Listeners[tuple[ConversationKey, Sequence[Logged]]]()
        self._open: dict[ConversationKey, Session] = {}
        self._erasing: dict[tuple[str, str], asyncio.Event] = {}
        self._begun_erasures = 0
        # A lock exists while a task holds it or waits for it.
        self._opening: WeakValueDictionary[ConversationKey, asyncio.Lock] = WeakValueDictionary()

    @property
    def newest_config(self) -> ConfigVersion:
        """The newest prompts and tools."""
        return self._configs.newest

    async def open(
        self, key: ConversationKey, customer: Customer | None, credential: CustomerCredential | None = None
    ) -> Session:
        """The live conversation. If it is not open, it is read from the log, and an unfinished turn
        continues.

        Without ``customer`` the conversation's own customer from the log is used. ``credential`` is the new
        credential from their website; without it, the stored credential is used until it expires.
        """
        lock = self._opening.setdefault(key, asyncio.Lock())
        async with lock:
            session = self._open.get(key)
            if session is not None and not session.failed and self._cluster is not None:
                # The task that closes unused sessions must not close this one, or its client would receive
                # nothing more.
                session.expect_client(EXPECTED_S)
                await self._read_news(session)
            if session is not None and session.failed:
                # Before a model is asked, because its reply could not be stored again.
                await self._log.check_writable()
            if session is None or session.failed:
                session = await self._begun_with_what_is_kept(key)
                self._open[key] = session
                self._let_go_of_idle(key)
            await session.welcome(customer, credential)
        return session

    async def _read_news(self, session: Session) -> None:
        """Another server may have written more than is known here, and the client may have seen it there. It may
        also have shown there what this server has written a moment ago.
        """
        await session.appended()
        news = await self._log.read(session.key, session.state.seq)
        if isinstance(session, FollowedSession):
            session.receive(news)
        elif news and news[-1].seq > session.state.seq:
            session.stop_recording(Fenced("another server has continued the conversation"))

    async def resume_unfinished(self) -> int:
        """Continue all conversations that an earlier process left unanswered; returns their number.

        Example conversations stay as they are until a person takes one over.
        """
        left = [key for key in await self._log.unfinished() if not key.is_sample]
        for key in left:
            await self.open(key, None)
        return len(left)

    async def open_for_agents(self, tenant: str, conversation: str | None = None) -> None:
        """Open conversations that agents may want, on any server: the one with this id, or the newest ones that
        have a handoff or are held by a server. Does nothing without other servers.

        Raises ``LogError``. If one of several cannot be opened, it is left out; an open conversation is not
        read again.
        """
        if self._cluster is None:
            return
        keys = iter(await self._cluster.leases.for_agents(tenant, conversation, KEEP_IDLE))
        if conversation is not None:
            for key in keys:
                await self.open(key, None)
            return
        await asyncio.gather(*(self._open_one_by_one(keys) for _ in range(_OPENED_AT_ONCE)))

    async def _open_one_by_one(self, keys: Iterator[ConversationKey]) -> None:
        for key in keys:
            if (session := self._open.get(key)) is None or session.failed:
                try:
                    await self.open(key, None)
                except Exception as error:
                    # One with any error, such as entries of another release, is left out: agents see the
                    # others.
                    log.warning("not shown to agents", conversation=key.conversation, why=repr(error))

    async def record_long_call(self, key: ConversationKey, turn_id: str, entry: LongCallEntry) -> None:
        """Record another process's report of a long call, here or on the server that holds its conversation.

        An outcome is durable when this returns; for an erased conversation it is dropped. Raises ``LogError``.
        """
        session = await self.open(key, None)
        if session.state.knows_turn(turn_id):
            await session.record_long_call(turn_id, entry)

    def open_sessions(self) -> Mapping[ConversationKey, Session]:
        """The conversations that are open now."""
        return dict(self._open)

    def states(self) -> Iterator[ConversationState]:
        """The states of the conversations that this process writes."""
        for session in self._open.values():
            if not session.failed and not isinstance(session, FollowedSession):
                yield session.state

    async def adopt(self, key: ConversationKey) -> bool:
        """Continue a conversation here that no other server writes; False if another server is faster.

        Clients that followed it here are asked to reconnect.
        """
        if self._cluster is None:
            return True
        async with self._opening.setdefault(key, asyncio.Lock()):
            followed = self._open.get(key)
            if followed is not None and not followed.failed and not isinstance(followed, FollowedSession):
                return True
            # Do not begin a session only to discard it: its handoff would be found in place of the open
            # session's.
            if await self._cluster.leases.take(key) is None:
                return False
            session = await self._begun_with_what_is_kept(key)
            if isinstance(session, FollowedSession):
                return False
            self._open[key] = session
            if followed is not None:
                followed.stop_recording(Fenced("this server continues the conversation"))
            await session.welcome(None)
        return True

    def close_unused(self, key: ConversationKey) -> None:
        """Close an unused conversation."""
        if (session := self._open.pop(key, None)) is not None:
            session.release()

    async def _begun_with_what_is_kept(self, key: ConversationKey) -> Session:
        """A session that contains no data that an erasure deletes meanwhile."""
        whose = (key.tenant, key.customer)
        while True:
            while (erasure := self._erasing.get(whose)) is not None:
                await erasure.wait()
            begun = self._begun_erasures
            session = await self._read(key)
            if begun == self._begun_erasures:
                return session

    async def _read(self, key: ConversationKey) -> Session:
        # Before the log is read: later appends of another server are refused.
        fence = await self._cluster.leases.take(key) if self._cluster is not None else 0
        # A page may know the numbers of an erased or restored conversation from before.
        numbering = await self._log.numbering(key)
        entries = await self._log.read(key)
        bundle = bundle_of(entries)
        begun = partial(
            Session,
            key=key,
            entries=entries,
            configs=self._configs,
            config=await self._configs.version_of(bundle) if bundle is not None else None,
            log=self._log,
            epoch=".".join(filter(None, (self._epoch, numbering.name))),
            numbering=numbering,
            places=self._places,
            credential=await self._kept_credential(key),
            credentials=self._credentials,
            long_runner=self._long_runner,
        )
        if self._cluster is None:
            return begun(takeover=self._takeover, changed=self._heard, telemetry=self._telemetry)
        begun = partial(begun, tell_typist=partial(self._cluster.tell_typist, key))
        if fence is None:
            send = partial(self._cluster.send, key)
            typing = partial(self._cluster.typing, key)
            return FollowedSession(
                send=send,
                tell_typing=typing,
                takeover=self._takeover,
                changed=self._heard,
                **begun.keywords,
            )
        return begun(
            takeover=self._takeover, fence=fence, changed=self._changed_here, telemetry=self._telemetry
        )

    def _heard(self, key: ConversationKey, batch: Sequence[Logged]) -> None:
        self.listeners.notify((key, batch))

    def _changed_here(self, key: ConversationKey, batch: Sequence[Logged]) -> None:
        """This server has written entries: others follow."""
        if self._cluster is not None:
            self._cluster.changed(key, batch)
        self._heard(key, batch)

    async def _kept_credential(self, key: ConversationKey) -> CustomerCredential | None:
        if self._credentials is None:
            return None
        try:
            return await self._credentials.kept(key)
        except LogError as error:
            # The conversation continues. Tools that need the credential are denied until the website sends a
            # new one.
            log.warning("credential not read", conversation=key.conversation, error=str(error))
            return None

    def _let_go_of_idle(self, keep: ConversationKey) -> None:
        if len(self._open) > KEEP_IDLE:
            for key, session in list(self._open.items()):
                # A followed conversation with a handoff is idle, but agents here receive its events.
                if session.idle and session.state.handoff is None and key != keep:
                    self._open.pop(key).release()

    @asynccontextmanager
    async def without(self, tenant: str, customer: str) -> AsyncGenerator[int]:
        """Close all conversations of a customer immediately and keep them closed inside the block.

        Yields the number of conversations that were open. Their listeners are told that the session has ended. If
        they open the conversation again, they wait for the end of the block.
        """
        whose = (tenant, customer)
        stored = await self._log.conversations(tenant, customer) if self._cluster is not None else []
        while (other := self._erasing.get(whose)) is not None:
            await other.wait()
        over = self._erasing[whose] = asyncio.Event()
        self._begun_erasures += 1
        theirs = [key for key in self._open if (key.tenant, key.customer) == whose]
        sessions = [self._open.pop(key) for key in theirs]
        try:
            for session in sessions:
                # First, so that work that ends now can record nothing.
                session.stop_recording(BeingErased("the conversation is being erased"))
            await asyncio.gather(*(session.close() for session in sessions))
            yield len(sessions)
        finally:
            del self._erasing[whose]
            over.set()
            if self._cluster is not None:
                for conversation in stored:  # other servers may have them open
                    key = ConversationKey(tenant=tenant, customer=customer, conversation=conversation)
                    self._cluster.changed(key, ())

    def close_idle(self, before_ms: int) -> set[ConversationKey]:
        """Close unused conversations without an entry after ``before_ms``; returns the conversations that stay
        open.
        """
        for key, session in list(self._open.items()):
            if session.idle and (not session.entries or session.entries[-1].at_ms < before_ms):
                self._open.pop(key).release()
        return {*self._open, *self._opening}

    async def close(self, patience_s: float = 5.0) -> None:
        """Let running turns continue for ``patience_s``, then close; unfinished work is resumed at the next
        start.
        """
        await asyncio.gather(*(session.close(patience_s) for session in self._open.values()))
        self._open.clear()

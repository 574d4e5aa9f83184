"""One live conversation: accepts messages, answers them in order, and notifies its listeners."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING, Literal, TypeAlias

import structlog

from assistant.conversation.customer import ConversationKey, Customer, CustomerCredential
from assistant.conversation.documents import Attached
from assistant.conversation.entries import (
    ApprovalDecided,
    ClientConnected,
    ClientDisconnected,
    ConfirmationAsked,
    CustomerMessage,
    Entry,
    Identified,
    Logged,
    LongCallEntry,
    Rated,
    Rating,
    ReviewDecided,
    Snapshot,
    TurnEnded,
)
from assistant.conversation.sharing import Typist
from assistant.conversation.state import ConversationState
from assistant.errors import LogError
from assistant.prompts.book import PromptBook
from assistant.sessions.config_version import ConfigRegistry, ConfigVersion
from assistant.sessions.listeners import Listeners
from assistant.sessions.long_calls import LongCalls
from assistant.sessions.recorder import DeliveryTracker, Recorder
from assistant.sessions.summaries import BackgroundSummaries
from assistant.sessions.tool_tasks import ToolTasks
from assistant.sessions.typing_signals import TypingSignals
from assistant.sessions.worker import TakeoverHandler, Worker
from assistant.storage_ports import FIRST_NUMBERING, CredentialStore, Log, Numbering
from assistant.tools.concurrency import ConcurrencyLimiters
from assistant.tools.long_calls import LongRunner
from assistant.tools.media import Transform
from assistant.turn.context import LastHeard
from assistant.turn.view_builder import ViewBuilder

if TYPE_CHECKING:
    from assistant.telemetry.observer import TenantTelemetry

log = structlog.get_logger(__name__)

Button: TypeAlias = Literal["yes", "no"]
Taken: TypeAlias = Literal["accepted", "known", "busy"]
Listener: TypeAlias = Callable[[Sequence[Logged]], None]

MOST_QUEUED = 5
"""Messages that may wait while a turn runs."""


class Session:
    """A conversation that is open in this process. Only this object writes it.

    Args:
        entries: the conversation's log so far.
        configs: returns the newest configuration version when the conversation begins.
        config: the conversation's version, after it has begun.
        epoch: changes when the numbering of entries begins anew.
        numbering: distinguishes the entries from others that had the same numbers, before an erasure or a
            restore.
        takeover: makes the handler that may answer a message in place of the assistant.
        places: limits concurrent summaries; without them this conversation has its own limit.
        credential: the customer's own credential, stored when the conversation was last open.
        credentials: stores it; without this, it is lost when the process ends.
        fence: the number of the lease under which this process writes the conversation; 0 without leases.
        changed: called with new entries, to notify other servers.
        long_runner: runs long calls elsewhere; None: this process runs them.
        telemetry: counts and traces what happens; None: nothing is counted.
        tell_typist: tells the other servers who is typing; None: there are none.

    Attributes:
        typing_signals: who is typing right now.
        takeover: the handler, if there is one.
    """

    def __init__(
        self,
        *,
        key: ConversationKey,
        entries: Sequence[Logged],
        configs: ConfigRegistry,
        config: ConfigVersion | None = None,
        log: Log,
        epoch: str,
        numbering: Numbering = FIRST_NUMBERING,
        takeover: "Callable[[Session], TakeoverHandler] | None" = None,
        places: asyncio.Semaphore | None = None,
        credential: CustomerCredential | None = None,
        credentials: CredentialStore | None = None,
        fence: int = 0,
        changed: Callable[[ConversationKey, Sequence[Logged]], None] | None = None,
        long_runner: LongRunner | None = None,
        telemetry: "TenantTelemetry | None" = None,
        tell_typist: Callable[[Typist], None] | None = None,
    ) -> None:
        self.key, self.epoch, self.fence = key, epoch, fence
        self._changed, self._telemetry = changed, telemetry
        self.state = ConversationState(entries)
        self._vouched = Customer(tenant=key.tenant, id=key.customer, level=self.state.level)
        self.entries: list[Logged] = list(entries)
        self._credential, self._credentials = credential, credentials
        self._configs, self._config = configs, config
        clock = self.config.deps.clock
        self._recorder = Recorder(key, self.state, log, clock, self._publish, fence, telemetry)
        gates = self.config.deps.gates or ConcurrencyLimiters(clock)
        self._long_calls = LongCalls(
            key, self.state, self._recorder.record, clock, gates, self._transform, long_runner
        )
        self._calls = ToolTasks(clock, gates, self._transform, self._long_calls, numbering)
        self._last_heard = LastHeard(alone_since=clock.monotonic())
        self._listeners = Listeners[Sequence[Logged]]()
        self.typing_signals = TypingSignals(clock, tell_typist)
        views = ViewBuilder(key.conversation)
        self.takeover = takeover(self) if takeover is not None else None
        self._worker = Worker(
            key=key,
            state=self.state,
            recorder=self._recorder,
            calls=self._calls,
            choose_config=self._choose_config,
            config=self._begun_on,
            customer=lambda: self.customer,
            credential=lambda: self.credential,
            last_heard=self._last_heard,
            takeover=self.takeover,
            views=views,
            restored_seq=numbering.restored_seq,
            telemetry=telemetry,
        )
        self._summaries = BackgroundSummaries(
            key=key,
            state=self.state,
            recorder=self._recorder,
            deps=lambda: self.config.deps,
            places=places or asyncio.Semaphore(),
            views=views,
            telemetry=telemetry,
        )
        self._closing = False
        self._elsewhere_until = self._expected_until = -inf
        self._delivery = DeliveryTracker(self._recorder, self.state)

    @property
    def config(self) -> ConfigVersion:
        """The prompts and tools of this conversation: the newest ones until it begins; afterwards they stay
        the same.
        """
        return self._config or self._configs.newest

    @property
    def newest_config(self) -> ConfigVersion:
        """The newest prompts and tools, which this conversation may not use: for what is about staff."""
        return self._configs.newest

    @property
    def book(self) -> PromptBook:
        """The prompts of this conversation."""
        return self.config.deps.book

    @property
    def customer(self) -> Customer:
        """The customer, as far as they are known now."""
        return self.state.customer(self._vouched)

    @customer.setter
    def customer(self, vouched: Customer) -> None:
        self._vouched = vouched

    @property
    def credential(self) -> CustomerCredential | None:
        """The customer's own credential for the company's systems; None if there is none, or if it has
        expired.
        """
        held = self._credential
        return held if held is not None and held.expires_ms > self.config.deps.clock.now_ms() else None

    @property
    def wants_credential(self) -> bool:
        """Whether a tool of this conversation acts with the customer's own credential."""
        return any(spec.credential for spec in self.config.deps.tools.specs)

    async def take_credential(self, credential: CustomerCredential) -> None:
        """Let tools use this credential from now on."""
        self._credential = credential
        if self._credentials is None:
            return
        try:
            await self._credentials.keep(self.key, credential)
        except LogError as error:
            # It is valid while this process runs.
            log.warning("credential not kept", conversation=self.key.conversation, error=str(error))

    async def take_stored_credential(self) -> None:
        """Let tools use the credential that another server has just stored. Raises ``LogError``."""
        if self._credentials is not None:
            self._credential = await self._credentials.kept(self.key)

    def doing(self, tool: str, locale: str) -> str:
        """The label of a tool in this conversation: "looking up your appointments"; "" if it has no hint."""
        return self.config.doing(tool, locale)

    @property
    def question(self) -> ConfirmationAsked | None:
        """The open read-back, if there is one."""
        return self.state.question

    @property
    def failed(self) -> bool:
        """Whether the log refused an entry. Then this session has ended; open the conversation again."""
        return self._recorder.failure is not None

    @property
    def failure(self) -> LogError | None:
        """Why this session has ended; None while it is open."""
        return self._recorder.failure

    @property
    def idle(self) -> bool:
        """Whether nothing runs, no call waits for staff, and no client is connected, here or to another server."""
        now = self._now()
        expected = max(self._elsewhere_until, self._expected_until)
        waits = bool(self.state.awaiting_approval)  # it stays open, so that staff find it
        return self.rests and not self.has_clients and expected <= now and not waits

    @property
    def has_clients(self) -> bool:
        """Whether a client is connected to this server."""
        return bool(self._listeners)

    def expect_client(self, for_s: float) -> None:
        """A client will listen soon: until then, but at most for this time, the session is not idle."""
        self._expected_until = self._now() + for_s

    def has_clients_elsewhere(self, for_s: float) -> None:
        """A client is connected to another server; valid for this time, unless it is reported again."""
        self._elsewhere_until = self._now() + for_s
        if not self._listeners:
            self._last_heard.alone_since = self._elsewhere_until

    @property
    def rests(self) -> bool:
        """Whether nothing runs here, and everything is stored."""
        busy = (self._worker, self._calls, self._recorder, self._summaries)
        return all(one.idle for one in busy)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` with each batch of entries that becomes durable from now on, in order.

        An empty batch means that the session has ``failed``. Returns a function that removes the listener. The
        listener must not block or raise errors.
        """
        stop_listening = self._listeners.add(listener)
        self._expected_until = -inf
        self._last_heard.alone_since = inf

        def stop() -> None:
            stop_listening()
            if not self._listeners and self._last_heard.alone_since == inf:
                self._last_heard.alone_since = max(self._now(), self._elsewhere_until)

        return stop

    async def say(
        self,
        *,
        client_message_id: str,
        text: str,
        locale: str,
        button: Button | None = None,
        attachments: tuple[Attached, ...] = (),
        spoken: bool = False,
    ) -> Taken:
        """Accept a customer's message: it is queued for a turn, already known, or refused.

        ``spoken``: the message was spoken, or entered on a phone. Raises ``LogError`` if the log does not store
        it.
        """
        if client_message_id in self.state.client_ids:
            return "known"
        if len(self.state.waiting) >= MOST_QUEUED:
            return "busy"
        said = CustomerMessage(
            message_id=f"u{len(self.state.said) + 1}",
            client_message_id=client_message_id,
            text=text,
            locale=self._language_of("" if button else text, page=locale),
            button=button,
            attachments=attachments,
            spoken=spoken,
        )
        # Start the worker first: it asks the model, and the turn's first entries are queued for the disk
        # together with this entry, before the append begins.
        self._worker.start()
        await self._recorder.record("", said)
        if self.config.deps.new_message == "interrupt":
            self._worker.make_way(said)
        return "accepted"

    def _language_of(self, text: str, page: str) -> str:
        """The language of a message; if its words do not show it, the last message's language, or else the
        page's.
        """
        last = next(reversed(self.state.said.values()), None)
        return self.book.language_of(text, last.locale if last else page, page=page)

    async def welcome(self, customer: Customer | None, credential: CustomerCredential | None = None) -> None:
        """Set the customer that the identity port has verified (None: unknown), and resume the conversation.

        ``credential`` is the credential from their website. An unfinished turn can use it.
        """
        if credential is not None:
            await self.take_credential(credential)
        if customer is not None:
            self.customer = customer
            if self.customer.level != self.state.level:
                # With the name, which the site may not tell again after a restart.
                identified = Identified(level=self.customer.level, name=customer.name)
                await self._recorder.record("", identified)
        self.resume()
        self._summarise()

    def resume(self) -> None:
        """Continue unfinished work: an interrupted turn, waiting messages, late results."""
        if not self._closing:
            self._worker.go_on()

    async def record(self, entry: Entry, turn_id: str = "", *, durable: bool = False) -> None:
        """Append an entry outside a turn, such as an agent's message.

        It gets its number before any other code can run. Raises ``LogError`` if the log does not store it.
        """
        await self._recorder.record(turn_id, entry, durable=durable)

    async def record_long_call(self, turn_id: str, entry: LongCallEntry) -> None:
        """Record another process's report of a long call; an outcome is durable when this returns.

        A known report changes nothing. Raises ``LogError`` if the log does not store it.
        """
        await self._long_calls.note(turn_id, entry)

    async def decide_approval(self, turn_id: str, decided: ApprovalDecided) -> bool:
        """Record what a colleague decided about a waiting call; then it runs, or ends.

        False if it does not wait any more, because another colleague was faster. The decision is durable when this
        returns. Raises ``LogError``.
        """
        if not self.awaits_approval(turn_id, decided.call_id):
            return False
        await self._recorder.record(turn_id, decided, durable=True)
        self._worker.start()
        return True

    async def decide_review(self, turn_id: str, decided: ReviewDecided) -> bool:
        """Record what a colleague decided about the reply that waits; then the turn goes on.

        False if it does not wait any more. The decision is durable when this returns. Raises ``LogError``.
        """
        if not self.awaits_review(turn_id):
            return False
        await self._recorder.record(turn_id, decided, durable=True)
        self._worker.start()
        self._worker.tell_reviewed()
        return True

    def awaits_review(self, turn_id: str) -> bool:
        """Whether the reply of this turn waits for a colleague."""
        running = self.state.unfinished
        return running is not None and running.id == turn_id and running.awaiting_review

    def awaits_approval(self, turn_id: str, call_id: str) -> bool:
        """Whether this call waits for a decision of staff."""
        waiting = self.state.awaiting_approval
        return any((turn.id, call.id) == (turn_id, call_id) for turn, call in waiting)

    async def stop(self, turn_id: str | None = None) -> None:
        """Stop the running turn. Running lookups end by themselves and their results are kept.

        ``turn_id``: only if this turn is running.
        """
        await self._worker.stop(turn_id)

    async def heard(self, message_id: str, up_to: int) -> None:
        """Record how many characters of a message the customer has heard; 0: speech begins.

        From then on only the heard part counts as said. The entry gets its number before later entries. It is
        recorded only if it is farther than before, and may be lost when the log fails.
        """
        await self._delivery.heard(message_id, up_to)

    def report_delivery(self, message_id: str, how: Literal["sent", "seen"], up_to: int) -> None:
        """Record how far a message got, if it is farther than before. It may be lost when the log fails."""
        self._delivery.report_delivery(message_id, how, up_to)

    def typing(self) -> None:
        """Report that the customer is typing. For a while the assistant says nothing that only breaks a silence."""
        self._last_heard.typing = self._now()

    def note_typist(self, typist: Typist) -> None:
        """Show the page of the other one that the customer, or the agent, is typing."""
        self.typing_signals.note(typist, everywhere=self.state.handoff is not None)

    def came(self, last_seq: int) -> None:
        """Record that a client connected that had all entries up to ``last_seq``."""
        if self.state.seq:
            # A visit without a message stores no conversation.
            self._delivery.record_later(ClientConnected(last_seq=last_seq))

    def left(self, last_seq: int) -> None:
        """Record that a client disconnected that had received all entries up to ``last_seq``."""
        if self.state.seq:
            self._delivery.record_later(ClientDisconnected(last_seq=last_seq))

    async def rate(self, message_id: str, rating: Rating | None, text: str = "") -> bool:
        """Record a rating of a message; False if the assistant has not said the message, or is still saying it.

        Raises ``LogError`` if the log does not store it.
        """
        message = self.state.message(message_id)
        if message is None or message.kind is None:
            return False
        await self._recorder.record("", Rated(message_id=message_id, rating=rating, text=text))
        return True

    async def answered(self) -> None:
        """Wait until every message is answered and everything is on disk."""
        while (work := self._worker.task) is not None:
            await asyncio.shield(work)
        await self._recorder.settled()

    async def stored(self) -> None:
        """Wait until all entries recorded so far are on disk. Raises ``LogError`` if that fails."""
        await self._recorder.settled()

    async def appended(self) -> None:
        """Wait until the append that runs now has ended. The log may have its entries already, and another server
        may have shown them, before ``entries`` contains them.
        """
        await self._recorder.appended()

    async def at_rest(self) -> None:
        """Wait until nothing runs, including summaries and calls for which their turn did not wait."""
        while not self.rests:
            await self.answered()
            await self._summaries.done()
            for turn in self.state.turns:
                await self._calls.ended(turn.id, turn.running)
            await self._long_calls.at_rest()
            # Ended tasks are removed a moment later.
            await self.config.deps.clock.sleep(0)

    async def close(self, patience_s: float = 0.0) -> None:
        """Let the running turn continue for ``patience_s``, then leave it to the next process that opens the
        conversation.
        """
        self._closing = True
        work = self._worker.task
        if work is not None:
            await asyncio.wait({work}, timeout=patience_s)
            work.cancel()
            with suppress(asyncio.CancelledError):
                await work
        await self._summaries.close()
        await self._calls.close(patience_s)
        await self._delivery.taken()
        with suppress(LogError):
            await self._recorder.settled()

    def stop_recording(self, why: LogError) -> None:
        """Refuse further entries, and notify the listeners."""
        self._recorder.stop_recording(why)

    def release(self) -> None:
        """End an idle session: it has ``failed``, and its memory is free as soon as no caller holds it.

        Its parts refer back to it, so otherwise it would stay in memory until Python looks for unused objects.
        """
        self.stop_recording(LogError("this conversation was closed because it was idle"))
        self._recorder.stop_publishing()
        del self._worker, self._calls, self._long_calls, self._summaries, self.takeover

    def _transform(self) -> Transform | None:
        return self.config.deps.transform

    def _now(self) -> float:
        return self.config.deps.clock.monotonic()

    async def _choose_config(self) -> None:
        """Continue with another version if staff have paused this one. The conversation then stays with it."""
        version = self.config
        if version.deps.pauses is None:
            return
        paused = await version.deps.pauses.now()
        if paused.has("version", version.bundle):
            self._config = await self._configs.version_instead(version, paused)

    def _begun_on(self) -> ConfigVersion:
        """The version, which stays the same from now on."""
        self._config = self.config
        return self._config

    def _publish(self, batch: Sequence[Logged]) -> None:
        if not batch:
            # The session has ended here; another server may continue the running work.
            self._long_calls.abandon()
        self.entries.extend(batch)
        self._listeners.notify(batch)
        if self._changed is not None:
            self._changed(self.key, batch)
        if self._telemetry is not None:
            self._telemetry.stored(self.key, self.entries, batch)
        if self.state.late:
            self.resume()
        if any(isinstance(logged.entry, TurnEnded | Snapshot) for logged in batch):
            self._summarise()

    def _summarise(self) -> None:
        self._summaries.start()

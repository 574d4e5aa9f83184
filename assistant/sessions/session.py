"""One live conversation: takes messages, answers them one after the other, and tells its listeners."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Literal, TypeAlias

import structlog

from assistant.conversation.entries import (
    Cause,
    ConfirmationAsked,
    Connected,
    CustomerSaid,
    Disconnected,
    Entry,
    Identified,
    Logged,
    Rated,
    Rating,
    Told,
    TurnStarted,
)
from assistant.conversation.people import ConversationKey, Customer
from assistant.conversation.state import ConversationState
from assistant.errors import LogError
from assistant.ports import Log
from assistant.sessions.call_tasks import SessionCalls
from assistant.sessions.editions import Edition, Editions
from assistant.sessions.listeners import Listeners
from assistant.sessions.recorder import Recorder
from assistant.sessions.taking import Taking, go_on_after_cancelling
from assistant.turn.finish import finish_interrupted, finish_lost
from assistant.turn.mend import mend
from assistant.turn.record import Record
from assistant.turn.running_turn import RunningTurn
from assistant.turn.turn import take_turn
from assistant.turn.views import Views

log = structlog.get_logger(__name__)

Taken: TypeAlias = Literal["accepted", "known", "busy"]
Listener: TypeAlias = Callable[[Sequence[Logged]], None]

MOST_QUEUED = 5
"""So many messages may wait while a turn runs."""


class Session:
    """A conversation that is open in this process; the only one that writes it.

    Args:
        entries: the conversation's log so far.
        editions: gives the newest edition, when the conversation begins.
        edition: the one that it is on, once it has begun.
        epoch: changes when the numbering of entries begins anew.
    """

    def __init__(
        self,
        *,
        key: ConversationKey,
        entries: Sequence[Logged],
        editions: Editions,
        edition: Edition | None = None,
        log: Log,
        epoch: str,
    ) -> None:
        self.key, self.epoch = key, epoch
        self.state = ConversationState(entries)
        self.customer = Customer(tenant=key.tenant, id=key.customer, level=self.state.level)
        self.entries: list[Logged] = list(entries)
        self._editions, self._edition = editions, edition
        clock = self.edition.parts.clock
        self._recorder = Recorder(key, self.state, log, clock, self._publish)
        self._calls = SessionCalls(clock)
        self._views = Views()
        self._listeners = Listeners[Sequence[Logged]]()
        self._worker: asyncio.Task[None] | None = None
        self._taking: Taking | None = None
        self._notes: set[asyncio.Task[None]] = set()

    @property
    def edition(self) -> Edition:
        """The prompts and tools of this conversation: the newest until it begins, the same ones ever after."""
        return self._edition or self._editions.newest

    def doing(self, tool: str, locale: str) -> str:
        """What a tool's chip says in this conversation: "looking up your appointments"; "" for no hint."""
        return self.edition.doing(tool, locale)

    @property
    def question(self) -> ConfirmationAsked | None:
        """The read-back that waits for an answer, if there is one."""
        return self.state.question

    @property
    def failed(self) -> bool:
        """Whether the log refused an entry: this session is over, the conversation must be opened again."""
        return self._recorder.failure is not None

    @property
    def idle(self) -> bool:
        """Whether nothing is going on and nobody listens."""
        unused = self._worker is None and not self._listeners
        return unused and self._calls.idle and self._recorder.idle

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Hand ``listener`` every batch of entries that becomes durable from now on, in order.

        An empty batch says that the session has ``failed``.
        Gives back what stops it. A listener must not block or raise.
        """
        return self._listeners.add(listener)

    async def say(
        self,
        *,
        client_message_id: str,
        text: str,
        locale: str,
        button: Literal["yes", "no"] | None = None,
    ) -> Taken:
        """Take a customer's message: queued for a turn, known already, or refused for now.

        Raises ``LogError`` when the log does not take it.
        """
        if client_message_id in self.state.client_ids:
            return "known"
        if len(self.state.waiting) >= MOST_QUEUED:
            return "busy"
        said = CustomerSaid(
            message_id=f"u{len(self.state.said) + 1}",
            client_message_id=client_message_id,
            text=text,
            locale=self._language_of("" if button else text, page=locale),
            button=button,
        )
        # The worker first: the model is asked, and the turn's first entries join this one on its way to the
        # disk, before the append begins.
        self._start_working()
        await self._recorder.record("", said)
        return "accepted"

    def _language_of(self, text: str, page: str) -> str:
        """The language of a message; where its words do not tell, the last message's, or else the page's."""
        last = next(reversed(self.state.said.values()), None)
        return self.edition.parts.book.language_of(text, last.locale if last else page, page=page)

    async def welcome(self, customer: Customer | None) -> None:
        """Somebody has come whom the identity port vouches for (None: nobody yet); go on where it stopped."""
        if customer is not None:
            self.customer = customer
            if customer.level != self.state.level:
                await self._recorder.record("", Identified(level=customer.level))
        self.resume()

    def resume(self) -> None:
        """Go on with whatever is unanswered: a turn that was cut off, or messages that wait."""
        if self.state.unfinished is not None or self.state.waiting:
            self._start_working()

    async def stop(self, turn_id: str | None = None) -> None:
        """Stop what is being said. Lookups under way end by themselves and are kept.

        ``turn_id``: only if this turn is the running one.
        """
        taking = self._taking
        if taking is None or self._worker is None or turn_id not in (None, taking.turn_id):
            return
        await taking.stop(self._worker)

    def tell(self, message_id: str, how: Literal["sent", "seen", "heard"], up_to: int) -> None:
        """Note how far a message got; lost when the log fails, which loses nothing that was said."""
        self._note(Told(message_id=message_id, how=how, up_to=up_to))

    def came(self, last_seq: int) -> None:
        """Note that a client has come, which had every entry up to ``last_seq``."""
        if self.state.seq:
            # Whoever only looks in leaves no conversation behind.
            self._note(Connected(last_seq=last_seq))

    def left(self, last_seq: int) -> None:
        """Note that a client is gone, which had been sent every entry up to ``last_seq``."""
        if self.state.seq:
            self._note(Disconnected(last_seq=last_seq))

    async def rate(self, message_id: str, rating: Rating | None, text: str = "") -> bool:
        """Note what the customer thinks of a message; False when the assistant has not said it, or not yet.

        Raises ``LogError`` when the log does not take it.
        """
        messages = (message for turn in self.state.turns for message in turn.messages)
        if not any(message.id == message_id and message.kind is not None for message in messages):
            return False
        await self._recorder.record("", Rated(message_id=message_id, rating=rating, text=text))
        return True

    async def answered(self) -> None:
        """Wait until nothing is left to answer and everything is durable."""
        while self._worker is not None:
            await asyncio.shield(self._worker)
        await self._recorder.settled()

    async def close(self, patience_s: float = 0.0) -> None:
        """Let the running turn end for a while, then leave it to whoever opens the conversation next."""
        worker = self._worker
        if worker is not None:
            await asyncio.wait({worker}, timeout=patience_s)
            worker.cancel()
            with suppress(asyncio.CancelledError):
                await worker
        await self._calls.close(patience_s)
        await asyncio.gather(*self._notes)
        with suppress(LogError):
            await self._recorder.settled()

    def _start_working(self) -> None:
        if self._worker is None:
            self._worker = asyncio.create_task(self._work())

    async def _work(self) -> None:
        """Answer everything there is to answer, one turn after the other."""
        try:
            await self._settle_lost_calls()
            while self.state.unfinished is not None or self.state.waiting:
                await self._take_turn()
        except LogError as error:
            log.error("conversation closed", conversation=self.key.conversation, error=str(error))
        finally:
            self._worker = None

    async def _take_turn(self) -> None:
        turn = await self._turn_to_take()
        record: Record = partial(self._recorder.record, turn.state.id)
        taking = self._taking = Taking(turn.state.id)
        try:
            await take_turn(turn, self.edition.parts, record)
        except asyncio.CancelledError:
            if not taking.stopped:
                # The session closes. The log says how far the turn got; whoever opens it next goes on.
                raise
            go_on_after_cancelling()
            await finish_interrupted(turn, self.edition.parts, record)
        except LogError:
            raise
        except Exception:
            # A bug of ours must not leave the customer without an answer, nor the next message.
            log.exception("turn failed", conversation=self.key.conversation)
            await mend(turn, self.edition.parts, record)
        finally:
            self._taking = None
            taking.over.set()

    async def _turn_to_take(self) -> RunningTurn:
        """The turn that was cut off, or a new one for the message that has waited longest."""
        if self.state.unfinished is None:
            message = self.state.waiting[0]
            turn_id = f"t{len(self.state.turns) + 1}"
            cause: Cause = "confirmation" if self.state.question is not None else "message"
            self._edition = self.edition
            bundle = self.edition.bundle
            started = TurnStarted(turn_id=turn_id, message_id=message.message_id, cause=cause, bundle=bundle)
            await self._recorder.record(turn_id, started)
        return RunningTurn(
            key=self.key,
            customer=self.customer,
            state=self.state.turns[-1],
            conversation=self.state,
            views=self._views,
            tasks=self._calls,
            deadline=self.edition.parts.clock.monotonic() + self.edition.parts.limits.tools_s,
        )

    async def _settle_lost_calls(self) -> None:
        """Give calls that outlived their turn, but not their process, an outcome."""
        for turn in self.state.turns:
            if turn.how is not None:
                await finish_lost(turn, self._calls, partial(self._recorder.record, turn.id))

    def _publish(self, batch: Sequence[Logged]) -> None:
        self.entries.extend(batch)
        self._listeners.tell(batch)

    def _note(self, entry: Entry) -> None:
        """Record what nobody waits for."""
        task = asyncio.create_task(self._noted(entry))
        self._notes.add(task)
        task.add_done_callback(self._notes.discard)

    async def _noted(self, entry: Entry) -> None:
        with suppress(LogError):
            await self._recorder.record("", entry)

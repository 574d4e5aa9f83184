"""Answers the messages of one conversation, one turn after the other."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import structlog

from assistant.conversation.customer import ConversationKey, Customer, CustomerCredential
from assistant.conversation.entries import Cause, CustomerMessage, TurnStarted
from assistant.conversation.state import ConversationState
from assistant.conversation.turn_state import TurnState
from assistant.errors import BeingErased, LogError
from assistant.sessions.config_version import ConfigVersion
from assistant.sessions.fair_steps import run_fairly
from assistant.sessions.recorder import Recorder
from assistant.sessions.tool_tasks import ToolTasks
from assistant.telemetry.context import begin_work
from assistant.turn.confirmation_rules import has_agreed_calls_to_start
from assistant.turn.context import LastHeard, Record, RunningTurn, TurnDependencies
from assistant.turn.finish import (
    carry_out_decisions,
    finish_interrupted_turn,
    finish_lost_calls,
    recover_turn,
)
from assistant.turn.supervision import Supervised
from assistant.turn.turn import take_turn
from assistant.turn.undelivered import turn_with_late_result
from assistant.turn.view_builder import ViewBuilder

if TYPE_CHECKING:
    from assistant.telemetry.observer import TenantTelemetry


@dataclass(slots=True)
class TurnCancellation:
    """A running turn. ``stopped``: only the turn must end, the worker continues; ``over`` is set when it has
    ended. ``reviewed`` is set when a colleague has decided about its reply.
    """

    turn_id: str
    stopped: bool = False
    over: asyncio.Event = field(default_factory=asyncio.Event)
    reviewed: asyncio.Event = field(default_factory=asyncio.Event)

    def cancel_turn(self, worker: asyncio.Task[None]) -> None:
        """Cancel the turn; further calls do nothing."""
        if not self.stopped:
            self.stopped = True
            worker.cancel()


def go_on_after_cancelling() -> bool:
    """Clear a cancellation that was meant for the turn only, so that this task's timeouts do not treat it as
    theirs.

    Returns whether there was a second cancellation at the same moment, for the worker.
    """
    task = asyncio.current_task()
    return task is not None and task.uncancel() > 0


log = structlog.get_logger(__name__)


class TakeoverHandler(Protocol):
    """Decides whether another party, such as an agent, answers the customer in place of the assistant."""

    async def take_over(self, said: CustomerMessage) -> bool:
        """Forward this message to the agent, and record ``ForwardedToAgent``.

        Returns False, and does nothing, if the assistant must answer the message.
        """
        ...

    async def after_turn(self) -> None:
        """Called after each turn, before the next begins: brings the conversation to agents if a rule says so."""
        ...

    async def ask_for_person(self, turn_id: str, why: str) -> None:
        """Ask for an agent because staff supervise this turn, unless one has been asked for."""
        ...

    async def perform_action(self, action: str, options: Mapping[str, Any]) -> None:
        """Begin the action of an agent on another server."""
        ...


class Worker:
    """Answers the messages of one conversation until none is left.

    Args:
        choose_config: called before each turn, to replace a version that is paused.
        config: returns the conversation's prompts and tools.
        customer: returns the customer, as far as they are known at that moment.
        credential: returns the customer's own credential; None if there is none, or if it has expired.
        last_heard: the times of the last signs of activity, such as typing.
        restored_seq: the number of the last entry that a restored backup had; 0 for none.
        takeover: gets each waiting message first; a message that it takes is not answered here.
        telemetry: says which turns are traced; None: none is.
    """

    def __init__(
        self,
        *,
        key: ConversationKey,
        state: ConversationState,
        recorder: Recorder,
        calls: ToolTasks,
        choose_config: Callable[[], Awaitable[None]],
        config: Callable[[], ConfigVersion],
        customer: Callable[[], Customer],
        credential: Callable[[], CustomerCredential | None],
        last_heard: LastHeard,
        takeover: TakeoverHandler | None,
        views: ViewBuilder,
        restored_seq: int = 0,
        telemetry: "TenantTelemetry | None" = None,
    ) -> None:
        self._key, self._state, self._telemetry = key, state, telemetry
        self._recorder, self._calls = recorder, calls
        self._config, self._choose_config = config, choose_config
        self._customer, self._credential = customer, credential
        self._last_heard, self._takeover = last_heard, takeover
        self._views, self._restored_seq = views, restored_seq
        self._task: asyncio.Task[None] | None = None
        self._cancellation: TurnCancellation | None = None

    @property
    def idle(self) -> bool:
        """Whether it has nothing to do, or has not started yet."""
        return self._task is None

    @property
    def task(self) -> asyncio.Task[None] | None:
        """Its current task, which ends when no work is left."""
        return self._task

    def start(self) -> None:
        """Start work. Does nothing if it is already working."""
        if self._task is None:
            self._task = asyncio.create_task(self._work())

    def go_on(self) -> None:
        """Start work if there is any: an interrupted turn, waiting messages, late results."""
        state = self._state
        if (
            state.unfinished is not None
            or state.waiting
            or state.late
            or any(self._awaits(turn) or turn.approval_decided for turn in state.unsettled)
        ):
            self.start()

    def make_way(self, said: CustomerMessage) -> None:
        """Stop the running turn for a newer message, unless it still has to start calls that the customer
        agreed to.
        """
        if self._cancellation is None:
            return
        turn, deps = self._state.turn(self._cancellation.turn_id), self._config().deps
        earlier = self._state.turns[: self._state.turns.index(turn)]
        if not has_agreed_calls_to_start(turn, earlier, said, deps):
            self.interrupt()

    def tell_reviewed(self) -> None:
        """Let the running turn go on, because a colleague has decided about its reply."""
        if self._cancellation is not None:
            self._cancellation.reviewed.set()

    def interrupt(self) -> None:
        """Cancel the running turn, if there is one, without waiting for its end."""
        if self._cancellation is not None and self._task is not None:
            self._cancellation.cancel_turn(self._task)

    async def stop(self, turn_id: str | None) -> None:
        """Stop the running turn if it has this id or the id is None, and wait until it has ended."""
        cancellation = self._cancellation
        if cancellation is not None and turn_id in (None, cancellation.turn_id):
            self.interrupt()
            await cancellation.over.wait()

    async def _work(self) -> None:
        """Do all work that there is."""
        self._begin_work("")
        try:
            await self._settle_lost_calls()
            while self._state.unfinished is not None or await self._begin():
                await self._take_turn()
        except BeingErased:
            log.info("conversation closed: its customer is being erased", conversation=self._key.conversation)
        except LogError as error:
            log.error("conversation closed", conversation=self._key.conversation, error=str(error))
        finally:
            self._task = None

    async def _begin(self) -> bool:
        """Begin a turn for the oldest waiting message, otherwise for late results; False if there are none.

        Calls that a colleague has approved meanwhile start first.
        """
        await self._carry_out_decisions()
        while self._state.waiting:
            said = self._state.waiting[0]
            if not await self._is_taken_over(said):
                cause: Cause = "confirmation" if self._state.question is not None else "message"
                await self._start_turn(said.message_id, cause)
                return True
        late = self._late()
        if late is not None:
            await self._start_turn(late.message.message_id, "late_result")
        return late is not None

    async def _start_turn(self, message_id: str, cause: Cause) -> None:
        await self._choose_config()
        turn_id = f"t{len(self._state.turns) + 1}"
        bundle = self._config().bundle
        started = TurnStarted(turn_id=turn_id, message_id=message_id, cause=cause, bundle=bundle)
        await self._recorder.record(turn_id, started)

    async def _take_turn(self) -> None:
        """Run the turn that has begun to its end."""
        deps = self._config().deps
        turn = self._running(self._state.turns[-1], deps)
        record = Supervised(turn.state, partial(self._recorder.record, turn.state.id))
        self._begin_work(turn.state.id)
        cancellation = self._cancellation = TurnCancellation(turn.state.id, reviewed=turn.reviewed)
        try:
            await run_fairly(self._key.tenant, partial(take_turn, turn, deps, record))
        except asyncio.CancelledError:
            if not cancellation.stopped:
                # The session closes. The log shows how far the turn got; the next process that opens it
                # continues.
                raise
            closes = go_on_after_cancelling()
            await finish_interrupted_turn(turn, deps, record)
            if closes:
                raise
        except LogError:
            raise
        except Exception:
            # Our own bug must not prevent an answer to this message or to the next.
            log.exception("turn failed", conversation=self._key.conversation)
            await recover_turn(turn, deps, record)
        finally:
            self._cancellation = None
            self._views.forget_large()
            cancellation.over.set()
        if deps.spending is not None:
            await deps.spending.count_turn(self._key, self._state, turn.state)
        if self._takeover is not None:
            await self._takeover.after_turn()

    def _begin_work(self, turn_id: str) -> None:
        share = self._telemetry.share if self._telemetry is not None else None
        begin_work(self._key.tenant, self._key.conversation, turn_id, share)

    def _running(self, state: TurnState, deps: TurnDependencies) -> RunningTurn:
        return RunningTurn(
            key=self._key,
            vouched=self._customer(),
            credential=self._credential,
            state=state,
            conversation=self._state,
            views=self._views,
            tasks=self._calls,
            last_heard=self._last_heard,
            from_backup=self._state.placed[state.message.message_id] <= self._restored_seq,
            deadline=deps.clock.monotonic() + deps.limits.tools_s,
            ask_for_person=self._takeover.ask_for_person if self._takeover is not None else None,
        )

    async def _is_taken_over(self, said: CustomerMessage) -> bool:
        if self._takeover is None or not await self._takeover.take_over(said):
            return False
        return said not in self._state.waiting

    def _late(self) -> TurnState | None:
        """The turn whose late results are to be told now; None while an agent has the conversation."""
        handoff = self._state.handoff
        if handoff is not None and handoff.state == "accepted":
            return None
        return turn_with_late_result(self._state, self._config().deps.tools)

    def _awaits(self, turn: TurnState) -> bool:
        """Whether the customer waits for a call of this ended turn that has no task any more."""
        return turn.how is not None and any(
            turn.is_pending(call) and not self._calls.running(turn.id, call.id) for call in turn.running
        )

    async def _carry_out_decisions(self) -> None:
        """Start calls that staff have approved, and end those that they have declined."""
        for state in tuple(self._state.unsettled):
            if state.approval_decided:
                deps = self._config().deps
                if deps.pauses is not None:
                    await deps.pauses.now()
                record: Record = partial(self._recorder.record, state.id)
                await carry_out_decisions(self._running(state, deps), deps, record)

    async def _settle_lost_calls(self) -> None:
        """Give an outcome to calls that ran when their turn ended, and that have no task any more."""
        # Only these turns can have such calls: searching a long conversation for each message would be slow.
        for state in tuple(self._state.unsettled):
            if state.how is not None and state.running:
                deps = self._config().deps
                record: Record = partial(self._recorder.record, state.id)
                await finish_lost_calls(self._running(state, deps), deps, record)

"""Follows a plan: each call as early as what it waits for allows, none of them silencing another."""

import asyncio
from collections.abc import Collection, Iterable

from assistant.conversation.calls import Call
from assistant.conversation.entries import CallEnded
from assistant.conversation.outcomes import CallCancelled, CallUnknown
from assistant.tooling.execute import Ready, prepare
from assistant.tooling.outcomes import identified
from assistant.turn.decision import Decision
from assistant.turn.parts import Parts
from assistant.turn.plan.agreed import HELD, is_held, must_be_confirmed
from assistant.turn.plan.begin import begin
from assistant.turn.plan.first_calls import FirstCalls
from assistant.turn.plan.known import ended_as_known
from assistant.turn.plan.plan import Step, plan
from assistant.turn.plan.real_call import with_values
from assistant.turn.read_back import prepare_question
from assistant.turn.record import Record
from assistant.turn.running_turn import RunningTurn


async def follow(turn: RunningTurn, decision: Decision, parts: Parts, record: Record) -> None:
    """See to every call of the decision that neither ended nor runs: start it, end it, or prepare the question.

    Returns when there is nothing left to start; what runs may run on. Cancelling starts nothing more.
    """
    left = {call.id for call in decision.calls if not _is_under_way(call, turn)}
    if not left:
        return
    steps = plan(decision.calls, [call.id for call in decision.calls if _writes(call, parts)])
    course = _Course(left, turn, decision.round, parts, record)
    try:
        async with asyncio.TaskGroup() as group:
            for step in steps:
                if step.call.id in left:
                    group.create_task(course.see_to(step))
    except ExceptionGroup as failed:
        # A log that fails ends the turn whoever notices it first; the others notice the same.
        raise failed.exceptions[0] from None


class _Course:
    """Steps that wait for one another."""

    def __init__(
        self, left: Iterable[str], turn: RunningTurn, round_: int, parts: Parts, record: Record
    ) -> None:
        self._turn, self._round, self._parts, self._record = turn, round_, parts, record
        self._done = {call_id: asyncio.Event() for call_id in left}
        self._firsts = FirstCalls(turn.state, parts.tools)

    async def see_to(self, step: Step) -> None:
        """Wait for what the step waits for, then do it: its call runs then, has ended, or waits for a yes."""
        try:
            await self._ended(step.after)
            await self._ended(self._stand_ins(step))
            await self._do(step)
        finally:
            self._done[step.call.id].set()

    async def _do(self, step: Step) -> None:
        turn, parts, record = self._turn, self._parts, self._record
        real = with_values(step, turn.state)
        ready = prepare(real, parts.tools, turn.customer) if isinstance(real, Call) else real
        # Before a crash, and nobody saw how it ended.
        had_begun = step.call.id in turn.state.started
        if not isinstance(ready, Ready):
            if had_begun and _may_write(ready.call, parts):
                # The tool is gone since, or refuses now; what it had begun may be done all the same.
                ready = CallUnknown(call=ready.call)
            elif had_begun and _has_identified(ready.call, turn, parts):
                ready = identified(ready.call, turn.customer)
            await record(CallEnded(outcome=ready))
            return
        spec = ready.tool.spec
        if spec.effect == "write" and had_begun:
            await self._settle(ready)
        elif await ended_as_known(ready, self._firsts, turn, parts, record):
            pass
        elif spec.effect == "write" and is_held(ready, turn, parts):
            await record(CallEnded(outcome=CallCancelled(call=ready.call, why=HELD)))
        elif must_be_confirmed(ready, turn, self._round, parts):
            await prepare_question(ready, turn, parts, record)
        else:
            await begin(ready, turn, parts, record)

    async def _settle(self, ready: Ready) -> None:
        """See a side effect to its end that had begun: nothing holds it any more, and it must not run twice."""
        if ready.tool.spec.idempotent:
            await begin(ready, self._turn, self._parts, self._record)
        else:
            await self._record(CallEnded(outcome=await self._turn.tasks.found_out(ready, self._turn)))

    def _stand_ins(self, step: Step) -> list[str]:
        """The calls whose results stand for those of the step's sources, which were the same."""
        sources = map(self._turn.state.outcomes.get, step.sources.values())
        return [one.same_as for one in sources if isinstance(one, CallCancelled) and one.same_as]

    async def _ended(self, call_ids: Collection[str]) -> None:
        """Wait until these calls have ended or wait for a yes, or there is no time to wait any longer."""
        for id_ in call_ids:
            if (done := self._done.get(id_)) is not None:
                await done.wait()
        turn = self._turn
        running = [turn.state.requested[id_] for id_ in call_ids if id_ not in turn.state.outcomes]
        if running:
            await turn.tasks.ended(turn.state.id, running, turn.deadline)


def _writes(call: Call, parts: Parts) -> bool:
    return call.tool in parts.tools and parts.tools.get(call.tool).spec.effect == "write"


def _has_identified(call: Call, turn: RunningTurn, parts: Parts) -> bool:
    """Whether a call found out who the customer is, and a crash came before its end was recorded."""
    known = turn.customer.known and call.tool in parts.tools
    return known and parts.tools.get(call.tool).spec.role == "identifies"


def _may_write(call: Call, parts: Parts) -> bool:
    return call.tool not in parts.tools or _writes(call, parts)


def _is_under_way(call: Call, turn: RunningTurn) -> bool:
    return call.id in turn.state.outcomes or turn.tasks.running(turn.state.id, call.id)

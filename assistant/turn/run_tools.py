"""Runs a decision's calls: each as early as possible, side effects one after the other; a failure affects no
other call.

``plan_calls`` makes a graph of the calls, ``run_plan`` handles each of its steps. References to results are
filled in when their sources have ended.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import structlog

from assistant.conversation.calls import Call, round_of
from assistant.conversation.entries import CallEnded, CallsPending
from assistant.conversation.outcomes import (
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallUnknown,
    Outcome,
    OutcomeName,
    outcome_name,
)
from assistant.conversation.turn_state import TurnState
from assistant.conversation.values import Json
from assistant.tools.execute import prepare
from assistant.tools.outcomes import identified_outcome
from assistant.tools.references import BadReference, Reference, fill_in, has_references, link_references
from assistant.tools.tool import PreparedCall
from assistant.turn.approval import needs_approval, request_approval
from assistant.turn.confirmation_rules import HELD_BACK, is_held_back, must_be_confirmed
from assistant.turn.context import Decision, Record, RunningTurn, TurnDependencies, rules_for
from assistant.turn.read_back import clause_of, prepare_question
from assistant.turn.start_call import FirstCalls, ended_without_running, prepare_within_rules, start_call

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call of a decision.

    ``sources``: the references in its arguments, and the ids of the calls that they refer to. ``after``: the
    ids of the calls that must have ended before it starts, including its sources. ``fault``: why it cannot run.
    """

    call: Call
    sources: Mapping[Reference, str] = field(default_factory=dict[Reference, str])
    after: frozenset[str] = frozenset()
    fault: BadReference | None = None


def plan_calls(calls: Sequence[Call], writes: Collection[str]) -> tuple[Step, ...]:
    """Plan the calls of one decision, in the order they were decided; the plan has no circle.

    A lookup waits for the calls that it refers to. A side effect (its id is among ``writes``) also waits for
    the side effect decided before it. If it refers to nothing, so that its dependencies are unknown, it also
    waits for all lookups except those that need its own result, or the result of a later side effect.
    """
    links = link_references(calls)
    in_order = [call.id for call in calls if call.id in writes]
    lookups = (
        {call.id: links.needed_by(call.id) for call in calls if call.id not in writes} if in_order else {}
    )
    before = frozenset[str]()
    steps: list[Step] = []
    for call in calls:
        sources = links.sources.get(call.id, {})
        fault = links.faults.get(call.id)
        if fault is not None:
            step = Step(call=call, fault=fault)
        elif call.id not in writes:
            step = Step(call=call, sources=sources, after=frozenset(sources.values()))
        elif too_late := links.needed_by(call.id).intersection(in_order[in_order.index(call.id) :]):
            step = Step(call=call, fault=_too_late(call, calls, too_late))
        else:
            from_here = in_order[in_order.index(call.id) :]
            may_matter = (id_ for id_, needs in lookups.items() if not needs.intersection(from_here))
            step = Step(call=call, sources=sources, after=before.union(sources.values() or may_matter))
            before = frozenset((call.id,))
        steps.append(step)
    return tuple(steps)


def _too_late(call: Call, calls: Sequence[Call], needed: Collection[str]) -> BadReference:
    tools = ", ".join(sorted({repr(other.tool) for other in calls if other.id in needed}))
    return BadReference(
        f"{call.tool!r} needs the result of {tools}, which is decided after it; side effects run in the order they "
        "are decided, so that one has to come first"
    )


_LACKING: Final[Mapping[OutcomeName, str]] = {
    "failed": "failed",
    "timed_out": "took too long",
    "cancelled": "did not run",
    "denied": "was not allowed",
    "awaiting_confirmation": "waits for the customer's yes",
    "unknown": "ended in an unknown way",
}


def fill_references(step: Step, state: TurnState) -> Call | CallCancelled | CallFailed:
    """The step's call with its values filled in, or its outcome if a source has no such value. Pure."""
    call = step.call
    if step.fault is not None:
        return failed_reference(call, step.fault)
    if not step.sources:
        return call
    results: dict[str, Json] = {}
    found_nothing: list[str] = []
    for reference, source in step.sources.items():
        outcome = outcome_of(source, state)
        if not isinstance(outcome, CallSucceeded | CallEmpty):
            runs = source in state.started or source in state.approvals
            return CallCancelled(call=call, why=_lacking(reference, outcome, running=runs))
        results[source] = outcome.value
        if isinstance(outcome, CallEmpty):
            found_nothing.append(repr(str(reference)))
    try:
        arguments = fill_in(call.arguments, lambda reference: results[step.sources[reference]])
    except BadReference as bad:
        if found_nothing:
            # This is not a mistake: the source had no result, and the customer should hear that.
            why = f"it needs something that {' and '.join(found_nothing)} did not find"
            return CallCancelled(call=call, why=why)
        return failed_reference(call, bad)
    return replace(call, arguments=arguments)


def resolved_call(call: Call, state: TurnState) -> Call:
    """A call of a turn with the values that its sources have found; unchanged if they are unknown."""
    if not has_references(call.arguments):
        return call
    links = link_references(state.round(round_of(call.id)).calls)
    step = Step(call=call, sources=links.sources.get(call.id, {}), fault=links.faults.get(call.id))
    real = fill_references(step, state)
    return real if isinstance(real, Call) else call


def outcome_of(call_id: str, state: TurnState) -> Outcome | None:
    """How a call ended; for a duplicate, how the first call ended. None: it has not ended."""
    outcome = state.outcomes.get(call_id)
    while isinstance(outcome, CallCancelled) and outcome.duplicate_of:
        outcome = state.outcomes.get(outcome.duplicate_of)
    return outcome


def failed_reference(call: Call, bad: BadReference) -> CallFailed:
    """The outcome of a call whose reference cannot be resolved."""
    return CallFailed(call=call, say=bad.say, for_model=f"{bad}.")


def _lacking(reference: Reference, outcome: Outcome | None, *, running: bool) -> str:
    if outcome is not None:
        lacks = _LACKING[outcome_name(outcome)]
    else:
        lacks = "has no result yet" if running else "waits for the customer's yes"
    return f"it needs the result of {str(reference)!r}, which {lacks}"


async def run_plan(turn: RunningTurn, decision: Decision, deps: TurnDependencies, record: Record) -> None:
    """Handle each call of the decision that neither ended nor runs: start it, end it, or prepare the
    question.

    Returns when nothing is left to start; running calls continue. Cancelling starts nothing more.
    """
    left = {call.id for call in decision.calls if not _is_under_way(call, turn)}
    if not left:
        return
    steps = plan_calls(decision.calls, [call.id for call in decision.calls if _writes(call, deps)])
    steps = order_by_rules(steps, {call.tool: _needed(call.tool, turn, deps) for call in decision.calls})
    run = _PlanRun(left, turn, decision.round, deps, record)
    try:
        async with asyncio.TaskGroup() as group:
            for step in steps:
                if step.call.id in left:
                    group.create_task(run.see_to(step))
    except ExceptionGroup as errors:
        # A log that fails ends the turn. All steps raise the same error.
        raise errors.exceptions[0] from None


def order_by_rules(steps: Sequence[Step], needed: Mapping[str, Collection[str]]) -> tuple[Step, ...]:
    """Let each call wait for other calls of the decision that its tool's rules need; the plan keeps no circle.

    ``needed`` has the tools that each tool needs. If two calls would wait for each other, the existing order
    stays, and the rule denies the call.
    """
    after = {step.call.id: set(step.after) for step in steps}

    def waits_for(id_: str, other: str) -> bool:
        return id_ == other or any(waits_for(one, other) for one in after.get(id_, ()))

    for step in steps:
        for other in steps:
            if other.call.tool in needed.get(step.call.tool, ()) and not waits_for(
                other.call.id, step.call.id
            ):
                after[step.call.id].add(other.call.id)
    return tuple(replace(step, after=frozenset(after[step.call.id])) for step in steps)


def _needed(tool: str, turn: RunningTurn, deps: TurnDependencies) -> Collection[str]:
    rules = rules_for(tool, turn, deps)
    asked = (name for rule in rules for condition in rule.only_if for name in condition.tools)
    return {*(name for rule in rules for name in rule.only_after), *asked}


class _PlanRun:
    """The run of a plan, whose steps wait for one another."""

    def __init__(
        self, left: Iterable[str], turn: RunningTurn, round_: int, deps: TurnDependencies, record: Record
    ) -> None:
        self._turn, self._round, self._deps, self._record = turn, round_, deps, record
        self._done = {call_id: asyncio.Event() for call_id in left}
        self._firsts = FirstCalls(turn.state, deps.tools)

    async def see_to(self, step: Step) -> None:
        """Wait for the calls before the step, then handle it: its call then runs, has ended, or waits for a yes."""
        try:
            await self._ended(step.after)
            await self._ended(self._stand_ins(step))
            await self._do(step)
        finally:
            self._done[step.call.id].set()

    async def _do(self, step: Step) -> None:
        turn, deps, record = self._turn, self._deps, self._record
        if deps.pauses is not None:
            await deps.pauses.now()
        real = fill_references(step, turn.state)
        # The call began before a crash, and its end is not known. Rules apply only to calls that begin.
        had_begun = step.call.id in turn.state.started
        if not isinstance(real, Call):
            ready: PreparedCall | Outcome = real
        elif had_begun:
            ready = prepare(real, deps.tools, turn.customer)
        else:
            ready = prepare_within_rules(real, turn, deps)
        if not isinstance(ready, PreparedCall):
            if had_begun and _may_write(ready.call, deps):
                # The tool is removed since, or refuses now; the call that had begun may still have run.
                ready = CallUnknown(call=ready.call)
            elif had_begun and _has_identified(ready.call, turn, deps):
                ready = identified_outcome(ready.call, turn.customer)
            elif isinstance(ready, CallDenied):
                log.info("call denied", call=ready.call.id, tool=ready.call.tool, why=ready.for_model)
            await record(CallEnded(outcome=ready))
            return
        spec = ready.tool.spec
        if had_begun and (spec.effect == "write" or ready.call.id in turn.state.long):
            await self._settle(ready)
        elif await ended_without_running(ready, self._firsts, turn, deps, record):
            pass
        elif spec.effect == "write" and is_held_back(ready, turn, deps):
            await record(CallEnded(outcome=CallCancelled(call=ready.call, why=HELD_BACK)))
        elif must_be_confirmed(ready, turn, self._round, deps):
            await prepare_question(ready, turn, deps, record)
        elif spec.effect == "write" and turn.from_backup:
            # The lost history may have run it, with an idempotency key that is also lost.
            await record(CallEnded(outcome=CallUnknown(call=ready.call)))
        elif needs_approval(ready, turn):
            await request_approval(ready, turn, record)
        else:
            await start_call(ready, turn, deps, record)

    async def _settle(self, ready: PreparedCall) -> None:
        """Finish a call that had begun before a crash: it is not held back again, and a write must not run
        twice.
        """
        if ready.tool.spec.idempotent and ready.call.id not in self._turn.state.long:
            await start_call(ready, self._turn, self._deps, self._record)
        elif (outcome := await self._turn.tasks.reconciled_outcome(ready, self._turn)) is not None:
            await self._record(CallEnded(outcome=outcome))

    def _stand_ins(self, step: Step) -> list[str]:
        """The original calls of the step's sources that were duplicates."""
        sources = map(self._turn.state.outcomes.get, step.sources.values())
        return [one.duplicate_of for one in sources if isinstance(one, CallCancelled) and one.duplicate_of]

    async def _ended(self, call_ids: Collection[str]) -> None:
        """Wait until these calls have ended or wait for a yes, or until the deadline."""
        for id_ in call_ids:
            if (done := self._done.get(id_)) is not None:
                await done.wait()
        turn = self._turn
        running = [turn.state.requested[id_] for id_ in call_ids if id_ not in turn.state.outcomes]
        if running:
            await turn.tasks.ended(turn.state.id, running, turn.deadline)


def _writes(call: Call, deps: TurnDependencies) -> bool:
    return call.tool in deps.tools and deps.tools.get(call.tool).spec.effect == "write"


def _has_identified(call: Call, turn: RunningTurn, deps: TurnDependencies) -> bool:
    """Whether a call identified the customer, and a crash came before its end was recorded."""
    known = turn.customer.known and call.tool in deps.tools
    return known and deps.tools.get(call.tool).spec.role == "identifies"


def _may_write(call: Call, deps: TurnDependencies) -> bool:
    return call.tool not in deps.tools or _writes(call, deps)


def _is_under_way(call: Call, turn: RunningTurn) -> bool:
    state = turn.state
    ends_elsewhere = call.id in state.outcomes or call.id in state.approvals
    return ends_elsewhere or turn.tasks.running(state.id, call.id)


__all__ = ["clause_of", "run_tools"]


async def run_tools(turn: RunningTurn, decision: Decision, deps: TurnDependencies, record: Record) -> None:
    """Run each call of the decision to its outcome, except those that need the customer's yes first.

    For each call that needs a yes, this also computes its part of the question (``turn.clauses``). A call that
    cannot run gets no question: the customer is told about it together with the results.
    """
    await run_plan(turn, decision, deps, record)
    await turn.tasks.ended(turn.state.id, decision.calls, turn.deadline)
    unended = (*turn.state.running, *turn.state.awaiting_approval, *turn.state.approval_decided)
    waited_in_vain = (call.id for call in unended if call.id not in turn.state.pending)
    if pending := tuple(waited_in_vain):
        await record(CallsPending(call_ids=pending))

"""Runs a decision's calls: lookups together, side effects one after the other, none of them silencing another."""

from dataclasses import replace

from assistant.conversation.calls import Call
from assistant.conversation.entries import CallEnded, CallsPending
from assistant.conversation.outcomes import CallCancelled, CallFailed, CallUnknown, Outcome
from assistant.conversation.tool_spec import NO_HINT
from assistant.prompts.utterances import DefaultClause, ReadBack
from assistant.tooling.run_call import Ready, prepare, read_back
from assistant.turn.decision import Decision
from assistant.turn.parts import Parts
from assistant.turn.record import Record
from assistant.turn.running_turn import RunningTurn

_NO_TIME = "there was no time left to start it"


async def run_tools(turn: RunningTurn, decision: Decision, parts: Parts, record: Record) -> None:
    """See every call of the decision to its outcome, except those that need the customer's yes first.

    What those would do is worked out here (``turn.clauses``), so that one that cannot be done is told with
    the results instead of being asked about.
    """
    reads: list[Call] = []
    writes: list[Ready] = []
    for call in decision.calls:
        if call.id in turn.state.outcomes:
            continue
        if turn.tasks.running(turn.state.id, call.id):
            reads.append(call)
            continue
        ready = prepare(call, parts.tools, turn.customer)
        if not isinstance(ready, Ready):
            await record(CallEnded(outcome=ready))
        elif ready.tool.spec.effect == "write" and call.id in turn.state.started:
            # It had begun before a crash, and nobody saw how it ended: it must not run twice.
            await record(CallEnded(outcome=CallUnknown(call=call)))
        elif _must_be_confirmed(turn, ready, decision, parts):
            await _prepare_question(turn, ready, parts, record)
        elif ready.tool.spec.effect == "write":
            writes.append(ready)
        else:
            await begin(ready, turn, parts, record)
            reads.append(call)
    await turn.tasks.ended(turn.state.id, reads, turn.deadline)
    for ready in writes:
        await begin(ready, turn, parts, record)
        await turn.tasks.ended(turn.state.id, [ready.call], turn.deadline)
    if waited_in_vain := tuple(call.id for call in turn.state.running):
        await record(CallsPending(call_ids=waited_in_vain))


async def begin(ready: Ready, turn: RunningTurn, parts: Parts, record: Record) -> None:
    """Start one call, for as long as the tool and the turn allow."""
    left_s = turn.deadline - parts.clock.monotonic()
    if left_s <= 0:
        await record(CallEnded(outcome=CallCancelled(call=ready.call, why=_NO_TIME)))
        return
    await turn.tasks.start(ready, turn, record)


async def clause_of(turn: RunningTurn, ready: Ready, parts: Parts) -> str | CallFailed:
    """What the call would do, to follow "Shall I": the tool's own wording, or its hint and arguments."""
    # A clause or a hint of another language would break the sentence that it stands in.
    own = await read_back(
        ready, replace(turn.customer, locale=parts.book.spoken(ReadBack.template, turn.locale)), parts.book
    )
    if own is not None:
        return own
    locale = parts.book.spoken(DefaultClause.template, turn.locale)
    hint = ready.tool.spec.own_hint(locale) or NO_HINT
    arguments = tuple((name.replace("_", " "), str(value)) for name, value in ready.arguments.items())
    return parts.book.render(DefaultClause(hint=hint, arguments=arguments), locale)


def _must_be_confirmed(turn: RunningTurn, ready: Ready, decision: Decision, parts: Parts) -> bool:
    answered = turn.state.answered
    confirmed = answered is not None and answered.answer == "yes" and decision.round == 1
    return not confirmed and parts.needs_confirmation(ready.tool.spec)


async def _prepare_question(turn: RunningTurn, ready: Ready, parts: Parts, record: Record) -> None:
    same = next((call for call in turn.state.waiting_calls if _same(call, ready.call)), ready.call)
    if same.id != ready.call.id:
        why = "the same call waits for the customer's yes already"
        await record(CallEnded(outcome=CallCancelled(call=ready.call, why=why)))
        return
    clause = await clause_of(turn, ready, parts)
    if isinstance(clause, str):
        turn.clauses[ready.call.id] = clause
    else:
        failed: Outcome = clause
        await record(CallEnded(outcome=failed))


def _same(call: Call, other: Call) -> bool:
    return call.tool == other.tool and call.arguments == other.arguments

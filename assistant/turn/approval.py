"""Calls that staff must approve before they run.

A call waits after the customer's yes. Its turn ends meanwhile, and tells the customer that a colleague looks at it.
The decision comes in the console, minutes or days later, and the result is told then. Everything is in the log, so
each process can go on: see :func:`assistant.turn.finish.carry_out_decisions`.
"""

from collections.abc import Mapping

from assistant.conversation.customer import Claim
from assistant.conversation.entries import ApprovalRequested, LongCallStarted
from assistant.tools.condition import Facts, read_condition
from assistant.tools.tool import PreparedCall
from assistant.turn.context import Record, RunningTurn


def needs_approval(ready: PreparedCall, turn: RunningTurn) -> bool:
    """Whether staff must approve this call before it runs."""
    spec = ready.tool.spec
    if spec.approve is None:
        return False
    if not spec.approve_when:
        return True
    customer = turn.customer
    claims: Mapping[str, Claim] = customer.credential.claims if customer.credential is not None else {}
    facts = Facts(arguments=ready.arguments, claims=claims, level=customer.level)
    return read_condition(spec.approve_when).holds(facts)


async def request_approval(ready: PreparedCall, turn: RunningTurn, record: Record) -> None:
    """Let a call wait for the approval of staff; durable when this returns. Call it again after a crash."""
    call, rule = ready.call, ready.tool.spec.approve_when
    if call.id not in turn.state.long:
        await record(LongCallStarted(call_id=call.id, runner="staff"))
    await record(ApprovalRequested(call_id=call.id, arguments=dict(call.arguments), rule=rule), durable=True)

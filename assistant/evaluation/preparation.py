"""Brings the books to where a task begins, with the tools themselves."""

import structlog

from assistant.conversation.calls import Call
from assistant.conversation.customer import Customer
from assistant.conversation.outcomes import (
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    Outcome,
    outcome_name,
)
from assistant.errors import DeclarationError
from assistant.evaluation.task import Task
from assistant.tooling.execute import Ready, prepare, run_call
from assistant.tooling.tool import ToolContext
from assistant.turn.context import Parts


async def prepare_books(task: Task, customer: Customer, parts: Parts) -> None:
    """Run the task's ``before``, one step after the other. Nobody is asked whether a write may run.

    Raises:
        DeclarationError: a step did not work, so that the task would begin elsewhere.
    """
    for number, step in enumerate(task.before, 1):
        call = Call(id=f"c0.{number}", tool=step.tool, arguments=dict(step.arguments))
        outcome = await _run(call, customer, parts)
        if not isinstance(outcome, CallSucceeded | CallEmpty):
            raise DeclarationError(f"task {task.id!r}: before: {step.tool} did not work: {_why(outcome)}")


async def _run(call: Call, customer: Customer, parts: Parts) -> Outcome:
    ready = prepare(call, parts.tools, customer)
    if not isinstance(ready, Ready):
        return ready
    context = ToolContext(
        key=f"before-{call.id}", call_id=call.id, now=parts.clock.now(), log=structlog.get_logger()
    )
    timeout_s = ready.tool.spec.timeout_s
    return await run_call(ready, customer=customer, context=context, timeout_s=timeout_s, clock=parts.clock)


def _why(outcome: Outcome) -> str:
    if isinstance(outcome, CallFailed | CallDenied):
        return outcome.for_model
    return outcome_name(outcome)

"""Runs one call, and turns whatever happens into its outcome: the wall around the CRM teams' code."""

import asyncio
from dataclasses import dataclass

import structlog

from assistant.conversation.calls import NOT_JSON, Call
from assistant.conversation.outcomes import (
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallTimedOut,
    Outcome,
)
from assistant.conversation.people import Customer
from assistant.conversation.values import Json, JsonObject
from assistant.errors import AssistantError, BadArguments
from assistant.ports import Clock
from assistant.prompts.book import PromptBook
from assistant.tooling.registry import Tools
from assistant.tooling.result import ToolResult
from assistant.tooling.tool import Tool, ToolContext

log = structlog.get_logger(__name__)

_UNEXPECTED = "that did not work"


@dataclass(frozen=True, slots=True)
class Ready:
    """A call that may run: its tool, and its arguments as the tool's types see them."""

    call: Call
    tool: Tool
    arguments: JsonObject


def prepare(call: Call, tools: Tools, customer: Customer) -> Ready | Outcome:
    """Check a call before it runs. Never raises: what is wrong is an outcome that a model can correct."""
    try:
        tool = tools.get(call.tool)
        if NOT_JSON in call.arguments:
            raise BadArguments(call.tool, [f"not a JSON object: {call.arguments[NOT_JSON]!r}"])
        arguments = tool.validate(call.arguments)
    except AssistantError as error:
        return CallFailed(call=call, say=error.say, for_model=error.for_model)
    if tool.spec.needs_customer and not customer.known:
        return CallDenied(
            call=call,
            say="I don't know yet who you are",
            for_model=f"{call.tool!r} needs a customer whose identity is known; this one is anonymous.",
        )
    return Ready(call=call, tool=tool, arguments=arguments)


async def run_call(
    ready: Ready, *, customer: Customer, context: ToolContext, timeout_s: float, clock: Clock
) -> Outcome:
    """Run one call to its outcome. Raises nothing but ``CancelledError``.

    A tool that fails costs the customer that one answer and no other.
    """
    call = ready.call
    try:
        async with clock.timeout(timeout_s):
            result = await ready.tool.run(ready.arguments, customer=customer, context=context)
    except TimeoutError:
        return CallTimedOut(call=call, after_s=timeout_s)
    except AssistantError as error:
        return CallFailed(call=call, say=error.say, for_model=error.for_model)
    except asyncio.CancelledError:
        raise
    except Exception as error:
        # A bug in one team's tool must not silence the other teams' answers.
        log.exception("tool raised", tool=call.tool, call=call.id)
        return CallFailed(call=call, say=_UNEXPECTED, for_model=f"{type(error).__name__} inside the tool.")
    return _found(call, result)


async def read_back(ready: Ready, customer: Customer, book: PromptBook) -> str | CallFailed | None:
    """The tool's own clause for what the call would do; None when it has none, an outcome when it cannot."""
    call = ready.call
    try:
        return await ready.tool.read_back(ready.arguments, customer=customer, book=book)
    except AssistantError as error:
        return CallFailed(call=call, say=error.say, for_model=error.for_model)
    except Exception as error:
        log.exception("read-back raised", tool=call.tool, call=call.id)
        return CallFailed(call=call, say=_UNEXPECTED, for_model=f"{type(error).__name__} inside the tool.")


def _found(call: Call, result: ToolResult) -> Outcome:
    if is_nothing(result.value) and not result.media:
        return CallEmpty(call=call, value=result.value)
    return CallSucceeded(call=call, value=result.value, media=result.media)


def is_nothing(value: Json) -> bool:
    """Whether a tool's value means that there is nothing: None, or an empty text, list or mapping.

    >>> is_nothing([]), is_nothing(None), is_nothing(0), is_nothing(False)
    (True, True, False, False)
    """
    return value is None or (isinstance(value, str | list | tuple | dict) and not value)

"""Makes calls all at once; one that fails costs its own result and no other."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

import structlog

from assistant.conversation.calls import Call, call_id
from assistant.conversation.outcomes import CallFailed, Outcome
from assistant.errors import NO_REASON, AssistantError
from assistant.toolchain.asked import Asked, Unreadable

UNKNOWN: Final = "call"
"""Stands in for the name of a tool that cannot be read."""

Run: TypeAlias = Callable[[Call], Awaitable[Outcome]]
"""Makes one call. Whatever it raises becomes a failed call."""

log = structlog.get_logger(__name__)

_NOT_READ = "I could not work out the details"
_BROKE = NO_REASON


async def run_all(asked: Sequence[Asked | Unreadable], run: Run) -> tuple[Outcome, ...]:
    """What came of each, in their order; what could not be read has failed."""
    return tuple(await asyncio.gather(*(_outcome(one, run) for one in asked)))


def call_of(asked: Asked | Unreadable) -> Call:
    """The call that is meant, named by its place; one without arguments where they cannot be read."""
    call = Call(id=call_id(1, asked.number + 1), tool=asked.tool or UNKNOWN)
    return replace(call, arguments=asked.arguments) if isinstance(asked, Asked) else call


async def _outcome(asked: Asked | Unreadable, run: Run) -> Outcome:
    call = call_of(asked)
    if isinstance(asked, Unreadable):
        return CallFailed(call=call, say=_NOT_READ, for_model=asked.for_model)
    try:
        return await run(call)
    except AssistantError as error:
        return CallFailed(call=call, say=error.say, for_model=error.for_model)
    except Exception as error:
        log.exception("tool raised", call=call.id, tool=call.tool)
        return CallFailed(call=call, say=_BROKE, for_model=f"{type(error).__name__} in the tool")

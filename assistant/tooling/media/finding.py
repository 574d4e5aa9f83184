"""Words the outcome of a call that gave something, once its media have been transformed."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeAlias

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import Outcome
from assistant.ports import Clock
from assistant.tooling.media.keep import keep
from assistant.tooling.media.transform import Transform
from assistant.tooling.result import ToolResult
from assistant.tooling.running.outcome import fitting, found, media_of

Find: TypeAlias = Callable[[Call, ToolResult, str], Awaitable[Outcome]]
"""(call, what its tool gave, idempotency key) -> the outcome. Raises ``Unkeepable``."""


def finding(transform: Transform | None, clock: Clock) -> Find:
    """Makes outcomes whose media have gone through ``transform``; None: they are checked and no more."""

    async def find(call: Call, result: ToolResult, key: str) -> Outcome:
        given = media_of(result)
        if not given:
            return found(call, result, key)
        # Refused before anybody looks into it.
        fitting(result.value, beside=sum(len(one.data) for one in given))
        seen = await keep(given, transform, clock, tool=call.tool, key=key)
        return found(call, replace(result, media=seen.media), key, seen.left_out)

    return find

"""One turn by hand on litellm: what an assistant that reads all of its stream cannot be cheaper than."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from benchmarks.engine import floor


async def deltas(url: str, model: str, messages: list[floor.Message]) -> AsyncIterator[Any]:
    """One request; the deltas of its reply."""
    import litellm

    stream: Any = await litellm.acompletion(  # pyright: ignore[reportUnknownMemberType]
        model=model,
        messages=messages,
        tools=floor.OFFER,
        stream=True,
        stream_options={"include_usage": True},
        api_base=url,
        api_key="none",
    )
    async for chunk in stream:
        if chunk.choices:
            yield chunk.choices[0].delta


async def take_turn(url: str, model: str, messages: list[floor.Message], show: Callable[[str], None]) -> None:
    """Answer the question that ``messages`` end with; what is said goes to ``show`` and into ``messages``."""
    while True:
        said: list[str] = []
        calls: dict[int, floor.Message] = {}
        async for delta in deltas(url, model, messages):
            if text := delta.content:
                show(text)
                said.append(text)
            for part in delta.tool_calls or ():
                if part.index in calls:
                    calls[part.index]["function"]["arguments"] += part.function.arguments
                else:
                    calls[part.index] = part.model_dump()
        if not calls:
            messages.append({"role": "assistant", "content": "".join(said)})
            return
        messages.append({"role": "assistant", "content": None, "tool_calls": list(calls.values())})
        results = await asyncio.gather(*(floor.run(call["function"]) for call in calls.values()))
        for call, result in zip(calls.values(), results, strict=True):
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})

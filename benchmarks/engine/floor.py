"""The floor: one turn by hand on aiohttp and orjson, with nothing of the product.

A decision with two calls, two tools that answer at once, and the answer: what no assistant can be cheaper than.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import aiohttp
import orjson

SYSTEM = "You are the customer-service assistant of a dental practice. Be brief, friendly and exact."
QUESTION = "Show me my appointments and billing, please."
APPOINTMENTS = {"appointments": [{"id": "a-17", "when": "2026-12-01T14:00", "with": "Dr. Lee"}]}
INVOICES = {"invoices": [{"id": "i-301", "amount": "150.00", "due": "2026-11-30"}]}


Message = dict[str, Any]


async def list_upcoming_appointments() -> object:
    return APPOINTMENTS


async def get_open_invoices() -> object:
    return INVOICES


TOOLS = {tool.__name__: tool for tool in (list_upcoming_appointments, get_open_invoices)}
OFFER: list[Message] = [
    {
        "type": "function",
        "function": {"name": name, "description": name, "parameters": {"type": "object", "properties": {}}},
    }
    for name in TOOLS
]


def open_session() -> aiohttp.ClientSession:
    """The session of the floor, as cheap as aiohttp makes it without tuning."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0), headers={"content-type": "application/json"}
    )


async def deltas(
    session: aiohttp.ClientSession, url: str, model: str, messages: list[Message]
) -> AsyncIterator[Any]:
    """One request; the deltas of its reply."""
    body: Message = {"model": model, "messages": messages, "tools": OFFER, "stream": True}
    async with session.post(f"{url}/chat/completions", data=orjson.dumps(body)) as response:
        response.raise_for_status()
        rest = b""
        async for read in response.content.iter_any():
            *lines, rest = (rest + read).split(b"\n")
            for line in lines:
                if line.startswith(b"data: ") and line != b"data: [DONE]":
                    choices = orjson.loads(line[6:])["choices"]
                    if choices:
                        yield choices[0]["delta"]


async def take_turn(
    session: aiohttp.ClientSession, url: str, model: str, messages: list[Message], show: Callable[[str], None]
) -> None:
    """Answer the question that ``messages`` end with; what is said goes to ``show`` and into ``messages``."""
    while True:
        said: list[str] = []
        calls: dict[int, Message] = {}
        async for delta in deltas(session, url, model, messages):
            if text := delta.get("content"):
                show(text)
                said.append(text)
            for part in delta.get("tool_calls") or ():
                if part["index"] in calls:
                    calls[part["index"]]["function"]["arguments"] += part["function"]["arguments"]
                else:
                    calls[part["index"]] = part
        if not calls:
            messages.append({"role": "assistant", "content": "".join(said)})
            return
        messages.append({"role": "assistant", "content": None, "tool_calls": list(calls.values())})
        results = await asyncio.gather(*(run(call["function"]) for call in calls.values()))
        for call, result in zip(calls.values(), results, strict=True):
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})


async def run(function: Message) -> str:
    """A call's result, as a text."""
    return orjson.dumps(await TOOLS[function["name"]](**orjson.loads(function["arguments"]))).decode()

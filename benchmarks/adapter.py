"""What our clients cost for each request, beside a bare loop: ``python -m benchmarks.adapter``.

The direct client beside aiohttp by hand; with ``--litellm``, the model through litellm beside litellm by hand.
Both do the same turn, two requests, in rounds that alternate; the figures are medians of CPU time of this
process alone. Compare the ratio, not the milliseconds: machines differ, and so do rounds.
"""

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from statistics import median

import orjson
import uvloop

from assistant.clock import SystemClock
from assistant.conversation.calls import Call, call_id
from assistant.conversation.chunks import CallArguments, CallNamed, TextDelta
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View, ViewMessage
from assistant.formats.registry import formatter
from assistant.models.http_client import Connections
from assistant.models.litellm import LitellmModel
from assistant.models.openai import OpenAIModel
from assistant.ports import Model, ModelRequest
from benchmarks.engine import floor, litellm_by_hand
from benchmarks.fake_model import fake_model

Turn = Callable[[], Awaitable[None]]
SPECS = tuple(ToolSpec(name=name, description=name, parameters={}) for name in floor.TOOLS)


def nobody(_: str) -> None:
    """Listen to nothing."""


async def our_turn(model: Model, history: tuple[TurnView, ...]) -> None:
    """The floor's turn, through our client."""
    said: list[ViewMessage] = [FromCustomer(floor.QUESTION)]
    while True:
        view = View(floor.SYSTEM, (*history, TurnView(tuple(said))))
        names: list[CallNamed] = []
        arguments: dict[int, str] = {}
        async with aclosing(model.stream(ModelRequest(role="decider", view=view, tools=SPECS))) as stream:
            async for chunk in stream:
                if isinstance(chunk, TextDelta):
                    nobody(chunk.text)
                elif isinstance(chunk, CallNamed):
                    names.append(chunk)
                elif isinstance(chunk, CallArguments):
                    arguments[chunk.index] = arguments.get(chunk.index, "") + chunk.fragment
        if not names:
            return
        calls = tuple(
            Call(
                id=call_id(1, named.index + 1),
                tool=named.name,
                arguments=orjson.loads(arguments[named.index]),
                provider_id=named.provider_id,
            )
            for named in names
        )
        values = await asyncio.gather(*(floor.TOOLS[call.tool]() for call in calls))
        outcomes = (CallSucceeded(call=call, value=value) for call, value in zip(calls, values, strict=True))  # pyright: ignore[reportArgumentType]
        said += [FromAssistant("", calls), FromTools(tuple(outcomes))]


async def cpu_ms(turn: Turn, turns: int) -> float:
    """CPU time of one turn, the mean of so many."""
    began = time.process_time()
    for _ in range(turns):
        await turn()
    return (time.process_time() - began) * 1000 / turns


async def compare(url: str, name: str, *, rounds: int, turns: int, history: int) -> None:
    """Measure the direct client and the floor in turns, and print a line."""
    session = floor.open_session()
    clock = SystemClock()
    connections = Connections(clock)
    model = OpenAIModel(
        f"openai/{name}",
        base_url=url,
        api_key=None,
        formatter=formatter("openai"),
        connections=connections,
        clock=clock,
    )
    past, views = long_past(history)

    async def theirs() -> None:
        await floor.take_turn(session, url, name, opening(past), nobody)

    async def ours() -> None:
        await our_turn(model, views)

    await measure(name, history, theirs, ours, rounds=rounds, turns=turns)
    await session.close()
    await connections.close()


async def compare_litellm(url: str, name: str, *, rounds: int, turns: int, history: int) -> None:
    """Measure the model through litellm and litellm by hand in turns, and print a line."""
    model = LitellmModel(
        f"litellm/{name}",
        model=name,
        formatter=formatter("openai"),
        clock=SystemClock(),
        environ={},
        api_base=url,
        api_key="none",
    )
    await model.warm()
    past, views = long_past(history)

    async def theirs() -> None:
        await litellm_by_hand.take_turn(url, name, opening(past), nobody)

    async def ours() -> None:
        await our_turn(model, views)

    await measure(name, history, theirs, ours, rounds=rounds, turns=turns)


def long_past(history: int) -> tuple[list[floor.Message], tuple[TurnView, ...]]:
    """So many messages of a conversation, as the bare loops and as our views have them."""
    texts = [
        f"message {n} of a long conversation, lorem ipsum dolor sit amet {n * 7919}" for n in range(history)
    ]
    past = [{"role": "assistant" if n % 2 else "user", "content": text} for n, text in enumerate(texts)]
    views = tuple(
        TurnView((FromCustomer(asked), FromAssistant(answered)))
        for asked, answered in zip(texts[::2], texts[1::2], strict=True)
    )
    return past, views


def opening(past: list[floor.Message]) -> list[floor.Message]:
    """The messages with which a turn begins."""
    question = {"role": "user", "content": floor.QUESTION}
    return [{"role": "system", "content": floor.SYSTEM}, *past, question]


async def measure(name: str, history: int, theirs: Turn, ours: Turn, *, rounds: int, turns: int) -> None:
    """Take turns in turns, and print a line."""
    warm_up = 1
    pairs = [(await cpu_ms(theirs, turns), await cpu_ms(ours, turns)) for _ in range(warm_up + rounds)]
    measured = pairs[warm_up:]
    bare, adapter = (median(column) for column in zip(*measured, strict=True))
    ratio = median(our / their for their, our in measured)
    print(
        f"{name:<28} {history:>5} {bare / 2:>10.3f} {adapter / 2:>10.3f} {adapter - bare:>12.3f} {ratio:>7.2f}"
    )


async def main(rounds: int) -> None:
    with fake_model() as url:
        await compare(url, "fake-n30", rounds=rounds, turns=100, history=0)
        await compare(url, "fake-n30", rounds=rounds, turns=50, history=1000)
        await compare(url, "fake-n30-x1", rounds=rounds, turns=60, history=0)
        await compare(url, "fake-t5-i2-a5-n30", rounds=rounds, turns=5, history=0)


async def main_litellm(rounds: int) -> None:
    with fake_model() as url:
        for wire in ("openai", "hosted_vllm"):
            await compare_litellm(url, f"{wire}/fake-n30", rounds=rounds, turns=5, history=0)
            await compare_litellm(url, f"{wire}/fake-n30", rounds=rounds, turns=2, history=1000)
            await compare_litellm(url, f"{wire}/fake-t5-i2-a5-n30", rounds=rounds, turns=3, history=0)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--litellm", action="store_true", help="measure the model through litellm")
    given = options.parse_args()
    print(f"{'model':<28} {'past':>5} {'bare ms':>10} {'ours ms':>10} {'+ ms a turn':>12} {'ratio':>7}")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run((main_litellm if given.litellm else main)(given.rounds))

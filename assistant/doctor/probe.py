"""Asks a model what it would be asked by a customer, and notes how it answers. Nothing it decides is done."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass

from assistant.conversation.chunks import CallNamed, Chunk, StreamEnded
from assistant.conversation.views import FromCustomer, TurnView, View
from assistant.ports import ModelRequest
from assistant.prompts.instructions import Decider
from assistant.turn.parts import Parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A model's answer. ``pieces`` are its chunks, ``tools`` those that it wanted to call."""

    first_s: float
    whole_s: float
    pieces: int
    tools: tuple[str, ...]
    cost_usd: float | None


async def probe(parts: Parts, question: str) -> Answered:
    """Put the customer's question to the decision model, with the real instructions and tools.

    Raises:
        ModelError: it did not answer.
    """
    clock, role = parts.clock, parts.models["decider"]
    system, late = parts.book.parted(Decider(today=clock.now().date()))
    request = ModelRequest(
        role="decider",
        view=View(system, (TurnView((FromCustomer(question),)),), late),
        tools=parts.tools.specs,
        options=role.options,
    )
    began, times = clock.monotonic(), list[float]()
    chunks: list[Chunk] = []
    async with aclosing(role.model.stream(request)) as stream:
        async for chunk in stream:
            times.append(clock.monotonic() - began)
            chunks.append(chunk)
    return _answered(chunks, times)


def _answered(chunks: Sequence[Chunk], times: Sequence[float]) -> Answered:
    last = chunks[-1]
    return Answered(
        first_s=times[0],
        whole_s=times[-1],
        pieces=sum(not isinstance(chunk, StreamEnded) for chunk in chunks),
        tools=tuple(chunk.name for chunk in chunks if isinstance(chunk, CallNamed)),
        cost_usd=last.cost_usd if isinstance(last, StreamEnded) else None,
    )

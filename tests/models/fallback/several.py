"""Several models that follow scripts, and a fallback model in front of them."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing

from assistant.conversation.chunks import Chunk, StreamEnded, TextDelta
from assistant.conversation.views import FromCustomer, TurnView, View
from assistant.errors import ModelBroke, ModelBusy, ModelError, ModelRefused
from assistant.models.fallback import Candidate, FallbackModel
from assistant.models.price_list import Prices
from assistant.ports import Model, ModelRequest
from assistant.resilience import CircuitBreaker
from assistant.testing.script import Line, breaks
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock

ASKED = ModelRequest(role="decider", view=View("Be brief.", (TurnView((FromCustomer("Hello"),)),)))


def busy(retry_after_s: float | None = None) -> Line:
    return breaks(error=ModelBusy("slow down", retry_after_s=retry_after_s))


def broken() -> Line:
    return breaks(error=ModelBroke("the connection broke"))


def refused() -> Line:
    return breaks(error=ModelRefused("bad key"))


def scripted(name: str, *lines: Line) -> ScriptedModel:
    return ScriptedModel(*lines, clock=VirtualClock(), name=name)


def steady(
    *models: Model, tries: int = 3, jitter: float = 0.0, circuit: CircuitBreaker | None = None
) -> FallbackModel:
    """A steady model; each model has a provider of its own, or all have the one whose circuit is given."""
    clock = VirtualClock()
    candidates = [
        Candidate(model=model, circuit=circuit or CircuitBreaker(f"{model.name}.example", clock))
        for model in models
    ]
    return FallbackModel(candidates, tries=tries, prices=Prices(), clock=clock, jitter=lambda: jitter)


async def ask(model: Model) -> str:
    """The text that a customer would read, which other model answered, or why none did; each with its time."""
    said: list[str] = []
    try:
        async with aclosing(model.stream(ASKED)) as stream:
            async for chunk in stream:
                said += _shown(chunk)
    except ModelError as error:
        said.append(f"[{type(error).__name__}: {error}]")
    return f"{asyncio.get_running_loop().time():.2f} {''.join(said)}"


def times(model: ScriptedModel) -> int:
    """How often it was asked."""
    return len(model.requests)


def _shown(chunk: Chunk) -> Sequence[str]:
    match chunk:
        case TextDelta(text=text):
            return [text]
        case StreamEnded(model=model):
            return [f" ({model})"] if model is not None else []
        case _:
            return []

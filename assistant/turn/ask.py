"""Asks a model and listens: the one place that reads a model's stream."""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass

import structlog

from assistant.conversation.calls import Call
from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, Opaque, StreamEnded, TextDelta
from assistant.conversation.entries import ModelAsked, ModelChunks
from assistant.errors import ModelBroke, ModelError, ReplyCut
from assistant.ports import ModelRequest
from assistant.turn.calls_in_stream import CallsInStream
from assistant.turn.hearing import Hearing
from assistant.turn.parts import Parts
from assistant.turn.record import Record
from assistant.turn.reply_limits import ReplyLimits
from assistant.turn.running_turn import RunningTurn

log = structlog.get_logger(__name__)

STOPPED = "stopped"
"""How a request ended that was given up because the customer, or the operator, stopped the turn."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What one request brought, beside what was heard while it streamed.

    ``text`` is everything the model wrote; ``unreadable`` the calls whose arguments are no JSON object, which
    nobody has heard of yet; ``error`` why the stream died, if it did.
    """

    text: str
    unreadable: tuple[Call, ...]
    error: ModelError | None


async def ask(
    turn: RunningTurn, request: ModelRequest, hearing: Hearing, parts: Parts, record: Record
) -> Reply:
    """Put one request to the model that plays its role. Never raises for a model that fails.

    Cancelling closes the request.
    """
    model = parts.models[request.role].model
    round_ = turn.state.round(hearing.round)
    await record(
        ModelAsked(round=round_.number, role=request.role, model=model.name, attempt=round_.attempts + 1)
    )
    calls = CallsInStream(round_)
    chunks: list[tuple[int, Chunk]] = []
    error: ModelError | None = None
    began = parts.clock.monotonic()
    limits = ReplyLimits(parts.limits, turn.last_heard, began)
    try:
        async with (
            parts.clock.timeout(parts.limits.reply_s),
            aclosing(model.stream(request)) as stream,
        ):
            async for chunk in stream:
                turn.last_heard.model = now = parts.clock.monotonic()
                if (admitted := limits.admit(chunk)) is not None:
                    chunks.append((round((now - began) * 1000), admitted))
                    await _hear(admitted, calls, hearing)
                limits.check(now)
        if not (chunks and isinstance(chunks[-1][1], StreamEnded)):
            error = ModelBroke(f"{model.name}: the reply ended without its end")
    except TimeoutError:
        if parts.clock.monotonic() - began < parts.limits.reply_s:
            raise
        error = ReplyCut(f"it was not complete after {parts.limits.reply_s:g} s")
    except ModelError as failure:
        error = failure
    except asyncio.CancelledError:
        # What had come is part of what happened: a recording of the conversation needs it.
        await record(_brought(round_.number, request, chunks, STOPPED))
        raise
    if error is not None:
        if round_.calls:
            # These go on, and the customer was told of the others too: each must have its outcome.
            calls.break_off(limits)
        log.warning("model failed", model=model.name, role=request.role, error=str(error))
    await record(_brought(round_.number, request, chunks, str(error) if error is not None else None))
    text = "".join(chunk.text for _, chunk in chunks if isinstance(chunk, TextDelta))
    return Reply(text=text, unreadable=tuple(calls.unreadable), error=error)


def _brought(
    round_: int, request: ModelRequest, chunks: list[tuple[int, Chunk]], error: str | None
) -> ModelChunks:
    return ModelChunks(round=round_, role=request.role, chunks=tuple(chunks), error=error)


async def _hear(chunk: Chunk, calls: CallsInStream, hearing: Hearing) -> None:
    match chunk:
        case TextDelta(text):
            await hearing.text(text)
        case CallNamed():
            await hearing.named(calls.named(chunk), chunk.name)
        case CallArguments():
            if (call := calls.more(chunk)) is not None:
                await hearing.requested(call)
        case Opaque():
            calls.keep(chunk)
        case StreamEnded():
            for call in calls.rest():
                await hearing.requested(call)

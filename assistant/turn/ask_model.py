"""Asks a model. This is the only module that reads a model's stream.

A call is used when its arguments are complete. A reply is cut when it exceeds a limit: length of text, number
of calls, duration, or duration without a connected client.
"""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Final

import orjson
import structlog

from assistant.conversation.calls import NOT_JSON, TOO_MANY, Call, call_id, number_of
from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, Opaque, StreamEnded, TextDelta
from assistant.conversation.entries import STOPPED, ModelAsked, ModelChunks
from assistant.conversation.turn_state import Round
from assistant.conversation.usage import WITHIN_BUDGET, Assessment
from assistant.conversation.values import Json
from assistant.errors import ModelBroke, ModelError, ReplyCut
from assistant.ports import ModelRequest
from assistant.prompts.instructions import ShortAnswer
from assistant.turn.context import LastHeard, Limits, Record, RunningTurn, TurnDependencies
from assistant.turn.decision_stream import DecisionStreamHandler
from assistant.turn.pausing import AssistantPaused, is_paused
from assistant.turn.spending import OverBudget

_LONGEST_NAME: Final = 60
"""Characters kept of a tool's name, for a call that is not run."""


class ReplyLimits:
    """Watches one reply while it streams.

    ``refused`` holds the first call beyond the limit, if any. Its outcome tells the model that this call and
    all later ones did not run.

    Args:
        limits: the bounds of a turn.
        last_heard: tells since when no client has been connected.
        began: when the request was sent, in seconds of the clock's ``monotonic()``.
    """

    __slots__ = ("_began", "_calls", "_last_heard", "_left", "_limits", "refused")

    def __init__(self, limits: Limits, last_heard: LastHeard, began: float) -> None:
        self._limits, self._last_heard, self._began = limits, last_heard, began
        self._left = limits.reply_characters
        self._calls = 0
        self.refused: CallNamed | None = None

    def admit(self, chunk: Chunk) -> Chunk | None:
        """The part of the chunk that the limits allow; None if they allow nothing.

        If it is not the whole chunk, :meth:`check` raises ``ReplyCut`` next.
        """
        match chunk:
            case TextDelta(text):
                self._left -= len(text)
                return chunk if self._left >= 0 else TextDelta(text[: self._left])
            case CallArguments():
                self._left -= len(chunk.fragment)
                return chunk if self._left >= 0 else None
            case CallNamed():
                self._left -= len(chunk.name)
                self._calls += 1
                if self._calls > self._limits.reply_calls:
                    self.refused = chunk
                    return None
                return chunk if self._left >= 0 else None
            case _:
                return chunk

    def check(self, now: float) -> None:
        """Raise ``ReplyCut`` if the reply exceeds a limit; ``now`` is the clock's ``monotonic()``."""
        limits = self._limits
        if self.refused is not None:
            raise ReplyCut(f"more than {limits.reply_calls} calls in one reply")
        if self._left < 0:
            raise ReplyCut(f"more than {limits.reply_characters} characters in one reply")
        alone_s = now - max(self._last_heard.alone_since, self._began)
        if alone_s > limits.unattended_s:
            raise ReplyCut(f"no client has been connected for {limits.unattended_s:g} s")

    def refused_call(self, round_: int, number: int) -> Call | None:
        """The refused call, as the ``number``-th call of a round; None if no call was refused."""
        if self.refused is None:
            return None
        why = (
            f"one reply may contain {self._limits.reply_calls} calls; this one and all after it were not run"
        )
        return Call(
            id=call_id(round_, number),
            tool=self.refused.name[:_LONGEST_NAME],
            arguments={TOO_MANY: why},
            provider_id=self.refused.provider_id,
        )


_MOST_UNREADABLE = 400


@dataclass(slots=True, kw_only=True)
class _Growing:
    id: str
    tool: str
    provider_id: str | None
    opaque: dict[str, Json] = field(default_factory=dict[str, Json])
    fragments: list[str] = field(default_factory=list[str])
    complete: bool = False


class StreamedCalls:
    """Collects one reply's calls by their index in the stream.

    ``unreadable`` has the calls whose arguments are not a JSON object, with the arguments as text: see
    ``NOT_JSON``.
    """

    __slots__ = ("_growing", "_last_number", "_round", "unreadable")

    def __init__(self, round_: Round) -> None:
        self._round = round_.number
        self._last_number = number_of(round_.calls[-1].id) if round_.calls else 0
        self._growing: dict[int, _Growing] = {}
        self.unreadable: list[Call] = []

    def named(self, chunk: CallNamed) -> str:
        """Begin a call; returns its id."""
        self._last_number += 1
        id_ = call_id(self._round, self._last_number)
        self._growing[chunk.index] = _Growing(id=id_, tool=chunk.name, provider_id=chunk.provider_id)
        return id_

    def keep(self, chunk: Opaque) -> None:
        """Keep provider data, with its call if it belongs to a call."""
        if chunk.index is not None and (growing := self._growing.get(chunk.index)) is not None:
            growing.opaque[chunk.provider] = chunk.value

    def more(self, chunk: CallArguments) -> Call | None:
        """Add to a call's arguments; returns the call when they are complete."""
        growing = self._growing.get(chunk.index)
        if growing is None or growing.complete:
            return None
        growing.fragments.append(chunk.fragment)
        # Only a closing brace can complete an object: no need to try at every fragment.
        return self._complete(growing) if chunk.fragment.rstrip().endswith("}") else None

    def rest(self) -> list[Call]:
        """End a complete stream. Returns the calls that are complete only now, such as calls without arguments."""
        calls: list[Call] = []
        for growing in self._growing.values():
            if growing.complete:
                continue
            if (call := self._complete(growing)) is not None:
                calls.append(call)
            else:
                self.unreadable.append(_unreadable(growing))
        return calls

    def break_off(self, limits: ReplyLimits) -> None:
        """End a broken stream: incomplete calls become unreadable, because their tools may have been
        announced.
        """
        self.unreadable += [_unreadable(one) for one in self._growing.values() if not one.complete]
        if (refused := limits.refused_call(self._round, self._last_number + 1)) is not None:
            self.unreadable.append(refused)

    def _complete(self, growing: _Growing) -> Call | None:
        text = "".join(growing.fragments).strip() or "{}"
        try:
            arguments: Json = orjson.loads(text)
        except orjson.JSONDecodeError:
            return None
        if not isinstance(arguments, Mapping):
            return None
        growing.complete = True
        return Call(
            id=growing.id,
            tool=growing.tool,
            arguments=arguments,
            provider_id=growing.provider_id,
            opaque=growing.opaque or None,
        )


def _unreadable(growing: _Growing) -> Call:
    text = "".join(growing.fragments)[:_MOST_UNREADABLE]
    return Call(id=growing.id, tool=growing.tool, arguments={NOT_JSON: text}, provider_id=growing.provider_id)


log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of one request, without the text and calls that the handler received while it streamed.

    ``text`` is everything the model wrote; ``unreadable`` has the calls whose arguments are not a JSON object,
    which the handler did not receive; ``error`` is why the stream broke, if it did. ``cut``: the reply reached
    the maximum length, so it is not finished.
    """

    text: str
    unreadable: tuple[Call, ...]
    error: ModelError | None
    cut: bool = False


async def ask_model(
    turn: RunningTurn,
    request: ModelRequest,
    handler: DecisionStreamHandler,
    deps: TurnDependencies,
    record: Record,
) -> Reply:
    """Send one request to the model of its role. Never raises an error when a model fails.

    Cancelling closes the request. When a budget is nearly spent, a cheaper model is asked, for a shorter answer.
    When it is spent, none is asked, and the reply has the error ``OverBudget``. While staff have paused the
    assistant, none is asked, a reply that streams is cut, and the error is ``AssistantPaused``.
    """
    if await is_paused(turn, deps):
        return Reply(text="", unreadable=(), error=AssistantPaused())
    budget = await _budget(turn, deps)
    if budget.stage == "hard":
        log.info("no model is asked", role=request.role, why=str(budget))
        return Reply(text="", unreadable=(), error=OverBudget(budget))
    role = deps.models[request.role]
    model = role.model
    if budget.stage == "soft":
        model = role.cheaper or model
        request = _for_a_shorter_answer(request, deps)
    round_ = turn.state.round(handler.round)
    await record(
        ModelAsked(round=round_.number, role=request.role, model=model.name, attempt=round_.attempts + 1)
    )
    calls = StreamedCalls(round_)
    chunks: list[tuple[int, Chunk]] = []
    error: ModelError | None = None
    began = deps.clock.monotonic()
    limits = ReplyLimits(deps.limits, turn.last_heard, began)
    try:
        async with (
            deps.clock.timeout(deps.limits.reply_s),
            aclosing(model.stream(request)) as stream,
        ):
            async for chunk in stream:
                turn.last_heard.model = now = deps.clock.monotonic()
                if deps.pauses is not None and await is_paused(turn, deps):
                    raise AssistantPaused
                if (admitted := limits.admit(chunk)) is not None:
                    chunks.append((round((now - began) * 1000), admitted))
                    await _hear(admitted, calls, handler)
                limits.check(now)
        if not (chunks and isinstance(chunks[-1][1], StreamEnded)):
            error = ModelBroke(f"{model.name}: the reply ended without its end")
    except TimeoutError:
        if deps.clock.monotonic() - began < deps.limits.reply_s:
            raise
        error = ReplyCut(f"it was not complete after {deps.limits.reply_s:g} s")
    except ModelError as failure:
        error = failure
    except asyncio.CancelledError:
        # Record the part of the reply that had arrived: a recording of the conversation needs it.
        await record(_brought(round_.number, request, chunks, STOPPED))
        raise
    if error is not None:
        if round_.calls:
            # The complete calls run, and the customer has seen the others announced too: each call needs an
            # outcome.
            calls.break_off(limits)
        log.warning("model failed", model=model.name, role=request.role, error=str(error))
    await record(_brought(round_.number, request, chunks, str(error) if error is not None else None))
    text = "".join(chunk.text for _, chunk in chunks if isinstance(chunk, TextDelta))
    last = chunks[-1][1] if chunks else None
    cut = isinstance(last, StreamEnded) and last.reason == "length"
    return Reply(text=text, unreadable=tuple(calls.unreadable), error=error, cut=cut)


async def _budget(turn: RunningTurn, deps: TurnDependencies) -> Assessment:
    """The stage of the budgets before one more request."""
    if deps.spending is None:
        return WITHIN_BUDGET
    if turn.spent_today is None:
        turn.spent_today = await deps.spending.today(turn.key)
    return deps.spending.assess(turn.conversation, turn.state, turn.spent_today)


def _for_a_shorter_answer(request: ModelRequest, deps: TurnDependencies) -> ModelRequest:
    late = "\n\n".join(filter(None, (request.view.late, deps.book.render(ShortAnswer()))))
    return replace(request, view=replace(request.view, late=late))


MORE_ROOM: Final = 4
"""Factor by which the maximum length grows for the reply after one that was cut."""


def with_more_room(request: ModelRequest) -> ModelRequest:
    """The request with a larger maximum length, because the previous reply reached it."""
    return replace(request, options=replace(request.options, room=MORE_ROOM))


def _brought(
    round_: int, request: ModelRequest, chunks: list[tuple[int, Chunk]], error: str | None
) -> ModelChunks:
    return ModelChunks(round=round_, role=request.role, chunks=tuple(chunks), error=error)


async def _hear(chunk: Chunk, calls: StreamedCalls, handler: DecisionStreamHandler) -> None:
    match chunk:
        case TextDelta(text):
            await handler.text(text)
        case CallNamed():
            await handler.named(calls.named(chunk), chunk.name)
        case CallArguments():
            if (call := calls.more(chunk)) is not None:
                await handler.requested(call)
        case Opaque():
            calls.keep(chunk)
        case StreamEnded():
            for call in calls.rest():
                await handler.requested(call)

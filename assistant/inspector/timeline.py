"""The timeline of a turn: what the customer saw when, each request to a model, and each call of a tool. Pure.

All times are in ms from the customer's message, or from the turn's start if no message began it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from assistant.conversation.chunks import Opaque, StreamEnded
from assistant.conversation.entries import (
    STOPPED,
    CallEnded,
    CallRequested,
    CallStarted,
    Cause,
    ConfirmationAsked,
    CustomerMessage,
    DeliveryReceipt,
    GuardrailName,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    ModelAsked,
    ModelChunks,
    ModelRole,
    SentenceSuppressed,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.outcomes import OutcomeName, outcome_name
from assistant.conversation.usage import EMBEDDED, Usage, usage_of
from assistant.conversation.values import HowTurnEnded, Json, MessageKind

SeenBy: TypeAlias = Literal["seen", "heard"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownMessage:
    """A message on the customer's screen: its text grew from ``start_ms`` to ``end_ms``.

    ``end_ms`` and ``kind`` are None if it was never completed. ``asks`` is True if it asks for a yes before a
    change. ``reached`` says how far the customer saw or heard it: the time of the last report, and the characters.
    """

    message_id: str
    kind: MessageKind | None
    text: str
    start_ms: int
    end_ms: int | None
    interrupted: bool = False
    asks: bool = False
    reached: Mapping[SeenBy, tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSpan:
    """One request to a model, by the number ``seq`` of its entry.

    ``first_ms`` is the time of the first text or call; None if nothing came, or if the reply's text was deleted
    after its retention time (``deleted``). ``end_ms`` is None if the log has no end of it: the process stopped.
    ``model`` is the model that answered, else the one that was asked. ``error`` says how the request failed;
    ``stopped``: it was given up because the turn was stopped. Tokens and cost are None if they were not reported.
    """

    seq: int
    role: ModelRole
    round: int
    attempt: int
    model: str
    start_ms: int
    first_ms: int | None = None
    end_ms: int | None = None
    error: str | None = None
    stopped: bool = False
    deleted: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSpan:
    """One call of a tool. ``start_ms`` is None if it never ran, as a call that waits for a yes.

    ``outcome`` and ``end_ms`` are None while it runs. ``late``: the turn had stopped waiting for it.
    ``reused_from`` is the earlier call, such as ``t1/c1.1``, whose result was used again.
    """

    call_id: str
    tool: str
    arguments: Mapping[str, Json]
    requested_ms: int
    start_ms: int | None = None
    end_ms: int | None = None
    outcome: OutcomeName | None = None
    late: bool = False
    reused_from: str = ""
    result: Json = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldSentence:
    """A sentence of a model that a guardrail did not let through."""

    at_ms: int
    round: int
    guardrail: GuardrailName
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTimeline:
    """A turn in time. ``began_ms`` is the Unix time of its zero.

    ``started_ms`` is when work on the message began: the message may have waited for an earlier turn. ``end_ms`` is
    None while the turn runs; ``length_ms`` is the time of its last event, which may be later than its end: a call
    that ended late, or a spoken answer that was heard. That a message was seen does not count, because that may be
    hours later.
    ``spoken``: the customer spoke the message. In ``usage`` the embedded model costs nothing.
    """

    turn_id: str
    cause: Cause
    bundle: str
    began_ms: int
    started_ms: int
    end_ms: int | None
    length_ms: int
    how: HowTurnEnded | None
    spoken: bool
    messages: tuple[ShownMessage, ...]
    requests: tuple[RequestSpan, ...]
    calls: tuple[CallSpan, ...]
    held: tuple[HeldSentence, ...]
    usage: Usage


def timelines_of(entries: Sequence[Logged]) -> dict[str, TurnTimeline]:
    """Returns the timeline of each turn, by the turn's id, in order. No side effects."""
    said: dict[str, tuple[int, CustomerMessage]] = {}
    turns: dict[str, _Turn] = {}
    for logged in entries:
        match entry := logged.entry:
            case CustomerMessage(message_id=message_id):
                said[message_id] = logged.at_ms, entry
            case TurnStarted(turn_id=turn_id, message_id=message_id):
                unasked = entry.cause in ("late_result", "handoff")
                asked = None if unasked else said.get(message_id)
                turns[turn_id] = _Turn(entry, logged.at_ms, asked)
            case DeliveryReceipt(message_id=message_id):
                turn = turns.get(message_id.partition("/")[0])
                if turn is not None:
                    turn.apply(logged)
            case _ if logged.turn_id in turns:
                turns[logged.turn_id].apply(logged)
            case _:
                pass
    return {turn_id: turn.timeline() for turn_id, turn in turns.items()}


def total_cost(costs: Iterable[float | None]) -> float | None:
    """Returns the sum, or None if one of the costs is not known.

    >>> total_cost([0.5, 0.25]), total_cost([0.5, None]), total_cost([])
    (0.75, None, 0.0)
    """
    total = 0.0
    for cost in costs:
        if cost is None:
            return None
        total += cost
    return total


class _Turn:
    """Collects one turn's events."""

    def __init__(self, started: TurnStarted, at_ms: int, asked: tuple[int, CustomerMessage] | None) -> None:
        self._started, self._at_ms = started, at_ms
        self._zero = asked[0] if asked is not None else at_ms
        self._spoken = asked is not None and asked[1].spoken
        self._messages: dict[str, ShownMessage] = {}
        self._requests: list[RequestSpan] = []
        self._calls: dict[str, CallSpan] = {}
        self._held: list[HeldSentence] = []
        self._ended: tuple[int, HowTurnEnded] | None = None
        self._entries: list[Logged] = []

    def apply(self, logged: Logged) -> None:
        at = logged.at_ms - self._zero
        self._entries.append(logged)
        match entry := logged.entry:
            case ModelAsked():
                self._requests.append(
                    RequestSpan(
                        seq=logged.seq,
                        role=entry.role,
                        round=entry.round,
                        attempt=entry.attempt,
                        model=entry.model,
                        start_ms=at,
                    )
                )
            case ModelChunks():
                self._replied(entry, at)
            case MessageOpened(message_id=message_id):
                self._messages[message_id] = ShownMessage(
                    message_id=message_id, kind=None, text="", start_ms=at, end_ms=None, reached={}
                )
            case MessageText(message_id=message_id, text=text):
                self._said(message_id, text, at)
            case MessageClosed(message_id=message_id):
                if (message := self._messages.get(message_id)) is not None:
                    self._messages[message_id] = replace(
                        message, kind=entry.kind, end_ms=at, interrupted=entry.interrupted
                    )
            case ConfirmationAsked():
                if self._messages:
                    last = next(reversed(self._messages))
                    self._messages[last] = replace(self._messages[last], asks=True)
            case DeliveryReceipt(message_id=message_id, how="seen" | "heard" as how, up_to=up_to):
                if (message := self._messages.get(message_id)) is not None:
                    reached = {**message.reached, how: (at, up_to)}
                    self._messages[message_id] = replace(message, reached=reached)
            case CallRequested(call=call):
                self._calls[call.id] = CallSpan(
                    call_id=call.id, tool=call.tool, arguments=call.arguments, requested_ms=at
                )
            case CallStarted(call_id=call_id):
                if (call := self._calls.get(call_id)) is not None:
                    arguments = call.arguments if entry.arguments is None else entry.arguments
                    self._calls[call_id] = replace(call, start_ms=at, arguments=arguments)
            case CallEnded():
                self._call_ended(entry, at)
            case SentenceSuppressed():
                self._held.append(
                    HeldSentence(at_ms=at, round=entry.round, guardrail=entry.guardrail, text=entry.text)
                )
            case TurnEnded(how=how):
                self._ended = at, how
            case _:
                pass

    def timeline(self) -> TurnTimeline:
        end_ms, how = self._ended if self._ended is not None else (None, None)
        ends = [
            *(one.end_ms for one in (*self._messages.values(), *self._requests, *self._calls.values())),
            *(one.reached["heard"][0] for one in self._messages.values() if "heard" in one.reached),
            *(message.start_ms for message in self._messages.values()),
            *(request.start_ms for request in self._requests),
        ]
        return TurnTimeline(
            turn_id=self._started.turn_id,
            cause=self._started.cause,
            bundle=self._started.bundle,
            began_ms=self._zero,
            started_ms=self._at_ms - self._zero,
            end_ms=end_ms,
            length_ms=max(end_ms or 0, self._at_ms - self._zero, *(one or 0 for one in ends), 1),
            how=how,
            spoken=self._spoken,
            messages=tuple(self._messages.values()),
            requests=tuple(self._requests),
            calls=tuple(self._calls.values()),
            held=tuple(self._held),
            usage=replace(
                usage_of(logged.entry for logged in self._entries),
                cost_usd=total_cost(one.cost_usd for one in self._requests),
            ),
        )

    def _said(self, message_id: str, text: str, at: int) -> None:
        message = self._messages.get(message_id)
        if message is None:
            return
        # A message is opened before its first word is known: the customer sees nothing until then.
        start = message.start_ms if message.text else at
        self._messages[message_id] = replace(message, text=message.text + text, start_ms=start)

    def _replied(self, reply: ModelChunks, at: int) -> None:
        """Complete the last open request of this round and role with its reply."""
        for place in range(len(self._requests) - 1, -1, -1):
            asked = self._requests[place]
            if (asked.round, asked.role, asked.end_ms) == (reply.round, reply.role, None):
                self._requests[place] = _answered(asked, reply, at)
                return

    def _call_ended(self, ended: CallEnded, at: int) -> None:
        outcome = ended.outcome
        call = self._calls.get(outcome.call.id)
        if call is None:
            return
        self._calls[outcome.call.id] = replace(
            call,
            # The outcome's duration was measured; the entry is only written a moment later.
            end_ms=call.start_ms + ended.duration_ms
            if call.start_ms is not None and ended.duration_ms
            else at,
            outcome=outcome_name(outcome),
            late=ended.late,
            reused_from=ended.reused_from,
            result=getattr(outcome, "value", None),
            why=getattr(outcome, "for_model", "") or getattr(outcome, "why", ""),
        )


def _answered(asked: RequestSpan, reply: ModelChunks, at: int) -> RequestSpan:
    pieces = [at_ms for at_ms, chunk in reply.chunks if not isinstance(chunk, StreamEnded | Opaque)]
    last = reply.chunks[-1] if reply.chunks else None
    ended = last[1] if last is not None and isinstance(last[1], StreamEnded) else None
    free = asked.model == EMBEDDED or (ended is not None and ended.model == EMBEDDED)
    # A request that failed before anything came costs nothing.
    free |= not reply.chunks and reply.error not in (None, STOPPED)
    cost = ended.cost_usd if ended is not None else None
    return replace(
        asked,
        model=ended.model if ended is not None and ended.model is not None else asked.model,
        first_ms=asked.start_ms + pieces[0] if pieces else None,
        end_ms=asked.start_ms + last[0] if last is not None else at,
        error=None if reply.error == STOPPED else reply.error,
        stopped=reply.error == STOPPED,
        deleted=ended is not None and not pieces,
        input_tokens=ended.input_tokens if ended is not None else None,
        output_tokens=ended.output_tokens if ended is not None else None,
        cached_tokens=ended.cached_tokens if ended is not None else None,
        cost_usd=0.0 if cost is None and free else cost,
    )

"""The conversation, turn and call that the running code works for, and the ids of their spans.

Log lines take their conversation from here, and requests to other systems their ``traceparent``. The id of a
span is computed from the names of the turn and the call that it describes. So the id of a call is known
before its span exists, a turn that another process continues stays in its trace, and a replay has the same
ids.
"""

from contextvars import ContextVar
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Final

_SPAN_BYTES, _TRACE_BYTES = 8, 16


@dataclass(frozen=True, slots=True)
class Work:
    """What the running code works for. ``turn`` is "" between turns, ``call`` is "" outside of a call.

    ``share`` is the share of turns that are traced, from 0 to 1; None while traces are off.
    """

    tenant: str
    conversation: str
    turn: str = ""
    call: str = ""
    share: float | None = None


current_work: Final[ContextVar[Work | None]] = ContextVar("current_work", default=None)
"""What this task works for; None if it is about no conversation, or about several."""


def begin_work(tenant: str, conversation: str, turn: str = "", share: float | None = None) -> None:
    """Note that this task, and the tasks that it starts, work for a conversation or for a turn from now on."""
    current_work.set(Work(tenant, conversation, turn, share=share))


def begin_call(turn: str, call: str) -> None:
    """Note that this task runs a call of this turn from now on. Libraries with OpenTelemetry see its span as
    current.
    """
    work = current_work.get()
    if work is not None:
        work = replace(work, turn=turn, call=call)
        current_work.set(work)
        if work.share is not None:
            _attach(work, work.share)


def traceparent() -> str | None:
    """Returns the header by which another system continues the current call's trace, or None if there is none
    to continue.

    Its form is W3C Trace Context's.
    """
    work = current_work.get()
    if work is None or work.share is None or not work.call:
        return None
    trace, span = _ids(work)
    return f"00-{trace:032x}-{span:016x}-{'01' if is_sampled(trace, work.share) else '00'}"


def trace_id(*names: str) -> int:
    """Returns the id of the trace of a turn, or of a job.

    >>> f"{trace_id('shop', 'c-1', 't1'):032x}"
    'accbe9977fac8272170da73e27572b83'
    """
    return _id(_TRACE_BYTES, names)


def span_id(*names: str) -> int:
    """Returns the id of a span. The first names are those of the trace, the others describe the span within
    it.
    """
    return _id(_SPAN_BYTES, names)


def is_sampled(trace: int, share: float) -> bool:
    """Whether a trace belongs to the share of traces that are recorded, from 0 to 1; each server decides the same.

    >>> is_sampled(trace_id("shop", "c-1", "t1"), 1.0), is_sampled(trace_id("shop", "c-1", "t1"), 0.0)
    (True, False)
    """
    return trace & (2**64 - 1) < share * 2**64


def _id(size: int, names: tuple[str, ...]) -> int:
    # The separator is no part of a name, so two lists of names never give one text.
    return int.from_bytes(blake2b("\0".join(names).encode(), digest_size=size).digest()) or 1


def _ids(work: Work) -> tuple[int, int]:
    """Returns the ids of the current call's trace and span."""
    turn = (work.tenant, work.conversation, work.turn)
    return trace_id(*turn), span_id(*turn, work.call)


def _attach(work: Work, share: float) -> None:
    from opentelemetry import context
    from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

    trace, span = _ids(work)
    flags = TraceFlags(TraceFlags.SAMPLED if is_sampled(trace, share) else TraceFlags.DEFAULT)
    current = SpanContext(trace, span, is_remote=False, trace_flags=flags)
    context.attach(set_span_in_context(NonRecordingSpan(current)))

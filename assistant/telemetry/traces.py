"""Sends spans of turns, model requests, tool calls and jobs to an OpenTelemetry collector.

A span is made from the entries of the log, when the turn, request, call or job has ended. This module needs the
extra ``otel``: import it only if traces are on.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias, cast

import orjson
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from assistant.conversation.calls import Call
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CallEnded
from assistant.conversation.outcomes import CallFailed, CallSucceeded, CallTimedOut, CallUnknown, outcome_name
from assistant.conversation.values import Json
from assistant.language.personal_data import mask_secrets
from assistant.telemetry import semantics
from assistant.telemetry.context import is_sampled, span_id, trace_id
from assistant.telemetry.facts import EndedTurn, ModelReply, provider_and_model

Attribute: TypeAlias = str | bool | int | float | Sequence[str]

_LONGEST: Final = 8_000
"""Characters of one content; the rest is cut."""

_FLUSH_S: Final = 2.0
"""How long the last spans may take when the process stops."""

_AGENT: Final = "meanwhile"

_FAILED: Final = (CallFailed, CallTimedOut, CallUnknown)


class Traces:
    """Makes spans and sends them in the background.

    Args:
        endpoint: the address of the collector, without ``/v1/traces``. OpenTelemetry's own environment
            variables set everything else.
        release: the version of this program.
        share: the share of turns that are recorded, from 0 to 1.
        contents: whether spans contain what was said, arguments and results; they are masked.
    """

    def __init__(self, endpoint: str, *, release: str, share: float = 1.0, contents: bool = False) -> None:
        self.share, self._contents = share, contents
        named = OTELResourceDetector().detect().attributes.get("service.name", _AGENT)
        self._resource = Resource.create({"service.name": named, "service.version": release})
        self._scope = InstrumentationScope("assistant.telemetry", release)
        # Each try that fails is a warning, and the last one an error.
        logging.getLogger(OTLPSpanExporter.__module__).setLevel(logging.ERROR)
        self._exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")
        self._processor = BatchSpanProcessor(self._exporter)

    def turn_ended(self, key: ConversationKey, turn: EndedTurn) -> None:
        """Send the span of a turn, which is the root of its trace."""
        moments: list[tuple[str, int | None, dict[str, str]]] = [
            (semantics.FIRST_WORDS_EVENT, turn.first_words_ms, {}),
            (semantics.FIRST_FACT_EVENT, turn.first_fact_ms, {}),
            *(
                (semantics.SUPPRESSED_EVENT, at_ms, {semantics.GUARDRAIL: name})
                for name, at_ms in turn.suppressed
            ),
        ]
        contents: dict[str, Attribute] = {}
        if self._contents:
            asked = turn.message.text if turn.message is not None else ""
            contents = {
                semantics.INPUT_MESSAGES: _messages("user", [asked] if asked else []),
                semantics.OUTPUT_MESSAGES: _messages("assistant", turn.texts),
            }
        self._send(
            key,
            turn.turn,
            (),
            f"invoke_agent {_AGENT}",
            turn.asked_ms,
            turn.ended_ms,
            {
                semantics.OPERATION: "invoke_agent",
                semantics.AGENT: _AGENT,
                semantics.CAUSE: turn.cause,
                semantics.OUTCOME: turn.how,
                **contents,
            },
            error=turn.how if turn.how == "apologised" else None,
            events=[Event(name, more, _ns(at_ms)) for name, at_ms, more in moments if at_ms is not None],
        )

    def model_replied(self, key: ConversationKey, turn: str, reply: ModelReply) -> None:
        """Send the span of a request to a model."""
        provider, model = provider_and_model(reply.asked.model)
        ended = reply.ended
        known: dict[str, Attribute | None] = {
            semantics.OPERATION: "chat",
            semantics.PROVIDER: provider,
            semantics.REQUEST_MODEL: model,
            semantics.RESPONSE_MODEL: provider_and_model(reply.model)[1],
            semantics.STREAM: True,
            semantics.ROLE: reply.asked.role,
            semantics.ROUND: reply.asked.round,
            semantics.ATTEMPT: reply.asked.attempt,
            semantics.OUTCOME: reply.outcome,
            semantics.FIRST_CHUNK: None
            if reply.first_chunk_ms is None
            else (reply.first_chunk_ms - reply.asked_ms) / 1000,
        }
        if ended is not None:
            known |= {
                semantics.FINISH_REASONS: [ended.reason],
                semantics.INPUT_TOKENS: ended.input_tokens,
                semantics.OUTPUT_TOKENS: ended.output_tokens,
                semantics.CACHED_TOKENS: ended.cached_tokens,
                semantics.COST: ended.cost_usd,
            }
        if self._contents:
            known[semantics.OUTPUT_MESSAGES] = _messages("assistant", [reply.text], reply.tools)
        self._send(
            key,
            turn,
            ("model", str(reply.asked.round), reply.asked.role, str(reply.asked.attempt)),
            f"chat {model}",
            reply.asked_ms,
            reply.ended_ms,
            {name: value for name, value in known.items() if value is not None},
            error=reply.outcome if reply.outcome in ("failed", "refused") else None,
            kind=SpanKind.CLIENT,
        )

    def call_ended(self, key: ConversationKey, turn: str, ended: CallEnded, call: Call, at_ms: int) -> None:
        """Send the span of a tool call. ``call`` has the arguments that it ran with."""
        outcome = ended.outcome
        attributes: dict[str, Attribute] = {
            semantics.OPERATION: "execute_tool",
            semantics.TOOL: call.tool,
            semantics.TOOL_TYPE: "function",
            semantics.CALL: call.id,
            semantics.OUTCOME: outcome_name(outcome),
        }
        if ended.late:
            attributes[semantics.LATE] = True
        if ended.reused_from:
            attributes[semantics.REUSED] = ended.reused_from
        if self._contents:
            attributes[semantics.ARGUMENTS] = _json(call.arguments)
            if isinstance(outcome, CallSucceeded):
                attributes[semantics.RESULT] = _json(outcome.value)
        self._send(
            key,
            turn,
            (call.id,),
            f"execute_tool {call.tool}",
            at_ms - ended.duration_ms,
            at_ms,
            attributes,
            error=outcome_name(outcome) if isinstance(outcome, _FAILED) else None,
        )

    def job_ended(
        self, kind: str, tenant: str, number: int, began_ms: int, ended_ms: int, error: str | None
    ) -> None:
        """Send the span of a job, which is a trace of its own."""
        names = ("", "job", kind, str(number), str(began_ms))
        attributes: dict[str, Attribute] = {semantics.JOB: kind, semantics.JOB_NUMBER: number}
        if tenant:
            attributes[semantics.TENANT] = tenant
        trace = trace_id(*names)
        if is_sampled(trace, self.share):
            self._end(
                f"job {kind}", self._context(trace, names), None, began_ms, ended_ms, attributes, error=error
            )

    async def close(self) -> None:
        """Send the remaining spans; give up after a short time if the collector does not accept them."""
        closing = asyncio.create_task(asyncio.to_thread(self._processor.shutdown))
        _, late = await asyncio.wait({closing}, timeout=_FLUSH_S)
        if late:
            await asyncio.to_thread(self._exporter.shutdown)  # it waits for the next try no longer
            await closing

    def _send(
        self,
        key: ConversationKey,
        turn: str,
        part: tuple[str, ...],
        name: str,
        began_ms: int,
        ended_ms: int,
        attributes: Mapping[str, Attribute],
        *,
        error: str | None,
        kind: SpanKind = SpanKind.INTERNAL,
        events: Sequence[Event] = (),
    ) -> None:
        """Send the span of a turn, or of the ``part`` of one that these names stand for."""
        names = (key.tenant, key.conversation, turn)
        trace = trace_id(*names)
        if not is_sampled(trace, self.share):
            return
        everywhere = {
            semantics.TENANT: key.tenant,
            semantics.CONVERSATION: key.conversation,
            semantics.TURN: turn,
        }
        self._end(
            name,
            self._context(trace, (*names, *part)),
            self._context(trace, names) if part else None,
            began_ms,
            ended_ms,
            {**everywhere, **attributes},
            error=error,
            kind=kind,
            events=events,
        )

    def _context(self, trace: int, names: tuple[str, ...]) -> SpanContext:
        return SpanContext(
            trace, span_id(*names), is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED)
        )

    def _end(
        self,
        name: str,
        context: SpanContext,
        parent: SpanContext | None,
        began_ms: int,
        ended_ms: int,
        attributes: Mapping[str, Attribute],
        *,
        error: str | None,
        kind: SpanKind = SpanKind.INTERNAL,
        events: Sequence[Event] = (),
    ) -> None:
        if error is not None:
            attributes = {**attributes, semantics.ERROR: error}
        self._processor.on_end(
            ReadableSpan(
                name,
                context=context,
                parent=parent,
                resource=self._resource,
                attributes=attributes,
                events=events,
                kind=kind,
                status=Status(StatusCode.UNSET if error is None else StatusCode.ERROR),
                start_time=_ns(min(began_ms, ended_ms)),
                end_time=_ns(ended_ms),
                instrumentation_scope=self._scope,
            )
        )


def _ns(ms: int) -> int:
    return ms * 1_000_000


def _messages(role: str, texts: Sequence[str], tools: Sequence[str] = ()) -> str:
    """Returns messages in the form of the conventions, masked."""
    said = [{"role": role, "parts": [{"type": "text", "content": _masked(text)}]} for text in texts if text]
    called = (
        [{"role": role, "parts": [{"type": "tool_call", "name": name} for name in tools]}] if tools else []
    )
    return _cut(orjson.dumps([*said, *called]).decode())


def _json(value: Json) -> str:
    return _cut(orjson.dumps(_masked(value), dict).decode())


def _masked(value: Json) -> Json:
    """Returns the value with personal data and secrets replaced in each of its texts."""
    if isinstance(value, str):
        return mask_secrets(value)
    if isinstance(value, int) and (text := mask_secrets(str(value))) != str(value):
        return text  # such as the number of a card
    if isinstance(value, Mapping):
        return {name: _masked(inner) for name, inner in value.items()}
    if isinstance(value, Sequence):
        return [_masked(inner) for inner in cast("Sequence[Json]", value)]
    return value


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"

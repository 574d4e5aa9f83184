"""Counts and traces what happens in the conversations of one tenant. Begin with ``TenantTelemetry.stored``.

Everything that happens in a conversation is a log entry, so most metrics and all spans of turns are computed
from entries, once they are stored. Each entry is stored by one process and counted there, so nothing is
counted twice when another process continues a turn. For each event that is not in the log there is a separate
method.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import structlog

from assistant.conversation.chunks import StreamEnded
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    AgentMessage,
    CallEnded,
    ConfirmationAnswered,
    ConfirmationAsked,
    CustomerMessage,
    DecisionClosed,
    ForwardedToAgent,
    Handoff,
    IdentificationAttempted,
    Logged,
    ModelChunks,
    Rated,
    SentenceSuppressed,
    TurnEnded,
)
from assistant.conversation.outcomes import outcome_name
from assistant.conversation.state import ConversationState
from assistant.conversation.usage import Assessment
from assistant.errors import (
    Fenced,
    LogError,
    ModelBroke,
    ModelBusy,
    ModelError,
    ModelRefused,
    ModelTimeout,
    ReplyCut,
)
from assistant.telemetry import definitions as metrics
from assistant.telemetry.facts import (
    call_arguments,
    ended_turn,
    handoff_requested_ms,
    has_run,
    model_reply,
    provider_and_model,
    question_asked,
)
from assistant.telemetry.metrics import Metrics

if TYPE_CHECKING:
    from assistant.telemetry.traces import Traces

log = structlog.get_logger(__name__)

_EMBEDDED: Final = "offline"
"""The provider of the demo model, which costs nothing."""

_REASONS: Final[dict[type[ModelError], str]] = {
    ModelBusy: "busy",
    ModelBroke: "broke",
    ModelTimeout: "timeout",
    ModelRefused: "refused",
    ReplyCut: "cut",
}


@dataclass(frozen=True, slots=True)
class _Stored:
    """An entry, its conversation, and all entries up to it, or farther."""

    key: ConversationKey
    entries: Sequence[Logged]
    logged: Logged


class TenantTelemetry:
    """The metrics and traces of one tenant. No method waits or raises.

    Args:
        tenant: its name.
        values: where everything is counted.
        traces: sends spans; None: traces are off.
        tools: the names of the tools that are loaded now.

    Attributes:
        share: the share of turns that are traced; None: traces are off.
    """

    def __init__(
        self,
        tenant: str,
        values: Metrics,
        traces: "Traces | None" = None,
        tools: Callable[[], Container[str]] = frozenset,
    ) -> None:
        self.tenant, self.tools = tenant, tools
        self._values, self._traces = values, traces
        self.share = traces.share if traces is not None else None
        self._questions: dict[str, int] = {}
        values.add_tenant(tenant)

    def stored(self, key: ConversationKey, entries: Sequence[Logged], new: Sequence[Logged]) -> None:
        """Count and trace entries that were just stored. ``entries`` are all of the conversation, in order;
        they end with ``new``.
        """
        self._values.add(metrics.APPENDED, amount=len(new))
        for logged in new:
            count = _COUNTS.get(type(logged.entry))
            if count is not None:
                try:
                    count(self, logged.entry, _Stored(key, entries, logged))
                except Exception:
                    # A mistake here must not end the conversation.
                    log.exception("an entry was not counted", conversation=key.conversation)

    def append_took(self, seconds: float) -> None:
        """Report that a batch of entries was stored."""
        self._values.observe(metrics.APPENDS, value=seconds)

    def append_failed(self, error: LogError) -> None:
        """Report that a batch of entries was not stored."""
        self._values.add(metrics.APPEND_FAILURES, "fenced" if isinstance(error, Fenced) else "failed")

    def model_retried(self, model: str, error: ModelError) -> None:
        """Report that the same model is asked again after this error."""
        self._values.add(metrics.RETRIES, self.tenant, *provider_and_model(model), _reason(error))

    def model_replaced(self, model: str, fallback: str, error: ModelError) -> None:
        """Report that ``fallback`` is asked in place of ``model``, after this error."""
        self._values.add(metrics.FALLBACKS, self.tenant, *provider_and_model(model), fallback, _reason(error))

    def budget_reached(self, budget: Assessment) -> None:
        """Report that a budget has reached this stage."""
        self._values.add(metrics.BUDGETS_REACHED, self.tenant, budget.scope, budget.stage)

    def summary_written(self, ended: StreamEnded, model: str, seconds: float) -> None:
        """Report that a summary model has replied. Its requests are no entries of the log."""
        labels = (self.tenant, "summariser", *provider_and_model(ended.model or model))
        self._values.add(metrics.MODEL_REQUESTS, *labels, "ok")
        self._values.observe(metrics.MODEL_DURATION, *labels, value=seconds)
        self._count_usage(labels, ended)

    def socket_accepted(self, route: str) -> None:
        """Report that a websocket is open: of ``chat``, ``operators``, ``console`` or ``phone``."""
        self._values.add(metrics.SOCKETS, self.tenant, route)
        self._values.add(metrics.SOCKETS_OPEN, self.tenant, route)

    def socket_refused(self, route: str) -> None:
        """Report that a websocket was not accepted."""
        self._values.add(metrics.SOCKETS_REFUSED, self.tenant, route)

    def socket_closed(self, route: str, code: int | None) -> None:
        """Report that a websocket is closed: by this server with this code, or by the client (None)."""
        self._values.add(metrics.SOCKETS_OPEN, self.tenant, route, amount=-1.0)
        self._values.add(metrics.SOCKETS_CLOSED, self.tenant, route, "client" if code is None else str(code))

    def voice_stage(self, stage: str, seconds: float) -> None:
        """Report how long a stage of a spoken turn took: transcription, synthesis, response."""
        self._values.observe(metrics.VOICE_STAGES, self.tenant, stage, value=seconds)

    def voice_failed(self, stage: str) -> None:
        """Report that speech recognition (``transcription``) or speech output (``synthesis``) has failed."""
        self._values.add(metrics.VOICE_FAILURES, self.tenant, stage)

    def expire_questions(self, now_ms: int) -> None:
        """Count the questions that were not answered in time."""
        # All questions stay open for the same time, so the oldest expires first.
        while self._questions:
            conversation, until_ms = next(iter(self._questions.items()))
            if until_ms >= now_ms:
                break
            del self._questions[conversation]
            self._values.add(metrics.CONFIRMATIONS_ANSWERED, self.tenant, "expired")

    def gauges(
        self, open_now: Iterable[ConversationState]
    ) -> dict[metrics.Metric, dict[tuple[str, ...], int]]:
        """Returns the current values of the gauges about conversations that this process writes."""
        turns = waiting = conversations = 0
        handoffs: dict[tuple[str, ...], int] = {}
        for state in open_now:
            conversations += 1
            turns += state.unfinished is not None
            waiting += len(state.waiting)
            if state.handoff is not None:
                place = (self.tenant, state.handoff.state)
                handoffs[place] = handoffs.get(place, 0) + 1
        whose = (self.tenant,)
        return {
            metrics.CONVERSATIONS_OPEN: {whose: conversations},
            metrics.TURNS_RUNNING: {whose: turns},
            metrics.MESSAGES_WAITING: {whose: waiting},
            metrics.HANDOFFS_OPEN: handoffs,
        }

    def _customer_message(self, entry: CustomerMessage, _: _Stored) -> None:
        entered = "button" if entry.button is not None else "spoken" if entry.spoken else "text"
        self._values.add(metrics.MESSAGES, self.tenant, entered)
        if entry.message_id == "u1":
            self._values.add(metrics.CONVERSATIONS, self.tenant)

    def _turn_ended(self, _: TurnEnded, stored: _Stored) -> None:
        turn = ended_turn(stored.entries, stored.logged)
        if turn is None:
            return
        self._values.add(metrics.TURNS, self.tenant, turn.cause, turn.how)
        moments = (
            (metrics.TURN_DURATION, turn.ended_ms),
            (metrics.FIRST_WORDS, turn.first_words_ms),
            (metrics.FIRST_FACT, turn.first_fact_ms),
        )
        for metric, at_ms in moments:
            if at_ms is not None:
                self._values.observe(metric, self.tenant, value=(at_ms - turn.asked_ms) / 1000)
        if self._traces is not None:
            self._traces.turn_ended(stored.key, turn)

    def _model_replied(self, _: ModelChunks, stored: _Stored) -> None:
        reply = model_reply(stored.entries, stored.logged)
        if reply is None:
            return
        labels = (self.tenant, reply.asked.role, *provider_and_model(reply.model))
        self._values.add(metrics.MODEL_REQUESTS, *labels, reply.outcome)
        self._values.observe(metrics.MODEL_DURATION, *labels, value=(reply.ended_ms - reply.asked_ms) / 1000)
        if reply.first_chunk_ms is not None:
            waited_s = (reply.first_chunk_ms - reply.asked_ms) / 1000
            self._values.observe(metrics.MODEL_FIRST_CHUNK, *labels, value=waited_s)
        self._count_usage(labels, reply.ended)
        if self._traces is not None:
            self._traces.model_replied(stored.key, stored.logged.turn_id, reply)

    def _count_usage(self, labels: tuple[str, ...], ended: StreamEnded | None) -> None:
        if (ended is None or ended.cost_usd is None) and _EMBEDDED not in labels:
            self._values.add(metrics.WITHOUT_COST, *labels)
        if ended is None:
            return
        for metric, amount in (
            (metrics.INPUT_TOKENS, ended.input_tokens),
            (metrics.CACHED_TOKENS, ended.cached_tokens),
            (metrics.OUTPUT_TOKENS, ended.output_tokens),
            (metrics.COST, ended.cost_usd),
        ):
            if amount is not None:
                self._values.add(metric, *labels, amount=amount)

    def _call_ended(self, entry: CallEnded, stored: _Stored) -> None:
        call = entry.outcome.call
        tool = call.tool if call.tool in self.tools() else metrics.OTHER
        outcome = "reused" if entry.reused_from else outcome_name(entry.outcome)
        self._values.add(metrics.TOOL_CALLS, self.tenant, tool, outcome)
        if entry.late:
            self._values.add(metrics.TOOL_LATE, self.tenant, tool)
        if has_run(entry):
            self._values.observe(metrics.TOOL_DURATION, self.tenant, tool, value=entry.duration_ms / 1000)
        if self._traces is not None:
            ran = call_arguments(stored.entries, stored.logged, call)
            self._traces.call_ended(stored.key, stored.logged.turn_id, entry, ran, stored.logged.at_ms)

    def _sentence_suppressed(self, entry: SentenceSuppressed, _: _Stored) -> None:
        self._values.add(metrics.GUARDRAILS, self.tenant, entry.guardrail)

    def _decision_closed(self, entry: DecisionClosed, _: _Stored) -> None:
        self._values.add(metrics.DECISIONS, self.tenant, entry.how)

    def _confirmation_asked(self, entry: ConfirmationAsked, stored: _Stored) -> None:
        if entry.attempt == 1:
            self._values.add(metrics.CONFIRMATIONS_ASKED, self.tenant)
        self.expire_questions(stored.logged.at_ms)
        self._questions.pop(stored.key.conversation, None)
        self._questions[stored.key.conversation] = entry.expires_at_ms

    def _confirmation_answered(self, entry: ConfirmationAnswered, stored: _Stored) -> None:
        until_ms = self._questions.pop(stored.key.conversation, None)
        if until_ms is None:
            # It was asked by another process, or it has expired and is counted.
            asked = question_asked(stored.entries, stored.logged, entry.confirmation_id)
            if asked is None or asked.expires_at_ms < stored.logged.at_ms:
                return
        late = (
            until_ms is not None and until_ms < stored.logged.at_ms and entry.answer in ("unclear", "dropped")
        )
        answer = "expired" if late else entry.answer
        self._values.add(metrics.CONFIRMATIONS_ANSWERED, self.tenant, answer)

    def _handoff(self, entry: Handoff, stored: _Stored) -> None:
        self._values.add(metrics.HANDOFFS, self.tenant, entry.state)
        if entry.state == "accepted":
            asked_ms = handoff_requested_ms(stored.entries, stored.logged, entry.handoff_id)
            if asked_ms is not None:
                waited_s = (stored.logged.at_ms - asked_ms) / 1000
                self._values.observe(metrics.HANDOFF_WAIT, self.tenant, value=waited_s)

    def _forwarded(self, _: ForwardedToAgent, __: _Stored) -> None:
        self._values.add(metrics.AGENT_MESSAGES, self.tenant, "customer")

    def _agent_message(self, _: AgentMessage, __: _Stored) -> None:
        self._values.add(metrics.AGENT_MESSAGES, self.tenant, "agent")

    def _rated(self, entry: Rated, _: _Stored) -> None:
        if entry.rating is not None:
            self._values.add(metrics.RATINGS, self.tenant, entry.rating)

    def _identification(self, entry: IdentificationAttempted, _: _Stored) -> None:
        self._values.add(metrics.IDENTIFICATIONS, self.tenant, "yes" if entry.matched else "no")


def _reason(error: ModelError) -> str:
    return _REASONS.get(type(error), metrics.OTHER)


_COUNTS: Final[dict[type, Callable[[TenantTelemetry, Any, _Stored], None]]] = {
    CustomerMessage: TenantTelemetry._customer_message,
    TurnEnded: TenantTelemetry._turn_ended,
    ModelChunks: TenantTelemetry._model_replied,
    CallEnded: TenantTelemetry._call_ended,
    SentenceSuppressed: TenantTelemetry._sentence_suppressed,
    DecisionClosed: TenantTelemetry._decision_closed,
    ConfirmationAsked: TenantTelemetry._confirmation_asked,
    ConfirmationAnswered: TenantTelemetry._confirmation_answered,
    Handoff: TenantTelemetry._handoff,
    ForwardedToAgent: TenantTelemetry._forwarded,
    AgentMessage: TenantTelemetry._agent_message,
    Rated: TenantTelemetry._rated,
    IdentificationAttempted: TenantTelemetry._identification,
}

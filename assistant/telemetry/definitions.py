"""The definitions of all metrics. The reference page of metrics is generated from them.

Names end in their unit (``_seconds``) and, for counters, in ``_total``. Values of labels come from the
configuration or from closed lists: no customer, no conversation and no text of a model can become one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from assistant.conversation.entries import (
    Answer,
    BudgetName,
    Cause,
    GuardrailName,
    HandoffState,
    ModelRole,
    Rating,
)
from assistant.conversation.outcomes import OutcomeName
from assistant.conversation.usage import BudgetScope
from assistant.conversation.values import HowTurnEnded

OTHER: Final = "other"
"""The value of a label for names that the configuration does not know, such as a tool that a model has invented."""

Kind: TypeAlias = Literal["counter", "gauge", "histogram"]

_WAITS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0)
"""Limits of a histogram for what a customer waits for, in seconds."""

_FAST: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""The same for what is usually done in milliseconds."""

_LONG: Final = (0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3600.0)
"""The same for background work, and for people."""


@dataclass(frozen=True, slots=True)
class Label:
    """A label. ``values`` are all that it can have; without them, ``source`` says where they come from."""

    name: str
    values: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """One metric. ``about`` is its heading on the reference page; ``limits`` are a histogram's buckets."""

    about: str
    kind: Kind
    name: str
    help: str
    labels: tuple[Label, ...] = ()
    limits: tuple[float, ...] = ()


TENANT = Label("tenant", source="ASSISTANT_TENANT, or the tenants' folders")
_TOOL = Label("tool", source="the tools that are loaded; other for any other name")
_ROLE = Label("role", get_args(ModelRole))
_PROVIDER = Label("provider", source="the part of the model's name before the slash")
_MODEL = Label("model", source="the models in the settings")
_FALLBACK = Label("fallback", source="the models in the settings")
_REASON = Label("reason", ("busy", "broke", "timeout", "refused", "cut", "other"))
_ROUTE = Label("route", ("chat", "operators", "console", "phone"))
_STAGE = Label("stage", ("transcription", "synthesis", "response"))
_JOB = Label("kind", source="the kinds of background work; document is the queue of documents")
_CODE = Label("code", source="the close codes of the protocol; client if the client closed it")


_TURNS = "Turns"
TURNS = Metric(
    _TURNS,
    "counter",
    "meanwhile_turns_total",
    "Turns that have ended.",
    (TENANT, Label("cause", get_args(Cause)), Label("outcome", get_args(HowTurnEnded))),
)
TURN_DURATION = Metric(
    _TURNS,
    "histogram",
    "meanwhile_turn_duration_seconds",
    "From the customer's message to the end of its turn.",
    (TENANT,),
    _WAITS,
)
FIRST_WORDS = Metric(
    _TURNS,
    "histogram",
    "meanwhile_turn_first_words_seconds",
    "From the customer's message to the first words of any kind.",
    (TENANT,),
    _WAITS,
)
FIRST_FACT = Metric(
    _TURNS,
    "histogram",
    "meanwhile_turn_first_fact_seconds",
    "From the customer's message to the first amount, date, time or number that is told after a result came; only "
    "turns with a result.",
    (TENANT,),
    _WAITS,
)
TURNS_RUNNING = Metric(
    _TURNS, "gauge", "meanwhile_turns_running", "Turns that have begun and not ended.", (TENANT,)
)
MESSAGES = Metric(
    _TURNS,
    "counter",
    "meanwhile_messages_total",
    "Customers' messages, by how they were entered: text, button, spoken.",
    (TENANT, Label("entered", ("text", "button", "spoken"))),
)
MESSAGES_WAITING = Metric(
    _TURNS,
    "gauge",
    "meanwhile_messages_waiting",
    "Customers' messages whose turn has not begun.",
    (TENANT,),
)
GUARDRAILS = Metric(
    _TURNS,
    "counter",
    "meanwhile_guardrail_suppressions_total",
    "Sentences of a model that a guardrail kept from the customer.",
    (TENANT, Label("guardrail", get_args(GuardrailName))),
)
DECISIONS = Metric(
    _TURNS,
    "counter",
    "meanwhile_decisions_total",
    "Rounds by how their decision ended: complete, cut_off, failed, refused by guardrails, or no model was asked "
    "because a budget is spent.",
    (TENANT, Label("outcome", ("complete", "cut_off", "failed", "refused", "paused", *get_args(BudgetName)))),
)
BUDGETS_REACHED = Metric(
    _TURNS,
    "counter",
    "meanwhile_budgets_reached_total",
    "Budgets of tokens or money that are nearly spent (soft) or spent (hard), once for each stage.",
    (TENANT, Label("scope", get_args(BudgetScope)), Label("stage", ("soft", "hard"))),
)
CONFIRMATIONS_ASKED = Metric(
    _TURNS,
    "counter",
    "meanwhile_confirmations_asked_total",
    "Questions whether a change may be made; a question that is asked again counts once.",
    (TENANT,),
)
CONFIRMATIONS_ANSWERED = Metric(
    _TURNS,
    "counter",
    "meanwhile_confirmations_answered_total",
    "How these questions were answered: yes, no, correction, unclear, dropped, or expired: no answer in time.",
    (TENANT, Label("answer", (*get_args(Answer), "expired"))),
)
RATINGS = Metric(
    _TURNS,
    "counter",
    "meanwhile_ratings_total",
    "Customers' ratings of answers.",
    (TENANT, Label("rating", get_args(Rating))),
)
IDENTIFICATIONS = Metric(
    _TURNS,
    "counter",
    "meanwhile_identifications_total",
    "Attempts of customers to identify themselves in a conversation.",
    (TENANT, Label("matched", ("yes", "no"))),
)

_TOOLS = "Tools"
TOOL_CALLS = Metric(
    _TOOLS,
    "counter",
    "meanwhile_tool_calls_total",
    "Calls by outcome; reused is an earlier result that was fresh enough.",
    (TENANT, _TOOL, Label("outcome", (*get_args(OutcomeName), "reused"))),
)
TOOL_DURATION = Metric(
    _TOOLS,
    "histogram",
    "meanwhile_tool_call_duration_seconds",
    "How long calls ran, with all attempts.",
    (TENANT, _TOOL),
    _WAITS,
)
TOOL_LATE = Metric(
    _TOOLS,
    "counter",
    "meanwhile_tool_calls_late_total",
    "Calls that ended after their turn had stopped waiting.",
    (TENANT, _TOOL),
)

_MODELS = "Models"
_ASKED = (TENANT, _ROLE, _PROVIDER, _MODEL)
MODEL_REQUESTS = Metric(
    _MODELS,
    "counter",
    "meanwhile_model_requests_total",
    "Requests by outcome: ok, length, refused, failed, stopped. The model is the one that answered; retries inside "
    "a request are no requests.",
    (*_ASKED, Label("outcome", ("ok", "length", "refused", "failed", "stopped"))),
)
MODEL_DURATION = Metric(
    _MODELS,
    "histogram",
    "meanwhile_model_request_duration_seconds",
    "From the request to the end of its reply, with retries.",
    _ASKED,
    _WAITS,
)
MODEL_FIRST_CHUNK = Metric(
    _MODELS,
    "histogram",
    "meanwhile_model_first_chunk_seconds",
    "From the request to the first piece of its reply, with retries.",
    _ASKED,
    _WAITS,
)
INPUT_TOKENS = Metric(
    _MODELS,
    "counter",
    "meanwhile_model_input_tokens_total",
    "Tokens of requests, with those from the provider's cache.",
    _ASKED,
)
CACHED_TOKENS = Metric(
    _MODELS,
    "counter",
    "meanwhile_model_cached_input_tokens_total",
    "The part of them that came from the provider's cache.",
    _ASKED,
)
OUTPUT_TOKENS = Metric(
    _MODELS, "counter", "meanwhile_model_output_tokens_total", "Tokens of replies.", _ASKED
)
COST = Metric(
    _MODELS, "counter", "meanwhile_model_cost_usd_total", "What replies cost, in US dollars.", _ASKED
)
WITHOUT_COST = Metric(
    _MODELS,
    "counter",
    "meanwhile_model_requests_without_cost_total",
    "Requests that the cost does not contain, because it is not known.",
    _ASKED,
)
RETRIES = Metric(
    _MODELS,
    "counter",
    "meanwhile_model_retries_total",
    "Times that the same model was asked again within a request.",
    (TENANT, _PROVIDER, _MODEL, _REASON),
)
FALLBACKS = Metric(
    _MODELS,
    "counter",
    "meanwhile_model_fallbacks_total",
    "Times that the next model was asked instead of this one.",
    (TENANT, _PROVIDER, _MODEL, _FALLBACK, _REASON),
)

_CONVERSATIONS = "Conversations and handoffs"
CONVERSATIONS = Metric(
    _CONVERSATIONS,
    "counter",
    "meanwhile_conversations_total",
    "Conversations that have begun, with their first entry.",
    (TENANT,),
)
CONVERSATIONS_OPEN = Metric(
    _CONVERSATIONS,
    "gauge",
    "meanwhile_conversations_open",
    "Conversations in memory that this server writes.",
    (TENANT,),
)
SOCKETS = Metric(
    _CONVERSATIONS,
    "counter",
    "meanwhile_sockets_total",
    "Websockets that were accepted, by route: chat, operators, console, phone.",
    (TENANT, _ROUTE),
)
SOCKETS_OPEN = Metric(_CONVERSATIONS, "gauge", "meanwhile_sockets_open", "Open websockets.", (TENANT, _ROUTE))
SOCKETS_CLOSED = Metric(
    _CONVERSATIONS,
    "counter",
    "meanwhile_sockets_closed_total",
    "Websockets that this server closed, by close code; client is for those that the client closed.",
    (TENANT, _ROUTE, _CODE),
)
SOCKETS_REFUSED = Metric(
    _CONVERSATIONS,
    "counter",
    "meanwhile_sockets_refused_total",
    "Websockets that were not accepted, such as those of a foreign page.",
    (TENANT, _ROUTE),
)
HANDOFFS = Metric(
    _CONVERSATIONS,
    "counter",
    "meanwhile_handoffs_total",
    "Handoffs that reached a state: requested, queued, accepted, unavailable, ticket, ended.",
    (TENANT, Label("state", get_args(HandoffState))),
)
HANDOFFS_OPEN = Metric(
    _CONVERSATIONS,
    "gauge",
    "meanwhile_handoffs_open",
    "Handoffs by their state now.",
    (TENANT, Label("state", get_args(HandoffState))),
)
HANDOFF_WAIT = Metric(
    _CONVERSATIONS,
    "histogram",
    "meanwhile_handoff_wait_seconds",
    "From the request for a person to the moment when an agent accepts.",
    (TENANT,),
    _LONG,
)
AGENT_MESSAGES = Metric(
    _CONVERSATIONS,
    "counter",
    "meanwhile_handoff_messages_total",
    "Messages while a person has the conversation, by who sent them: customer, agent.",
    (TENANT, Label("sender", ("customer", "agent"))),
)

_VOICE = "Voice"
VOICE_STAGES = Metric(
    _VOICE,
    "histogram",
    "meanwhile_voice_stage_duration_seconds",
    "Stages of a spoken turn: transcription; synthesis, to the first sound of a clause; response, from the end "
    "of the customer's speech to the first sound of the assistant.",
    (TENANT, _STAGE),
    _WAITS,
)
VOICE_FAILURES = Metric(
    _VOICE,
    "counter",
    "meanwhile_voice_failures_total",
    "Times that speech recognition or speech output failed.",
    (TENANT, _STAGE),
)

_WORK = "Log, queues and jobs"
APPENDS = Metric(
    _WORK,
    "histogram",
    "meanwhile_log_append_duration_seconds",
    "How long it took until a batch of entries was stored. A message is shown only after that.",
    (),
    _FAST,
)
APPENDED = Metric(_WORK, "counter", "meanwhile_log_entries_total", "Entries that were stored.")
APPEND_FAILURES = Metric(
    _WORK,
    "counter",
    "meanwhile_log_append_failures_total",
    "Appends that failed; their conversations were closed and are opened again. Fenced: another server had taken "
    "one over, which is no fault.",
    (Label("reason", ("failed", "fenced")),),
)
JOBS = Metric(
    _WORK,
    "counter",
    "meanwhile_jobs_total",
    "Jobs that ran, by outcome: ok, failed, cancelled.",
    (_JOB, Label("outcome", ("ok", "failed", "cancelled"))),
)
JOB_DURATION = Metric(
    _WORK, "histogram", "meanwhile_job_duration_seconds", "How long jobs ran.", (_JOB,), _LONG
)
QUEUE_WAITING = Metric(
    _WORK,
    "gauge",
    "meanwhile_queue_waiting",
    "Jobs of a kind that wait, or run; document is the queue of documents. Servers that share a database report "
    "the same number.",
    (_JOB,),
)
QUEUE_FAILED = Metric(_WORK, "gauge", "meanwhile_queue_failed", "Jobs of a kind that were given up.", (_JOB,))
QUEUE_AGE = Metric(
    _WORK,
    "gauge",
    "meanwhile_queue_oldest_seconds",
    "For how long the oldest waiting job of a kind has been due.",
    (_JOB,),
)
QUEUES_UNREADABLE = Metric(
    _WORK, "gauge", "meanwhile_queues_unreadable", "1 if the queues could not be read for this scrape."
)

_PROCESS = "Process"
LOOP_LAG = Metric(
    _PROCESS,
    "histogram",
    "meanwhile_event_loop_lag_seconds",
    "How late the event loop ran a timer, four times a second. All conversations wait as long.",
    (),
    _FAST,
)
LOG_LINES = Metric(
    _PROCESS,
    "counter",
    "meanwhile_log_lines_total",
    "Lines of this program's own log, by level: warning, error.",
    (Label("level", ("warning", "error")),),
)
BUILD = Metric(
    _PROCESS,
    "gauge",
    "meanwhile_build_info",
    "Always 1; the release.",
    (Label("version", source="the release"),),
)

METRICS: Final[Sequence[Metric]] = tuple(
    value for value in tuple(globals().values()) if isinstance(value, Metric)
)
"""All metrics, in the order of the reference page."""

"""The entries of the log. The log *is* the state of a conversation; everything else is computed from it.

First come the entries between turns (delivery, identity, handoff, connections), then snapshots and summaries,
then the entries of a turn in the order in which they happen. A class's name in snake case is its kind in the
log. Kinds and fields are in stored data, so each change of a field needs a new ``FORMAT`` in ``codec.py``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from assistant.conversation.calls import Call
from assistant.conversation.chunks import Chunk
from assistant.conversation.customer import Level
from assistant.conversation.documents import Attached
from assistant.conversation.outcomes import Outcome
from assistant.conversation.staff_entries import (
    Assigned,
    ConversationClosed,
    HandoffRouted,
    NoteAdded,
    NoteToAssistant,
    Tagged,
)
from assistant.conversation.values import HowTurnEnded, Json, MessageKind

TALK_TO_A_PERSON: Final = "talk_to_a_person"
"""The name of the tool with which the assistant requests a human agent."""

STOP_TASK: Final = "stop_running_task"
"""The name of the tool with which the assistant stops a long call."""

ASSISTANT_PAUSED: Final = "the assistant is paused"
"""Why an agent is asked for when staff have paused the assistant."""

Rating: TypeAlias = Literal["up", "down"]
AcceptedVia: TypeAlias = Literal["", "operators", "console", "webhook", "phone"]
"""Where an agent accepts: at the operators' endpoint, in the console, through a webhook, on the phone. "":
anywhere.
"""
ApprovalDecision: TypeAlias = Literal["approved", "declined"]

HandoffState: TypeAlias = Literal["requested", "queued", "accepted", "unavailable", "ticket", "ended"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryReceipt:
    """How far a message got: its first ``up_to`` characters were sent, seen or heard."""

    message_id: str
    how: Literal["sent", "seen", "heard"]
    up_to: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """The customer's rating of a message. The newest one counts; None removes the rating."""

    message_id: str
    rating: Rating | None
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identified:
    """The level of the customer's identification from now on.

    ``customer`` is the company's customer number, and ``name`` the customer's name. Both are set if the
    customer was identified in the conversation.
    """

    level: Level
    customer: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentificationAttempted:
    """The customer tried to identify themselves. ``matched`` is True if the given data match the company's
    records.
    """

    matched: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Handoff:
    """A handoff to a human agent has a new state.

    ``requested``, then ``queued``, then ``accepted`` by the agent ``name``, or ``unavailable`` for the reason
    ``why``, with a ``ticket`` that the customer can refer to. ``ended``: the assistant answers again.

    ``handoff_id`` cannot be guessed: with it, another program proves that it received this request.
    ``requested_by`` is the call that made the request, as ``turn/call``. ``via`` is where the agent accepted.
    """

    handoff_id: str
    state: HandoffState
    why: str = ""
    name: str = ""
    ticket: str = ""
    requested_by: str = ""
    via: AcceptedVia = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardedToAgent:
    """A customer's message was forwarded to the agent who has the conversation. No turn answers it."""

    message_id: str
    handoff_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentMessage:
    """A human agent's message. ``message_id`` comes from the agent's side and is unique in the conversation."""

    message_id: str
    handoff_id: str
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientConnected:
    """A client connected to a conversation that had already begun. It had all entries up to ``last_seq``."""

    last_seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientDisconnected:
    """A client disconnected. All entries up to ``last_seq`` had been sent to it."""

    last_seq: int


MadeBy: TypeAlias = Literal["rule", "model"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The form of a call of this turn for later turns, in place of its result.

    ``result_summary`` is the result itself if it is small (``complete``), or a shorter form: data cut by a
    rule, or text of the summary model, which replaces the rule's. ``full_result_ref`` is the reference of the
    full result, as long as that is stored: see :func:`assistant.conversation.documents.result_ref`.
    """

    call_id: str
    tool_name: str
    arguments: Mapping[str, Json]
    result_summary: Json
    full_result_ref: str
    complete: bool = True
    made_by: MadeBy = "rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A summary of all turns up to and including ``last_turn_id``. It replaces the summary before it."""

    last_turn_id: str
    text: str
    made_by: MadeBy = "rule"


Cause: TypeAlias = Literal["message", "confirmation", "late_result", "handoff"]
ModelRole: TypeAlias = Literal["decider", "narrator", "summariser"]
Answer: TypeAlias = Literal["yes", "no", "correction", "unclear", "dropped"]
GuardrailName: TypeAlias = Literal["repetition", "claims", "facts"]
BudgetName: TypeAlias = Literal["turn_budget", "conversation_budget", "day_budget"]
CallRef: TypeAlias = tuple[str, str]
"""A call of any turn of the conversation: the turn's id, and the call's id in the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomerMessage:
    """A customer's message. It is recorded before any work on it begins.

    ``client_message_id`` comes from the client and is unique in the conversation. ``button`` is set if the
    text is the label of a confirmation's button, which needs no interpretation. With ``attachments`` the text
    may be empty. ``spoken`` is True if it was spoken (or, with a ``button``, a phone key), so it can only
    answer what the customer had heard.
    """

    message_id: str
    client_message_id: str
    text: str
    locale: str = "en"
    button: Literal["yes", "no"] | None = None
    attachments: tuple[Attached, ...] = ()
    spoken: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted:
    """A turn begins for the customer's message ``message_id``, with the prompts that have the hash
    ``bundle``.

    With ``late_result`` or ``handoff``, no message of the customer started this turn. ``message_id`` is then
    a message that was answered before: the one whose call ended late, or the newest one.
    """

    turn_id: str
    message_id: str
    cause: Cause
    bundle: str


Supervision: TypeAlias = Literal["shadow", "approval", "people"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisionChosen:
    """Staff supervise this turn, because of the launch mode at its beginning. A usual turn has no such entry.

    ``shadow``: what the assistant writes is kept for staff and not sent, and a person answers. ``approval``:
    what a model writes is sent when a colleague approves it. ``people``: the customer is not among those whom the
    assistant answers, so a person does.
    """

    mode: Supervision


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyWithheld:
    """A complete message that the assistant has written in this round, and that was not sent to the customer."""

    message_id: str
    round: int
    kind: MessageKind
    text: str
    model_written: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRequested:
    """The reply ``text`` of this turn waits for a colleague until ``until_ms``, a Unix time."""

    text: str
    until_ms: int


ReviewDecision: TypeAlias = Literal["approved", "edited", "rejected", "expired"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewDecided:
    """What became of the reply that waited: it is sent, replaced by the colleague's ``text``, or not sent.

    ``account`` is the person's id, ``name`` their name at that time; both are empty for ``expired``: no one
    decided in time.
    """

    decision: ReviewDecision
    account: str = ""
    name: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoliciesChosen:
    """The names of the company's policies that this turn's message is about, most similar first; often none."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAsked:
    """A model was asked, in this round (from 1), for the ``attempt``-th time."""

    round: int
    role: ModelRole
    model: str
    attempt: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChunks:
    """The chunks of a model's reply, with times in ms after the request. They may be deleted later.

    ``error`` says how the request failed; None if it did not.
    """

    round: int
    role: ModelRole
    chunks: tuple[tuple[int, Chunk], ...]
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRequested:
    """A model requested this call, and its arguments are complete."""

    call: Call


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionClosed:
    """A round's decision is final: these calls, or none.

    ``how``: ``complete``; ``cut_off``: the stream or the process broke off, and the calls are those with
    complete arguments; ``failed``: no model could decide or answer; ``refused``: guardrails suppressed the
    answer. A budget: it was spent, so no model was asked; the calls offer an agent and wait for the customer's
    yes. ``paused``: staff had paused the assistant; the call asks for an agent at once.
    """

    round: int
    call_ids: tuple[str, ...]
    how: Literal["complete", "cut_off", "failed", "refused", "paused", BudgetName] = "complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageOpened:
    """The assistant begins a message in this round. Its kind is not known yet.

    ``model_written`` is True if a model wrote the text. Otherwise it is built from hints or a fixed sentence.
    """

    message_id: str
    round: int
    model_written: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageText:
    """The next piece of an open message, as it was shown."""

    message_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageClosed:
    """A message is complete, and its kind is known. ``call_ids`` are the calls that the message announces."""

    message_id: str
    kind: MessageKind
    call_ids: tuple[str, ...] = ()
    interrupted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceSuppressed:
    """A sentence of a model that a guardrail suppressed: a repetition, or a claim without evidence."""

    round: int
    guardrail: GuardrailName
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStarted:
    """A call starts. For a side effect, this entry is durable before the call starts.

    ``arguments`` are the call's arguments with references filled in; None if they are those that the model
    requested.
    """

    call_id: str
    tool: str
    idempotency_key: str
    arguments: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnded:
    """A call's only final outcome, ``duration_ms`` after its start.

    ``late`` is True if the turn had stopped waiting for the call. ``reused_from`` is the earlier call,
    ``t1/c1.1``, whose result was recent enough to be used again, or "" if the call itself ran.
    """

    outcome: Outcome
    duration_ms: int = 0
    late: bool = False
    reused_from: str = ""


RunnerName: TypeAlias = Literal["embedded", "temporal", "staff"]
"""What a call waits for that may take days: the process that has the conversation, Temporal, or the approval of
staff.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LongCallStarted:
    """The call may take days.

    Its turn does not wait for it; ``runner`` runs it. Durable before the call starts.
    """

    call_id: str
    runner: RunnerName


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequested:
    """The call waits for the approval of staff. ``LongCallStarted`` with the runner ``staff`` comes before it.

    ``arguments`` are those with which it will run. ``rule`` is the condition that made it wait, or "" if each call
    of the tool does.
    """

    call_id: str
    arguments: Mapping[str, Json]
    rule: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalDecided:
    """A colleague has approved the call or declined it. It is durable before the call starts.

    ``account`` is the person's id, ``name`` their name at that time. ``why`` is their reason; the customer hears
    the reason of a refusal.
    """

    call_id: str
    decision: ApprovalDecision
    account: str
    name: str
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LongCallAccepted:
    """Another system has accepted the long call. It continues there even if our processes end."""

    call_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LongCallProgressed:
    """The progress of a long call: ``done`` of ``total`` (0: unknown) in ``unit``, such as "pages"."""

    call_id: str
    done: int
    total: int
    unit: str = ""


LongCallEntry: TypeAlias = CallEnded | LongCallAccepted | LongCallProgressed
"""The entries about a long call that another process may report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LongCallStopRequested:
    """The customer wants a long call to stop. It is not started again; its outcome says how far it got."""

    call_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsPending:
    """These calls were still running when the turn stopped waiting. They continue."""

    call_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsDelayed:
    """The customer was told that these calls take longer than usual. They continue."""

    call_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsDelivered:
    """The message ``message_id`` told the customer results of earlier turns that had not been delivered."""

    message_id: str
    calls: tuple[CallRef, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmationAsked:
    """The customer was asked whether these calls may run. ``read_back`` is the sentence that was shown.

    ``attempt`` says how many times the question has been asked, from 1. ``expires_at_ms`` is a Unix time.
    ``clauses`` say what each call does, "" for a call that the sentence does not name.
    """

    confirmation_id: str
    calls: tuple[Call, ...]
    read_back: str
    expires_at_ms: int
    attempt: int = 1
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmationAnswered:
    """How the customer's answer was understood. ``dropped``: the last repetition of the question had no clear
    answer.

    ``agreed_call_ids`` are, for a yes, the calls that the customer agreed to; it is empty if the customer
    agreed to all calls of the question. ``rules_version`` is the version of the rules that read the answer,
    or "" for a button, which needs no reading.
    """

    confirmation_id: str
    answer: Answer
    agreed_call_ids: tuple[str, ...] = ()
    rules_version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded:
    """The turn has ended. This is always its last entry."""

    turn_id: str
    how: HowTurnEnded


STOPPED: Final = "stopped"
"""The error of a request that was given up because the customer, or the operator, stopped the turn."""

Entry: TypeAlias = (
    CustomerMessage
    | TurnStarted
    | SupervisionChosen
    | ReplyWithheld
    | ReviewRequested
    | ReviewDecided
    | PoliciesChosen
    | ModelAsked
    | ModelChunks
    | CallRequested
    | DecisionClosed
    | MessageOpened
    | MessageText
    | MessageClosed
    | SentenceSuppressed
    | CallStarted
    | CallEnded
    | ApprovalRequested
    | ApprovalDecided
    | LongCallStarted
    | LongCallAccepted
    | LongCallProgressed
    | LongCallStopRequested
    | CallsPending
    | CallsDelayed
    | ResultsDelivered
    | ConfirmationAsked
    | ConfirmationAnswered
    | Snapshot
    | Summary
    | DeliveryReceipt
    | Rated
    | Identified
    | IdentificationAttempted
    | Handoff
    | ForwardedToAgent
    | AgentMessage
    | Assigned
    | Tagged
    | NoteAdded
    | NoteToAssistant
    | ConversationClosed
    | HandoffRouted
    | ClientConnected
    | ClientDisconnected
    | TurnEnded
)


@dataclass(frozen=True, slots=True)
class Logged:
    """An entry with its position in the log.

    ``seq`` counts from 1 in each conversation, without gaps. ``turn_id`` is its turn, or "" for entries
    between turns. ``at_ms`` is the Unix time of the clock port. ``fence`` is the number of the lease under
    which it was written; without several machines it is 0.
    """

    seq: int
    at_ms: int
    turn_id: str
    entry: Entry
    fence: int = 0

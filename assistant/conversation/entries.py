"""The entries of the log. The log *is* the state of a conversation; everything else is computed from it.

Entries between turns come first (delivery, identity, handoff, connections), then memories (snapshots, summaries),
then a turn's own entries in the order in which they happen.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from assistant.conversation.calls import Call
from assistant.conversation.chunks import Chunk
from assistant.conversation.customer import Level
from assistant.conversation.documents import Attached
from assistant.conversation.outcomes import Outcome
from assistant.conversation.values import HowTurnEnded, Json, MessageKind

TALK_TO_A_PERSON: Final = "talk_to_a_person"
"""The name of the tool by which the assistant asks for a person."""

Rating: TypeAlias = Literal["up", "down"]
AcceptedVia: TypeAlias = Literal["", "operators", "webhook", "phone"]
"""Where a person accepted: at the operators' endpoint, in another program, on the phone. "" in older logs: any."""

HandoffState: TypeAlias = Literal["requested", "queued", "accepted", "unavailable", "ticket", "ended"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """How far a message got: characters of it that were sent, seen or heard."""

    message_id: str
    how: Literal["sent", "seen", "heard"]
    up_to: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """The customer's opinion of a message; the newest one counts, and None takes it back."""

    message_id: str
    rating: Rating | None
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identified:
    """How well the customer is known from here on.

    ``customer`` is the company's number for them and ``name`` theirs, where they became known by what they said.
    """

    level: Level
    customer: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityTried:
    """The customer tried to show who they are; ``matched`` says whether it was so."""

    matched: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Handoff:
    """A request for a human being moves on.

    ``requested``, then ``queued``, then ``accepted`` by the person ``name`` or ``unavailable`` for the reason
    ``why`` and a ``ticket``, which the customer can refer to; ``ended`` when the assistant speaks again.

    ``handoff_id`` cannot be guessed: another program shows with it that it was told of this handoff.
    ``asked_by`` is the call that made the request, as ``turn/call``; ``via`` is where the person accepted.
    """

    handoff_id: str
    state: HandoffState
    why: str = ""
    name: str = ""
    ticket: str = ""
    asked_by: str = ""
    via: AcceptedVia = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedOn:
    """A customer's message went to the human being who has the conversation; no turn will answer it."""

    message_id: str
    handoff_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanSaid:
    """A human being of the company says something. ``message_id`` is theirs, and unique in the conversation."""

    message_id: str
    handoff_id: str
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """A client has come to a conversation that had begun; it had every entry up to ``last_seq``."""

    last_seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Disconnected:
    """A client is gone, its page closed or the line cut; it had been sent every entry up to ``last_seq``."""

    last_seq: int


MadeBy: TypeAlias = Literal["rule", "model"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What later turns are given of a call of this turn, in place of its result.

    ``result_summary`` is the result itself where it is small, and ``complete`` says so; else a shorter form: data
    cut by a rule, or words of the summary model, which then stand in for the rule's. ``full_result_ref`` names the
    whole result for as long as it is kept: see :func:`assistant.conversation.documents.result_ref`.
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
    """What was said in all turns up to ``up_to``, that turn included; it stands in for the summary before it."""

    up_to: str
    text: str
    made_by: MadeBy = "rule"


Cause: TypeAlias = Literal["message", "confirmation", "late_result", "handoff"]
ModelRole: TypeAlias = Literal["decider", "narrator", "summariser"]
Answer: TypeAlias = Literal["yes", "no", "correction", "unclear", "dropped"]
Guard: TypeAlias = Literal["repetition", "say_do", "facts"]
CallRef: TypeAlias = tuple[str, str]
"""A call of any turn of the conversation: the turn's id, and the call's within it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomerSaid:
    """A customer's message, appended before anything else happens.

    ``client_message_id`` is the client's own, unique in the conversation. ``button`` is set when the words
    are the label of a confirmation's button: then there is nothing to interpret. Where there are ``attachments``,
    there need be no words. ``spoken``: it was said aloud (or, with a ``button``, keyed in on a phone), and may
    answer only what was heard.
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
    """A turn begins for the customer's message ``message_id``, on the prompts with hash ``bundle``.

    Where nobody asked for it, the message was answered before: a ``late_result`` is told to whoever sent it, and
    what becomes of a ``handoff`` follows the newest one.
    """

    turn_id: str
    message_id: str
    cause: Cause
    bundle: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAsked:
    """A model was asked, in this round (from 1), for the ``attempt``-th time."""

    round: int
    role: ModelRole
    model: str
    attempt: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChunks:
    """What one request to a model brought, with times in ms after the request. May be dropped later on.

    ``error`` says how it ended, when it did not end well.
    """

    round: int
    role: ModelRole
    chunks: tuple[tuple[int, Chunk], ...]
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRequested:
    """A call whose arguments are complete."""

    call: Call


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionClosed:
    """A round's decision is final: these calls, or none.

    ``how``: ``complete``; ``cut_off``, the stream died or the process did, and the calls are those whose
    arguments had come; ``failed``, no model could decide or answer; ``refused``, what it said was not so.
    """

    round: int
    call_ids: tuple[str, ...]
    how: Literal["complete", "cut_off", "failed", "refused"] = "complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageOpened:
    """The assistant begins to say something in this round; its kind is not known yet.

    ``own_words``: a model chose them; they are not built from hints or a fixed sentence.
    """

    message_id: str
    round: int
    own_words: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageText:
    """Some more of an open message, as it was shown."""

    message_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageClosed:
    """A message is complete and its kind known. ``call_ids``: the calls that it announces."""

    message_id: str
    kind: MessageKind
    call_ids: tuple[str, ...] = ()
    interrupted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """A sentence of a model that a guardrail kept from the customer: they had been told, or it was not so."""

    round: int
    guard: Guard
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStarted:
    """A call is running. For a side effect this is durable before it starts; ``key`` is its idempotency key.

    ``arguments`` are what it runs with, where that is not what was decided: its references are filled in.
    """

    call_id: str
    tool: str
    key: str
    arguments: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnded:
    """A call's one final outcome, ``ms`` after its start.

    ``late``: its turn had given up waiting for it. ``again``: the earlier call, ``t1/c1.1``, whose fresh result
    this is.
    """

    outcome: Outcome
    ms: int = 0
    late: bool = False
    again: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsPending:
    """These calls were still running when the turn could not wait any longer; they go on."""

    call_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsDelayed:
    """The customer was told that these calls take their time; they go on."""

    call_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsTold:
    """Results of earlier turns, which the customer had not been told, were told in the message ``message_id``."""

    message_id: str
    calls: tuple[CallRef, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmationAsked:
    """The customer was asked whether these calls may run. ``read_back`` is the sentence they were shown.

    ``attempt`` counts from 1: how often this same question was put. ``expires_at_ms`` is in Unix time.
    ``clauses`` are what it says of each call, "" for one that it does not name.
    """

    confirmation_id: str
    calls: tuple[Call, ...]
    read_back: str
    expires_at_ms: int
    attempt: int = 1
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmationAnswered:
    """What the customer's answer was taken for. ``dropped``: asked in vain for the last time.

    ``agreed``: with a yes, the ids of the calls that it was said to; none for all that were asked about.
    ``rules``: the version of the rules and words that the answer was read with; "" for a button, where no words
    were read, and in older logs.
    """

    confirmation_id: str
    answer: Answer
    agreed: tuple[str, ...] = ()
    rules: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded:
    """The turn is over; always its last entry."""

    turn_id: str
    how: HowTurnEnded


Entry: TypeAlias = (
    CustomerSaid
    | TurnStarted
    | ModelAsked
    | ModelChunks
    | CallRequested
    | DecisionClosed
    | MessageOpened
    | MessageText
    | MessageClosed
    | Withheld
    | CallStarted
    | CallEnded
    | CallsPending
    | CallsDelayed
    | ResultsTold
    | ConfirmationAsked
    | ConfirmationAnswered
    | Snapshot
    | Summary
    | Told
    | Rated
    | Identified
    | IdentityTried
    | Handoff
    | PassedOn
    | HumanSaid
    | Connected
    | Disconnected
    | TurnEnded
)


@dataclass(frozen=True, slots=True)
class Logged:
    """An entry with its place in the log.

    ``seq`` counts from 1 in each conversation, without gaps. ``turn_id`` is the turn it belongs to, or ""
    for what happens between turns. ``at_ms`` is Unix time from the clock port. ``fence`` is the number of
    the lease it was written under; one machine writes 0.
    """

    seq: int
    at_ms: int
    turn_id: str
    entry: Entry
    fence: int = 0

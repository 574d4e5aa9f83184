"""What each stage of a turn receives: the dependencies, the limits, the running turn, and its record.

``TurnDependencies`` is the same for all turns; ``RunningTurn`` describes one turn. The functions at the end
choose which earlier turns a model receives: the turns since the summary, and the summary itself.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import inf
from types import MappingProxyType
from typing import Literal, Protocol, TypeAlias

from assistant.conversation.calls import Call
from assistant.conversation.customer import ConversationKey, Customer, CustomerCredential
from assistant.conversation.documents import result_ref
from assistant.conversation.entries import Entry, ModelRole
from assistant.conversation.outcomes import CallStatus, Outcome
from assistant.conversation.snapshots import head_and_tail
from assistant.conversation.state import ConversationState
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.turn_state import Round, TurnState
from assistant.conversation.usage import SpentToday
from assistant.errors import DeclarationError
from assistant.memory.budget import Budget, RequestLimits
from assistant.policies.choose import PolicyFinder, chosen_policies, notes_for
from assistant.policies.escalation import NO_ESCALATION, Escalation
from assistant.policies.policy import NO_POLICIES, Policies, Policy, Rule
from assistant.ports import Clock, Model, ModelOptions
from assistant.prompts.book import PromptBook
from assistant.prompts.instructions import Earlier
from assistant.staff.live_pauses import LivePauses
from assistant.tools.concurrency import ConcurrencyLimiters
from assistant.tools.media import Transform
from assistant.tools.registry import Tools
from assistant.tools.tool import PreparedCall
from assistant.turn.spending import Spending
from assistant.turn.view_builder import ViewBuilder


@dataclass(slots=True)
class LastHeard:
    """Times of the clock's ``monotonic()``, in seconds. They are not in the log, because they are not needed
    later.

    ``model``: the last piece of a reply, shown or not. ``typing``: when a client last reported that the
    customer is typing. ``alone_since``: when the last client disconnected; infinity while a client is
    connected.
    """

    model: float = -inf
    typing: float = -inf
    alone_since: float = inf


class Record(Protocol):
    """Append an entry to the log. Durable entries are published to the clients, in order.

    The turn's state includes the entry as soon as the call returns. Text that is recorded during an earlier
    append is joined with neighbouring text.
    """

    async def __call__(self, entry: Entry, *, durable: bool = False) -> None:
        """Record one entry; with ``durable`` return only when the entry would survive a crash.

        Raises ``LogError`` when this or an earlier entry could not be written: then the turn must end.
        """
        ...


@dataclass(frozen=True, slots=True)
class Decision:
    """The calls of one round; if there are no calls, the turn has its answer."""

    round: int
    calls: tuple[Call, ...] = ()


def decision_of(round_: Round) -> Decision:
    """The decision of a closed round in the log."""
    return Decision(round_.number, tuple(round_.calls))


NO_DECISION = Decision(0)
"""The decision of a turn that answers no message."""


NarrateFromTemplates: TypeAlias = Callable[[Sequence[CallStatus], Mapping[str, ToolSpec], str], str]
"""Tells outcomes in the words of the tools' own narration templates, in a locale; never raises an error."""


SHORTEST_QUESTION_S = 20 * 60.0
"""A customer who reads and answers slowly must have enough time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleModel:
    """The model of a role, its options, and its budget; None means no budget.

    ``references``: the model is told that an argument may be taken from another call's result. ``cheaper`` is
    asked in its place when a budget of tokens or money is nearly spent; None: the model itself is asked even
    then.
    """

    model: Model
    options: ModelOptions = field(default_factory=ModelOptions)
    budget: Budget | None = None
    references: bool = True
    cheaper: Model | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one turn, in seconds if the name ends in ``_s``.

    ``tools_s``: how long the turn waits for its calls. ``question_s``: how long the customer may answer a
    read-back. ``silence_s``: how long a model may be silent before the waiting voice speaks. ``calls_s``: how
    long calls may run before it speaks.

    One reply of a model may contain ``reply_characters`` (text and arguments together) and ``reply_calls``,
    and may take ``reply_s``, or ``unattended_s`` while no client is connected.
    """

    rounds: int = 4
    tools_s: float = 30.0
    question_s: float = 30 * 60.0
    silence_s: float = 2.5
    calls_s: float = 4.0
    reply_characters: int = 32_000
    reply_calls: int = 32
    reply_s: float = 120.0
    unattended_s: float = 60.0

    def __post_init__(self) -> None:
        if self.question_s < SHORTEST_QUESTION_S:
            problem = f"limits: question_s is {self.question_s:g}; a question must stay open for"
            raise DeclarationError(f"{problem} {SHORTEST_QUESTION_S:g} s (20 minutes) at least")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDependencies:
    """Everything that is the same for all turns.

    ``confirm_every_write``: the decision model is not trusted with side effects without a question.
    ``trust_knowledge``: the company's documents contain only its own words. ``new_message``: what a message
    does that comes while a turn runs; it waits, or ends that turn. ``can_hand_over``: there are agents to
    whom a customer can be handed over. ``summariser``: the model that shortens large results and long
    conversations; None: only rules do. ``gates``: the concurrency limiters of the tools in this process;
    None: each conversation has its own. ``transform``: changes tools' media before they are shown; None: they
    are not changed. ``policies`` are the company's; ``finder`` finds those that a message is about; None: no
    model receives a policy because of a message. ``spending`` holds turns within budgets of tokens and money;
    None: there are none. ``pauses`` is what staff have paused; None: nothing can be. ``escalation``: which
    conversations come to which people.
    """

    models: Mapping[ModelRole, RoleModel]
    tools: Tools
    book: PromptBook
    narrate: NarrateFromTemplates
    clock: Clock
    limits: Limits = field(default_factory=Limits)
    confirm_every_write: bool = False
    trust_knowledge: bool = False
    new_message: Literal["queue", "interrupt"] = "queue"
    can_hand_over: bool = False
    summariser: RoleModel | None = None
    gates: ConcurrencyLimiters | None = None
    transform: Transform | None = None
    policies: Policies = NO_POLICIES
    finder: PolicyFinder | None = None
    spending: Spending | None = None
    pauses: LivePauses | None = None
    escalation: Escalation = NO_ESCALATION

    def needs_confirmation(self, spec: ToolSpec, *, untrusted: bool = False) -> bool:
        """Whether the customer must agree before this tool runs.

        ``untrusted``: the deciding model could read text that is not the customer's, and the customer did not
        ask for the call in their own words. No side effect follows from such text alone.
        """
        if spec.confirm:
            return True
        return spec.effect == "write" and (self.confirm_every_write or untrusted)


class CallTasks(Protocol):
    """The tasks of calls. They belong to the session, so they continue when a turn is stopped."""

    async def start(self, ready: PreparedCall, turn: "RunningTurn", record: Record) -> None:
        """Record that the call starts and run it with the tool's timeout; its end is recorded when it comes.

        A side effect starts only after its record is durable.
        """
        ...

    async def reconciled_outcome(self, ready: PreparedCall, turn: "RunningTurn") -> Outcome | None:
        """The outcome of a call that began before a restart, from its reconciliation where there is one.

        None: it is a long call, and continues.
        """
        ...

    def running(self, turn_id: str, call_id: str) -> bool:
        """Whether the call has a task in this process, or is a long call that runs elsewhere."""
        ...

    async def ended(self, turn_id: str, calls: Sequence[Call], until: float | None = None) -> None:
        """Wait until the outcomes of these calls are recorded, or until a time of the clock's ``monotonic()``.

        The calls continue after a cancellation or a timeout. It does not wait for long calls.
        """
        ...


@dataclass(slots=True, kw_only=True)
class RunningTurn:
    """What a stage may use of the running turn.

    ``vouched`` is the customer as verified by the identity port. ``credential`` returns the customer's own
    until it expires. ``deadline`` is in seconds of the clock's ``monotonic()``: the turn waits for no call
    longer. ``from_backup``: the message was restored from a backup, so the turn may have been taken before, in
    history that is lost. ``clauses`` has, by call id, what the customer will be asked about; it is computed
    again after a restart. ``spent_today`` is what had been spent when the first model was to be asked; None:
    none was. ``ask_for_person`` asks for an agent, for the turn with this id and for this reason; None: there are
    none. ``reviewed`` is set when a colleague has decided about the reply.
    """

    key: ConversationKey
    vouched: Customer
    state: TurnState
    conversation: ConversationState
    views: ViewBuilder
    tasks: CallTasks
    deadline: float
    credential: Callable[[], CustomerCredential | None] = lambda: None
    from_backup: bool = False
    clauses: dict[str, str] = field(default_factory=dict[str, str])
    last_heard: LastHeard = field(default_factory=LastHeard)
    spent_today: SpentToday | None = None
    ask_for_person: Callable[[str, str], Awaitable[None]] | None = None
    reviewed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def customer(self) -> Customer:
        """The customer, as far as they are known now, with the language of their message, which tools also use."""
        known = self.conversation.customer(self.vouched)
        # The website gave the credential for the customer whom it identified, and for no other customer.
        held = self.credential() if known.level == "signed_in" else None
        if known.locale == self.locale and held is None:
            return known
        return replace(known, locale=self.locale, credential=held)

    @property
    def locale(self) -> str:
        """The language of this turn: that of the customer's message."""
        return self.state.message.locale

    @property
    def earlier(self) -> Sequence[TurnState]:
        """The turns before this one, oldest first."""
        return self.conversation.turns[: self.conversation.turns.index(self.state)]


def rules_for(tool: str, turn: RunningTurn, deps: TurnDependencies) -> Sequence[Rule]:
    """The policies' rules about a tool that apply now, for this customer's tenant."""
    return deps.policies.rules_for(tool, turn.key.tenant, deps.clock.now()) if len(deps.policies) else ()


def policies_now(turn: RunningTurn, deps: TurnDependencies) -> Sequence[Policy]:
    """The policies that a model receives at this point of the turn."""
    if not len(deps.policies):
        return ()
    holding = deps.policies.holding(turn.key.tenant, deps.clock.now())
    return chosen_policies(holding, turn.state, turn.earlier)


def policy_notes(turn: RunningTurn, deps: TurnDependencies) -> str:
    """The text about policies for a model; "" if there is none."""
    return notes_for(policies_now(turn, deps), deps.book)


_SHARE = 4
"""The summary gets at most this fraction of a budget: the newest messages matter most."""

_LEAST = 64
"""Characters below which a summary is not cut further."""


def recent_turns(turn: RunningTurn) -> Sequence[TurnState]:
    """The turns before this one that are not in the summary, oldest first."""
    earlier, summary = turn.earlier, turn.conversation.summary
    if summary is None:
        return earlier
    # From the end: the summary is requested before there are many turns after it.
    after = next(
        (place for place in range(len(earlier), 0, -1) if earlier[place - 1].id == summary.last_turn_id), 0
    )
    return earlier[after:]


def with_summary(system: str, turn: RunningTurn, deps: TurnDependencies, role: ModelRole) -> str:
    """The instructions, followed by the summary of the omitted turns, if there are any.

    The part before the summary does not change. A summary that is larger than its share of the budget keeps
    its beginning and end.
    """
    told = summary_instruction(turn, deps, role)
    return f"{system}\n\n{told}" if told else system


def summary_instruction(turn: RunningTurn, deps: TurnDependencies, role: ModelRole) -> str:
    """The end of the instructions when a summary replaces turns; "" if none does."""
    summary = turn.conversation.summary
    return "" if summary is None else _told(summary.text, deps, deps.models[role].budget)


def this_minute(clock: Clock) -> datetime:
    """The company's local time without seconds, for models."""
    return clock.now().replace(second=0, microsecond=0)


def view_bounds(
    turn: RunningTurn,
    deps: TurnDependencies,
    role: ModelRole,
    refs: Mapping[str, str] = MappingProxyType({}),
) -> RequestLimits | None:
    """The limits for the view of a request; None: no limit.

    ``refs`` has the references of whole results by call id, for calls that are not the running turn's own.
    """
    budget = deps.models[role].budget
    if budget is None:
        return None
    conversation, id_ = turn.key.conversation, turn.state.id

    def ref(call: str) -> str:
        return refs.get(call) or result_ref(conversation, id_, call)

    return RequestLimits(budget=budget, tools=deps.tools.specs, ref=ref)


def _told(text: str, deps: TurnDependencies, budget: Budget | None) -> str:
    told = deps.book.render(Earlier(summary=text))
    if budget is None:
        return told
    share = budget.tokens // _SHARE
    while len(text) > _LEAST and (size := budget.sizes.text(told)) > share:
        text = head_and_tail(text, min(len(text) * share // size, len(text) * 9 // 10))
        told = deps.book.render(Earlier(summary=text))
    return told

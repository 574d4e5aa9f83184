"""Finds the request that a model received in a turn, or would receive next, without asking a model."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from assistant.assembly.config_builder import ConfigBuilder, Models
from assistant.assembly.models import budget_for, names_of, options_of, summary_models, summary_options
from assistant.conversation.calls import Call
from assistant.conversation.chunks import Chunk
from assistant.conversation.customer import ConversationKey, Customer, CustomerCredential
from assistant.conversation.entries import Entry, Logged, ModelAsked, ModelChunks, ModelRole
from assistant.conversation.outcomes import CallUnknown, Outcome
from assistant.conversation.state import ConversationState
from assistant.errors import AssistantError
from assistant.handoff.backends import BuiltinInbox
from assistant.ids import SystemIds
from assistant.memory.retrieval_tools import EmptyLibrary, with_retrieval_tools
from assistant.models.tokens import load
from assistant.ports import Clock, ModelOptions, ModelRequest
from assistant.prompts.book import PromptBook
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.sessions.handoff_tool import with_handoff_tool
from assistant.sessions.summaries import next_summary_task
from assistant.settings import Settings
from assistant.store.storage import StoredBundle
from assistant.tools.registry import Tools
from assistant.tools.tool import PreparedCall
from assistant.turn.context import Record, RoleModel, RunningTurn, TurnDependencies
from assistant.turn.turn import take_turn
from assistant.turn.view_builder import ViewBuilder


class RequestCaptured(Exception):
    """Raised instead of sending a request; holds that request."""

    def __init__(self, request: ModelRequest) -> None:
        self.request = request
        super().__init__(request.role)


class CapturingModel:
    """Replaces a model and captures its request.

    Args:
        names: the names of the models that would be asked, the first choice first.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.name = ", else ".join(names)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Raise :class:`RequestCaptured`."""
        raise RequestCaptured(request)
        yield

    async def close(self) -> None:
        """Does nothing."""


def inspection_dependencies(settings: Settings, clock: Clock, kept: StoredBundle | None) -> TurnDependencies:
    """The dependencies that the server would use for a conversation, with its tools and budgets; models only
    capture requests.

    It needs no key. Tokens are counted as exactly as possible. It takes about a second if a vocabulary must be
    loaded.

    Args:
        settings: the server's settings.
        clock: gives the current day.
        kept: the stored prompts of the conversation; None: today's prompts.

    Raises:
        DeclarationError: the folders or the settings have a mistake, or this release cannot use the prompts.
    """
    builder = ConfigBuilder(settings, clock, _none_yet)
    today = builder.build_first()
    version = builder.rebuild(kept, today) if kept is not None else today.version
    deps = version.deps
    tools = with_retrieval_tools(_with_person(deps.tools, deps.book, settings), deps.book, EmptyLibrary())
    names, options = names_of(settings), options_of(settings)
    role = partial(_role, settings=settings, book=deps.book, clock=clock)
    models = {one: role(one, names[one], options[one], tools=tools) for one in names}
    summaries = summary_models(settings)
    summariser = role("summariser", summaries, summary_options(settings), tools=None) if summaries else None
    return replace(deps, tools=tools, models=models, summariser=summariser)


def _role(
    role: ModelRole,
    names: Sequence[str],
    options: ModelOptions,
    *,
    settings: Settings,
    book: PromptBook,
    clock: Clock,
    tools: Tools | None,
) -> RoleModel:
    offered = () if tools is None else tools.specs
    budget = budget_for(role, names, options, settings, book=book, tools=offered, clock=clock)
    load(budget.counter)
    return RoleModel(model=CapturingModel(names), options=options, budget=budget)


def _with_person(tools: Tools, book: PromptBook, settings: Settings) -> Tools:
    """The tools with the tool that asks for a person, if the server has one."""
    if settings.operator_token is None and settings.handoff_webhook_url is None:
        return tools
    return with_handoff_tool(
        tools, book, HandoffRegistry(BuiltinInbox(), SystemIds(), settings.handoff_timeout_s)
    )


def _none_yet(*_: object) -> Models:
    none: Mapping[ModelRole, RoleModel] = {}
    return none


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request to a model in the past.

    ``before`` is the log until the round's first request. ``replies`` are the entries since then, if the model
    was asked again because of its reply. ``asked`` is the entry of this request.
    """

    before: Sequence[Logged]
    replies: tuple[ModelChunks, ...]
    asked: Logged


def model_calls_of(entries: Sequence[Logged], role: ModelRole, turn_id: str | None = None) -> list[ModelCall]:
    """All requests to the model in this role, in this turn or in all turns, oldest first."""
    return [
        _model_call(entries, place)
        for place, logged in enumerate(entries)
        if isinstance(logged.entry, ModelAsked)
        and logged.entry.role == role
        and turn_id in (None, logged.turn_id)
    ]


def _model_call(entries: Sequence[Logged], place: int) -> ModelCall:
    asked = entries[place]
    first = place
    for earlier in range(place, -1, -1):
        entry = entries[earlier].entry
        if isinstance(entry, ModelAsked) and entries[earlier].turn_id == asked.turn_id:
            first = earlier
            if entry.attempt == 1:
                break
    since = (logged.entry for logged in entries[first:place])
    return ModelCall(
        entries[:first], tuple(entry for entry in since if isinstance(entry, ModelChunks)), asked
    )


async def capture_request(call: ModelCall, key: ConversationKey, deps: TurnDependencies) -> ModelRequest:
    """Rebuild the request of a past model call. Nothing is sent, recorded or run.

    Args:
        call: the model call.
        key: the conversation.
        deps: the dependencies of the turn, with any models; their clock should show the time of the call. If
            the customer was about to be asked for a yes, tools are asked again for their clause.

    Raises:
        AssistantError: the turn does not reach that request again.
    """
    state = ConversationState(call.before)
    listens = RoleModel(model=_Listener(call.replies))
    # A configured role keeps its options and its budget, which decide what the model receives.
    roles: tuple[ModelRole, ...] = ("decider", "narrator")
    models = {role: replace(deps.models.get(role, listens), model=listens.model) for role in roles}
    deps = replace(deps, models=models)
    turn = RunningTurn(
        key=key,
        vouched=Customer(tenant=key.tenant, id=key.customer, level=state.level),
        credential=lambda: CustomerCredential(token="", expires_ms=0),  # nothing runs here
        state=state.turn(call.asked.turn_id),
        conversation=state,
        views=ViewBuilder(key.conversation),
        tasks=_NoTasks(),
        deadline=deps.clock.monotonic() + deps.limits.tools_s,
    )
    try:
        await take_turn(turn, deps, partial(_apply, state, call.asked.turn_id))
    except _ReplyCaptured as captured:
        return captured.request
    raise AssistantError(f"turn {turn.state.id} ended without asking a model again")


class _ReplyCaptured(Exception):
    def __init__(self, request: ModelRequest) -> None:
        self.request = request
        super().__init__(request.role)


class _Listener:
    """Replays the earlier replies, and captures the request after them."""

    name = "listening"

    def __init__(self, replies: Sequence[ModelChunks]) -> None:
        self._replies = list(replies)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Replay the next reply; if there is none, capture the request."""
        if not self._replies:
            raise _ReplyCaptured(request)
        for _, chunk in self._replies.pop(0).chunks:
            yield chunk

    async def close(self) -> None:
        """Does nothing."""


class _NoTasks:
    """Runs no calls: all calls in the request have ended."""

    async def start(
        self,
        ready: PreparedCall,
        turn: RunningTurn,  # noqa: ARG002 - the protocol's, as below
        record: Record,  # noqa: ARG002
    ) -> None:
        """Always raises ``AssistantError``."""
        raise AssistantError(f"the log has no outcome of {ready.call.id}, which it would have to run again")

    async def reconciled_outcome(self, ready: PreparedCall, turn: RunningTurn) -> Outcome:  # noqa: ARG002
        """The outcome is always unknown."""
        return CallUnknown(call=ready.call)

    def running(self, turn_id: str, call_id: str) -> bool:  # noqa: ARG002
        """No call runs."""
        return False

    async def ended(
        self,
        turn_id: str,
        calls: Sequence[Call],
        until: float | None = None,
    ) -> None:
        """Returns immediately, because no call runs."""


async def _apply(
    state: ConversationState,
    turn_id: str,
    entry: Entry,
    *,
    durable: bool = False,  # noqa: ARG001 - nothing is
) -> None:
    """Apply the turn's entry to the state, which is discarded after the request."""
    state.apply(Logged(state.seq + 1, 0, turn_id, entry))


@dataclass(frozen=True, slots=True)
class NextSummary:
    """The next text to summarise, "conversation" or "result", and the request for it."""

    of: str
    request: ModelRequest


async def next_summary(
    key: ConversationKey, entries: Sequence[Logged], deps: TurnDependencies
) -> NextSummary | None:
    """The first request that the summary model would get; None if there is nothing to summarise."""
    job = next_summary_task(key, ConversationState(entries), ViewBuilder(key.conversation).ended, deps)
    if job is None:
        return None
    try:
        await job.make()
    except RequestCaptured as captured:
        return NextSummary(job.of, captured.request)
    return None

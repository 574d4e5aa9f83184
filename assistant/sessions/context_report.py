"""The tokens of each part of a request that a model would receive now. Asks and records nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.conversation.customer import ConversationKey, Customer, CustomerCredential
from assistant.conversation.entries import CustomerMessage, Logged, ModelRole, Snapshot, TurnStarted
from assistant.conversation.snapshots import snapshot_of
from assistant.conversation.state import ConversationState
from assistant.conversation.turn_state import TurnState
from assistant.conversation.views import FromAssistant, TurnView
from assistant.memory.budget import Budget
from assistant.ports import ModelRequest
from assistant.sessions.tool_tasks import ToolTasks
from assistant.turn.context import RunningTurn, TurnDependencies, recent_turns, summary_instruction
from assistant.turn.decide import decision_request
from assistant.turn.narrate import narration_of_round, narrator_request
from assistant.turn.view_builder import ViewBuilder


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReport:
    """One turn in a request, and its size. ``calls``: the number of its calls in the request, with their
    results.
    """

    turn: TurnState
    tokens: int
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextReport:
    """One request to a model, and the size of each part, in tokens as ``budget`` counts them.

    ``instructions`` does not include ``earlier``, which is the dialogue summary with its introduction.
    ``turns`` are the turns in the request, oldest first, the running turn last. ``summarised`` and ``no_room``
    are the ids of the others: the summary replaces them, or they do not fit.
    """

    role: ModelRole
    model: str
    budget: Budget
    request: ModelRequest
    instructions: int
    earlier: int
    tools: int
    turns: tuple[TurnReport, ...]
    summarised: tuple[str, ...] = ()
    no_room: tuple[str, ...] = ()

    @property
    def used(self) -> int:
        """The sum of all parts."""
        return self.instructions + self.earlier + self.tools + sum(turn.tokens for turn in self.turns)


def running_or_next(key: ConversationKey, entries: Sequence[Logged], deps: TurnDependencies) -> RunningTurn:
    """The running turn, or else the next turn: for the waiting message, or without a message."""
    state = ConversationState(entries)
    if state.unfinished is None:
        if not state.waiting:
            last = next(reversed(state.said.values()), None)
            locale = last.locale if last is not None else "en"
            state.hear(CustomerMessage(message_id="next", client_message_id="next", text="", locale=locale))
        message, turn_id = state.waiting[0].message_id, f"t{len(state.turns) + 1}"
        state.begin(TurnStarted(turn_id=turn_id, message_id=message, cause="message", bundle=""))
    return RunningTurn(
        key=key,
        vouched=Customer(tenant=key.tenant, id=key.customer, level=state.level),
        credential=lambda: CustomerCredential(token="", expires_ms=0),  # nothing runs here
        state=state.turns[-1],
        conversation=state,
        views=ViewBuilder(key.conversation),
        tasks=ToolTasks(deps.clock),
        deadline=deps.clock.monotonic(),
    )


def context_report(role: ModelRole, turn: RunningTurn, deps: TurnDependencies) -> ContextReport:
    """The request that this model would receive in this turn now; the model must have a budget."""
    request = _request(role, turn, deps)
    told, view = summary_instruction(turn, deps, role), request.view
    budget = budget_of(role, deps)
    sizes = budget.sizes
    earlier, tools = sizes.text(told), sizes.tools(request.tools)
    before, since = turn.earlier, recent_turns(turn)
    shown = [*since[len(since) - len(view.turns) + 1 :], turn.state]
    return ContextReport(
        role=role,
        model=deps.models[role].model.name,
        budget=budget,
        request=request,
        instructions=sizes.frame(view.system, view.late, request.tools) - earlier - tools,
        earlier=earlier,
        tools=tools,
        turns=tuple(_turn(*pair, budget) for pair in zip(shown, view.turns, strict=True)),
        summarised=tuple(one.id for one in before[: len(before) - len(since)]),
        no_room=tuple(one.id for one in since[: len(since) - len(shown) + 1]),
    )


def budget_of(role: ModelRole, deps: TurnDependencies) -> Budget:
    """The budget of a role's model. The model must have a budget."""
    model = deps.summariser if role == "summariser" else deps.models[role]
    if model is None or model.budget is None:
        raise ValueError(f"{role}: has no budget")
    return model.budget


def snapshots_of(turn: TurnState, conversation: str) -> Mapping[str, Snapshot]:
    """The snapshot of each call of an ended turn, by the call's id: the data for later turns.

    If an older log has none, the rule makes it.
    """
    if turn.how is None:
        return {}
    made = {id_: snapshot_of(outcome, conversation, turn.id) for id_, outcome in turn.outcomes.items()}
    return {**made, **turn.snapshots}


def _request(role: ModelRole, turn: RunningTurn, deps: TurnDependencies) -> ModelRequest:
    if role == "decider":
        return decision_request(turn, deps)
    outcomes = turn.state.standing
    return narrator_request(turn, narration_of_round(turn, turn.state.latest_round + 1, outcomes, deps), deps)


def _turn(turn: TurnState, view: TurnView, budget: Budget) -> TurnReport:
    calls = sum(len(said.calls) for said in view.messages if isinstance(said, FromAssistant))
    return TurnReport(turn=turn, tokens=budget.sizes.turn(view), calls=calls)

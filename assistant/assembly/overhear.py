"""Finds out what a model was given in a turn: the turn is taken up again from its log, up to the request."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from assistant.conversation.calls import Call
from assistant.conversation.chunks import Chunk
from assistant.conversation.entries import Entry, Logged, ModelAsked, ModelRole
from assistant.conversation.people import ConversationKey, Customer
from assistant.conversation.state import ConversationState
from assistant.errors import AssistantError
from assistant.ports import ModelRequest
from assistant.tooling.run_call import Ready
from assistant.turn.parts import Parts, RoleModel
from assistant.turn.record import Record
from assistant.turn.running_turn import RunningTurn
from assistant.turn.turn import take_turn
from assistant.turn.views import Views


@dataclass(frozen=True, slots=True)
class Asking:
    """A moment at which a model was asked: ``before`` is the log up to it, ``asked`` the entry that says so."""

    before: Sequence[Logged]
    asked: Logged


def asking_of(entries: Sequence[Logged], role: ModelRole, turn_id: str | None = None) -> Asking | None:
    """The last time that the model in this role was asked, in this turn or in any; None: never."""
    for place in range(len(entries) - 1, -1, -1):
        logged = entries[place]
        asked = isinstance(logged.entry, ModelAsked) and logged.entry.role == role
        if asked and turn_id in (None, logged.turn_id):
            return Asking(entries[:place], logged)
    return None


async def overhear(asking: Asking, key: ConversationKey, parts: Parts) -> ModelRequest:
    """The request that was made at that moment. Nothing is sent, recorded, or run.

    Args:
        asking: when.
        key: whose conversation it is.
        parts: what the turn ran on; their clock should show that moment. Where the customer was about to be
            asked for a yes, tools are asked again for the words of it.

    Raises:
        AssistantError: the turn does not come to that request again.
    """
    state = ConversationState(asking.before)
    turn = RunningTurn(
        key=key,
        customer=Customer(tenant=key.tenant, id=key.customer, level=state.level),
        state=state.turn(asking.asked.turn_id),
        conversation=state,
        views=Views(),
        tasks=_NoTasks(),
        deadline=parts.clock.monotonic() + parts.limits.tools_s,
    )
    try:
        await take_turn(turn, parts, partial(_apply, state, asking.asked.turn_id))
    except _Overheard as overheard:
        return overheard.request
    raise AssistantError(f"turn {turn.state.id} ended without asking a model again")


def listening(*_: object) -> Mapping[ModelRole, RoleModel]:
    """Models for the parts of :func:`overhear`, whatever the settings name: they hear and never answer."""
    role = RoleModel(model=_Listener())
    return {"decider": role, "narrator": role}


class _Overheard(Exception):
    def __init__(self, request: ModelRequest) -> None:
        self.request = request
        super().__init__(request.role)


class _Listener:
    name = "listening"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        if request:
            raise _Overheard(request)
        yield

    async def close(self) -> None:
        """Nothing to give back."""


class _NoTasks:
    """Runs no calls: all that the request shows have ended."""

    async def start(
        self,
        ready: Ready,
        turn: RunningTurn,  # noqa: ARG002 - the protocol's, as below
        record: Record,  # noqa: ARG002
        timeout_s: float,  # noqa: ARG002
    ) -> None:
        """Refuse."""
        raise AssistantError(f"the log has no outcome of {ready.call.id}, which it would have to run again")

    def running(self, turn_id: str, call_id: str) -> bool:  # noqa: ARG002
        """Nothing runs."""
        return False

    async def ended(self, turn_id: str, calls: Sequence[Call]) -> None:
        """Nothing runs."""


async def _apply(
    state: ConversationState,
    turn_id: str,
    entry: Entry,
    *,
    durable: bool = False,  # noqa: ARG001 - nothing is
) -> None:
    """What the turn notes on the way to the request is forgotten afterwards."""
    state.apply(Logged(state.seq + 1, 0, turn_id, entry))

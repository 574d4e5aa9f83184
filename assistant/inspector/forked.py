"""What would the assistant say if a turn had gone otherwise: what staff change, and what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from assistant.conversation.values import Json
from assistant.inspector.replayed import ReplayedTurn

OtherOutcome: TypeAlias = Literal["value", "empty", "failed", "timed_out", "denied"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedOutcome:
    """Another outcome of a call. ``value`` is the result of "value"; ``say`` the reason of "failed"."""

    outcome: OtherOutcome
    value: Json = None
    say: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fork:
    """What is changed in the turn ``turn_id``: outcomes by the ids of calls, or the customer's message.

    A turn with another message is decided anew. With other outcomes, the decision that asked for the calls stays.
    """

    turn_id: str
    outcomes: Mapping[str, ChangedOutcome] = field(default_factory=dict[str, ChangedOutcome])
    message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkedTurn:
    """The turn as it was and as it would be.

    ``models`` are those that answered. ``tokens`` and ``cost_usd`` are what it took; the cost is None if a provider
    told none. ``earlier`` are the turns before it that go otherwise today, ``unscripted`` calls that the log has no
    result for; they failed.
    """

    turn: ReplayedTurn
    models: tuple[str, ...]
    tokens: int
    cost_usd: float | None
    earlier: tuple[str, ...]
    unscripted: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedModels:
    """The models that a trial asks. ``embedded``: both are the embedded model, which costs nothing."""

    models: tuple[str, ...]
    embedded: bool

"""Entries that belong to no turn: who came and went, who they are, and the people that they spoke to."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from assistant.conversation.people import Level

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

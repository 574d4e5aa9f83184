"""The events of ``ASSISTANT_WEBHOOK_URLS``: their form, and how they follow from the log.

docs/reference/webhooks.md is generated from these classes. Each event has an ``event_id`` that depends on the log
alone, so it is the same on each server and each time that the event is sent.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias, TypedDict, get_args

from pydantic import BaseModel, ConfigDict, Field

from assistant.conversation.customer import ConversationKey, Level
from assistant.conversation.entries import (
    BudgetName,
    Cause,
    DecisionClosed,
    Entry,
    Handoff,
    HandoffState,
    Logged,
    Rated,
    Rating,
    TurnEnded,
)
from assistant.conversation.outcomes import OutcomeName
from assistant.conversation.staff_entries import HandoffRouted, Priority
from assistant.conversation.values import HowTurnEnded
from assistant.reports.facts import ACTIVITY, TurnFacts, Visit, visits_of
from assistant.storage_ports import DeliveryPosition
from assistant.webhooks.client import Event
from assistant.webhooks.delivery import Due


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    event_id: str = Field(
        description="the same each time that this event is sent; ignore an event whose id you have seen"
    )
    at: int = Field(description="when it happened, in Unix milliseconds")
    tenant: str = Field(description="the company")
    conversation_id: str
    customer_id: str = Field(
        description="the company's customer number for a known customer, otherwise the id of a visitor"
    )
    level: Level = Field(description="how well the customer is known")


class ConversationStarted(_Event):
    """The customer wrote, or a result arrived, for the first time or after a pause of the idle time."""

    event: Literal["conversation.started"] = "conversation.started"
    resumed: bool = Field(description="true after a pause: the conversation had ended before")


class ConversationEnded(_Event):
    """Nothing happened for the idle time, and no one has to answer. ``at`` is the time of the last activity."""

    event: Literal["conversation.ended"] = "conversation.ended"
    began_at: int = Field(description="the time of its conversation.started")
    turns: int = Field(description="the turns since conversation.started")
    handed_over: bool = Field(description="whether an agent had the conversation")
    rating: Rating | None = Field(description="the newest rating since conversation.started")
    cost_usd: float | None = Field(description="what its models cost; null if that is not known of a turn")


class ToolCall(BaseModel):
    """One call of a tool. ``outcome`` is null while it runs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str
    outcome: OutcomeName | None
    duration_ms: int


class TurnWasEnded(_Event):
    """A turn is over. Times are in ms after the customer's message. A time is null if the event that it
    measures did not happen.
    """

    event: Literal["turn.ended"] = "turn.ended"
    turn_id: str
    cause: Cause
    how: HowTurnEnded
    first_words_ms: int | None
    answer_ms: int | None
    tools: tuple[ToolCall, ...]
    models: tuple[str, ...]
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    customer_text: str | None = Field(
        default=None, description="what the customer said; only with ASSISTANT_WEBHOOK_TEXT"
    )
    answer_text: str | None = Field(
        default=None, description="what was answered; only with ASSISTANT_WEBHOOK_TEXT"
    )


class MessageRated(_Event):
    """The customer rated a message, or took the rating back (null)."""

    event: Literal["message.rated"] = "message.rated"
    message_id: str
    turn_id: str
    rating: Rating | None
    comment: str | None = Field(
        default=None, description="the customer's words; only with ASSISTANT_WEBHOOK_TEXT"
    )


class HandoffChanged(_Event):
    """A handoff to a human agent reached a new state."""

    event: Literal["handoff.changed"] = "handoff.changed"
    state: HandoffState
    agent: str = Field(description='the agent who accepted; "" for none')
    ticket: str = Field(description='the number that the customer was told; "" for none')
    why: str | None = Field(
        default=None, description="the customer's wish in words; only with ASSISTANT_WEBHOOK_TEXT"
    )
    rule: str = Field(default="", description='the escalation rule that asked for the agent; "" for none')
    team: str = Field(default="", description='the team that was asked; "" for anyone')
    skill: str = Field(default="", description='the skill that was asked for; "" for none')
    priority: Priority = Field(default="normal", description="how urgent it is")


class BudgetReached(_Event):
    """No model was asked to answer a message, because a budget of tokens or money is spent."""

    event: Literal["budget.reached"] = "budget.reached"
    budget: BudgetName = Field(
        description="the budget that is spent; ``day_budget`` is the customer's or the company's"
    )
    turn_id: str


class Test(_Event):
    """A sample that ``assistant webhooks test`` sends. It is about no conversation."""

    event: Literal["test"] = "test"


EventModel: TypeAlias = Annotated[
    ConversationStarted
    | ConversationEnded
    | TurnWasEnded
    | MessageRated
    | HandoffChanged
    | BudgetReached
    | Test,
    Field(discriminator="event"),
]
EventType: TypeAlias = Literal[
    "conversation.started",
    "conversation.ended",
    "turn.ended",
    "message.rated",
    "handoff.changed",
    "budget.reached",
]
EVENT_TYPES: tuple[EventType, ...] = get_args(EventType)


def is_of_interest(logged: Logged) -> bool:
    """Whether this entry may lead to an event, at once or later."""
    return isinstance(logged.entry, (*ACTIVITY, Rated)) or _spent_budget(logged.entry) is not None


def _spent_budget(entry: Entry) -> BudgetName | None:
    """The budget because of which this decision asked no model."""
    match entry:
        case DecisionClosed(how=("turn_budget" | "conversation_budget" | "day_budget") as budget):
            return budget
        case _:
            return None


class _Place(TypedDict):
    event_id: str
    at: int
    tenant: str
    conversation_id: str
    customer_id: str
    level: Level


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationEvents:
    """Computes the events of one receiver.

    Args:
        wanted: the types that it gets.
        texts: whether events contain the texts of messages.
        idle_ms: a conversation has ended when there was no activity for this time.
    """

    wanted: Collection[str]
    texts: bool
    idle_ms: int

    def due(
        self, key: ConversationKey, entries: Sequence[Logged], after: DeliveryPosition, now_ms: int
    ) -> Due:
        """Returns the events of a conversation after a position, in order. No side effects."""
        visits = visits_of(entries, key.customer, self.idle_ms)
        found = list[tuple[DeliveryPosition, Event]]()
        routes = {one.entry.handoff_id: one.entry for one in entries if isinstance(one.entry, HandoffRouted)}
        ended = after.ended
        for visit, following in zip(visits, [*visits[1:], None], strict=True):
            last = following.first_seq - 1 if following is not None else len(entries)
            for logged in entries[max(visit.first_seq, after.seq + 1) - 1 : last]:
                known = visits_of(entries[: logged.seq], key.customer, self.idle_ms)
                for event in self._events(key, logged, known, routes):
                    found.append((DeliveryPosition(logged.seq, ended), _plain(event)))
            over = following is not None or visit.is_over(self.idle_ms, now_ms)
            if over and visit.last_seq > ended:
                ended = visit.last_seq
                (whole,) = visits_of(entries[:last], key.customer, self.idle_ms)[-1:]
                event = _end(key, whole, entries[whole.last_seq - 1])
                found.append((DeliveryPosition(max(last, after.seq), ended), _plain(event)))
        events = [(position, event) for position, event in found if event["event"] in self.wanted]
        newest = visits[-1] if visits else None
        if newest is None or newest.busy:
            return Due(events=events)
        if ended == newest.last_seq:
            return Due(events=events, then="rest")
        return Due(events=events, again_ms=newest.last_ms + self.idle_ms)

    def _events(
        self,
        key: ConversationKey,
        logged: Logged,
        visits: Sequence[Visit],
        routes: Mapping[str, HandoffRouted],
    ) -> Iterator[_Event]:
        """Yields the events of this entry, the newest of those that the visits were computed from."""
        visit = visits[-1]
        place = _place(key, visit, logged)
        if logged.seq == visit.first_seq:
            yield ConversationStarted(**_place(key, visit, logged, "/started"), resumed=len(visits) > 1)
        match logged.entry:
            case TurnEnded(turn_id=turn_id, how=how):
                facts = next(turn for one in visits for turn in one.turns if turn.turn_id == turn_id)
                yield _turn_ended(place, facts, how, texts=self.texts)
            case Rated(message_id=message_id, rating=rating, text=text):
                yield MessageRated(
                    **place,
                    message_id=message_id,
                    turn_id=message_id.partition("/")[0],
                    rating=rating,
                    comment=text if self.texts else None,
                )
            case Handoff(handoff_id=handoff_id, state=state, name=name, ticket=ticket, why=why):
                routed = routes.get(handoff_id, HandoffRouted(handoff_id=handoff_id))
                yield HandoffChanged(
                    **place,
                    state=state,
                    agent=name,
                    ticket=ticket,
                    why=why if self.texts else None,
                    rule=routed.rule,
                    team=routed.team,
                    skill=routed.skill,
                    priority=routed.priority,
                )
            case DecisionClosed() if (budget := _spent_budget(logged.entry)) is not None:
                yield BudgetReached(**place, budget=budget, turn_id=logged.turn_id)
            case _:
                pass


def _end(key: ConversationKey, visit: Visit, last: Logged) -> ConversationEnded:
    costs = [turn.usage.cost_usd for turn in visit.turns]
    return ConversationEnded(
        **_place(key, visit, last, "/ended"),
        began_at=visit.began_ms,
        turns=len(visit.turns),
        handed_over=visit.handoff is not None and visit.handoff.accepted,
        rating=visit.rating,
        cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
    )


def _turn_ended(place: _Place, turn: TurnFacts, how: HowTurnEnded, *, texts: bool) -> TurnWasEnded:
    return TurnWasEnded(
        **place,
        turn_id=turn.turn_id,
        cause=turn.cause,
        how=how,
        first_words_ms=turn.first_words_ms,
        answer_ms=turn.answer_ms,
        tools=tuple(
            ToolCall(tool=one.tool, outcome=one.outcome, duration_ms=one.duration_ms) for one in turn.calls
        ),
        models=turn.usage.models,
        input_tokens=turn.usage.input_tokens,
        output_tokens=turn.usage.output_tokens,
        cost_usd=turn.usage.cost_usd,
        customer_text=turn.text if texts else None,
        answer_text=turn.answer if texts else None,
    )


def _place(key: ConversationKey, visit: Visit, logged: Logged, more: str = "") -> _Place:
    return {
        # With the time: after an erasure or a restore, another entry may have the same number.
        "event_id": f"{key.conversation}/{logged.seq}/{logged.at_ms}{more}",
        "at": logged.at_ms,
        "tenant": key.tenant,
        "conversation_id": key.conversation,
        "customer_id": visit.customer,
        "level": visit.level,
    }


def _plain(event: _Event) -> Event:
    return event.model_dump(mode="json")

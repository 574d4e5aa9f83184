"""A whole conversation for staff: who it was, what was said and done in each turn, and what it cost. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from assistant.conversation.calls import round_of
from assistant.conversation.customer import ConversationKey, Level
from assistant.conversation.entries import (
    AgentMessage,
    CallEnded,
    CallRequested,
    ConfirmationAnswered,
    CustomerMessage,
    ForwardedToAgent,
    Handoff,
    IdentificationAttempted,
    Identified,
    Logged,
    MessageOpened,
    PoliciesChosen,
    Rated,
    Rating,
    SentenceSuppressed,
    Summary,
    TurnStarted,
)
from assistant.conversation.outcomes import OutcomeName, outcome_name
from assistant.conversation.state import ConversationState
from assistant.conversation.transcript import delivered_text
from assistant.conversation.turn_state import AssistantMessage, is_heard_out
from assistant.conversation.usage import Usage, usage_of
from assistant.conversation.values import MessageKind
from assistant.inspector.timeline import TurnTimeline, timelines_of, total_cost

EventName: TypeAlias = Literal[
    "handoff", "identified", "not_identified", "answer", "held", "policies", "summary"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message. ``message_kind`` is None for messages of the customer or an agent, and for an open one.

    ``name`` is the agent's name. ``how``: the customer spoke it or pressed a button. ``rating`` is the newest one.
    """

    kind: Literal["customer", "assistant", "person"]
    at_ms: int
    message_id: str
    text: str
    name: str = ""
    message_kind: MessageKind | None = None
    interrupted: bool = False
    files: tuple[str, ...] = ()
    how: Literal["", "spoken", "button"] = ""
    rating: Rating | None = None
    rating_text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RanCall:
    """One call, in short. ``outcome`` is "running" while it has none."""

    call_id: str
    tool: str
    outcome: OutcomeName | Literal["running"] = "running"
    ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RanCalls:
    """Calls of tools between two messages."""

    at_ms: int
    calls: tuple[RanCall, ...]
    kind: Literal["tools"] = "tools"


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """Something else. ``about`` has its data by name, such as the state and the agent's name of a handoff."""

    at_ms: int
    event: EventName
    about: Mapping[str, str] = field(default_factory=dict[str, str])
    kind: Literal["event"] = "event"


Item: TypeAlias = Said | RanCalls | Happened


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What belongs to one turn, or what happened between turns (``turn`` is None), in order."""

    turn: TurnTimeline | None
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationDetail:
    """A conversation. ``customer`` is the id that was identified last; ``began_as`` is the id it began with.

    ``bundles`` are the versions of the prompts, tools and policies that it used, oldest first.
    """

    conversation: str
    customer: str
    began_as: str
    name: str | None
    level: Level
    locale: str
    opened_ms: int
    last_ms: int
    turns: int
    handoff: str | None
    bundles: tuple[str, ...]
    usage: Usage
    sections: tuple[Section, ...]


def detail_of(key: ConversationKey, entries: Sequence[Logged]) -> ConversationDetail:
    """Returns the whole conversation. ``entries`` is its log, with at least one entry. No side effects."""
    state, timelines = ConversationState(entries), timelines_of(entries)
    fold = _Fold(state, timelines)
    for logged in entries:
        fold.apply(logged)
    known = state.known_as
    said = list(state.said.values())
    return ConversationDetail(
        conversation=key.conversation,
        customer=known.customer if known is not None and known.customer is not None else key.customer,
        began_as=key.customer,
        name=(known.name if known is not None else None) or state.name,
        level=state.level,
        locale=said[-1].locale if said else "",
        opened_ms=entries[0].at_ms,
        last_ms=entries[-1].at_ms,
        turns=len(timelines),
        handoff=state.handoff.state if state.handoff is not None else None,
        bundles=tuple(dict.fromkeys(one.bundle for one in timelines.values())),
        usage=replace(
            usage_of(logged.entry for logged in entries),
            cost_usd=total_cost(one.usage.cost_usd for one in timelines.values()),
        ),
        sections=fold.sections(),
    )


@dataclass(slots=True)
class _Section:
    turn_id: str
    items: list[Item] = field(default_factory=list[Item])


class _Fold:
    """Collects the sections while entries are added."""

    def __init__(self, state: ConversationState, timelines: Mapping[str, TurnTimeline]) -> None:
        self._state, self._timelines = state, timelines
        self._sections: list[_Section] = []
        self._turns: dict[str, _Section] = {}
        self._customers: dict[str, Said] = {}
        self._ratings: dict[str, Rated] = {}

    def apply(self, logged: Logged) -> None:
        at = logged.at_ms
        match entry := logged.entry:
            case CustomerMessage():
                self._customers[entry.message_id] = _customer_said(entry, at)
            case TurnStarted(turn_id=turn_id, message_id=message_id):
                section = _Section(turn_id)
                self._sections.append(section)
                self._turns[turn_id] = section
                if (said := self._customers.pop(message_id, None)) is not None:
                    section.items.append(said)
            case ForwardedToAgent(message_id=message_id):
                if (said := self._customers.pop(message_id, None)) is not None:
                    self._between().append(said)
            case MessageOpened(message_id=message_id):
                if (message := self._state.message(message_id)) is not None:
                    self._items(logged).append(self._assistant_said(message, logged))
            case AgentMessage(message_id=message_id, name=name, text=text):
                said = Said(kind="person", at_ms=at, message_id=message_id, text=text, name=name)
                self._between().append(said)
            case CallRequested(call=call):
                self._called(self._items(logged), RanCall(call_id=call.id, tool=call.tool), at)
            case CallEnded(outcome=outcome, duration_ms=ms):
                self._ended(logged.turn_id, outcome.call.id, outcome_name(outcome), ms)
            case Rated(message_id=message_id):
                self._ratings[message_id] = entry
            case _:
                if (happened := _happened(logged)) is not None:
                    self._items(logged).append(happened)

    def sections(self) -> tuple[Section, ...]:
        self._between().extend(self._customers.values())  # messages that wait for their turn
        return tuple(
            Section(
                turn=self._timelines.get(one.turn_id), items=tuple(self._rated(item) for item in one.items)
            )
            for one in self._sections
            if one.turn_id or one.items
        )

    def _items(self, logged: Logged) -> list[Item]:
        section = self._turns.get(logged.turn_id)
        return section.items if section is not None else self._between()

    def _between(self) -> list[Item]:
        """The section between turns at the end; a new one if the last section is a turn's."""
        if not self._sections or self._sections[-1].turn_id:
            self._sections.append(_Section(""))
        return self._sections[-1].items

    def _assistant_said(self, message: AssistantMessage, logged: Logged) -> Said:
        timeline = self._timelines[logged.turn_id]
        shown = next(one for one in timeline.messages if one.message_id == message.id)
        return Said(
            kind="assistant",
            at_ms=timeline.began_ms + shown.start_ms,
            message_id=message.id,
            text=delivered_text(message),
            message_kind=message.kind,
            interrupted=message.interrupted or not is_heard_out(message),
        )

    @staticmethod
    def _called(items: list[Item], call: RanCall, at_ms: int) -> None:
        """Add a call to the calls of its round."""
        for place, group in enumerate(items):
            if isinstance(group, RanCalls) and round_of(group.calls[0].call_id) == round_of(call.call_id):
                items[place] = replace(group, calls=(*group.calls, call))
                return
        items.append(RanCalls(at_ms=at_ms, calls=(call,)))

    def _ended(self, turn_id: str, call_id: str, outcome: OutcomeName, ms: int) -> None:
        items = self._turns[turn_id].items if turn_id in self._turns else []
        for place, group in enumerate(items):
            if isinstance(group, RanCalls) and any(call.call_id == call_id for call in group.calls):
                calls = tuple(
                    replace(call, outcome=outcome, ms=ms) if call.call_id == call_id else call
                    for call in group.calls
                )
                items[place] = replace(group, calls=calls)

    def _rated(self, item: Item) -> Item:
        rated = self._ratings.get(item.message_id) if isinstance(item, Said) else None
        if rated is None or not isinstance(item, Said):
            return item
        return replace(item, rating=rated.rating, rating_text=rated.text)


def _customer_said(entry: CustomerMessage, at_ms: int) -> Said:
    return Said(
        kind="customer",
        at_ms=at_ms,
        message_id=entry.message_id,
        text=entry.text,
        files=tuple(one.name for one in entry.attachments),
        how="button" if entry.button is not None else "spoken" if entry.spoken else "",
    )


def _happened(logged: Logged) -> Happened | None:
    match entry := logged.entry:
        case Handoff(state=state, name=name, why=why, ticket=ticket):
            about = {"state": state, "name": name, "why": why, "ticket": ticket}
            return Happened(at_ms=logged.at_ms, event="handoff", about=about)
        case Identified(level=level, customer=customer) if logged.seq > 1:
            about = {"level": level, "customer": customer or ""}
            return Happened(at_ms=logged.at_ms, event="identified", about=about)
        case IdentificationAttempted(matched=False):
            return Happened(at_ms=logged.at_ms, event="not_identified")
        case ConfirmationAnswered(answer=answer):
            return Happened(at_ms=logged.at_ms, event="answer", about={"answer": answer})
        case SentenceSuppressed(guardrail=guardrail, text=text):
            about = {"guardrail": guardrail, "text": text}
            return Happened(at_ms=logged.at_ms, event="held", about=about)
        case PoliciesChosen(names=names) if names:
            return Happened(at_ms=logged.at_ms, event="policies", about={"names": ", ".join(names)})
        case Summary(text=text):
            return Happened(at_ms=logged.at_ms, event="summary", about={"text": text})
        case _:
            del entry
            return None

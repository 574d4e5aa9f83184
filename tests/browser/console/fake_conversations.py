"""Conversations for the fake console: logs that the test makes, answered with the real inspector."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import cast

from assistant.conversation.calls import Call
from assistant.conversation.chunks import CallNamed, StreamEnded, TextDelta
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    AgentMessage,
    CallEnded,
    CallRequested,
    CallStarted,
    CustomerMessage,
    DeliveryReceipt,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    ModelAsked,
    ModelChunks,
    SentenceSuppressed,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.outcomes import CallSucceeded, CallTimedOut
from assistant.inspector.conversation_index import FoundConversation
from assistant.inspector.detail import detail_of
from assistant.inspector.indexing import indexed
from assistant.inspector.replayed import compare_turns
from assistant.inspector.requests import (
    InspectedRequest,
    RebuiltRequest,
    RequestSection,
    asked_with,
    held_in,
    reply_to,
)
from assistant.inspector.words import words_of
from assistant.server.console.conversation_routes import listed_json
from tests.support.logged_visits import MINUTE, LoggedVisits, failed, ok

PAGE = 50
NOON = 1_795_780_800_000
LATE = NOON + 600 * MINUTE
"""All conversations are over by then."""


@dataclass
class FakeConversations:
    """The logs by their conversations."""

    logs: dict[str, list[Logged]] = field(default_factory=dict[str, list[Logged]])

    def add(self, name: str, said: LoggedVisits) -> str:
        """Add a conversation; returns its id."""
        self.logs[name] = said.entries
        return name

    def fill(self, number: int) -> None:
        """Add this many conversations, one each minute, which ended in various ways."""
        for one in range(number):
            said = LoggedVisits(NOON + one * MINUTE)
            if one % 3 == 0:
                said.identified(f"c{one}", "Maximiliane Schwarzenberger-Oberhuber")
            match one % 5:
                case 0:
                    said.asks(
                        "Where is order 10482? I have been waiting for it since the day before yesterday."
                    )
                case 1:
                    said.asks("Check my billing", failed("get_open_invoices"), how="apologised")
                case 2:
                    said.asks("Check my appointments", ok("list_upcoming_appointments")).rates("up")
                case 3:
                    said.asks("I want a person").hands_over("requested", "accepted", "ended")
                case _:
                    said.asks("Cancel it", question=True, cost_usd=0.0123)
            self.add(f"k{one}", said)

    def add_eventful(self) -> str:
        """Add a conversation with everything that a timeline shows; returns its id."""
        said = LoggedVisits(NOON).identified("c7", "Ana Lind")
        _spoken_turn(said)
        said.turns = 1
        said.asks("Check my billing", failed("get_open_invoices")).rates("down", "That does not help me.")
        said.asks("Cancel order 10482", question=True, how="awaiting_confirmation", cost_usd=None)
        said.hands_over("requested", "accepted")
        said.add(
            AgentMessage(message_id="p1", handoff_id="h3", name="Sam", text="This is Sam."), after_ms=5000
        )
        said.hands_over("ended").asks("Thanks", how="interrupted")
        return self.add("eventful", said)

    def copied_test(self, name: str) -> dict[str, str | bool | int | list[str]]:
        """What copying as a test answers: the test of one conversation passes, those of the others do not."""
        passes = name == "k1"
        return {
            "text": f"format: 3\nabout: {name}\n",
            "passes": passes,
            "failure": "" if passes else "turn 2: different\n  expected: You owe $150.",
            "difference": "",
            "masked": 3,
            "left_out": [] if passes else ["billing: its end is not in the log"],
        }

    def replayed(self, name: str) -> dict[str, object]:
        """What a replay answers: billing says something else today."""
        log = self.logs[name]
        today = [
            replace(one, entry=replace(one.entry, text=" reach our billing. Shall I try again?"))
            if isinstance(one.entry, MessageText) and "reach billing" in one.entry.text
            else one
            for one in log
        ]
        turns = [one.entry.turn_id for one in log if isinstance(one.entry, TurnStarted)]
        numbers = {turn_id: number for number, turn_id in enumerate(turns, 1)}
        found = compare_turns(detail_of(_key(name), log), numbers, detail_of(_key(name), today), numbers)
        return {
            "turns": [asdict(one) for one in found],
            "unscripted": [],
            "left_out": ["billing: its end is not in the log"],
            "same_version": False,
        }

    def tried(self, name: str, turn_id: str) -> dict[str, object]:
        """What a trial of a turn answers: the same as the replay."""
        turns = cast("list[dict[str, object]]", self.replayed(name)["turns"])
        return {
            "turn": next(one for one in turns if one["turn_id"] == turn_id),
            "models": ["anthropic/claude"],
            "tokens": 2400,
            "cost_usd": 0.0042,
            "earlier": [],
            "unscripted": ["turn 1: get_recipes ran with {}, which was not recorded"],
        }

    def answer(self, rest: list[str], query: Mapping[str, str]) -> object:
        """What the real routes answer. Raises ``KeyError``."""
        if rest[1:2] == ["requests"]:
            return _request(self.logs[rest[0]], int(rest[2]))
        if rest:
            [name] = rest
            return asdict(detail_of(_key(name), self.logs[name]))
        rows = [indexed(_key(name), log, erasures=0, idle_ms=MINUTE) for name, log in self.logs.items()]
        asked = words_of(query.get("q", ""))
        fit = [
            row
            for row in sorted(rows, key=lambda row: row.last_ms, reverse=True)
            if all(any(word.startswith(one) for word in row.words.split()) for one in asked)
            and query.get("outcome", row.outcome) == row.outcome
        ]
        place = int(query.get("after", 0))
        shown = [
            FoundConversation(
                key=row.key,
                opened_ms=row.opened_ms,
                last_ms=row.last_ms,
                outcome=row.outcome,
                cost_usd=row.cost_usd,
                about=row.about,
            )
            for row in fit[place : place + PAGE]
        ]
        after = str(place + PAGE) if len(fit) > place + PAGE else None
        return {"conversations": [listed_json(one) for one in shown], "after": after}


def _request(log: list[Logged], seq: int) -> object:
    """A request that was rebuilt, with the reply of the log."""
    asked = asked_with(log, seq)
    assert asked is not None
    sections = (
        RequestSection(
            name="instructions",
            text="You are the assistant of Willow & Finch.\n" + "Never promise a refund. " * 40,
            tokens=900,
        ),
        RequestSection(name="tools", text='[{"name": "get_open_invoices"}]', tokens=1200),
        RequestSection(name="turn", text="customer: Check my appointments and billing", tokens=60),
        RequestSection(name="late", text="Today is Friday, November 27.", tokens=240),
    )
    rebuilt = RebuiltRequest(sections=sections, same_prompts=False, counted_by="estimate")
    reply, held = reply_to(log, asked), held_in(log, asked)
    return asdict(InspectedRequest(seq=seq, rebuilt=rebuilt, problem="", reply=reply, held=held))


def _key(name: str) -> ConversationKey:
    return ConversationKey(tenant="demo", customer=f"visitor-{name}", conversation=name)


def _spoken_turn(said: LoggedVisits) -> None:
    """A spoken turn with two attempts, calls that take long, a sentence held back, and an answer heard in part."""
    appointments = Call(id="c1.1", tool="list_upcoming_appointments", arguments={"days": 30})
    invoices = Call(id="c1.2", tool="get_open_invoices")
    turn = "t1"
    said.add(
        CustomerMessage(
            message_id="u1", client_message_id="a", text="Check my appointments and billing", spoken=True
        )
    )
    said.add(TurnStarted(turn_id=turn, message_id="u1", cause="message", bundle="b"), turn, 40)
    said.add(ModelAsked(round=1, role="decider", model="anthropic/claude"), turn, 10)
    said.add(ModelChunks(round=1, role="decider", chunks=(), error="no answer"), turn, 300)
    said.add(ModelAsked(round=1, role="decider", model="openai/gpt", attempt=2), turn)
    said.add(MessageOpened(message_id="t1/m1", round=1), turn, 400)
    said.add(MessageText(message_id="t1/m1", text="Sure, I'll look up your appointments"), turn)
    said.add(CallRequested(call=appointments), turn)
    said.add(CallStarted(call_id="c1.1", tool=appointments.tool, idempotency_key="1"), turn)
    said.add(CallRequested(call=invoices), turn, 40)
    said.add(CallStarted(call_id="c1.2", tool=invoices.tool, idempotency_key="2"), turn)
    ended = StreamEnded("tool_calls", 2400, 60, 1900, 0.0042)
    chunks = ((395, CallNamed(0, appointments.tool)), (436, CallNamed(1, invoices.tool)), (440, ended))
    said.add(ModelChunks(round=1, role="decider", chunks=chunks), turn)
    said.add(MessageText(message_id="t1/m1", text=" and check your billing."), turn)
    said.add(MessageClosed(message_id="t1/m1", kind="acknowledgement", call_ids=("c1.1", "c1.2")), turn)
    found = CallSucceeded(call=appointments, value=[{"day": "Tuesday"}])
    said.add(CallEnded(outcome=found, duration_ms=900), turn, 860)
    said.add(CallEnded(outcome=CallTimedOut(call=invoices, after_s=2), duration_ms=2000), turn, 1100)
    said.add(ModelAsked(round=2, role="narrator", model="openai/gpt"), turn, 5)
    held = SentenceSuppressed(round=2, guardrail="claims", text="I have paid your invoice.")
    said.add(held, turn, 350)
    said.add(MessageOpened(message_id="t1/m2", round=2, model_written=True), turn, 60)
    said.add(MessageText(message_id="t1/m2", text="You are booked for Tuesday at two. I could not"), turn)
    said.add(MessageText(message_id="t1/m2", text=" reach billing just now."), turn, 300)
    chunks = (
        (380, TextDelta("I have paid your invoice. You are")),
        (700, StreamEnded("stop", 2700, 44, 2300, 0.0051)),
    )
    said.add(ModelChunks(round=2, role="narrator", chunks=chunks), turn)
    said.add(MessageClosed(message_id="t1/m2", kind="response"), turn)
    said.add(TurnEnded(turn_id=turn, how="answered"), turn, 4)
    said.add(DeliveryReceipt(message_id="t1/m2", how="heard", up_to=33), after_ms=2500)

"""The timeline of a turn: what the customer saw when, and what was done meanwhile."""

from hypothesis import given

from assistant.conversation.calls import Call
from assistant.conversation.chunks import CallNamed, StreamEnded, TextDelta
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    CallEnded,
    CallRequested,
    CallStarted,
    ConfirmationAsked,
    CustomerMessage,
    DecisionClosed,
    DeliveryReceipt,
    Entry,
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
from assistant.conversation.outcomes import CallFailed, CallSucceeded
from assistant.conversation.snapshots import without_words
from assistant.inspector.detail import Happened, RanCalls, Said, detail_of
from assistant.inspector.timeline import TurnTimeline, timelines_of
from tests.conversation.histories import histories
from tests.support.logged_visits import LoggedVisits, ok

NOON = 1_000_000
KEY = ConversationKey(tenant="demo", customer="ana", conversation="k1")
APPOINTMENTS = Call(id="c1.1", tool="list_appointments", arguments={"days": 30})
INVOICES = Call(id="c1.2", tool="get_invoices")


def logged(*timed: tuple[int, Entry]) -> list[Logged]:
    """The entries with their times after the customer's message; those before the turn's start belong to none."""
    turn, found = "", list[Logged]()
    for number, (at_ms, entry) in enumerate(timed, 1):
        if isinstance(entry, TurnStarted):
            turn = entry.turn_id
        found.append(Logged(number, NOON + at_ms, "" if isinstance(entry, CustomerMessage) else turn, entry))
    return found


CHECKED = logged(
    (0, CustomerMessage(message_id="u1", client_message_id="a", text="Check my appointments and billing")),
    (5, TurnStarted(turn_id="t1", message_id="u1", cause="message", bundle="b1")),
    (10, ModelAsked(round=1, role="decider", model="big")),
    (310, MessageOpened(message_id="t1/m1", round=1)),
    (310, MessageText(message_id="t1/m1", text="Sure, I'll look up your appointments")),
    (311, CallRequested(call=APPOINTMENTS)),
    (312, CallStarted(call_id="c1.1", tool="list_appointments", idempotency_key="1")),
    (390, CallRequested(call=INVOICES)),
    (391, CallStarted(call_id="c1.2", tool="get_invoices", idempotency_key="2")),
    (
        400,
        ModelChunks(
            round=1,
            role="decider",
            chunks=(
                (295, CallNamed(0, "list_appointments")),
                (380, CallNamed(1, "get_invoices")),
                (385, StreamEnded("tool_calls", 900, 40, 700, 0.002)),
            ),
        ),
    ),
    (401, MessageText(message_id="t1/m1", text=" and check your billing.")),
    (402, MessageClosed(message_id="t1/m1", kind="acknowledgement", call_ids=("c1.1", "c1.2"))),
    (402, DecisionClosed(round=1, call_ids=("c1.1", "c1.2"))),
    (700, CallEnded(outcome=CallSucceeded(call=APPOINTMENTS, value=["Tuesday"]), duration_ms=380)),
    (
        950,
        CallEnded(outcome=CallFailed(call=INVOICES, say="no", for_model="billing is away"), duration_ms=555),
    ),
    (955, ModelAsked(round=2, role="narrator", model="big")),
    (1200, SentenceSuppressed(round=2, guardrail="claims", text="I have paid it.")),
    (1300, MessageOpened(message_id="t1/m2", round=2, model_written=True)),
    (1320, MessageText(message_id="t1/m2", text="You are booked for Tuesday.")),
    (
        1400,
        ModelChunks(
            round=2,
            role="narrator",
            chunks=((200, TextDelta("You are booked")), (440, StreamEnded("stop", 1100, 30, None, 0.003))),
        ),
    ),
    (1410, MessageClosed(message_id="t1/m2", kind="response")),
    (1410, DecisionClosed(round=2, call_ids=())),
    (1420, TurnEnded(turn_id="t1", how="answered")),
    (2900, DeliveryReceipt(message_id="t1/m2", how="seen", up_to=27)),
)


def only(entries: list[Logged]) -> TurnTimeline:
    (found,) = timelines_of(entries).values()
    return found


def test_the_customer_saw_each_message_grow() -> None:
    shown = only(CHECKED).messages

    assert [(one.kind, one.start_ms, one.end_ms) for one in shown] == [
        ("acknowledgement", 310, 402),
        ("response", 1320, 1410),  # from its first word, not from when it was opened
    ]
    assert shown[0].text == "Sure, I'll look up your appointments and check your billing."
    assert shown[1].reached == {"seen": (2900, 27)}


def test_each_request_has_its_times_tokens_and_cost() -> None:
    decision, narration = only(CHECKED).requests

    assert (decision.start_ms, decision.first_ms, decision.end_ms) == (10, 305, 395)
    assert (decision.input_tokens, decision.cached_tokens, decision.cost_usd) == (900, 700, 0.002)
    assert (narration.role, narration.seq, narration.start_ms, narration.end_ms) == (
        "narrator",
        16,
        955,
        1395,
    )
    assert only(CHECKED).usage.cost_usd == 0.005


def test_each_call_has_its_own_time() -> None:
    appointments, invoices = only(CHECKED).calls

    assert (appointments.start_ms, appointments.end_ms, appointments.outcome) == (312, 692, "ok")
    assert (appointments.arguments, appointments.result) == ({"days": 30}, ["Tuesday"])
    assert (invoices.start_ms, invoices.end_ms, invoices.outcome) == (391, 946, "failed")
    assert invoices.why == "billing is away"


def test_the_turn_lasts_until_its_last_event() -> None:
    turn = only(CHECKED)

    assert (turn.began_ms, turn.started_ms, turn.end_ms, turn.length_ms) == (NOON, 5, 1420, 1420)
    assert [(one.at_ms, one.guardrail, one.text) for one in turn.held] == [
        (1200, "claims", "I have paid it.")
    ]


def test_a_reply_whose_text_was_deleted_keeps_its_end_and_tokens() -> None:
    thinned = [
        Logged(one.seq, one.at_ms, one.turn_id, without_words("k1", one.turn_id, one.entry))
        for one in CHECKED
    ]

    decision = only(thinned).requests[0]

    assert (decision.deleted, decision.first_ms, decision.end_ms) == (True, None, 395)
    assert decision.input_tokens == 900


def test_a_second_attempt_is_a_request_of_its_own() -> None:
    failed = ModelChunks(round=1, role="decider", chunks=(), error="it did not answer")
    stopped = ModelChunks(round=1, role="decider", chunks=((40, TextDelta("Su")),), error="stopped")
    first, second = only(
        logged(
            (0, CustomerMessage(message_id="u1", client_message_id="a", text="Hello")),
            (1, TurnStarted(turn_id="t1", message_id="u1", cause="message", bundle="b1")),
            (10, ModelAsked(round=1, role="decider", model="big")),
            (90, failed),
            (100, ModelAsked(round=1, role="decider", model="small", attempt=2)),
            (150, stopped),
            (151, TurnEnded(turn_id="t1", how="interrupted")),
        )
    ).requests

    assert (first.model, first.end_ms, first.error, first.stopped) == ("big", 90, "it did not answer", False)
    assert (second.start_ms, second.end_ms, second.error, second.stopped) == (100, 140, None, True)


def test_the_message_before_a_question_asks() -> None:
    question = ConfirmationAsked(confirmation_id="q", calls=(), read_back="Shall I?", expires_at_ms=1)
    shown = only(
        logged(
            (0, CustomerMessage(message_id="u1", client_message_id="a", text="Cancel it")),
            (1, TurnStarted(turn_id="t1", message_id="u1", cause="message", bundle="b1")),
            (2, MessageOpened(message_id="t1/m1", round=1)),
            (3, MessageText(message_id="t1/m1", text="Shall I?")),
            (4, MessageClosed(message_id="t1/m1", kind="response")),
            (4, question),
            (5, TurnEnded(turn_id="t1", how="awaiting_confirmation")),
        )
    ).messages

    assert [one.asks for one in shown] == [True]


def test_a_conversation_is_told_in_its_order() -> None:
    said = (
        LoggedVisits(NOON)
        .identified("c7", "Ana Lind")
        .asks("What do I owe?", ok("billing"))
        .rates("down", "No")
    )
    said = said.hands_over("requested", "accepted").asks("Thanks")

    detail = detail_of(KEY, said.entries)

    assert (detail.customer, detail.began_as, detail.name, detail.level) == (
        "c7",
        "ana",
        "Ana Lind",
        "verified",
    )
    assert (detail.turns, detail.bundles, detail.handoff) == (2, ("b",), "accepted")
    told = [
        (section.turn.turn_id if section.turn else "", [_short(item) for item in section.items])
        for section in detail.sections
    ]
    assert told == [
        (
            "t1",
            [
                "customer: What do I owe?",
                "billing ok",
                "assistant: Sure, I'll look.",
                "assistant: Here it is. (down)",
            ],
        ),
        ("", ["handoff requested", "handoff accepted"]),
        ("t2", ["customer: Thanks", "assistant: Sure, I'll look.", "assistant: Here it is."]),
    ]


def _short(item: Said | RanCalls | Happened) -> str:
    match item:
        case Said(kind=kind, text=text, rating=rating):
            return f"{kind}: {text}" + (f" ({rating})" if rating else "")
        case RanCalls(calls=calls):
            return ", ".join(f"{call.tool} {call.outcome}" for call in calls)
        case Happened(event=event, about=about):
            return f"{event} {about.get('state', '')}"


@given(histories())
def test_every_log_has_a_timeline(log: list[Logged]) -> None:
    for turn in timelines_of(log).values():
        spans = [*turn.messages, *turn.requests, *(one for one in turn.calls if one.start_ms is not None)]
        for span in spans:
            assert span.start_ms is not None
            assert span.end_ms is None or span.start_ms <= span.end_ms <= turn.length_ms
    if log:
        detail = detail_of(KEY, log)
        shown = [item for section in detail.sections for item in section.items if isinstance(item, Said)]
        assert len({item.message_id for item in shown}) == len(shown)

"""Which entries of the log are shown, and how."""

import json
from dataclasses import replace
from decimal import Decimal
from types import MappingProxyType
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from assistant.conversation.calls import Call
from assistant.conversation.chunks import StreamEnded
from assistant.conversation.entries import (
    CallEnded,
    CallsDelayed,
    CallStarted,
    CustomerMessage,
    DeliveryReceipt,
    Entry,
    MessageClosed,
    MessageOpened,
    ModelAsked,
    ModelChunks,
    Rated,
    TurnEnded,
)
from assistant.conversation.outcomes import (
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    Outcome,
)
from assistant.server.frame_sender import merge_deltas
from assistant.server.frames.frame import JsonFrame, encode
from assistant.server.frames.server_frames import SERVER_FRAMES
from assistant.server.projector import Projector
from tests.server.running_server import hint, logged
from tests.server.script import ANSWER, APPOINTMENTS, SAID, TURN

CALL = Call(id="c1.1", tool="refund", arguments={"amount": 5})


def projected(*entries: Entry, developer: bool = False) -> list[JsonFrame]:
    projector = Projector(hint, developer=developer)
    frames = (projector.project(one) for one in logged(entries))
    return [frame for frame in frames if frame is not None]


def test_slow_calls_are_reported_in_one_frame() -> None:
    assert projected(CallsDelayed(call_ids=("c1.1", "c1.2"))) == [
        {"type": "tool.delayed", "seq": 1, "call_ids": ["t1/c1.1", "t1/c1.2"]}
    ]


def test_a_call_that_runs_again_after_a_crash_is_started_once() -> None:
    started = CallStarted(call_id="c1.1", tool="refund", idempotency_key="k1")
    ended = CallEnded(outcome=CallSucceeded(call=CALL, value="done"), duration_ms=5)

    frames = projected(started, started, ended)

    assert [frame["type"] for frame in frames] == ["tool.started", "tool.finished"]


def test_a_turn_is_shown_in_the_documented_order() -> None:
    assert projected(*TURN) == [
        {
            "type": "accepted",
            "seq": 1,
            "id": "m1",
            "text": "Check my appointments and billing",
            "at": 1000,
        },
        {"type": "turn.started", "seq": 2, "turn_id": "t1", "client_id": "m1"},
        {"type": "message.started", "seq": 5, "message_id": "a1", "turn_id": "t1", "at": 5000},
        {"type": "message.delta", "seq": 6, "message_id": "a1", "text": "Sure, I'll look up "},
        {"type": "message.delta", "seq": 8, "message_id": "a1", "text": "your appointments"},
        {"type": "tool.started", "seq": 9, "call_id": "t1/c1.1", "hint": "list_upcoming_appointments (en)"},
        {"type": "tool.started", "seq": 11, "call_id": "t1/c1.2", "hint": "get_open_invoices (en)"},
        {"type": "message.delta", "seq": 15, "message_id": "a1", "text": " and check your billing."},
        {
            "type": "message.completed",
            "seq": 16,
            "message_id": "a1",
            "kind": "acknowledgement",
            "text": "Sure, I'll look up your appointments and check your billing.",
            "call_ids": ["t1/c1.1", "t1/c1.2"],
            "interrupted": False,
        },
        {"type": "tool.finished", "seq": 18, "call_id": "t1/c1.1", "outcome": "ok", "ms": 12},
        {"type": "tool.finished", "seq": 19, "call_id": "t1/c1.2", "outcome": "failed", "ms": 30},
        {"type": "message.started", "seq": 20, "message_id": "a2", "turn_id": "t1", "at": 20000},
        {"type": "message.delta", "seq": 21, "message_id": "a2", "text": "You're booked for Tuesday. "},
        {"type": "message.delta", "seq": 23, "message_id": "a2", "text": "Shall I cancel it?"},
        {
            "type": "message.completed",
            "seq": 24,
            "message_id": "a2",
            "kind": "response",
            "text": "You're booked for Tuesday. Shall I cancel it?",
            "call_ids": [],
            "interrupted": False,
        },
        {
            "type": "confirmation.requested",
            "seq": 25,
            "confirmation_id": "k1",
            "read_back": "Shall I cancel it?",
            "calls": [{"call_id": "t1/c2.1", "hint": "cancel_appointment (en)"}],
            "expires_at": 4_000_000_000_000,
        },
        {"type": "turn.completed", "seq": 26, "turn_id": "t1", "how": "awaiting_confirmation"},
    ]


def test_every_frame_has_the_documented_shape() -> None:
    for developer in (False, True):
        for frame in projected(*TURN, *ANSWER, developer=developer):
            SERVER_FRAMES.validate_json(encode(frame))


def test_developers_see_names_arguments_and_results() -> None:
    frames = {str(frame["seq"]): frame for frame in projected(*TURN, developer=True)}
    inside = {"name": "list_upcoming_appointments", "arguments": {"days_ahead": 30}}
    assert inside.items() <= frames["9"].items()
    assert {**inside, "result": [{"number": 7}]}.items() <= frames["18"].items()
    assert frames["25"]["calls"] == [
        {
            "call_id": "t1/c2.1",
            "hint": "cancel_appointment (en)",
            "name": "cancel_appointment",
            "arguments": {"number": 7},
        }
    ]


def test_developers_see_the_usage_of_each_turn() -> None:
    asked = ModelAsked(round=1, role="decider", model="m")
    ended = StreamEnded("stop", input_tokens=90, output_tokens=10, cached_tokens=60, cost_usd=0.25)
    replied = ModelChunks(round=1, role="decider", chunks=((300, ended),))
    ends = (TurnEnded(turn_id="t1", how="answered"), TurnEnded(turn_id="t2", how="interrupted"))
    entries = (asked, replied, ends[0], asked, ends[1])

    known, unknown = projected(*entries, developer=True)

    assert known["usage"] == {
        "models": ("m",),
        "requests": 1,
        "input_tokens": 90,
        "output_tokens": 10,
        "cached_tokens": 60,
        "cost_usd": 0.25,
    }
    SERVER_FRAMES.validate_json(encode(known))
    numbers = cast("JsonFrame", unknown["usage"])
    assert (numbers["requests"], numbers["input_tokens"], numbers["cost_usd"]) == (1, None, None)
    assert "usage" not in projected(*entries)[0]


def test_every_outcome_has_a_result_for_developers() -> None:
    outcomes: list[tuple[Outcome, str, object]] = [
        (CallSucceeded(call=CALL, value=3), "ok", 3),
        (CallEmpty(call=CALL, value=[]), "empty", []),
        (
            CallFailed(call=CALL, say="it broke", for_model="500"),
            "failed",
            {"say": "it broke", "for_model": "500"},
        ),
        (CallTimedOut(call=CALL, after_s=10), "timed_out", {"after_s": 10}),
        (CallCancelled(call=CALL, why="stopped"), "cancelled", {"why": "stopped"}),
        (CallDenied(call=CALL, say="no", for_model="denied"), "denied", {"say": "no", "for_model": "denied"}),
        (CallUnknown(call=CALL), "unknown", None),
    ]
    for outcome, name, result in outcomes:
        started = CallStarted(call_id="c1.1", tool="refund", idempotency_key="k")
        (_, finished) = projected(started, CallEnded(outcome=outcome), developer=True)
        assert (finished["outcome"], finished["result"]) == (name, result)


def test_a_call_that_never_ran_shows_no_chip() -> None:
    assert projected(CallEnded(outcome=CallDenied(call=CALL, say="no", for_model="no"))) == []


def test_a_call_ends_once() -> None:
    started = CallStarted(call_id="c1.1", tool="refund", idempotency_key="k")
    ended = CallEnded(outcome=CallUnknown(call=CALL))
    assert len(projected(started, ended, ended)) == 2


def test_hints_follow_the_language_of_the_customers_last_message() -> None:
    german = replace(SAID, locale="de")
    frames = projected(german, CallStarted(call_id="c1.1", tool="refund", idempotency_key="k"))
    assert frames[1]["hint"] == "refund (de)"


def test_an_interrupted_message_is_complete_as_far_as_it_got() -> None:
    closed = MessageClosed(message_id="a", kind="response", interrupted=True)
    frames = projected(MessageOpened(message_id="a", round=1), closed)
    assert (frames[1]["text"], frames[1]["interrupted"]) == ("", True)


def test_a_rating_is_shown_without_the_customers_text() -> None:
    (frame,) = projected(Rated(message_id="a", rating="down", text="I meant the other one"))
    assert frame == {"type": "rated", "seq": 1, "message_id": "a", "rating": "down"}
    SERVER_FRAMES.validate_json(encode(frame))


def test_the_heard_position_is_shown_from_the_first_word_on() -> None:
    told = [DeliveryReceipt(message_id="a", how=how, up_to=0) for how in ("sent", "seen", "heard")]
    (frame,) = projected(*told)
    assert frame == {"type": "message.heard", "seq": 3, "message_id": "a", "up_to": 0}
    SERVER_FRAMES.validate_json(encode(frame))


def test_only_a_spoken_message_is_marked_as_spoken() -> None:
    written = CustomerMessage(message_id="u", client_message_id="m", text="Hi")
    first, second = projected(written, replace(written, spoken=True))
    assert "spoken" not in first
    assert second["spoken"] is True
    SERVER_FRAMES.validate_json(encode(second))


def test_deltas_of_different_messages_stay_apart() -> None:
    deltas: list[JsonFrame] = [
        {"type": "message.delta", "seq": 1, "message_id": "a", "text": "x"},
        {"type": "message.delta", "seq": 2, "message_id": "b", "text": "y"},
    ]
    assert merge_deltas(deltas) == deltas


def test_a_slow_client_gets_only_the_last_heard_position() -> None:
    first, second, other = projected(
        *(
            DeliveryReceipt(message_id=id_, how="heard", up_to=up_to)
            for id_, up_to in (("a", 0), ("a", 7), ("b", 0))
        )
    )
    assert merge_deltas([first, second, other]) == [second, other]


@given(st.integers(min_value=-(2**80), max_value=2**80), st.text(st.characters(codec="utf-8")))
def test_whatever_a_tool_returns_is_written_as_json(number: int, text: str) -> None:
    started = CallStarted(call_id=APPOINTMENTS.id, tool="t", idempotency_key="k")
    ended = CallEnded(outcome=CallSucceeded(call=APPOINTMENTS, value=MappingProxyType({text: number})))
    (_, frame) = projected(started, ended, developer=True)
    assert json.loads(encode(frame))["result"] == {text: number}


def test_a_value_that_is_not_json_is_written_as_text() -> None:
    stray = cast("JsonFrame", {"amount": Decimal("1.50")})
    assert encode(stray) == '{"amount":"1.50"}'

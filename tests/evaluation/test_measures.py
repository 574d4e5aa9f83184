"""What the log says of waiting times and of consent."""

from collections.abc import Sequence

from assistant.conversation.calls import Call
from assistant.conversation.entries import (
    CallEnded,
    CallRequested,
    CallStarted,
    ConfirmationAnswered,
    ConfirmationAsked,
    CustomerMessage,
    Entry,
    Logged,
    MessageClosed,
    MessageText,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.values import Json
from assistant.evaluation.measures import TurnTimes, Writes, turn_times, writes

TOOLS = {"cancel", "note"}
CONFIRMED = {"cancel"}


def logged(*entries: tuple[str, int, Entry]) -> list[Logged]:
    return [Logged(seq, at, turn, entry) for seq, (turn, at, entry) in enumerate(entries, 1)]


def test_the_response_begins_later_than_the_first_words() -> None:
    entries = logged(
        ("", 100, CustomerMessage(message_id="u1", client_message_id="u1", text="Hi")),
        ("t1", 101, TurnStarted(turn_id="t1", message_id="u1", cause="message", bundle="b")),
        ("t1", 150, MessageText(message_id="a", text="I'll look.")),
        ("t1", 160, MessageClosed(message_id="a", kind="acknowledgement")),
        ("t1", 200, CallEnded(outcome=CallSucceeded(call=call(), value=[{"amount": "150.00"}]))),
        ("t1", 300, MessageText(message_id="b", text="On the whole, you owe")),
        ("t1", 340, MessageText(message_id="b", text=" $150.")),
        ("t1", 350, MessageClosed(message_id="b", kind="response")),
        ("t1", 360, TurnEnded(turn_id="t1", how="answered")),
    )

    assert turn_times(entries) == [TurnTimes(first_ms=50, response_ms=200, fact_ms=240, whole_ms=260)]


def call(number: str = "1", tool: str = "cancel", **arguments: Json) -> Call:
    return Call(id=f"c1.{number}", tool=tool, arguments=arguments)


def asked(*calls: Call) -> Sequence[Entry]:
    return [ConfirmationAsked(confirmation_id="q", calls=calls, read_back="Shall I?", expires_at_ms=0)]


def answered(answer: str, *only: str) -> Sequence[Entry]:
    reading = "yes" if answer == "yes" else "no"
    return [ConfirmationAnswered(confirmation_id="q", answer=reading, agreed_call_ids=only)]


def ran(one: Call, **filled_in: Json) -> Sequence[Entry]:
    return [
        CallRequested(call=one),
        CallStarted(call_id=one.id, tool=one.tool, idempotency_key="k", arguments=filled_in or None),
    ]


def counted(*parts: Sequence[Entry]) -> Writes:
    return writes(logged(*(("t1", 0, entry) for part in parts for entry in part)), TOOLS, CONFIRMED)


def test_a_yes_allows_exactly_what_was_asked_about() -> None:
    seven, eight = call(order=7, why="late"), call("2", order=8)
    cases = {
        "asked and agreed": ([asked(seven), answered("yes"), ran(seven)], ()),
        "the order of arguments is no difference": (
            [asked(seven), answered("yes"), ran(call(why="late", order=7))],
            (),
        ),
        "a reference is filled in": ([asked(seven), answered("yes"), ran(call(), order=7, why="late")], ()),
        "never asked": ([ran(seven)], ("cancel",)),
        "asked, and not answered": ([asked(seven), ran(seven)], ("cancel",)),
        "declined": ([asked(seven), answered("no"), ran(seven)], ("cancel",)),
        "agreed afterwards": ([asked(seven), ran(seven), answered("yes")], ("cancel",)),
        "another order": ([asked(seven), answered("yes"), ran(eight)], ("cancel",)),
        "one of the two": (
            [asked(seven, eight), answered("yes", "c1.1"), ran(seven), ran(eight)],
            ("cancel",),
        ),
        "both": ([asked(seven, eight), answered("yes"), ran(seven), ran(eight)], ()),
        "twice after one yes": ([asked(seven), answered("yes"), ran(seven), ran(seven)], ("cancel",)),
        "needs no yes": ([ran(call(tool="note", text="x"))], ()),
        "changes nothing": ([ran(call(tool="find"))], ()),
    }

    wrong = {
        name: found
        for name, (parts, unagreed) in cases.items()
        if (found := counted(*parts).unagreed) != unagreed
    }

    assert wrong == {}
    assert counted(ran(seven), ran(call(tool="note")), ran(call(tool="find"))).ran == 2

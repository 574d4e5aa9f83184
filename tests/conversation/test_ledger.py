"""Delivery of messages: what was generated, sent and seen."""

from assistant.conversation.entries import (
    CustomerMessage,
    DeliveryReceipt,
    Entry,
    MessageClosed,
    MessageOpened,
    MessageText,
    TurnStarted,
)
from assistant.conversation.state import ConversationState
from assistant.conversation.transcript import MessageDelivery, message_deliveries
from tests.conversation.histories import logged

BEGUN: tuple[Entry, ...] = (
    CustomerMessage(message_id="u1", client_message_id="m1", text="When are you open?"),
    TurnStarted(turn_id="t1", message_id="u1", cause="message", bundle="b"),
    MessageOpened(message_id="t1/m1", round=1, model_written=True),
    MessageText(message_id="t1/m1", text="From 9 "),
    MessageText(message_id="t1/m1", text="to 5."),
)


def reach(*more: Entry) -> MessageDelivery:
    entries = [
        ("" if isinstance(entry, DeliveryReceipt | CustomerMessage) else "t1", entry)
        for entry in (*BEGUN, *more)
    ]
    return message_deliveries(ConversationState(logged(entries)))["t1/m1"]


def closed(*, interrupted: bool) -> MessageClosed:
    return MessageClosed(message_id="t1/m1", kind="response", interrupted=interrupted)


def test_a_streaming_message_counts_only_as_generated() -> None:
    assert reach() == MessageDelivery(generated=12, sent=0, seen=0)


def test_a_complete_message_counts_as_sent() -> None:
    assert reach(closed(interrupted=False)) == MessageDelivery(generated=12, sent=12, seen=0)


def test_a_message_that_was_cut_off_counts_as_sent_as_far_as_known() -> None:
    sent = DeliveryReceipt(message_id="t1/m1", how="sent", up_to=7)

    assert reach(closed(interrupted=True)) == MessageDelivery(generated=12, sent=0, seen=0)
    assert reach(closed(interrupted=True), sent) == MessageDelivery(generated=12, sent=7, seen=0)


def test_seen_text_was_sent_and_the_farthest_report_counts() -> None:
    told = [DeliveryReceipt(message_id="t1/m1", how="seen", up_to=up_to) for up_to in (7, 3)]

    assert reach(closed(interrupted=True), *told) == MessageDelivery(generated=12, sent=7, seen=7)


def test_heard_reports_count_and_unknown_messages_change_nothing() -> None:
    heard = DeliveryReceipt(message_id="t1/m1", how="heard", up_to=7)
    nothing = [DeliveryReceipt(message_id="t9/m9", how=how, up_to=7) for how in ("seen", "heard")]

    assert reach(*nothing) == MessageDelivery(generated=12, sent=0, seen=0)
    assert reach(heard, *nothing) == MessageDelivery(generated=12, sent=0, seen=0, heard=7)

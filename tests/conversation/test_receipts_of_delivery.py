"""Receipts of delivery: of a message, only what was heard counts."""

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
from assistant.conversation.transcript import delivered_text
from tests.conversation.histories import logged

BEGUN: tuple[Entry, ...] = (
    CustomerMessage(message_id="u1", client_message_id="m1", text="When are you open?"),
    TurnStarted(turn_id="t1", message_id="u1", cause="message", bundle="b"),
    MessageOpened(message_id="t1/m1", round=1, model_written=True),
    MessageText(message_id="t1/m1", text="From 9 to 5."),
    MessageClosed(message_id="t1/m1", kind="response", interrupted=True),
)


def delivered(*receipts: DeliveryReceipt) -> str:
    """What the customer can have read, or has heard."""
    entries = [("" if isinstance(entry, CustomerMessage) else "t1", entry) for entry in BEGUN]
    state = ConversationState(logged([*entries, *(("", receipt) for receipt in receipts)]))
    return delivered_text(state.turns[0].message_said("t1/m1"))


def test_written_text_counts_as_read_whatever_was_sent_or_seen() -> None:
    receipts = [DeliveryReceipt(message_id="t1/m1", how=how, up_to=7) for how in ("sent", "seen")]

    assert delivered() == delivered(*receipts) == "From 9 to 5."


def test_spoken_text_counts_as_far_as_it_was_heard() -> None:
    heard = [DeliveryReceipt(message_id="t1/m1", how="heard", up_to=up_to) for up_to in (7, 3)]
    of_another = DeliveryReceipt(message_id="t9/m9", how="heard", up_to=12)

    assert delivered(*heard, of_another) == "From 9 "

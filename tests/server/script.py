"""One scripted turn, entry by entry, with everything that a client can be shown."""

from assistant.conversation.calls import Call
from assistant.conversation.chunks import TextDelta
from assistant.conversation.entries import (
    CallEnded,
    CallRequested,
    CallStarted,
    ConfirmationAnswered,
    ConfirmationAsked,
    CustomerMessage,
    DecisionClosed,
    DeliveryReceipt,
    Entry,
    Identified,
    MessageClosed,
    MessageOpened,
    MessageText,
    ModelAsked,
    ModelChunks,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.outcomes import CallDenied, CallFailed, CallSucceeded

APPOINTMENTS = Call(id="c1.1", tool="list_upcoming_appointments", arguments={"days_ahead": 30})
INVOICES = Call(id="c1.2", tool="get_open_invoices")
REFUSED = Call(id="c1.3", tool="get_order_status")
CANCEL = Call(id="c2.1", tool="cancel_appointment", arguments={"number": 7})

SAID = CustomerMessage(message_id="u1", client_message_id="m1", text="Check my appointments and billing")
ASKED = ConfirmationAsked(
    confirmation_id="k1", calls=(CANCEL,), read_back="Shall I cancel it?", expires_at_ms=4_000_000_000_000
)

TURN: tuple[Entry, ...] = (
    SAID,
    TurnStarted(turn_id="t1", message_id="u1", cause="message", bundle="b"),
    Identified(level="verified"),
    ModelAsked(round=1, role="decider", model="offline"),
    MessageOpened(message_id="a1", round=1),
    MessageText(message_id="a1", text="Sure, I'll look up "),
    CallRequested(call=APPOINTMENTS),
    MessageText(message_id="a1", text="your appointments"),
    CallStarted(call_id="c1.1", tool="list_upcoming_appointments", idempotency_key="k11"),
    CallRequested(call=INVOICES),
    CallStarted(call_id="c1.2", tool="get_open_invoices", idempotency_key="k12"),
    CallRequested(call=REFUSED),
    ModelChunks(round=1, role="decider", chunks=((1, TextDelta("x")),)),
    DecisionClosed(round=1, call_ids=("c1.1", "c1.2", "c1.3")),
    MessageText(message_id="a1", text=" and check your billing."),
    MessageClosed(message_id="a1", kind="acknowledgement", call_ids=("c1.1", "c1.2")),
    CallEnded(outcome=CallDenied(call=REFUSED, say="not you", for_model="denied")),
    CallEnded(outcome=CallSucceeded(call=APPOINTMENTS, value=[{"number": 7}]), duration_ms=12),
    CallEnded(outcome=CallFailed(call=INVOICES, say="billing is down", for_model="503"), duration_ms=30),
    MessageOpened(message_id="a2", round=2),
    MessageText(message_id="a2", text="You're booked for Tuesday. "),
    DeliveryReceipt(message_id="a1", how="seen", up_to=10),
    MessageText(message_id="a2", text="Shall I cancel it?"),
    MessageClosed(message_id="a2", kind="response"),
    ASKED,
    TurnEnded(turn_id="t1", how="awaiting_confirmation"),
)

ANSWER: tuple[Entry, ...] = (
    CustomerMessage(message_id="u2", client_message_id="m2", text="No", button="no"),
    TurnStarted(turn_id="t2", message_id="u2", cause="confirmation", bundle="b"),
    ConfirmationAnswered(confirmation_id="k1", answer="no"),
    MessageOpened(message_id="a3", round=1),
    MessageText(message_id="a3", text="Fine, it stays."),
    MessageClosed(message_id="a3", kind="response"),
    TurnEnded(turn_id="t2", how="answered"),
)

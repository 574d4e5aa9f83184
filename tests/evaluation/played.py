"""The demo's simulated customers, played without a mistake: what they write, and what they are answered."""

from typing import NamedTuple

from assistant.testing.script import Line, calls, says

_TUESDAY, _WEDNESDAY, _THURSDAY = "2026-11-24", "2026-11-25", "2026-11-26"
_MOVED = {"day": _TUESDAY, "new_time": "14:00"}
_LEAVES = says("[END]")


class Played(NamedTuple):
    """What the customer's model writes, and what the assistant's."""

    customer: tuple[Line, ...]
    assistant: tuple[Line, ...]


PLAYED: dict[str, Played] = {
    "one-of-two-appointments": Played(
        (
            says("I have to cancel an appointment"),
            says("The eye test on Tuesday"),
            says("Yes, please"),
            _LEAVES,
        ),
        (
            calls("list_upcoming_appointments"),
            says("You have two: an eye test on Tuesday and a lens fitting on December 4. Which one is it?"),
            calls(("cancel_appointment", {"day": _TUESDAY})),
            says("Your eye test on Tuesday is cancelled."),
        ),
    ),
    "another-day-after-all": Played(
        (
            says("Can you move my eye test to Wednesday at 2 pm?"),
            says("No, I'm busy then. Thursday at 2 pm, please."),
            says("Yes, do that"),
            _LEAVES,
        ),
        (
            calls(("reschedule_appointment", {**_MOVED, "new_day": _WEDNESDAY})),
            calls(("reschedule_appointment", {**_MOVED, "new_day": _THURSDAY})),
            says("Your eye test is now on Thursday at 2 pm."),
        ),
    ),
    "a-time-that-is-free": Played(
        (
            says("I would like to book an eye test on Wednesday at 9 am."),
            says("Then I would take Wednesday at 10 am."),
            says("Yes, thank you. [END]"),
            _LEAVES,
        ),
        (
            calls(("book_appointment", {"day": _WEDNESDAY, "time": "09:00"})),
            says("Wednesday at 9 am is taken. You could come at 9:30, 10 or 10:30."),
            calls(("book_appointment", {"day": _WEDNESDAY, "time": "10:00"})),
            says("You're booked for Wednesday at 10 am."),
        ),
    ),
    "an-order-without-its-number": Played(
        (says("Please cancel my sunglasses"), says("I don't have it here"), says("Yes"), _LEAVES),
        (
            says("Do you have the order's number?"),
            calls(("cancel_order", {"order_number": "sunglasses"})),
            says("Order 10455 is cancelled."),
        ),
    ),
    "only-asking": Played(
        (says("When do my contact lenses arrive, and what do I owe?"), says("No. Thank you."), _LEAVES),
        (
            calls(("get_order_status", {"order_number": "contact lenses"}), "get_open_invoices"),
            says(
                "They should arrive on Monday, November 23, and you owe $150. Shall I look at anything else?"
            ),
            says("You're welcome."),
        ),
    ),
    "too-late-to-cancel": Played(
        (says("cancel 10482. now"), _LEAVES),
        (
            calls(("cancel_order", {"order_number": "10482"})),
            says("It's too late for that: order 10482 is on its way."),
        ),
    ),
}

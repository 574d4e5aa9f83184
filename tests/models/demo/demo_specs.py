"""Ten tools of an optician's shop, for the embedded model's own tests."""

from assistant.conversation.tool_spec import Hint, ToolSpec
from assistant.conversation.values import Effect, Json

DAY: Json = {"type": "string", "format": "date"}
TIME: Json = {"type": "string", "format": "time"}
TEXT: Json = {"type": "string"}


def spec(
    name: str,
    description: str,
    examples: list[str],
    effect: Effect = "read",
    required: tuple[str, ...] = (),
    **properties: Json,
) -> ToolSpec:
    return ToolSpec(
        name=name,
        description=description,
        parameters={"type": "object", "properties": properties, "required": list(required)},
        hints={"en": Hint(doing=f"doing {name}", will=name.replace("_", " "))},
        effect=effect,
        examples=tuple(examples),
    )


DEMO_SPECS = (
    spec(
        "list_upcoming_appointments",
        "List the customer's upcoming appointments, soonest first.",
        ["when is my next appointment", "do I have any visits coming up", "show my bookings"],
        days_ahead={"type": "integer"},
    ),
    spec(
        "find_free_slots",
        "Find free times for an appointment.",
        [
            "is anything free on Friday",
            "what slots do you have next week",
            "when could I come in for an eye test",
        ],
        required=("day",),
        day=DAY,
    ),
    spec(
        "book_appointment",
        "Book an appointment.",
        [
            "book an eye test for Tuesday at 2",
            "I'd like to make an appointment",
            "can I come in on Monday at 10",
        ],
        "write",
        ("day", "time"),
        day=DAY,
        time=TIME,
    ),
    spec(
        "cancel_appointment",
        "Cancel one of the customer's appointments.",
        ["cancel my appointment on Tuesday", "call off my visit", "take me off the list for Monday"],
        "write",
        ("day",),
        day=DAY,
    ),
    spec(
        "reschedule_appointment",
        "Move one of the customer's appointments to another time.",
        ["move my appointment to Thursday at 3", "can I come on Friday instead", "reschedule my eye test"],
        "write",
        ("day", "new_day", "new_time"),
        day=DAY,
        new_day=DAY,
        new_time=TIME,
    ),
    spec(
        "get_open_invoices",
        "List the customer's unpaid invoices, oldest due date first.",
        ["do I owe you anything", "is there a bill I forgot", "what's my balance", "check my billing"],
    ),
    spec(
        "get_order_status",
        "Tell where an order is.",
        ["where is my order", "are my glasses ready", "when will my lenses arrive", "has my order shipped"],
        required=("order_number",),
        order_number=TEXT,
    ),
    spec(
        "cancel_order",
        "Cancel an order that has not been made yet.",
        ["cancel my order", "I don't want the glasses I ordered any more"],
        "write",
        ("order_number",),
        order_number=TEXT,
    ),
    spec(
        "get_opening_hours",
        "Say when the shop is open.",
        ["when are you open", "what time do you close today", "are you open on Saturday"],
        day=DAY,
    ),
    spec(
        "update_contact_details",
        "Change the customer's e-mail address or telephone number.",
        ["change my email address", "I have a new phone number", "update my contact details"],
        "write",
        email={"type": "string", "format": "email"},
        phone=TEXT,
    ),
)

"""Whole conversations, with the models' answers to each request, for stopping them anywhere.

Lines are chosen by role and turn, or by round for the first turn's narrator; "again" is for a decider that was
told what was wrong with its reply.
"""

from assistant.testing.script import Line, breaks, calls, says

TWO_LOOKUPS = calls("list_upcoming_appointments", "get_open_invoices")

ANSWER = says("You have an appointment on Tuesday at 2 pm. Your balance is $150.")

CONVERSATIONS: dict[str, tuple[tuple[str, ...], dict[str, Line]]] = {
    "two lookups": (
        ("Check my appointments and billing",),
        {"decider 1": TWO_LOOKUPS, "narrator 1": says("Your balance is $150, as far as I can see.")},
    ),
    "an acknowledgement said twice": (
        ("Check my appointments and billing",),
        {
            "decider 1": TWO_LOOKUPS,
            "narrator 1": says(
                "Sure! I've looked up your appointments. You owe $150. I've also checked your billing. You're "
                "booked on Tuesday."
            ),
        },
    ),
    "nothing but the acknowledgement again": (
        ("Check my billing",),
        {"decider 1": calls("get_open_invoices"), "narrator 1": says("Sure, I've checked your billing.")},
    ),
    "own words": (
        ("And my bill?",),
        {
            "decider 1": calls("get_open_invoices", text="One second, let me open your account."),
            "narrator 1": says("You owe $150."),
        },
    ),
    "only words": (("Thanks",), {"decider 1": says("You are very welcome, Ana.")}),
    "a second round": (
        ("Where is my order, and what do I owe?",),
        {
            "decider 1": calls(("get_order_status", {"order": "7"})),
            "narrator 1": calls("get_open_invoices"),
            "narrator 2": says("It is on its way, and you owe $150."),
        },
    ),
    "a write": (
        ("Note that I am late, please", "Thanks"),
        {
            "decider 1": calls(("add_note", {"text": "late"}), "get_open_invoices"),
            "narrator 1": says("Noted. You owe $150."),
            "decider 2": says("Gladly."),
        },
    ),
    "a confirmation": (
        ("Cancel my Tuesday appointment and tell me what I owe", "yes"),
        {
            "decider 1": calls(("cancel_appointment", {"day": "2026-03-10"}), "get_open_invoices"),
            "narrator 1": says("You owe $150."),
            "narrator 2": says("Your appointment is cancelled."),
        },
    ),
    "a dead model": (("Hello?",), {"decider 1": breaks("Well, I")}),
    "a model that dies within a call": (
        ("What do I owe?",),
        {"decider 1": breaks(calls(("get_open_invoices", '{"days": ')))},
    ),
    "a dead narrator": (
        ("Check my billing",),
        {"decider 1": calls("get_open_invoices"), "narrator 1": breaks("You owe one hun")},
    ),
    "a narrator that dies within a call": (
        ("Check my billing",),
        {
            "decider 1": calls("get_open_invoices"),
            "narrator 1": breaks(calls(("list_upcoming_appointments", '{"days": '))),
        },
    ),
    "a promise that is kept when asked": (
        ("What do I owe?",),
        {
            "decider 1": says("Let me check that for you."),
            "decider 1 again": calls("get_open_invoices"),
            "narrator 1": says("You owe $150."),
        },
    ),
    "a promise that cannot be kept": (
        ("Any parking fines?",),
        {
            "decider 1": says("Let me check that for you."),
            "decider 1 again": says("I have no way to look at fines."),
        },
    ),
    "a promise that is broken": (
        ("What do I owe?", "Thanks"),
        {
            "decider 1": says("Let me check that for you."),
            "decider 1 again": says("I'll check it right now."),
            "decider 2": says("Gladly."),
        },
    ),
    "calls that cannot be read": (
        ("What do I owe?",),
        {
            "decider 1": calls(("get_open_invoices", "{")),
            "decider 1 again": calls("get_open_invoices"),
            "narrator 1": says("You owe $150."),
        },
    ),
    "calls that cannot be read, and then words": (
        ("What do I owe?",),
        {
            "decider 1": calls(("get_open_invoices", "{")),
            "decider 1 again": says("I cannot see your bills."),
        },
    ),
    "half a decision that cannot be read": (
        ("Check my bill and order 7",),
        {
            "decider 1": calls(("get_order_status", '{"order'), "get_open_invoices"),
            "narrator 1": says("You owe $150. I could not look at your order."),
        },
    ),
    "arguments that do not fit, beside a lookup": (
        ("Check order 7 and my bill",),
        {
            "decider 1": calls(("get_order_status", {"number": "7"}), "get_open_invoices"),
            "narrator 1": says("You owe $150. I could not look at your order."),
        },
    ),
    "a no": (
        ("Cancel my Tuesday appointment", "no"),
        {"decider 1": calls(("cancel_appointment", {"day": "2026-03-10"}))},
    ),
    "a hold, and then a request": (
        ("Cancel my Tuesday appointment", "wait", "When are you open?"),
        {
            "decider 1": calls(("cancel_appointment", {"day": "2026-03-10"})),
            "decider 3": says("All morning."),
        },
    ),
    "a request instead of an answer": (
        ("Cancel my Tuesday appointment", "When are you open?", "yes"),
        {
            "decider 1": calls(("cancel_appointment", {"day": "2026-03-10"})),
            "decider 2": calls("get_opening_hours"),
            "narrator 2": says("From 9 to 5."),
            "narrator 3": says("It is cancelled."),
        },
    ),
    "a correction": (
        ("Cancel my Tuesday appointment", "No, Wednesday", "yes"),
        {
            "decider 1": calls(("cancel_appointment", {"day": "2026-03-10"})),
            "decider 2": calls(("cancel_appointment", {"day": "2026-03-11"})),
            "narrator 3": says("It is cancelled."),
        },
    ),
    "a yes to the first of two": (
        ("Cancel my Tuesday and my Wednesday appointment", "only the first"),
        {
            "decider 1": calls(
                ("cancel_appointment", {"day": "2026-03-10"}), ("cancel_appointment", {"day": "2026-03-11"})
            ),
            "narrator 2": says("Tuesday's is cancelled."),
        },
    ),
    "another wish while a question is open": (
        ("Cancel my Tuesday appointment", "Wednesday's too", "only the first"),
        {
            "decider 1": calls(("cancel_appointment", {"day": "2026-03-10"})),
            "decider 2": calls(("cancel_appointment", {"day": "2026-03-11"})),
            "narrator 3": says("Tuesday's is cancelled."),
        },
    ),
    "another wish in place of an open question": (
        ("Cancel my Tuesday appointment", "the one on Wednesday", "yes"),
        {
            "decider 1": calls(("cancel_appointment", {"day": "2026-03-10"})),
            "decider 2": calls(("cancel_appointment", {"day": "2026-03-11"})),
            "narrator 3": says("It is cancelled."),
        },
    ),
}

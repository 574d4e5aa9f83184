"""Rooms at Harbour Inn: what is reserved, what is free, and changing it."""

from datetime import date

from assistant import Customer, ToolContext, tool
from benchmarks.proof.inn.books import (
    BOOKS,
    FREE_ROOMS,
    ROOMS_DE,
    FreeRoom,
    Reservation,
    in_german,
    long_day,
    short_span,
)

_ROOMS = f"{{% set german = {ROOMS_DE} %}}"


@tool(
    waiting_hint="looking up your reservations",
    hints={"de": ("Ihre Reservierungen heraussuchen", "suche Ihre Reservierungen heraus")},
    examples=["what have I reserved", "when do I arrive", "my bookings"],
    narration={
        "en": """
        {% for one in value %}
          You have reserved a {{ one.room }} from {{ one.arrives | day }} to {{ one.leaves | day }},
          for {{ one.total | money }}.
        {% else %}You have no reservations.
        {% endfor %}
    """,
        "de": _ROOMS
        + """
        {% for one in value %}
          Sie haben vom {{ one.arrives | day }} bis {{ one.leaves | day }} ein {{ german[one.room] }} reserviert,
          für {{ one.total | money }}.
        {% else %}Sie haben keine Reservierungen.
        {% endfor %}
    """,
    },
)
def list_reservations(customer: Customer) -> list[Reservation]:
    """List the guest's reservations, soonest first, with room, days, guests and price.

    Source: the inn's books.
    """
    return [each for each in BOOKS.reservations.values() if each.status == "confirmed"]


@tool(
    waiting_hint="checking which rooms we have left",
    hints={"de": ("nach freien Zimmern suchen", "suche nach freien Zimmern")},
    examples=["do you have a room for the weekend", "what is free before Christmas"],
    narration={
        "en": """
        {% for one in value %}
          {% if one.free %}A {{ one.room }} is free for {{ one.a_night | money }} a night.
          {% else %}The {{ one.room }} is fully booked.{% endif %}
        {% endfor %}
    """,
        "de": _ROOMS
        + """
        {% for one in value %}
          {% if one.free %}Ein {{ german[one.room] }} ist frei, für {{ one.a_night | money }} pro Nacht.
          {% else %}Das {{ german[one.room] }} ist ausgebucht.{% endif %}
        {% endfor %}
    """,
    },
)
def find_free_rooms(arrives: date, leaves: date) -> list[FreeRoom]:
    """Find free rooms for some nights, with their price a night.

    Args:
        arrives: the day of arrival.
        leaves: the day of departure.

    Source: the inn's books.
    """
    return list(FREE_ROOMS)


def _confirm_cancelling(customer: Customer, number: str) -> str:
    one, german = BOOKS.reservation(number), in_german(customer)
    first, last = long_day(one.arrives, german=german), long_day(one.leaves, german=german)
    if german:
        return f"Ihr {ROOMS_DE[one.room]} von {first} bis {last} stornieren"
    return f"cancel your {one.room} from {first} to {last}"


@tool(
    waiting_hint="cancelling your reservation",
    hints={"de": ("Ihre Reservierung stornieren", "storniere Ihre Reservierung")},
    effect="write",
    confirm=_confirm_cancelling,
    examples=["cancel my room", "we can't come in December"],
    narration={
        "en": "Your {{ value.room }} from {{ value.arrives | day }} is cancelled.",
        "de": _ROOMS + "Ihr {{ german[value.room] }} ab {{ value.arrives | day }} ist storniert.",
    },
)
def cancel_reservation(customer: Customer, context: ToolContext, number: str) -> Reservation:
    """Cancel one of the guest's reservations.

    Args:
        number: the reservation's number, from list_reservations.

    Source: the inn's books.
    """
    return BOOKS.once(context.key, lambda: BOOKS.change(number, status="cancelled"))


def _confirm_moving(customer: Customer, number: str, arrives: date, leaves: date) -> str:
    one, german = BOOKS.reservation(number), in_german(customer)
    was = short_span(one.arrives, one.leaves, german=german)
    new = short_span(arrives.isoformat(), leaves.isoformat(), german=german)
    if german:
        return f"Ihr {ROOMS_DE[one.room]} vom {was} auf den {new} verlegen"
    return f"move your {one.room} from {was} to {new}"


@tool(
    waiting_hint="moving your reservation",
    hints={"de": ("Ihre Reservierung verlegen", "verlege Ihre Reservierung")},
    effect="write",
    confirm=_confirm_moving,
    examples=["can we come a week later", "move my stay to the weekend after"],
    narration={
        "en": "Your {{ value.room }} is now reserved from {{ value.arrives | day }} to {{ value.leaves | day }}.",
        "de": _ROOMS + "Ihr {{ german[value.room] }} ist jetzt vom {{ value.arrives | day }}"
        " bis {{ value.leaves | day }} reserviert.",
    },
)
def change_dates(
    customer: Customer, context: ToolContext, number: str, arrives: date, leaves: date
) -> Reservation:
    """Move one of the guest's reservations to other days.

    Args:
        number: the reservation's number, from list_reservations.
        arrives: the new day of arrival.
        leaves: the new day of departure.

    Source: the inn's books.
    """
    return BOOKS.once(
        context.key,
        lambda: BOOKS.change(number, arrives=arrives.isoformat(), leaves=leaves.isoformat()),
    )

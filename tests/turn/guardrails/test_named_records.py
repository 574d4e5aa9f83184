"""Records as customers know them: by names in the customer's language, by their people, and how many they are."""

from typing import Final

from tests.turn.guardrails.test_told import TRADES
from tests.turn.guardrails.trades import Step, narrate

_VISITS: Final = "list_upcoming_appointments"

RIGHT: Final = (
    ("optician", "de", _VISITS, "Ihr Sehtest ist am Dienstag um 14 Uhr, die Linsenanpassung am 4. Dezember."),
    ("optician", "de", "get_open_invoices", "Für die Linsen sind 30 Dollar offen, für die Sonnenbrille 120."),
    ("optician", "de", "get_order_status", "Die Sonnenbrille (10455) wird noch bearbeitet."),
    ("optician", "de", _VISITS, "Sie haben zwei Termine, den ersten bei Dr. Lee."),
    ("optician", "en", _VISITS, "Dr. Lee's eye test comes first, Dr. Novak's lens fitting ten days later."),
    ("optician", "en", "get_order_status", "Of your three orders, two are still on the way."),
    ("optician", "en", "find_free_slots", "Half past nine and ten are free, too, on Tuesday."),
    ("optician", "en", "get_open_invoices", "The first is due December 3. You have another ten days for the next."),
    ("optician", "en", "search_documents", "Express delivery is $12, so $7.10 more than standard delivery."),
    ("optician", "en", "search_documents", "Orders above $150 can be paid in three monthly instalments."),
    ("inn", "en", "list_reservations", "In January you leave on the 10th."),
    ("inn", "en", "list_reservations", "The double room is $129 a night, for three nights."),
)  # fmt: skip
WRONG: Final = (
    ("optician", "de", _VISITS, "Ihre Linsenanpassung ist «am Dienstag um 14 Uhr»."),
    ("optician", "de", _VISITS, "Den Sehtest macht «Dr. Novak»."),
    ("optician", "de", "get_open_invoices", "Für die Linsen sind «120 Dollar» offen."),
    ("optician", "de", _VISITS, "Sie haben «drei» Termine bei uns."),
    ("optician", "en", _VISITS, "Your eye test is with «Dr. Brandt»."),
    ("optician", "en", _VISITS, "Your lens fitting is with «Dr. Lee»."),
    ("optician", "en", "get_order_status", "You have «four» orders with us."),
    ("optician", "en", "search_documents", "Orders above $150 can be paid in «six» monthly instalments."),
    ("inn", "en", "list_reservations", "In January you leave on «the 14th»."),
    ("inn", "en", "list_reservations", "The single room is «$129» a night."),
    ("inn", "en", "list_reservations", "Your January booking is «R-5521»."),
    ("inn", "en", "search_documents", "Breakfast costs «$9.00» a guest and day."),
)  # fmt: skip


def _told(trade: str, locale: str, tools: str, text: str) -> str:
    calls = [(name, {"question": text} if name == "search_documents" else {}) for name in tools.split(",")]
    return narrate(TRADES[trade](), [Step(say="?", calls=calls, text=text)], locale).shown


def test_what_fits_its_record_is_shown() -> None:
    changed = [(row[-1], shown) for row in RIGHT if (shown := _told(*row)) != row[-1]]

    assert changed == []


def test_what_belongs_to_another_record_is_not_shown() -> None:
    plain = {row[-1]: row[-1].replace("«", "").replace("»", "") for row in WRONG}
    shown = [row[-1] for row in WRONG if _told(*row[:3], plain[row[-1]]) == plain[row[-1]]]

    assert shown == []

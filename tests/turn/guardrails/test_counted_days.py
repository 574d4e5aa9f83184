"""Days, durations and times that follow from known values are shown; wrong ones are not."""

from typing import Final

from tests.turn.guardrails.test_told import TRADES
from tests.turn.guardrails.trades import Narrated, Step, narrate

_ORDERS: Final = "get_order_status,list_upcoming_appointments"
_STAY: Final = "list_reservations,search_documents"

RIGHT: Final = (
    ("optician", "en", _ORDERS, "", "It comes on Wednesday, November 25, one day after your eye test on Tuesday."),
    ("optician", "de", _ORDERS, "", "Die Brille kommt am 2. Dezember, zwei Tage vor Ihrem Termin am Freitag."),
    ("optician", "en", "list_upcoming_appointments", "", "Your lens fitting is on December 4. A week later would be"
     " Friday, December 11."),
    ("optician", "en", "list_upcoming_appointments", "", "Your eye test is on November 24, so the day before is"
     " Monday, November 23."),
    ("optician", "en", "list_upcoming_appointments", "", "Your two appointments are 10 days apart."),
    ("optician", "en", "get_opening_hours", "", "Sunday is the one day when we're closed."),
    ("optician", "de", "get_open_invoices", "Kann ich am 20. zahlen?", "Fällig ist sie am 13. Dezember, also vor"
     " dem 20. Dezember."),
    ("inn", "en", "list_reservations", "Can we stay till the 15th?", "Your stay ends on December 14. Shall I move"
     " your departure to December 15?"),
    ("inn", "de", "list_reservations", "Kann ich um 10 ins Zimmer?", "Um 10 Uhr kann ich das nicht zusagen."),
    ("inn", "de", "list_reservations", "", "Das Doppelzimmer kostet in der Nacht um 50,00 mehr."),
    ("inn", "en", _STAY, "", "You can cancel until 7 days before arrival, so until December 4."),
    ("inn", "de", _STAY, "", "Kostenlos ist das bis 7 Tage vor der Anreise, beim Doppelzimmer am 4. statt 11."
     " Dezember."),
)  # fmt: skip
WRONG: Final = (
    ("optician", "en", _ORDERS, "", "It arrives on November 25, «six days» after your eye test on Tuesday."),
    ("optician", "de", _ORDERS, "", "Die Brille kommt am 2. Dezember, «acht Tage» vor Ihrem Termin am Freitag."),
    ("optician", "en", "list_upcoming_appointments", "", "Your lens fitting is on December 4. A week later would be"
     " «December 12»."),
    ("inn", "en", _STAY, "When can I cancel?", "You can cancel until 7 days before arrival, so until"
     " «December 6»."),
    ("inn", "en", "list_reservations", "", "Only «25 days» to go!"),
    ("inn", "de", "list_reservations", "", "Das Doppelzimmer kostet in der Nacht um «60,00» mehr."),
)  # fmt: skip


def _told(trade: str, locale: str, tools: str, say: str, text: str) -> Narrated:
    said = say or text
    calls = [(name, {"question": said} if name == "search_documents" else {}) for name in tools.split(",")]
    return narrate(TRADES[trade](), [Step(say=say or "?", calls=calls, text=text)], locale)


def test_correctly_counted_values_are_shown() -> None:
    changed = [(row[-1], told.shown) for row in RIGHT if (told := _told(*row)).shown != row[-1]]

    assert changed == []


def test_wrongly_counted_values_are_not_shown() -> None:
    shown: list[str] = []
    for trade, locale, tools, say, text in WRONG:
        claim = text.partition("«")[2].partition("»")[0]
        told = _told(trade, locale, tools, say, text.replace("«", "").replace("»", ""))
        shown += [text] if claim in told.shown else []

    assert shown == []

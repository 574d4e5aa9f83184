"""The companies whose conversations are played: their tools, books and documents, and what they ask.

The optician is the demo shop with its own tools. Only its books are set: the day they were filled, the name of one
product and, for narrations, a calendar that is full but for four times. The inn's tools are in ``inn/``. The vet
and the garage have rows of their own, which were written for a later blind test.
"""

import shutil
import sqlite3
import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from functools import cache
from importlib import import_module
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import cast

from assistant.conversation.customer import Customer
from assistant.conversation.documents import ALL_CUSTOMERS, Document, Finding, Passage
from assistant.language.words import words
from assistant.prompts.book import PromptBook, shipped_book
from assistant.shipped import shipped
from assistant.tools.decorator import DECLARED
from assistant.tools.discovery import discover
from assistant.tools.registry import Tools
from assistant.tools.tool import Tool
from benchmarks.proof import garage, vet
from benchmarks.proof.inn import books as inn_books
from benchmarks.proof.inn import reservations, stay
from benchmarks.proof.rows import Call, TradeName

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
TENANT = "proof"

_FILLED = datetime(2026, 11, 23, 10, 0, tzinfo=UTC)
"""The demo shop dates its records by this day: so the invoices are due on December 3 and 13."""

_FREE = frozenset(
    {"2026-11-24T09:00", "2026-11-24T09:30", "2026-11-24T10:00", "2026-11-25T15:00"}
)  # what the narrations know of the calendar
_FULL_DAYS = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A read-back: what the customer asks for, in English and German, and the calls that they are asked about."""

    trade: TradeName
    request: str
    request_de: str
    calls: tuple[Call, ...]
    read_back: str
    read_back_de: str

    def asks_for(self, locale: str) -> str:
        """What the customer says first."""
        return self.request_de if locale == "de" else self.request

    def asked(self, locale: str) -> str:
        """The whole question."""
        return self.read_back_de if locale == "de" else self.read_back


_EYE_TEST: Call = ("cancel_appointment", {"appointment_id": "A1001"})
_SUNGLASSES: Call = ("cancel_order", {"order_number": "10455"})
_DOUBLE: Call = ("cancel_reservation", {"number": "R-5521"})
_SINGLE: Call = ("cancel_reservation", {"number": "R-5604"})
_VACCINATION: Call = ("cancel_visit", {"number": "V-81"})
_DENTAL_CHECK: Call = ("move_visit", {"number": "V-82", "day": "2026-12-10", "time": "09:00"})
_TYRES: Call = ("book_service", {"day": "2026-11-27", "time": "08:00"})

QUESTIONS: Mapping[str, Question] = {
    "A": Question(
        trade="optician",
        request="Please cancel my eye test",
        request_de="Bitte sagen Sie meinen Sehtest ab",
        calls=(_EYE_TEST,),
        read_back="Shall I cancel your eye test on Tuesday, November 24 at 2 pm?",
        read_back_de="Soll ich Ihren Sehtest am Dienstag, 24. November um 14:00 Uhr absagen?",
    ),
    "L": Question(
        trade="optician",
        request="Please cancel my lens fitting",
        request_de="Bitte sagen Sie meine Linsenanpassung ab",
        calls=(("cancel_appointment", {"appointment_id": "A1002"}),),
        read_back="Shall I cancel your lens fitting on Friday, December 4 at 10:30 am?",
        read_back_de="Soll ich Ihre Linsenanpassung am Freitag, 4. Dezember um 10:30 Uhr absagen?",
    ),
    "B": Question(
        trade="optician",
        request="Please cancel my eye test and my sunglasses",
        request_de="Bitte sagen Sie meinen Sehtest ab und stornieren Sie die Sonnenbrille",
        calls=(_EYE_TEST, _SUNGLASSES),
        read_back="Shall I cancel your eye test on Tuesday, November 24 at 2 pm"
        " and cancel order 10455, sunglasses?",
        read_back_de="Soll ich Ihren Sehtest am Dienstag, 24. November um 14:00 Uhr absagen"
        " und Ihre Bestellung 10455 (Sonnenbrille) stornieren?",
    ),
    "M": Question(
        trade="optician",
        request="Please move my eye test to Thursday",
        request_de="Bitte verlegen Sie meinen Sehtest auf Donnerstag",
        calls=(
            (
                "reschedule_appointment",
                {"appointment_id": "A1001", "new_day": "2026-11-26", "new_time": "14:00"},
            ),
        ),
        read_back="Shall I move your eye test from Tuesday, November 24 at 2 pm"
        " to Thursday, November 26 at 2 pm?",
        read_back_de="Soll ich Ihren Sehtest von Dienstag, 24. November um 14:00 Uhr"
        " auf Donnerstag, 26. November um 14:00 Uhr verschieben?",
    ),
    "E": Question(
        trade="optician",
        request="My e-mail address is ana@new.example now",
        request_de="Meine E-Mail-Adresse ist jetzt ana@new.example",
        calls=(("update_contact_details", {"email": "ana@new.example"}),),
        read_back="Shall I change your e-mail address to ana@new.example?",
        read_back_de="Soll ich Ihre E-Mail-Adresse auf ana@new.example ändern?",
    ),
    "C": Question(
        trade="optician",
        request="I have a new e-mail address, ana@new.example, and a new number, 555 0199",
        request_de="Ich habe eine neue E-Mail-Adresse, ana@new.example, und eine neue Nummer, 555 0199",
        calls=(("update_contact_details", {"email": "ana@new.example", "phone": "555 0199"}),),
        read_back="Shall I change your e-mail address to ana@new.example and your phone number to 555 0199?",
        read_back_de="Soll ich Ihre E-Mail-Adresse auf ana@new.example und Ihre Telefonnummer auf 555 0199"
        " ändern?",
    ),
    "O": Question(
        trade="optician",
        request="Please cancel my sunglasses",
        request_de="Bitte stornieren Sie meine Sonnenbrille",
        calls=(_SUNGLASSES,),
        read_back="Shall I cancel order 10455, sunglasses?",
        read_back_de="Soll ich Ihre Bestellung 10455 (Sonnenbrille) stornieren?",
    ),
    "K": Question(
        trade="optician",
        request="Can I have an eye test on Wednesday at 3?",
        request_de="Kann ich am Mittwoch um 15 Uhr einen Sehtest haben?",
        calls=(("book_appointment", {"day": "2026-11-25", "time": "15:00", "service": "eye test"}),),
        read_back="Shall I book an eye test for you on Wednesday, November 25 at 3 pm?",
        read_back_de="Soll ich für Sie am Mittwoch, 25. November um 15:00 Uhr einen Sehtest buchen?",
    ),
    "H1": Question(
        trade="inn",
        request="Please cancel my double room",
        request_de="Bitte stornieren Sie mein Doppelzimmer",
        calls=(_DOUBLE,),
        read_back="Shall I cancel your double room from Friday, December 11 to Monday, December 14?",
        read_back_de="Soll ich Ihr Doppelzimmer von Freitag, 11. Dezember bis Montag, 14. Dezember stornieren?",
    ),
    "H2": Question(
        trade="inn",
        request="Can I come a week later in January?",
        request_de="Kann ich im Januar eine Woche später kommen?",
        calls=(("change_dates", {"number": "R-5604", "arrives": "2027-01-15", "leaves": "2027-01-17"}),),
        read_back="Shall I move your single room from January 8 to 10 to January 15 to 17?",
        read_back_de="Soll ich Ihr Einzelzimmer vom 8. bis 10. Januar auf den 15. bis 17. Januar verlegen?",
    ),
    "H3": Question(
        trade="inn",
        request="We'd like breakfast, and the invoice at jonas@new.example",
        request_de="Wir hätten gern Frühstück, und die Rechnung an jonas@new.example",
        calls=(
            ("add_breakfast", {"number": "R-5521", "guests": 2}),
            ("send_invoice", {"email": "jonas@new.example"}),
        ),
        read_back="Shall I add breakfast for 2 guests to your double room"
        " and send the invoice to jonas@new.example?",
        read_back_de="Soll ich Frühstück für 2 Gäste zu Ihrem Doppelzimmer hinzufügen"
        " und die Rechnung an jonas@new.example senden?",
    ),
    "H4": Question(
        trade="inn",
        request="Can we leave at 1 pm in December?",
        request_de="Können wir im Dezember erst um 13 Uhr abreisen?",
        calls=(("request_late_checkout", {"number": "R-5521", "time": "13:00"}),),
        read_back="Shall I request a late check-out at 1 pm for your double room?",
        read_back_de="Soll ich einen späten Check-out um 13 Uhr für Ihr Doppelzimmer anfragen?",
    ),
    "H5": Question(
        trade="inn",
        request="Please cancel both my rooms",
        request_de="Bitte stornieren Sie meine beiden Zimmer",
        calls=(_DOUBLE, _SINGLE),
        read_back="Shall I cancel your double room from Friday, December 11 to Monday, December 14"
        " and cancel your single room from Friday, January 8 to Sunday, January 10?",
        read_back_de="Soll ich Ihr Doppelzimmer von Freitag, 11. Dezember bis Montag, 14. Dezember stornieren"
        " und Ihr Einzelzimmer von Freitag, 8. Januar bis Sonntag, 10. Januar stornieren?",
    ),
    "V1": Question(
        trade="vet",
        request="Please cancel Momo's vaccination",
        request_de="Bitte sagen Sie Momos Impfung ab",
        calls=(_VACCINATION,),
        read_back="Shall I cancel Momo's vaccination on Tuesday, December 1 at 10:20 am?",
        read_back_de="Soll ich Momos Impfung am Dienstag, 1. Dezember um 10:20 Uhr absagen?",
    ),
    "V2": Question(
        trade="vet",
        request="Please move Bruno's dental check to Thursday at 9",
        request_de="Bitte verschieben Sie Brunos Zahnkontrolle auf Donnerstag um 9",
        calls=(_DENTAL_CHECK,),
        read_back="Shall I move Bruno's dental check from Tuesday, December 8 at 4 pm"
        " to Thursday, December 10 at 9 am?",
        read_back_de="Soll ich Brunos Zahnkontrolle von Dienstag, 8. Dezember um 16 Uhr"
        " auf Donnerstag, 10. Dezember um 9 Uhr verschieben?",
    ),
    "V3": Question(
        trade="vet",
        request="Please order two bags of the kidney diet food for Momo",
        request_de="Bitte bestellen Sie zwei Säcke Nierendiät-Futter für Momo",
        calls=(("order_food", {"product": "kidney diet food", "bags": 2}),),
        read_back="Shall I order 2 bags of kidney diet food for Momo?",
        read_back_de="Soll ich 2 Säcke Nierendiät-Futter für Momo bestellen?",
    ),
    "V4": Question(
        trade="vet",
        request="Please cancel Momo's vaccination and move Bruno's dental check to Thursday at 9",
        request_de="Bitte sagen Sie Momos Impfung ab und verschieben Sie Brunos Zahnkontrolle auf Donnerstag um 9",
        calls=(_VACCINATION, _DENTAL_CHECK),
        read_back="Shall I cancel Momo's vaccination on Tuesday, December 1 at 10:20 am"
        " and move Bruno's dental check from Tuesday, December 8 at 4 pm to Thursday, December 10 at 9 am?",
        read_back_de="Soll ich Momos Impfung am Dienstag, 1. Dezember um 10:20 Uhr absagen"
        " und Brunos Zahnkontrolle von Dienstag, 8. Dezember um 16 Uhr"
        " auf Donnerstag, 10. Dezember um 9 Uhr verschieben?",
    ),
    "G1": Question(
        trade="garage",
        request="What about the brake discs of my Golf?",
        request_de="Was ist mit den Bremsscheiben meines Golfs?",
        calls=(("approve_repair", {"number": "G-310"}),),
        read_back="Shall I replace the brake discs of your Golf for $310?",
        read_back_de="Soll ich die Bremsscheiben Ihres Golfs für 310 $ erneuern?",
    ),
    "G2": Question(
        trade="garage",
        request="I need winter tyres on the Polo, Friday at 8",
        request_de="Ich brauche Winterreifen auf dem Polo, Freitag um 8",
        calls=(_TYRES,),
        read_back="Shall I book a winter tyre change for your Polo on Friday, November 27 at 8 am?",
        read_back_de="Soll ich für Ihren Polo am Freitag, 27. November um 8 Uhr"
        " einen Winterreifenwechsel buchen?",
    ),
    "G4": Question(
        trade="garage",
        request="I need a replacement car for three days, and winter tyres on the Polo on Friday at 8",
        request_de="Ich brauche einen Leihwagen für drei Tage, und Winterreifen auf dem Polo am Freitag um 8",
        calls=(("reserve_car", {"days": 3}), _TYRES),
        read_back="Shall I reserve a replacement car for 3 days from Tuesday, November 24"
        " and book a winter tyre change for your Polo on Friday, November 27 at 8 am?",
        read_back_de="Soll ich ab Dienstag, 24. November für 3 Tage einen Leihwagen reservieren"
        " und für Ihren Polo am Freitag, 27. November um 8 Uhr einen Winterreifenwechsel buchen?",
    ),
}

# What the rows call things, and what the built-in tools are called.
_NAMES = {"talk_to_reception": "talk_to_a_person"}
_ARGUMENTS = {("search_documents", "query"): "question"}
_WHOLE_WEEK: Call = ("find_free_slots", {})


def as_offered(calls: Sequence[Call]) -> tuple[Call, ...]:
    """Calls as the product has them: by its own names, and day by day where the rows look at the whole week."""
    offered: list[Call] = []
    for tool, arguments in calls:
        if (tool, arguments) == _WHOLE_WEEK:
            offered += [(tool, {"day": day}) for day in sorted({slot[:10] for slot in _FREE})]
            continue
        named = {
            _ARGUMENTS.get((tool, name), name): "eye test" if value == "Sehtest" else value
            for name, value in arguments.items()
        }
        offered.append((_NAMES.get(tool, tool), named))
    return tuple(offered)


@dataclass(slots=True)
class Trades:
    """Both companies, each row with fresh books. Made by :func:`trades`."""

    shop: Tools
    crm: ModuleType
    folder: Path
    _numbers: Iterator[int] = field(default_factory=count)

    def tools(self, trade: TradeName) -> list[Tool]:
        """What the company's own people declared."""
        return list(self.shop) if trade == "optician" else _tools_of(trade)

    def open_books(self, trade: TradeName, *, full: bool = False, wanted: Sequence[Call] = ()) -> None:
        """Begin with the first day's books.

        ``full``: the optician's calendar has four free times and those that ``wanted`` calls take.
        """
        if trade != "optician":
            inn_books.BOOKS.reset()
            return
        path = self.folder / f"{next(self._numbers)}.db"
        shutil.copy(self.folder / ("full" if full else "open"), path)
        self.crm.use(path, NOW)
        with self.crm.writing(NOW) as db:
            for slot in filter(None, map(_slot, wanted)):
                db.execute("DELETE FROM appointments WHERE customer = 'bo' AND starts = ?", [slot])

    def close_books(self) -> None:
        """Leave the demo shop as the environment has it."""
        self.crm.use(None)


@contextmanager
def trades() -> Generator[Trades]:
    """Both companies, with a folder for the shop's books that is gone in the end."""
    shop = discover(shipped("tools"))
    crm = import_module("tools._crm")
    with tempfile.TemporaryDirectory(prefix="proof-") as folder:
        both = Trades(shop, crm, Path(folder))
        for name, fill in (("open", False), ("full", True)):
            path = both.folder / name
            crm.use(path, _FILLED)
            with crm.writing(_FILLED) as db:
                db.execute("INSERT INTO products VALUES (5, 'care kit', '15.00')")
                db.execute("UPDATE orders SET product = 5 WHERE number = 10431")
                if fill:
                    _fill_calendar(db)
            with closing(sqlite3.connect(path)) as db:
                # All of it in one file, which is copied for each row.
                db.execute("PRAGMA journal_mode = DELETE")
        try:
            yield both
        finally:
            both.close_books()


def _fill_calendar(db: sqlite3.Connection) -> None:
    slots = [
        datetime.combine(NOW.date() + timedelta(days=day), time(half // 2, half % 2 * 30))
        for day in range(_FULL_DAYS)
        for half in range(18, 36)
    ]
    rows = [
        ("bo", f"{slot:%Y-%m-%dT%H:%M}", "eye test", optician)
        for slot in slots
        for optician in ("Dr. Lee", "Dr. Novak")
        if f"{slot:%Y-%m-%dT%H:%M}" not in _FREE
    ]
    insert = "INSERT OR IGNORE INTO appointments (customer, starts, service, optician) VALUES (?, ?, ?, ?)"
    db.executemany(insert, rows)


def _slot(call: Call) -> str | None:
    _, arguments = call
    day, at = arguments.get("new_day", arguments.get("day")), arguments.get("new_time", arguments.get("time"))
    return f"{day}T{at}" if isinstance(day, str) and isinstance(at, str) else None


_MODULES: Mapping[TradeName, tuple[ModuleType, ...]] = {
    "inn": (reservations, stay),
    "vet": (vet,),
    "garage": (garage,),
}
_COMPANIES: Mapping[TradeName, str] = {
    "inn": "Harbour Inn",
    "vet": "Oakfield Vets",
    "garage": "Fernside Garage",
}


@cache
def _tools_of(trade: TradeName) -> list[Tool]:
    return [tool for module in _MODULES[trade] for tool in cast("list[Tool]", getattr(module, DECLARED))]


def customer(trade: TradeName, *, known: bool = True) -> Customer:
    """Who speaks; not ``known``: a visitor who has not said who they are."""
    if not known:
        return Customer(tenant=TENANT, id="visitor-1")
    if trade == "inn":
        return Customer(tenant=TENANT, id="jonas", level="signed_in", name="Jonas Weber")
    return Customer(tenant=TENANT, id="demo", level="signed_in", name="Ana Silva")


@cache
def book(trade: TradeName, locale: str, *, closed: bool = False) -> PromptBook:
    """The company's prompts. ``closed``: its people are only there on Tuesdays."""
    sources = dict(shipped_book().sources)
    voice = sources["voice.toml"]
    voice = voice.replace("Willow & Finch", _COMPANIES.get(trade, "Willow & Finch"))
    if trade == "inn":
        voice = voice.replace('"USD"', '"EUR"' if locale == "de" else '"USD"')
    if closed:
        voice += '\n[hours]\ntue = ["09:00-18:00"]\n'
    return PromptBook({**sources, "voice.toml": voice})


_TOPICS: Mapping[str, tuple[str, ...]] = {
    "Returns policy": ("return", "refund", "send", "rück", "zurück", "erstatt"),
    "Warranty terms": ("warrant", "broke", "repair", "garantie", "reparat"),
    "Payment terms": ("pay", "instal", "insur", "voucher", "receipt", "raten", "mahn", "zahl", "gutschein"),
    "Delivery terms": ("deliver", "parcel", "collect", "express", "versand", "paket", "abhol"),
}
"""How words of a question begin that one of the shop's documents answers."""


@dataclass(frozen=True, slots=True)
class Documents:
    """The company's documents. A search brings all sections of the document that a question is about.

    It is the same on every machine, and the shop's English documents are found in German, too. ``sections``: each
    with its document's title and its heading.
    """

    sections: tuple[tuple[str, str, str], ...]

    async def search(self, tenant: str, customer: str, question: str, *, limit: int = 5) -> list[Finding]:
        """The sections of one document; the inn has only one."""
        asked = words(question)
        about = [
            title
            for title, starts in _TOPICS.items()
            if any(word.startswith(start) for word in asked for start in starts)
        ]
        titles = {title for title, _, _ in self.sections}
        meant = next(iter(titles)) if len(titles) == 1 else next(iter(about), "")
        return [self._found(number) for number, (title, _, _) in enumerate(self.sections) if title == meant]

    async def load(self, tenant: str, customer: str, ref: str) -> Document | None:
        """One section."""
        number = int(ref.rpartition("-")[2])
        title, _, text = self.sections[number]
        return Document(
            ref=ref, tenant=tenant, customer=ALL_CUSTOMERS, kind="knowledge", title=title, text=text
        )

    def _found(self, number: int) -> Finding:
        title, heading, text = self.sections[number]
        passage = Passage(number=0, start=0, end=len(text), text=text, place=f"{title}, {heading}")
        return Finding(ref=f"document:s-{number}", kind="knowledge", title=title, passage=passage, score=0.6)


@cache
def documents(trade: TradeName, locale: str) -> Documents:
    """What customers of this trade can be told from: the inn's rules are there in both languages."""
    if trade == "optician":
        files = sorted(shipped("knowledge").glob("*.md"))
    elif trade != "inn":
        files = []
    else:
        name = "hausordnung.md" if locale == "de" else "house_rules.md"
        files = [Path(inn_books.__file__).parent / "documents" / name]
    return Documents(tuple(section for file in files for section in _sections(file.read_text("utf-8"))))


def _sections(text: str) -> Iterator[tuple[str, str, str]]:
    title, *rest = text.split("\n## ")
    for each in rest:
        heading, _, body = each.partition("\n")
        yield title.strip("# \n"), heading.strip(), f"{heading.strip()}\n\n{body.strip()}"

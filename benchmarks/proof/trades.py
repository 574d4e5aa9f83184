"""The companies whose conversations are played: their tools, books and documents.

The optician is the demo shop with its own tools. Only its books are set: the day they were filled, the name of one
product and, for narrations, a calendar that is full but for four times. The inn's tools are in ``inn/``. The vet
and the garage, and then the school and the energy supplier, have rows that were written for later blind tests.
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
from benchmarks.proof import energy, garage, school, vet
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
    "school": (school,),
    "energy": (energy,),
}
_COMPANIES: Mapping[TradeName, str] = {
    "inn": "Harbour Inn",
    "vet": "Oakfield Vets",
    "garage": "Fernside Garage",
    "school": "Larkfield Music School",
    "energy": "Brightwater Energy",
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

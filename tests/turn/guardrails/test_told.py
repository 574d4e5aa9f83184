"""Answers as real models write them, played through whole turns: two trades, English and German."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assistant.conversation.values import JsonObject
from tests.turn.guardrails.trades import Step, Trade, inn, narrate, optician

TRADES: Final = {"optician": optician, "inn": inn}
ARGUMENTS: Final[Mapping[str, JsonObject]] = {
    "book_appointment": {"day": "2026-11-25", "time": "15:00", "service": "eye test"},
    "cancel_appointment": {"appointment_id": "A1001"},
    "reschedule_appointment": {"appointment_id": "A1001", "new_day": "2026-11-26", "new_time": "14:00"},
    "cancel_order": {"order_number": "10455"},
    "update_contact_details": {"email": "a@b.com"},
    "send_code": {"email": "demo@example.com"},
    "cancel_reservation": {"number": "R-5521"},
    "add_breakfast": {"number": "R-5521", "guests": "2"},
    "request_late_checkout": {"number": "R-5521", "time": "13:00"},
    "change_dates": {"number": "R-5604"},
    "send_invoice": {"email": "jonas@new.example"},
    "talk_to_reception": {"reason": "a question"},
    "find_free_rooms": {"arrives": "2026-12-18", "leaves": "2026-12-20"},
}


@dataclass(frozen=True, slots=True)
class Row:
    """One answer. ``claim``, between guillemets in the file, is what nothing bears out; "" for a good answer."""

    trade: Trade
    locale: str
    step: Step
    claim: str


def rows() -> Iterator[Row]:
    lines = Path(__file__).with_name("told.tsv").read_text().splitlines()[1:]
    for trade, locale, tools, say, text in (line.split("\t") for line in lines):
        called = [
            (name, {"question": say} if name == "search_documents" else ARGUMENTS.get(name, {}))
            for name in tools.split(",")
            if name
        ]
        claim = text.partition("«")[2].partition("»")[0]
        plain = text.replace("«", "").replace("»", "")
        yield Row(TRADES[trade](), locale, Step(say=say, calls=called, text=plain), claim.rstrip("."))


def test_no_good_answer_is_changed() -> None:
    changed = [
        (row.step.text, told.shown)
        for row in rows()
        if not row.claim and (told := narrate(row.trade, [row.step], row.locale)).shown != row.step.text
    ]

    assert changed == []


def test_no_claim_without_evidence_is_shown() -> None:
    leaked = [
        (row.claim, told.shown)
        for row in rows()
        if row.claim and row.claim in (told := narrate(row.trade, [row.step], row.locale)).shown
    ]

    assert leaked == []

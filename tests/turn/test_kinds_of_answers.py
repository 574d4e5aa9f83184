"""Answers of the kinds that were once misread, and of the opposite kinds, which must not be hit.

The questions are those of ``test_answers``, and T: a table for two, F: breakfast for two, H: another week, P:
a visit, Q: that and another time for a second one. "not":
it agrees to nothing. "correction": it agrees to nothing, and it is not lost, because the model reads it.
"""

import csv
from pathlib import Path

from assistant.prompts.book import shipped_book
from assistant.turn.consent.answer import read_answer
from assistant.turn.consent.read_question import question_about
from assistant.turn.consent.readings import Correction, Reading, Unclear
from tests.turn.test_answers import ALSO_RIGHT, ELSEWHERE, TOOLS, call, question, spec, taken_for

KINDS = Path(__file__).parent / "phrasings" / "kinds.tsv"
MORE_TOOLS = TOOLS | {
    tool.name: tool
    for tool in (
        spec(
            "book_table", "booking your table", "book your table",
            ("Ihren Tisch buchen", "buche Ihren Tisch"), "guests", "day", "time",
        ),
        spec(
            "add_breakfast", "adding breakfast", "add breakfast",
            ("Frühstück hinzufügen", "füge Frühstück hinzu"), "number", "guests",
        ),
        spec(
            "change_dates", "changing your dates", "change your dates",
            ("Ihre Daten ändern", "ändere Ihre Daten"), "number", "arrives", "leaves",
        ),
    )
}  # fmt: skip
MOMO = (
    call("cancel_appointment", appointment_id="A1"),
    {
        "en": "cancel Momo's vaccination on Tuesday, December 1 at 10:20 am",
        "de": "Momos Impfung am Dienstag, 1. Dezember um 10:20 Uhr absagen",
    },
)
BRUNO = (
    call("reschedule_appointment", appointment_id="A2", new_day="2026-12-10", new_time="09:00"),
    {
        "en": "move Bruno's dental check from Tuesday, December 8 at 4 pm to Thursday, December 10 at 9 am",
        "de": "Brunos Zahnkontrolle von Dienstag, 8. Dezember um 16 Uhr auf Donnerstag, 10. Dezember um 9 Uhr"
        " verschieben",
    },
)
MORE = {
    "P": (MOMO,),
    "Q": (MOMO, BRUNO),
    "T": (
        (
            call("book_table", guests=2, day="2026-12-05", time="19:00"),
            {
                "en": "book a table for 2 guests on Saturday, December 5 at 7 pm",
                "de": "für Samstag, 5. Dezember um 19:00 Uhr einen Tisch für 2 Gäste buchen",
            },
        ),
    ),
    "F": (
        (
            call("add_breakfast", number="R-5521", guests=2),
            {
                "en": "add breakfast for 2 guests to your double room",
                "de": "Frühstück für 2 Gäste zu Ihrem Doppelzimmer hinzufügen",
            },
        ),
    ),
    "H": (
        (
            call("change_dates", number="R-5604", arrives="2027-01-15", leaves="2027-01-17"),
            {
                "en": "move your single room from January 8 to 10 to January 15 to 17",
                "de": "Ihr Einzelzimmer vom 8. bis 10. Januar auf den 15. bis 17. Januar verlegen",
            },
        ),
    ),
}


def read(text: str, name: str, locale: str) -> Reading:
    words = shipped_book().words(locale).consent
    if name not in MORE:
        return read_answer(text, question(name, locale), words)
    calls = [asked for asked, _ in MORE[name]]
    clauses = [said[locale] for _, said in MORE[name]]
    return read_answer(text, question_about(clauses, locale, words, calls, MORE_TOOLS, ELSEWHERE), words)


def is_right(want: str, reading: Reading) -> bool:
    if want == "correction":
        return isinstance(reading, Correction | Unclear)
    return taken_for(reading) in ALSO_RIGHT.get(want, {want})


def test_kinds_of_answers_that_were_once_misread() -> None:
    with KINDS.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    read_as = [(row, read(row["text"], row["question"], row["locale"])) for row in rows]
    wrong = [(row, each) for row, each in read_as if not is_right(row["want"], each)]
    agreed = [
        f"{row} is taken for {each}" for row, each in wrong if taken_for(each) in ("yes", "first", "second")
    ]

    assert agreed == []
    assert len(wrong) <= len(rows) * 0.05, [f"{row} is taken for {each}" for row, each in wrong]

"""Answers to the questions of companies of other trades: a gym, a hairdresser, a library, a restaurant and more.

"either": a yes or a question back. The other meanings are those of ``test_answers``.
"""

import csv
from pathlib import Path

from assistant.prompts.book import shipped_book
from assistant.turn.consent.answer import read_answer
from assistant.turn.consent.read_question import question_about, topics_of
from tests.turn.test_answers import call, spec, taken_for

ANSWERS = Path(__file__).parent / "phrasings" / "other_trades.tsv"
TOOLS = {
    tool.name: tool
    for tool in (
        spec(
            "cancel_class", "cancelling your class", "cancel your class",
            ("Ihren Kurs absagen", "sage Ihren Kurs ab"), "class_id",
        ),
        spec(
            "change_membership", "changing your membership", "change your membership",
            ("Ihre Mitgliedschaft umstellen", "stelle Ihre Mitgliedschaft um"), "plan",
        ),
        spec(
            "pause_membership", "pausing your membership", "pause your membership",
            ("Ihre Mitgliedschaft pausieren", "pausiere Ihre Mitgliedschaft"), "until",
        ),
        spec(
            "move_appointment", "moving your appointment", "move your appointment",
            ("Ihren Termin verschieben", "verschiebe Ihren Termin"), "day", "time",
        ),
        spec(
            "book_appointment", "booking your appointment", "book your appointment",
            ("Ihren Termin buchen", "buche Ihren Termin"), "day", "time", "service",
        ),
        spec(
            "block_sim", "blocking your SIM card", "block your SIM card",
            ("Ihre SIM-Karte sperren", "sperre Ihre SIM-Karte"), "ends_in",
        ),
        spec(
            "order_sim", "ordering a SIM card", "order a SIM card",
            ("eine SIM-Karte bestellen", "bestelle eine SIM-Karte"), "address",
        ),
        spec(
            "renew_loan", "renewing your loan", "renew your loan",
            ("Ihre Ausleihe verlängern", "verlängere Ihre Ausleihe"), "title",
        ),
        spec(
            "cancel_hold", "cancelling your reservation", "cancel your reservation",
            ("Ihre Vormerkung löschen", "lösche Ihre Vormerkung"), "title",
        ),
        spec(
            "book_table", "booking your table", "book your table",
            ("Ihren Tisch buchen", "buche Ihren Tisch"), "guests", "day", "time",
        ),
        spec(
            "transfer_money", "transferring the money", "transfer the money",
            ("das Geld überweisen", "überweise das Geld"), "amount", "to", "day",
        ),
        spec(
            "redirect_parcel", "redirecting your parcel", "redirect your parcel",
            ("Ihr Paket umleiten", "leite Ihr Paket um"), "number", "to",
        ),
        spec(
            "list_classes", "looking up your classes", "look up your classes",
            ("Ihre Kurse nachsehen", "sehe Ihre Kurse nach"),
        ),
    )
}  # fmt: skip
YOGA = (
    call("cancel_class", class_id="C1"),
    {
        "en": "cancel your yoga class on Monday, December 7 at 6 pm",
        "de": "Ihren Yogakurs am Montag, 7. Dezember um 18 Uhr absagen",
    },
)
PREMIUM = (
    call("change_membership", plan="premium"),
    {
        "en": "change your membership to Premium for 49 € a month",
        "de": "Ihre Mitgliedschaft auf Premium für 49 € im Monat umstellen",
    },
)
PAUSE = (
    call("pause_membership", until="2027-01-31"),
    {"en": "pause your membership until January 31", "de": "Ihre Mitgliedschaft bis 31. Januar pausieren"},
)
HAIRCUT = (
    call("move_appointment", id="A1", day="2026-12-05", time="14:00"),
    {
        "en": "move your haircut with Lena from Friday, December 4 at 10 am to Saturday, December 5 at 2 pm",
        "de": "Ihren Haarschnitt bei Lena von Freitag, 4. Dezember um 10 Uhr auf Samstag, 5. Dezember um 14 Uhr"
        " verschieben",
    },
)
COLOUR = (
    call("book_appointment", day="2026-12-09", time="16:00", service="colouring"),
    {
        "en": "book a colouring with Lena for you on Wednesday, December 9 at 4 pm",
        "de": "für Sie am Mittwoch, 9. Dezember um 16 Uhr eine Coloration bei Lena buchen",
    },
)
BLOCK = (
    call("block_sim", ends_in="4471"),
    {"en": "block your SIM card ending in 4471", "de": "Ihre SIM-Karte mit der Endung 4471 sperren"},
)
NEW_CARD = (
    call("order_sim", address="Mill Lane 4"),
    {
        "en": "order a replacement SIM card to Mill Lane 4",
        "de": "eine Ersatz-SIM-Karte an Mill Lane 4 bestellen",
    },
)
LOAN = (
    call("renew_loan", title="The Overstory"),
    {
        "en": 'renew "The Overstory" until December 28',
        "de": '"The Overstory" bis 28. Dezember verlängern',
    },
)
HOLD = (
    call("cancel_hold", title="Dune"),
    {"en": 'cancel your reservation of "Dune"', "de": 'Ihre Vormerkung für "Dune" löschen'},
)
TABLE = (
    call("book_table", guests=4, day="2026-12-05", time="19:00"),
    {
        "en": "book a table for 4 people on Saturday, December 5 at 7 pm",
        "de": "für Samstag, 5. Dezember um 19 Uhr einen Tisch für 4 Personen buchen",
    },
)
MONEY = (
    call("transfer_money", amount=250, to="Anna Weber", day="2026-12-01"),
    {
        "en": "transfer 250 € to Anna Weber on December 1",
        "de": "am 1. Dezember 250 € an Anna Weber überweisen",
    },
)
PARCEL = (
    call("redirect_parcel", number="88213", to="Main Street 9"),
    {
        "en": "redirect parcel 88213 to the parcel shop at Main Street 9",
        "de": "Ihr Paket 88213 zum Paketshop an der Hauptstraße 9 umleiten",
    },
)
QUESTIONS = {
    "Y1": (YOGA,), "Y2": (PREMIUM,), "Y3": (YOGA, PAUSE), "H1": (HAIRCUT,), "H2": (COLOUR,), "T1": (BLOCK,),
    "T3": (BLOCK, NEW_CARD), "L1": (LOAN,), "L2": (HOLD,), "R1": (TABLE,), "B1": (MONEY,), "P1": (PARCEL,),
}  # fmt: skip
RIGHT = {
    "either": {"yes", "open", "hold"},
    "unclear": {"open", "hold"},
    "other": {"open", "hold"},
    "correction": {"open", "hold"},
    "hold": {"open", "hold"},
    "yes+": {"yes"},
}


def read_as(text: str, name: str, locale: str) -> str:
    words = shipped_book().words(locale).consent
    asked = QUESTIONS[name]
    tools = {made.tool for made, _ in asked}
    topics = (topics_of(tool, locale, words) for tool in TOOLS.values() if tool.name not in tools)
    elsewhere = frozenset(topic for some in topics for topic in some)
    clauses, calls = [said[locale] for _, said in asked], [made for made, _ in asked]
    return taken_for(
        read_answer(text, question_about(clauses, locale, words, calls, TOOLS, elsewhere), words)
    )


def test_answers_in_other_trades_are_understood_and_none_becomes_a_yes() -> None:
    with ANSWERS.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    taken = [(row, read_as(row["text"], row["question"], row["locale"])) for row in rows]
    wrong = [(row, as_) for row, as_ in taken if as_ not in RIGHT.get(row["want"], {row["want"]})]
    agreed = [f"{row} is taken for {as_}" for row, as_ in wrong if as_ in ("yes", "first", "second")]

    assert agreed == []
    assert len(wrong) <= len(rows) * 0.11, [f"{row} is taken for {as_}" for row, as_ in wrong]

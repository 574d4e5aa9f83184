"""Values of one record, or of one thing in a document, are not told about another."""

from datetime import date
from typing import Final

from assistant.language.known import Source
from assistant.language.reader import read
from assistant.turn.guardrails.swaps import is_of_another, is_swapped, statements_of

TODAY: Final = date(2026, 11, 21)
VISITS: Final = [
    {"service": "eye test", "day": "2026-11-24", "time": "14:00", "doctor": "Dr. Lee"},
    {"service": "lens fitting", "day": "2026-12-04", "time": "10:30", "doctor": "Dr. Novak"},
]
INVOICES: Final = [
    {"number": 2041, "amount": "120.00", "due": "2026-12-03", "subject": "sunglasses"},
    {"number": 2057, "amount": "30.00", "due": "2026-12-13", "subject": "contact lenses"},
]
HOURS: Final = [
    {"days": "Monday to Friday", "opens": "09:00", "closes": "18:00"},
    {"days": "Saturday", "opens": "10:00", "closes": "16:00"},
]
RULES: Final = (
    ("Pets such as dogs stay for $12.00 a night.", "Pets"),
    ("Parking costs $9.00 a night.", "Parking"),
    ("Check-in is from 3 pm, check-out is by 11 am.", "Check-in and check-out"),
    ("Frames have a warranty of two years and lens coatings of one year.", "What the warranty covers"),
    ("Contact lenses are with you in 2 to 4 working days.", "Delivery"),
    ("Glasses are made for you first and take 8 to 12 working days.", "Delivery"),
)


def swapped(sentence: str, rows: object) -> bool:
    groups = Source(rows, TODAY).groups  # pyright: ignore[reportArgumentType]
    return is_swapped(sentence, read(sentence), groups, TODAY)


def of_another(sentence: str) -> bool:
    stated = [each for text, heading in RULES for each in statements_of(text, heading, "en")]
    return is_of_another(sentence, read(sentence), stated, TODAY, "en")


def test_a_value_or_name_of_another_record_is_a_swap() -> None:
    wrong = (
        ("Dr. Novak does your eye test on Tuesday.", VISITS),
        ("The eye test is on December 4.", VISITS),
        ("R-1: the sunglasses are $30.00.", INVOICES),
        ("Invoice 2041 is due on December 13.", INVOICES),
    )

    assert [row for row in wrong if not swapped(*row)] == []


def test_a_second_amount_or_day_is_about_the_next_record() -> None:
    right = (
        (
            "Your first date is December 3, for invoice 2041 ($120.00), and the second is December 13.",
            INVOICES,
        ),
        ("First the sunglasses, $120.00, by December 3, and ten days later the other $30.00.", INVOICES),
        ("We are open Monday to Friday from 9 am to 6 pm and on Saturdays from 10 am to 4 pm.", HOURS),
        ("Dr. Lee does the eye test, and Dr. Novak the lens fitting.", VISITS),
        ("The eye test comes before the lens fitting.", VISITS),
    )

    assert [row for row in right if swapped(*row)] == []


def test_a_documents_value_about_another_thing_is_a_swap() -> None:
    wrong = ("Pets stay for $9.00 a night.", "Parking is $12.00 a night.", "You can come in from 11 am.")
    right = ("Your dog stays for $12.00 a night.", "Parking is $9.00.", "Please be out by 11 am.")

    assert [sentence for sentence in wrong if not of_another(sentence)] == []
    assert [sentence for sentence in right if of_another(sentence)] == []


def test_the_words_of_a_value_name_nothing() -> None:
    assert of_another("Lens coatings have a warranty of two years.")
    assert of_another("Glasses take 2 to 4 working days.")
    assert not of_another("Frames have a warranty of two years.")
    assert not of_another("Glasses take 8 to 12 working days.")


def test_a_month_names_a_record_and_its_nights_belong_to_it() -> None:
    stays = [
        {
            "number": "R-1",
            "room": "double",
            "arrives": "2026-12-11",
            "leaves": "2026-12-14",
            "total": "387.00",
        },
        {
            "number": "R-2",
            "room": "single",
            "arrives": "2027-01-08",
            "leaves": "2027-01-10",
            "total": "158.00",
        },
    ]
    wrong = (
        "In January you leave on the 14th.",
        "In January you stay three nights.",
        "The single is $129 a night.",
    )
    right = (
        "In January you leave on the 10th.",
        "In January you stay two nights.",
        "The double is $129 a night.",
    )

    assert [sentence for sentence in wrong if not swapped(sentence, stays)] == []
    assert [sentence for sentence in right if swapped(sentence, stays)] == []

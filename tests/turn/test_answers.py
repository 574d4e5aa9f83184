"""Answers to eight questions in two languages, and what must be true of any answer."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.conversation.calls import Call
from assistant.conversation.entries import ConfirmationAsked
from assistant.conversation.tool_spec import Hint, ToolSpec
from assistant.conversation.values import Json
from assistant.prompts.book import shipped_book
from assistant.turn.confirmation import read_logged_answer
from assistant.turn.consent.answer import read_answer, takes_back
from assistant.turn.consent.question import Question
from assistant.turn.consent.read_question import question_about
from assistant.turn.consent.readings import (
    AgreedTo,
    AgreedToAll,
    Correction,
    Declined,
    Hold,
    Reading,
    Unclear,
)
from tests.support.rows import check_rows

ANSWERS = Path(__file__).parent / "phrasings" / "answers.tsv"


def spec(name: str, doing: str, will: str, german: tuple[str, str], *required: str) -> ToolSpec:
    hints = {"en": Hint(doing=doing, will=will), "de": Hint(doing=german[0], will=german[1])}
    return ToolSpec(
        name=name, description="", parameters={"required": list(required)}, hints=hints, effect="write"
    )


TOOLS = {
    tool.name: tool
    for tool in (
        spec(
            "cancel_appointment", "cancelling your appointment", "cancel your appointment",
            ("Ihren Termin absagen", "sage Ihren Termin ab"),
        ),
        spec(
            "cancel_order", "cancelling your order", "cancel your order",
            ("Ihre Bestellung stornieren", "storniere Ihre Bestellung"), "order_number",
        ),
        spec(
            "reschedule_appointment", "moving your appointment", "move your appointment",
            ("Ihren Termin verschieben", "verschiebe Ihren Termin"), "new_day",
        ),
        spec(
            "update_contact_details", "updating your contact details", "update your contact details",
            ("Ihre Kontaktdaten ändern", "ändere Ihre Kontaktdaten"),
        ),
        spec(
            "cancel_reservation", "cancelling your reservation", "cancel your reservation",
            ("Ihre Reservierung stornieren", "storniere Ihre Reservierung"), "number",
        ),
        spec(
            "book_appointment", "booking your appointment", "book your appointment",
            ("Ihren Termin buchen", "buche Ihren Termin"), "day", "time",
        ),
    )
}  # fmt: skip
ELSEWHERE = frozenset({"invoices", "opening", "hours", "slots", "photo", "delivery"})


def call(tool: str, **arguments: Json) -> Call:
    return Call(id="c1.1", tool=tool, arguments=arguments)


EYE_TEST = call("cancel_appointment", day="2026-11-24")
ORDER = call("cancel_order", order_number="10455")
MOVE = call("reschedule_appointment", appointment_id="A1001", new_day="2026-11-26", new_time="14:00")
EMAIL = call("update_contact_details", email="ana@new.example")
CONTACT = call("update_contact_details", email="ana@new.example", phone="555 0199")
DOUBLE, SINGLE = (call("cancel_reservation", number=number) for number in ("R-5521", "R-5604"))
BOOK = call("book_appointment", day="2026-11-25", time="15:00")

QUESTIONS: dict[str, dict[str, tuple[tuple[str, Call], ...]]] = {
    "en": {
        "A": (("cancel your eye test on Tuesday, November 24 at 2 pm", EYE_TEST),),
        "O": (("cancel order 10455, sunglasses", ORDER),),
        "B": (
            ("cancel your eye test on Tuesday, November 24 at 2 pm", EYE_TEST),
            ("cancel order 10455, sunglasses", ORDER),
        ),
        "M": (
            (
                "move your eye test from Tuesday, November 24 at 2 pm to Thursday, November 26 at 2 pm",
                MOVE,
            ),
        ),
        "E": (("change your e-mail address to ana@new.example", EMAIL),),
        "C": (("change your e-mail address to ana@new.example and your phone number to 555 0199", CONTACT),),
        "K": (("book an eye test for you on Wednesday, November 25 at 3 pm", BOOK),),
        "R": (
            ("cancel your double room from Friday, December 11 to Monday, December 14", DOUBLE),
            ("cancel your single room from Friday, January 8 to Sunday, January 10", SINGLE),
        ),
    },
    "de": {
        "A": (("Ihren Sehtest am Dienstag, 24. November um 14:00 Uhr absagen", EYE_TEST),),
        "O": (("Ihre Bestellung 10455 (Sonnenbrille) stornieren", ORDER),),
        "B": (
            ("Ihren Sehtest am Dienstag, 24. November um 14:00 Uhr absagen", EYE_TEST),
            ("Ihre Bestellung 10455 (Sonnenbrille) stornieren", ORDER),
        ),
        "M": (
            (
                "Ihren Sehtest von Dienstag, 24. November um 14:00 Uhr auf Donnerstag, 26. November um "
                "14:00 Uhr verschieben",
                MOVE,
            ),
        ),
        "E": (("Ihre E-Mail-Adresse auf ana@new.example ändern", EMAIL),),
        "C": (
            (
                "Ihre E-Mail-Adresse auf ana@new.example und Ihre Telefonnummer auf 555 0199 ändern",
                CONTACT,
            ),
        ),
        "K": (("für Sie am Mittwoch, 25. November um 15:00 Uhr einen Sehtest buchen", BOOK),),
        "R": (
            ("Ihr Doppelzimmer von Freitag, 11. Dezember bis Montag, 14. Dezember stornieren", DOUBLE),
            ("Ihr Einzelzimmer von Freitag, 8. Januar bis Sonntag, 10. Januar stornieren", SINGLE),
        ),
    },
}
WORDS = {locale: shipped_book().words(locale).consent for locale in QUESTIONS}


def question(name: str, locale: str) -> Question:
    asked = QUESTIONS[locale][name]
    clauses, calls = [clause for clause, _ in asked], [one for _, one in asked]
    return question_about(clauses, locale, WORDS[locale], calls, TOOLS, ELSEWHERE)


def read(text: str, name: str, locale: str = "en") -> Reading:
    return read_answer(text, question(name, locale), WORDS[locale])


def taken_for(reading: Reading) -> str:
    match reading:
        case AgreedToAll():
            return "yes"
        case AgreedTo(calls=calls):
            return "first" if calls == frozenset({0}) else "second"
        case Declined():
            return "no"
        case Hold():
            return "hold"
        case Correction() | Unclear():
            return "open"


# "not": nothing runs. A no or a hold that the decision model has to read runs nothing either.
ALSO_RIGHT = {"not": {"no", "hold", "open"}, "no": {"no", "open"}, "hold": {"hold", "open"}}


def test_nothing_runs_without_a_yes_and_nearly_every_yes_is_understood() -> None:
    with ANSWERS.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    told = [(row, taken_for(read(row["text"], row["question"], row["locale"]))) for row in rows]
    wrong = [(row, as_) for row, as_ in told if as_ not in ALSO_RIGHT.get(row["want"], {row["want"]})]
    agreed = [f"{row} is taken for {as_}" for row, as_ in wrong if as_ in ("yes", "first", "second")]

    assert agreed == []
    assert len(wrong) <= len(rows) * 0.03, [f"{row} is taken for {as_}" for row, as_ in wrong]


SPOILERS = {
    "en": ("no", "not", "don't", "wait", "but", "if", "maybe", "instead", "Friday", "16:30", "10482", "zebra"),
    "de": ("nein", "nicht", "warten", "jedoch", "wenn", "lieber", "Freitag", "16:30", "10482", "Zebra"),
}  # fmt: skip
YESES = {
    "en": ("yes", "yes please", "sure, go ahead", "do it"),
    "de": ("ja", "ja bitte", "gerne", "mach das"),
}


@pytest.mark.parametrize("locale", ["en", "de"])
def test_a_yes_with_an_unknown_word_does_not_count(locale: str) -> None:
    texts = [
        form.format(yes, word)
        for yes in YESES[locale]
        for word in SPOILERS[locale]
        for form in ("{} {}", "{}, {}", "{1} {0}")
    ]
    taken = [
        (name, text)
        for name in QUESTIONS[locale]
        for text in texts
        if not (name == "R" and ("Friday" in text or "Freitag" in text))  # A day of both rooms.
        and isinstance(read(text, name, locale), AgreedToAll | AgreedTo)
    ]

    assert taken == []


PIECES = {
    "en": ["yes", "please", "ok", "no", "not", "don't", "only", "but", "and", "cancel", "keep", "the", "to", ","],
    "de": ["ja", "bitte", "ok", "nein", "nicht", "nur", "aber", "und", "absagen", "behalten", "den", "zu", ","],
}  # fmt: skip
FIRST = {
    "en": ["eye test", "appointment", "Tuesday", "first"],
    "de": ["Sehtest", "Termin", "Dienstag", "erste"],
}


@pytest.mark.parametrize("locale", ["en", "de"])
@given(data=st.data())
def test_no_answer_with_words_of_one_part_agrees_to_both(locale: str, data: st.DataObject) -> None:
    around = st.lists(st.sampled_from(PIECES[locale]), max_size=4)
    named = data.draw(st.sampled_from(FIRST[locale]))
    text = " ".join([*data.draw(around), named, *data.draw(around)])

    reading = read(text, "B", locale)

    assert not isinstance(reading, AgreedToAll), text
    if isinstance(reading, AgreedTo) and not {
        "not",
        "no",
        "don't",
        "keep",
        "nicht",
        "nein",
        "behalten",
    } & set(text.split()):
        assert reading.calls == frozenset({0}), text


@pytest.mark.parametrize("locale", ["en", "de"])
@given(data=st.data())
def test_a_denial_never_turns_another_answer_into_a_yes(locale: str, data: st.DataObject) -> None:
    pieces = [*PIECES[locale], *FIRST[locale], "Friday", "maybe", "?", "zebra"]
    text = " ".join(data.draw(st.lists(st.sampled_from(pieces), min_size=1, max_size=6)))
    denial = data.draw(st.sampled_from({"en": ["no", "no,", "never mind,"], "de": ["nein", "nein,"]}[locale]))
    name = data.draw(st.sampled_from([name for name in QUESTIONS[locale] if name not in "BC"]))

    assert not isinstance(read(f"{denial} {text}", name, locale), AgreedToAll), text


ONE_OF_TWO = {
    "en": ("the room", "my reservation", "the reservation", "my room", "it", "that one"),
    "de": ("das Zimmer", "die Reservierung", "mein Zimmer", "meine Reservierung"),
}
ORDERS = {
    "en": ("cancel {}", "yes cancel {}", "Yes, please cancel {}.", "get rid of {}", "please cancel {} now"),
    "de": ("ja, {} stornieren", "bitte {} stornieren", "ja, storniert {}", "{} bitte absagen", "{} kann weg"),
}  # fmt: skip


@pytest.mark.parametrize("locale", ["en", "de"])
def test_one_of_two_things_of_the_same_kind_needs_a_choice(locale: str) -> None:
    texts = [order.format(one) for order in ORDERS[locale] for one in ONE_OF_TWO[locale]]
    taken = [text for text in texts if isinstance(read(text, "R", locale), AgreedToAll | AgreedTo)]

    assert taken == []


CHOICES = {
    "en": (
        ("the double", "the December one", "the first"),
        ("the single", "the one in January", "the second"),
    ),
    "de": (
        ("das Doppelzimmer", "das im Dezember", "das erste"),
        ("das Einzelzimmer", "das im Januar", "das zweite"),
    ),
}
SAID = {
    "en": (
        ("{} yes", "{}, yes", "yes to {}", "cancel {}", "{} can go"),
        ("{} no", "{}, no", "no to {}", "keep {}", "{} stays"),
    ),
    "de": (
        ("{} ja", "{}, ja", "{} stornieren", "{} kann weg"),
        ("{} nein", "{}, nein", "{} nicht", "{} behalten", "{} bleibt"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("locale", ["en", "de"])
def test_a_yes_or_no_applies_to_the_thing_of_its_own_clause(locale: str) -> None:
    first, second = CHOICES[locale]
    wrong: list[str] = []
    for one, other in zip(first, second, strict=True):
        for yes in SAID[locale][0]:
            for no in SAID[locale][1]:
                for joint in (". ", ", "):
                    for do, leave, calls in ((one, other, {0}), (other, one, {1})):
                        for text in (
                            f"{yes.format(do)}{joint}{no.format(leave)}",
                            f"{no.format(leave)}{joint}{yes.format(do)}",
                        ):
                            reading = read(text, "R", locale)
                            agreed = isinstance(reading, AgreedToAll | AgreedTo)
                            if agreed and reading != AgreedTo(calls=frozenset(calls)):
                                wrong.append(f"{text!r} is {reading}")

    assert wrong == []


@given(text=st.text(max_size=60))
def test_any_text_has_a_reading_and_noise_is_no_yes(text: str) -> None:
    for name in ("A", "B", "C", "M"):
        reading = read(text, name)
        if isinstance(reading, AgreedToAll):
            assert any(
                phrase in text.casefold()
                for phrase in (*WORDS["en"].yes, *WORDS["en"].approval, "both", "all")
            )


@check_rows(
    ("newer", "back"),
    [
        ("thank you", False), ("And what do I owe?", False), ("yes", False), ("ok great bye", False),
        ("no", True), ("wait", True), ("actually not", True), ("make it 3 pm", True), ("only the first", True),
        ("Wednesday", True), ("forget it", True),
    ],
)  # fmt: skip
def test_a_newer_message_takes_a_yes_back_or_leaves_it(newer: str, back: bool) -> None:
    assert takes_back(newer, WORDS["en"], question("A", "en")) is back


def test_an_answer_in_the_log_is_read_with_todays_rules() -> None:
    clause, cancel = QUESTIONS["en"]["A"][0]
    asked = ConfirmationAsked(
        confirmation_id="t1/q",
        calls=(cancel,),
        clauses=(clause,),
        read_back=f"Shall I {clause}?",
        expires_at_ms=0,
    )

    def today(text: str) -> Reading:
        return read_logged_answer(asked, text, "en", WORDS["en"], TOOLS.values())

    assert today("yes, the eye test") == AgreedToAll()
    assert today("yes, the order") == Unclear()


def test_a_very_long_answer_is_left_to_the_model() -> None:
    for text in ("no, yes. " * 400, "yes " * 900, "I " * 2_000):
        assert isinstance(read(text, "B"), Unclear), text[:20]

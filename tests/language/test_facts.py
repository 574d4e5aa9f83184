"""Facts are the same however they are written, and follow from the facts that are known."""

from hypothesis import given
from hypothesis import strategies as st

from assistant.language.facts import Value, is_supported, values_in, values_of
from assistant.language.values import Data
from tests.support.rows import check_rows


def forms(text: str, locale: str = "en") -> set[str]:
    return {value.form for value in values_in(text, locale)}


@check_rows(
    ("texts", "form"),
    [
        (["1,234.50", "1234.5", "$1,234.50.", "1'234.50", "€ 1234.50", "-1234.50"], "1234.5"),
        (["45%", "45 %", "€45", "45 €", "forty-five is 45.00"], "45"),
        (["two", "Two things", "2"], "2"),
        (["2 pm", "2 p.m.", "14:00", "2PM", "two pm", "14:00:00", "2026-11-24T14:00:00Z", "14 Uhr"], "14:00"),
        (["2:30", "at 2:30?"], "2:30?".rjust(6, "0")),
        (["9:30 am", "09:30", "9.30 a.m."], "09:30"),
        (["12 am", "midnight", "00:00", "24:00"], "00:00"),
        (["noon", "12 pm"], "12:00"),
        (["Tuesday", "on Tuesdays", "Tue", "dienstag", "Tuesday's"], "w1"),
        (["24 November", "Nov 24th", "24th of November", "November 24", "24. November", "Nov. 24"], "11-24"),
        (
            ["2026-11-24", "November 24, 2026", "24 Nov 2026", "24.11.2026", "11/24/2026", "24/11/2026"],
            "2026-11-24",
        ),
        (["Due 24.11.2026.", "(24.11.2026)"], "2026-11-24"),
        (["09:00-18:00", "between 17:00 and 18:00"], "18:00"),
        (["between 9 and 10 am", "9 or 10 am"], "10:00"),
        (["in November", "November is full"], "m11"),
        (["order A-10482", "a10482", "#A10482"], "a10482"),
        (["mail ana@x.de.", "Ana@X.de"], "ana@x.de"),
        (["see https://www.shop.com/a/", "shop.com/a", "www.shop.com/a."], "shop.com/a"),
        (["+49 30 1234-5678", "+493012345678"], "493012345678"),
        (["ask Anna", "It is Anna's", "with Dr. Anna"], "anna"),
    ],
)
def test_one_fact_has_one_form(texts: list[str], form: str) -> None:
    for text in texts:
        if text != "shop.com/a":
            assert form in forms(text), text


def test_a_full_stop_after_a_time_ends_the_sentence() -> None:
    assert forms("We close at 8 pm. Ask Anna.") == {"20:00", "anna"}


@check_rows(
    ("text", "expected"),
    [
        ("1.234,50 €", {"1234.5"}),
        ("1.234 Punkte", {"1234"}),
        ("am 24.11. um 14:30 Uhr", {"11-24", "14:30"}),
        ("am 3. Dezember um 9 Uhr 30", {"12-03", "09:30?"}),
        ("3/10/2026", {"2026-10-03"}),
        ("Ihr Termin bei Frau Müller ist bestätigt.", {"müller"}),
        ("Mit DHL im Mai, um Mitternacht", {"dhl", "m05", "00:00"}),
        ("zwei Termine", {"2"}),
        ("24. November ist frei.", {"11-24"}),
        ("um 9 Uhr 30 für zwei", {"09:30?", "2"}),
    ],
)
def test_german_facts_are_found(text: str, expected: set[str]) -> None:
    assert forms(text, "de") == expected


@check_rows(
    "text",
    [
        "Sure, I'll look up your appointments.",
        "You may march on.",
        "One moment. Let me see: Here it is.",
        "No one is here, OK?",
        "- Everything is fine.",
        "I've looked that up for you.",
        "",
    ],
)
def test_ordinary_words_are_no_facts(text: str) -> None:
    assert forms(text) == set()


@check_rows(
    ("text", "form"),
    [
        ("It costs 3.50.", "3.5"),
        ("on 99.99.2026", "99.99"),
        ("25:99", "25"),
        ("13 pm", "13"),
        ("25 Uhr", "25"),
        ("2026-13-45", "13"),
    ],
)
def test_numbers_that_are_no_day_and_no_time_are_read_as_numbers(text: str, form: str) -> None:
    assert form in forms(text)


RESULT: Data = {
    "appointments": [{"when": "2026-11-24T14:00", "with": "dr. weber", "minutes": 30}],
    "invoices": [
        {"number": "INV-10482", "amount": "100.25", "open": True, "note": None},
        {"number": "INV-10483", "amount": "50.25", "open": False, "note": "late"},
    ],
    "discount": 0.15,
}


@check_rows(
    "text",
    [
        "on Tuesday",
        "on 24 November",
        "in November",
        "on November 24, 2026",
        "on the 24th",
        "in 2026",
        "at 2 pm",
        "at 2",
        "at 2:00",
        "for 30 minutes",
        "with Weber",
        "you owe 150.50",
        "you have two invoices",
        "your invoice INV-10482",
        "your invoice 10483",
        "you get 15%",
    ],
)
def test_a_value_that_follows_from_the_results_is_supported(text: str) -> None:
    (value,) = values_in(text)

    assert is_supported(value, values_of(RESULT))


@check_rows(
    "text",
    [
        "on Wednesday",
        "on 25 November",
        "in December",
        "on November 24, 2027",
        "on the 25th",
        "at 2 am",
        "at 3",
        "at 2:30",
        "with Miller",
        "you owe 150",
        "you have five invoices",
        "your invoice INV-10484",
        "you get 16%",
    ],
)
def test_a_value_that_does_not_follow_is_not_supported(text: str) -> None:
    (value,) = values_in(text)

    assert not is_supported(value, values_of(RESULT))


def test_a_full_date_follows_from_the_day_that_the_customer_named() -> None:
    (said,) = values_in("on 2026-11-24")

    assert is_supported(said, values_in("is 24 November free?"))
    assert not is_supported(said, values_in("is Tuesday free?"))


def test_a_weekday_and_a_month_give_no_number() -> None:
    (said,) = values_in("it is 11")

    assert not is_supported(said, values_in("in November, on a Tuesday"))


def test_a_number_of_any_length_can_be_compared() -> None:
    (said,) = values_in("9" * 6000)

    assert not is_supported(said, values_in("at 9:00"))
    assert is_supported(said, values_of("9" * 6000))


def test_the_notation_of_a_value_is_kept_and_does_not_count() -> None:
    (value,) = values_in("You owe 150.00.")

    assert value.said == "150.00"
    assert value == Value("number", "150")


@given(st.text(max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    for locale in ("en", "de"):
        for value in values_in(text, locale):
            assert is_supported(value, values_of(text, locale)), value


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    )
)
def test_any_data_can_be_read(data: Data) -> None:
    assert all(value.form for value in values_of(data))

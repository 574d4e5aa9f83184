"""Words are compared by what they have in common with their other forms."""

from assistant.language.words import content_stems, stem, words
from tests.support.rows import check_rows


@check_rows(
    "forms",
    [
        "find finding found finds",
        "send sent sending",
        "make made making",
        "pay paid payment payments",
        "take took taken",
        "tell told",
        "book booked booking bookings",
        "check checking checked checks",
        "order orders ordered ordering",
        "deliver delivery deliveries delivered",
        "appointment appointments",
        "cancel cancelled cancelling cancellation",
    ],
)
def test_the_forms_of_an_english_word_have_one_stem(forms: str) -> None:
    assert len({stem(word) for word in forms.split()}) == 1


@check_rows(
    "forms",
    [
        "prüfe prüfen geprüft prüft",
        "termin termine terminen",
        "rechnung rechnungen",
        "suche suchen gesucht herausgesucht heraussuchen",
        "sehe sehen nachgesehen nachsehen gesehen",
        "finde gefunden finden fand",
        "bestellung bestellungen",
        "schaue geschaut nachgeschaut",
    ],
)
def test_the_forms_of_a_german_word_have_one_stem(forms: str) -> None:
    assert len({stem(word, "de-AT") for word in forms.split()}) == 1


def test_different_words_have_different_stems() -> None:
    named = ["appointment", "bill", "order", "invoice", "delivery", "prescription", "hour", "payment", "lens"]

    assert len({stem(word) for word in named}) == len(named)


def test_words_are_lower_case_with_straight_apostrophes_and_numbers() -> None:
    assert words("I’VE 1,234.50 € (50%), A-10482_x!") == ["i've", "1,234.50", "50", "a", "10482", "x"]
    assert words(" … ") == []


def test_negations_and_numbers_carry_meaning() -> None:
    assert content_stems("You don't have two, not any: no.") == [stem("don't"), "two", "not", "no"]
    assert content_stems("Ich habe keine Termine", "de") == ["kein", "termin"]

"""What the assistant asks for, and what it only mentions."""

import pytest

from assistant.prompts.words import NO_LISTENING_WORDS, ListeningWords
from assistant.voice.dictation import ExpectedInput, expected_input_after
from tests.support.rows import check_rows


@check_rows(
    ("question", "expected"),
    [
        ("What is your order number?", "digits"),
        ("Which order is it about? I need the order number, as it stands on the invoice.", "digits"),
        ("Could you give me your phone number, please?", "digits"),
        ("And your date of birth, please?", "digits"),
        ("What's your postcode?", "digits"),
        ("When were you born? Please tell me day, month and year.", "digits"),
        ("To find out who you are, I need your customer number. What is it?", "digits"),
        ("To find out who you are, I need your order number and email. What are they?", "email"),
        ("What's your e-mail address?", "email"),
        ("What is the name on the account?", "name"),
        ("Could you spell that for me?", "name"),
        ("Shall I cancel order 10482?", "anything"),
        ("Shall I use the phone number on file?", "anything"),
        ("Which order do you mean: the glasses or the lenses?", "anything"),
        ("Could you confirm that it is ana@example.com?", "anything"),
        ("What is still open is invoice number 77.", "anything"),
        ("For which day should I book it?", "anything"),
        (
            "Your order number is on the invoice. You find it there. Is there anything else I can do?",
            "anything",
        ),
        ("Please have your order number at hand. It is on the invoice. When will you come?", "anything"),
        ("You're welcome.", "anything"),
        ("", "anything"),
    ],
)
def test_the_requested_input_is_recognised(
    question: str, expected: ExpectedInput, words: ListeningWords
) -> None:
    assert expected_input_after(question, words) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Wie lautet Ihre Bestellnummer?", "digits"),
        ("Ich brauche noch Ihre E-Mail-Adresse. Wie lautet sie?", "email"),
        ("Können Sie den Namen bitte buchstabieren?", "name"),
        ("Soll ich den Termin absagen?", "anything"),
    ],
)
def test_the_requested_input_is_recognised_in_german(
    question: str, expected: ExpectedInput, german: ListeningWords
) -> None:
    assert expected_input_after(question, german) == expected


def test_in_a_language_without_word_lists_anything_may_come() -> None:
    assert expected_input_after("Vad är ditt telefonnummer?", NO_LISTENING_WORDS) == "anything"

"""Dictated text, as transcribers write it, and its meaning."""

import pytest

from assistant.prompts.words import NO_LISTENING_WORDS, ListeningWords
from assistant.voice.dictation import ExpectedInput, normalize_dictation
from tests.support.rows import check_rows

DIGITS = [
    ("one two three, four five", "12345"),
    ("One, two, three, four, five.", "12345."),
    ("double o seven", "007"),
    ("Double O 7.", "007."),
    ("double oh seven", "007"),
    ("triple 5 1", "5551"),
    ("1 0 4 8 2", "10482"),
    ("1, 0, 4, 8, 2.", "10482."),
    ("1-0-4-8-2", "10482"),
    ("10,482", "10482"),
    ("10482", "10482"),
    ("It's 104 82.", "It's 10482."),
    ("My order number is one oh four eight two, I think.", "My order number is 10482, I think."),
    ("ten four eighty two", "10482"),
    ("ten four eighty-two", "10482"),
    ("twenty twenty five", "2025"),
    ("20 five", "205"),
    ("twenty 5", "205"),
    ("seven", "7"),
    ("Seven.", "7."),
    ("zero seven nought", "070"),
    ("+46 70 123 45 67", "+46701234567"),
    ("plus four six seven oh one two three four five six seven", "+46701234567"),
    ("(555) 123-4567", "5551234567"),
    ("Call me at (555) 123 4567, please", "Call me at 5551234567, please"),
    ("A 1 0 4", "A104"),
    ("A as in Anna, 1 0 4", "A104"),
    ("B for Bravo seven seven", "B77"),
    ("It's a 1 0 4", "It's a 104"),
    ("A104 7", "A1047"),
    ("104 dash 82", "104-82"),
    ("I have one order", "I have one order"),
    ("the second one please", "the second one please"),
    ("I paid 10.50", "I paid 10.50"),
    ("1.04.77.77", "1047777"),
    ("My number is 5.5.5.1.2.3.4567.", "My number is 5551234567."),
    ("3.5.1985", "3.5.1985"),
    ("May 3, 1985", "May 3, 1985"),
    ("the third of May 1985", "the third of May 1985"),
    ("3 5 1985", "3 5 1985"),
    ("03/05/1985", "03/05/1985"),
    ("at 3:30", "at 3:30"),
    ("3rd floor", "3rd floor"),
    ("I don't have it.", "I don't have it."),
    ("1 2 3 and 4 5 6", "123 and 456"),
    ("dash", "dash"),
    ("double trouble", "double trouble"),
    ("A B C", "A B C"),
    ("plus", "plus"),
    ("", ""),
]

EMAILS = [
    ("A N A at example dot com", "ana@example.com"),
    ("A-N-A at example.com.", "ana@example.com."),
    ("A. N. A. at example dot com", "ana@example.com"),
    ("A.N.A. at example dot com", "ana@example.com"),
    ("A, N, A at example, dot com", "ana@example.com"),
    ("ana at example dot com", "ana@example.com"),
    ("Ana@Example.com", "ana@example.com"),
    ("A-N-A@example.com", "ana@example.com"),
    ("My email is ana dot costa at example dot com.", "My email is ana.costa@example.com."),
    ("It's ana.costa at mail.example.com, thanks.", "It's ana.costa@mail.example.com, thanks."),
    ("ana underscore costa at example dot co dot uk", "ana_costa@example.co.uk"),
    ("ana-maria at example dot com", "ana-maria@example.com"),
    ("ana dash maria at example dot com", "ana-maria@example.com"),
    ("ana plus shop at example dot com", "ana+shop@example.com"),
    ("A N A eight five at example dot com", "ana85@example.com"),
    ("A N A eighty five at example dot com", "ana85@example.com"),
    ("A double N A at example dot com", "anna@example.com"),
    ("A as in Anna, N as in Nora, A at example dot com", "ana@example.com"),
    ("ana at g mail dot com", "ana@gmail.com"),
    ("ana at E-X-A-M-P-L-E dot com", "ana@example.com"),
    ("ana at E X A M P L E.com", "ana@example.com"),
    ("J Smith at example dot com", "jsmith@example.com"),
    ("I have a shop at example dot com", "I have a shop@example.com"),
    ("shop, at example dot com. A", "shop@example.com. A"),
    ("I'm at home.", "I'm at home."),
    ("We meet at 5.30", "We meet at 5.30"),
    ("at example dot com", "at example dot com"),
    ("I have none, but my number is 1 2 3", "I have none, but my number is 123"),
]

NAMES = [
    ("C O S T A", "Costa"),
    ("C-O-S-T-A.", "Costa."),
    ("My name is C. O. S. T. A.", "My name is Costa."),
    ("Ana Costa, C-O-S-T-A", "Ana Costa"),
    ("Costa. C, O, S, T, A, that's it.", "Costa, that's it."),
    ("S M I T H dash J O N E S", "Smith-Jones"),
    ("C as in Charlie, O, S, T, A", "Costa"),
    ("H A double N A H", "Hannah"),
    ("Ana Costa", "Ana Costa"),
    ("I am Ana", "I am Ana"),
    ("A 1 B", "A 1 B"),
]


@check_rows(
    ("said", "expecting", "meant"),
    [
        *((said, "digits", meant) for said, meant in DIGITS),
        *((said, "email", meant) for said, meant in EMAILS),
        *((said, "name", meant) for said, meant in NAMES),
    ],
)
def test_dictated_text_is_joined(
    said: str, expecting: ExpectedInput, meant: str, words: ListeningWords
) -> None:
    assert normalize_dictation(said, expecting, words) == meant


@check_rows("said", [said for said, _ in [*DIGITS, *EMAILS, *NAMES]])
def test_without_an_expected_input_nothing_changes(said: str, words: ListeningWords) -> None:
    assert normalize_dictation(said, "anything", words) == said


@pytest.mark.parametrize(
    ("said", "expecting", "meant"),
    [
        ("eins, null, vier, acht, zwo", "digits", "10482"),
        ("zehn vier zweiundachtzig", "digits", "10482"),
        ("A N A klammeraffe example punkt de", "email", "ana@example.de"),
        ("A wie Anna, N, A", "name", "Ana"),
        ("am 3. Mai 1985", "digits", "am 3. Mai 1985"),
    ],
)
def test_german_dictation_is_joined(
    said: str, expecting: ExpectedInput, meant: str, german: ListeningWords
) -> None:
    assert normalize_dictation(said, expecting, german) == meant


def test_a_language_without_word_lists_has_digits_and_letters() -> None:
    assert normalize_dictation("1 0 4", "digits", NO_LISTENING_WORDS) == "104"
    assert normalize_dictation("A-N-A@example.com", "email", NO_LISTENING_WORDS) == "ana@example.com"

"""Whether a text is finished, by its end: transcribed sentences of a shop's customers."""

from assistant.prompts.words import NO_LISTENING_WORDS, ListeningWords
from assistant.voice.dictation import ExpectedInput
from assistant.voice.endpointing import UtteranceEnding, classify_ending
from tests.support.rows import check_rows

FINISHED = [
    "I'd like to cancel my order.",
    "When is my next appointment?",
    "Where is order 10482?",
    "What is it for?",
    "Where are you?",
    "What can I do?",
    "Cancel it, please.",
    "Yes.",
    "Yes, please.",
    "I want to update my email address.",
    "Please change my phone number.",
    "yes please",
    "No thanks",
    "Thank you very much.",
    "My glasses arrived broken!",
    "Can you check my billing and my appointments?",
    "I would like an appointment at 3.",
    "Your website says “closed on Sundays.”",
    "If the frame is too wide, I will send it back.",
    "If the frame is too wide can I send it back?",
    "I will send it back if it is too wide.",
    "Iffy things arrived broken.",
]

UNFINISHED = [
    "I'd like to cancel my",
    "I'd like to cancel my.",
    "Can you check my?",
    "I need to change the...",
    "I need to change the…",
    "I want to know about",
    "I would like an appointment on",
    "Could you check my appointments and",
    "Could you check my appointments, and.",
    "I'd like to, um,",
    "I'd like to, um.",
    "Well, uh",
    "My order number is",
    "Please send it to",
    "I have a question.",
    "Hello.",
    "Hi there!",
    "Wait.",
    "I'm calling because",
    "I ordered glasses last week, but",
    "I want to cancel.",
    "My order number.",
    "My phone number",
    "I would like to move my appointment too.",
    "It's about the order from",
    "First of all,",
    "I was wondering -",
    "If the frame is too wide.",
    "Because I never got it",
    "And if it is too late.",
]

UNCLEAR = [
    "My order",
    "My order.",
    "Billing.",
    "I'd like to cancel my order",
    "",
    "  ",
    "..",
    "Tuesday at two",
]

DICTATED = [
    "My order number is 1 0 4",
    "It's order 10482.",
    "one two three",
    "A-N-A",
    "555 12",
    "It's 1B4",
    "call 5 5 5",
]


@check_rows("text", FINISHED)
def test_finished_texts_are_recognised(text: str, words: ListeningWords) -> None:
    assert classify_ending(text, "anything", words) == "finished"


@check_rows("text", UNFINISHED)
def test_unfinished_texts_are_recognised(text: str, words: ListeningWords) -> None:
    assert classify_ending(text, "anything", words) == "unfinished"


@check_rows("text", UNCLEAR)
def test_unclear_texts_are_recognised(text: str, words: ListeningWords) -> None:
    assert classify_ending(text, "anything", words) == "unclear"


@check_rows("text", DICTATED)
def test_dictated_texts_are_recognised(text: str, words: ListeningWords) -> None:
    assert classify_ending(text, "anything", words) == "dictated"


@check_rows(
    ("text", "expecting", "ending"),
    [
        ("1 0 4", "digits", "dictated"),
        ("7?", "digits", "dictated"),
        ("It's A", "digits", "dictated"),
        ("555 123 4567", "digits", "unclear"),
        ("I don't have it here.", "digits", "unclear"),
        ("It's", "digits", "unfinished"),
        ("Where do I find it?", "digits", "finished"),
        ("May 3, 1985", "digits", "finished"),
        ("the third of May 1985.", "digits", "finished"),
        ("03/05/1985", "digits", "finished"),
        ("1985-05-03.", "digits", "finished"),
        ("1985", "digits", "dictated"),
        ("in June", "digits", "unclear"),
        ("ana", "email", "dictated"),
        ("My email is ana at example", "email", "dictated"),
        ("My email is ana at example dot com.", "email", "unclear"),
        ("Why do you need that?", "email", "finished"),
        ("No.", "email", "finished"),
        ("C O S", "name", "dictated"),
        ("Ana Costa.", "name", "unclear"),
        ("LIND", "name", "dictated"),
        ("It's LIND.", "name", "dictated"),
        ("LIND QVIST, please.", "name", "unclear"),
        ("My name is", "name", "unfinished"),
    ],
)
def test_requested_input_is_waited_for(
    text: str, expecting: ExpectedInput, ending: UtteranceEnding, words: ListeningWords
) -> None:
    assert classify_ending(text, expecting, words) == ending


@check_rows(
    ("text", "ending"),
    [
        ("Ich möchte meine Bestellung stornieren.", "finished"),
        ("Wann ist mein Termin?", "finished"),
        ("Ja, bitte.", "finished"),
        ("Ja bitte", "finished"),
        ("Ich möchte meine", "unfinished"),
        ("Es geht um die", "unfinished"),
        ("Ich hätte gern einen Termin am", "unfinished"),
        ("Meine Bestellnummer lautet", "unfinished"),
        ("Guten Tag.", "unfinished"),
        ("Wenn die Brille zu breit ist.", "unfinished"),
        ("Wenn sie zu breit ist, schicke ich sie zurück.", "finished"),
        ("eins null vier", "dictated"),
    ],
)
def test_german_texts_are_recognised(text: str, ending: UtteranceEnding, german: ListeningWords) -> None:
    assert classify_ending(text, "anything", german) == ending


def test_in_a_language_without_word_lists_only_punctuation_counts() -> None:
    assert classify_ending("Jag vill avboka min tid.", "anything", NO_LISTENING_WORDS) == "finished"
    assert classify_ending("Jag vill avboka min", "anything", NO_LISTENING_WORDS) == "unclear"
    assert classify_ending("Jag vill,", "anything", NO_LISTENING_WORDS) == "unfinished"

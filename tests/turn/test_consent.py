"""An answer to a read-back is a yes only when it is nothing else."""

import pytest

from assistant.prompts.shipped import shipped_book
from assistant.turn.consent import Meaning, read_consent

READ_BACK = "Shall I cancel your eye test on Tuesday, November 24 at 2 pm?"

ANSWERS: dict[Meaning, tuple[str, ...]] = {
    "yes": (
        "yes", "Yes please!", "yeah", "ok", "sure, go ahead", "do it", "that's right", "yes, cancel it",
        "yes, the eye test on Tuesday", "please do", "Okay, thank you", "absolutely", "yep do that",
    ),
    "no": (
        "no", "No thanks", "don't", "please don't do it", "never mind", "don't cancel it", "no, at 2 pm",
        "of course not", "stop", "leave it as it is", "no don't",
    ),
    "hold": ("wait", "hold on", "not yet", "not sure", "yes but wait", "yes if it is free", "hmm, maybe"),
    "correction": ("No, Wednesday", "make it 3 pm", "no, the other one", "I meant the one in December"),
    "other": (
        "is it free?", "yes?", "what time is that?", "When are you open?", "mhm", "yes, Wednesday",
        "yes, and tell me what I owe", "", "cancel it",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "meaning"), [(text, meaning) for meaning, texts in ANSWERS.items() for text in texts]
)
def test_an_answer_is_taken_for_what_it_says(text: str, meaning: Meaning) -> None:
    words = shipped_book().words("en").consent

    assert read_consent(text, READ_BACK, words).meaning == meaning


GERMAN_READ_BACK = "Soll ich Ihren Sehtest am Dienstag, 24. November um 14:00 Uhr absagen?"

GERMAN: dict[Meaning, tuple[str, ...]] = {
    "yes": (
        "ja", "Ja, bitte", "ja bitte!", "gerne", "Ja gern", "ok", "klar, machen Sie das", "genau", "das stimmt",
        "nur zu",
        "ja, absagen", "ja, den Sehtest am Dienstag", "Bitte machen", "In Ordnung, vielen Dank", "auf jeden Fall",
        "passt",
        "Einverstanden.", "ja, sagen Sie ihn ab", "Ja, tun Sie das bitte",
    ),
    "no": (
        "nein", "Nein danke", "nein, doch nicht", "doch nicht", "bitte nicht", "lieber nicht", "nee",
        "nein, bitte nicht absagen",
        "auf keinen Fall", "stopp", "lassen Sie es so", "vergessen Sie es", "das passt nicht", "nicht am Dienstag",
        "Nein, am Dienstag um 14:00 Uhr nicht",
    ),
    "hold": (
        "Moment noch", "Moment", "einen Augenblick bitte", "warten Sie", "noch nicht", "ich bin mir nicht sicher",
        "ja, aber warten Sie", "ja, wenn es frei ist", "hm, vielleicht", "ich überlege noch", "eigentlich",
        "weiß nicht", "doch",
    ),
    "correction": (
        "Nein, Mittwoch", "lieber um 15 Uhr", "nein, den anderen", "ich meinte den im Dezember",
        "doch lieber am Mittwoch",
    ),
    "other": (
        "ist er frei?", "ja?", "um wie viel Uhr ist das?", "Wann haben Sie geöffnet?", "mhm", "ja, Mittwoch",
        "ja, und sagen Sie mir, was ich schulde", "bitte", "absagen",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "meaning"), [(text, meaning) for meaning, texts in GERMAN.items() for text in texts]
)
def test_a_german_answer_is_taken_for_what_it_says(text: str, meaning: Meaning) -> None:
    words = shipped_book().words("de").consent

    assert read_consent(text, GERMAN_READ_BACK, words).meaning == meaning


@pytest.mark.parametrize("yes", GERMAN["yes"])
@pytest.mark.parametrize(
    "spoiler",
    ["{}, doch nicht", "{} aber heute nicht", "{}? Ich weiß nicht", "warten Sie, {}", "{} falls ich kann"],
)
def test_nothing_that_doubts_or_denies_is_ever_a_german_yes(yes: str, spoiler: str) -> None:
    words = shipped_book().words("de").consent

    assert read_consent(spoiler.format(yes), GERMAN_READ_BACK, words).meaning != "yes"


@pytest.mark.parametrize("yes", ANSWERS["yes"])
@pytest.mark.parametrize(
    "spoiler", ["don't {}", "{} but not today", "{}? I don't know", "wait, {}", "{} if I can"]
)
def test_nothing_that_doubts_or_denies_is_ever_a_yes(yes: str, spoiler: str) -> None:
    words = shipped_book().words("en").consent

    assert read_consent(spoiler.format(yes), READ_BACK, words).meaning != "yes"

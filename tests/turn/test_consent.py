"""An answer to a read-back is a yes only if each of its words is accounted for."""

import pytest

from assistant.prompts.book import shipped_book
from assistant.turn.consent.answer import read_answer
from assistant.turn.consent.read_question import question_about
from assistant.turn.consent.readings import (
    AgreedToAll,
    Correction,
    Declined,
    Hold,
    Reading,
    Unclear,
)

CLAUSE = "cancel your eye test on Tuesday, November 24 at 2 pm"

ANSWERS: dict[type[Reading], tuple[str, ...]] = {
    AgreedToAll: (
        "yes", "Yes please!", "yeah", "ok", "sure, go ahead", "do it", "that's right", "yes, cancel it",
        "yes, the eye test on Tuesday", "please do", "Okay, thank you", "absolutely", "yep do that",
    ),
    Declined: (
        "no", "No thanks", "don't", "please don't do it", "never mind", "don't cancel it", "no, at 2 pm",
        "of course not", "stop", "leave it as it is", "no don't",
    ),
    Hold: ("wait", "hold on", "not yet", "not sure", "yes but wait", "hmm, maybe", "mhm"),
    Correction: ("No, Wednesday", "make it 3 pm", "no, the other one", "I meant the one in December"),
    Unclear: (
        "is it free?", "yes?", "what time is that?", "When are you open?", "yes if it is free", "yes, Wednesday",
        "yes, and tell me what I owe", "",
    ),
}  # fmt: skip

GERMAN_CLAUSE = "Ihren Sehtest am Dienstag, 24. November um 14:00 Uhr absagen"

GERMAN: dict[type[Reading], tuple[str, ...]] = {
    AgreedToAll: (
        "ja", "Ja, bitte", "ja bitte!", "gerne", "Ja gern", "ok", "klar, machen Sie das", "genau", "das stimmt",
        "nur zu",
        "ja, absagen", "ja, den Sehtest am Dienstag", "Bitte machen", "In Ordnung, vielen Dank", "auf jeden Fall",
        "passt",
        "Einverstanden.", "ja, sagen Sie ihn ab", "Ja, tun Sie das bitte",
    ),
    Declined: (
        "nein", "Nein danke", "nein, doch nicht", "doch nicht", "bitte nicht", "lieber nicht", "nee",
        "nein, bitte nicht absagen",
        "auf keinen Fall", "stopp", "lassen Sie es so", "vergessen Sie es", "das passt nicht", "nicht am Dienstag",
        "Nein, am Dienstag um 14:00 Uhr nicht",
    ),
    Hold: (
        "Moment noch", "Moment", "einen Augenblick bitte", "warten Sie", "noch nicht", "ich bin mir nicht sicher",
        "ja, aber warten Sie", "hm, vielleicht", "mhm", "ich überlege noch", "eigentlich",
        "weiß nicht", "doch",
    ),
    Correction: (
        "Nein, Mittwoch", "lieber um 15 Uhr", "nein, den anderen", "ich meinte den im Dezember",
        "doch lieber am Mittwoch",
    ),
    Unclear: (
        "ist er frei?", "ja?", "um wie viel Uhr ist das?", "Wann haben Sie geöffnet?", "ja, wenn es frei ist",
        "ja, Mittwoch",
        "ja, und sagen Sie mir, was ich schulde", "bitte", "absagen",
    ),
}  # fmt: skip


def reading(text: str, locale: str) -> Reading:
    words = shipped_book().words(locale).consent
    clause = CLAUSE if locale == "en" else GERMAN_CLAUSE
    return read_answer(text, question_about((clause,), locale, words), words)


@pytest.mark.parametrize(("locale", "answers"), [("en", ANSWERS), ("de", GERMAN)])
def test_an_answer_is_read_as_it_was_meant(
    locale: str, answers: dict[type[Reading], tuple[str, ...]]
) -> None:
    wrong = [
        f"{text!r} is {type(found).__name__}, not {kind.__name__}"
        for kind, texts in answers.items()
        for text in texts
        if not isinstance(found := reading(text, locale), kind)
    ]

    assert wrong == []


SPOILERS = {
    "en": ("don't {}", "{} but not today", "{}? I don't know", "wait, {}", "{} if I can"),
    "de": (
        "{}, doch nicht",
        "{} aber heute nicht",
        "{}? Ich weiß nicht",
        "warten Sie, {}",
        "{} falls ich kann",
    ),
}


@pytest.mark.parametrize(("locale", "answers"), [("en", ANSWERS), ("de", GERMAN)])
def test_a_doubt_or_denial_is_never_a_yes(locale: str, answers: dict[type[Reading], tuple[str, ...]]) -> None:
    spoilt = [spoiler.format(yes) for yes in answers[AgreedToAll] for spoiler in SPOILERS[locale]]

    assert [text for text in spoilt if isinstance(reading(text, locale), AgreedToAll)] == []

"""Answers of many kinds, written before any rule was tuned to them: no other answer is read as consent."""

from pathlib import Path

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.tool_spec import Hint, ToolSpec
from assistant.prompts.book import shipped_book
from assistant.turn.consent.answer import read_answer
from assistant.turn.consent.question import Question
from assistant.turn.consent.read_question import question_about
from assistant.turn.consent.readings import AgreedToAll
from tests.support.rows import check_rows

HERE = Path(__file__).parent / "phrasings"
ASKED = {
    "en": "cancel your eye test on Tuesday, November 24 at 2 pm",
    "de": "Ihren Sehtest am Dienstag, 24. November um 14:00 Uhr absagen",
}
SPEC = ToolSpec(
    name="cancel_appointment",
    description="",
    parameters={},
    hints={
        "en": Hint(doing="cancelling your appointment", will="cancel your appointment"),
        "de": Hint(doing="Ihren Termin absagen", will="sage Ihren Termin ab"),
    },
)
CALL = Call(id="c1.1", tool="cancel_appointment", arguments={"day": "2026-11-24"})
ELSEWHERE = frozenset({"order", "status", "open", "opening", "hours", "invoices", "contact", "details"})


def lines(name: str) -> list[str]:
    return (HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def asked(locale: str) -> Question:
    words = shipped_book().words(locale).consent
    return question_about((ASKED[locale],), locale, words, (CALL,), {CALL.tool: SPEC}, ELSEWHERE)


def is_yes(text: str, locale: str) -> bool:
    return isinstance(read_answer(text, asked(locale), shipped_book().words(locale).consent), AgreedToAll)


NOT_CONSENT = [
    (text, name[:2]) for name in ("en_negated", "en_other", "de_negated", "de_other") for text in lines(name)
]


@check_rows(("text", "locale"), NOT_CONSENT)
def test_no_other_answer_is_ever_read_as_consent(text: str, locale: str) -> None:
    assert not is_yes(text, locale)


@pytest.mark.parametrize(("name", "least", "of"), [("en_yes", 36, 40), ("de_yes", 18, 20)])
def test_most_consent_is_understood(name: str, least: int, of: int) -> None:
    texts = lines(name)

    assert len(texts) == of
    assert sum(is_yes(text, name[:2]) for text in texts) >= least


# The second set was written after the rules for the first: 12 of its 20 yeses were understood then.
@check_rows("text", [line[2:] for line in lines("en_blind") if line.startswith("- ")])
def test_no_other_answer_of_the_second_set_is_ever_read_as_consent(text: str) -> None:
    assert not is_yes(text, "en")


def test_most_consent_of_the_second_set_is_understood() -> None:
    texts = [line[2:] for line in lines("en_blind") if line.startswith("+ ")]

    assert len(texts) == 20
    assert sum(is_yes(text, "en") for text in texts) >= 18


@check_rows("text", ["mhm", "Mhm.", "hm", "uh-huh", "hmm", "mmm", "aha", "mm-hmm", "ah"])
@check_rows("locale", ["en", "de"])
def test_a_sound_is_never_consent(text: str, locale: str) -> None:
    assert not is_yes(text, locale)


@check_rows("locale", ["en", "de"])
@check_rows("spoiler", ["{}?", "{}, 🤔", "👎 {}"])
def test_a_questioned_yes_is_none(locale: str, spoiler: str) -> None:
    # "Sure, why not?" asks nothing.
    for text in (line for line in lines(f"{locale}_yes") if not line.endswith("why not")):
        assert not is_yes(spoiler.format(text.rstrip(".!?")), locale), text


@pytest.mark.parametrize(
    ("text", "locale", "beside"),
    [
        ("Yes, and when are you open?", "en", "and when are you open?"),
        ("Ja bitte, und wann haben Sie geöffnet?", "de", "und wann haben Sie geöffnet?"),
        ("Ja. Was schulde ich?", "de", "Was schulde ich?"),
    ],
)
def test_text_next_to_a_clear_yes_is_kept(text: str, locale: str, beside: str) -> None:
    consent = read_answer(text, asked(locale), shipped_book().words(locale).consent)

    assert consent == AgreedToAll(also=beside)


@check_rows(
    "text",
    [
        "ok, see you Tuesday", "perfect, I do my eye test on Tuesday", "yes I have an eye test on Tuesday",
        "yes to the eye test", "yes I want my appointment", "great, see you on Tuesday at 2", "Yes, 3 pm",
        "yes, November 25", "👍👎", "Right. When are you open?", "good, and when are you open?", "yes, and when",
    ],
)  # fmt: skip
def test_text_that_only_sounds_like_a_yes_is_none(text: str) -> None:
    assert not is_yes(text, "en")

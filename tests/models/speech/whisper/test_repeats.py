"""Repetition loops of the model, and repetitions of people."""

import pytest

from assistant.models.speech.transcribe import repeats, without_repetition
from tests.support.rows import check_rows


@check_rows(
    "text",
    [
        "Check my appointments in billing Check my appointments in billing",
        "When is my next appointment? When is my next appointment? When is my next appointment?",
        "Stop Stop Stop Stop Stop Stop",
        "I said that it is due. It is due. It is due.",
        "My number is 46-70. My number is 46-70.",
        "ha" * 60,
        "one two one two one two one two",
    ],
)
def test_a_loop_is_recognised(text: str) -> None:
    assert repeats(text)


@check_rows(
    "text",
    [
        "",
        "Stop.",
        "No, no, no. The second one.",
        "Thank you, thank you.",
        "My phone number is 46701234567.",
        "My number is zero zero four six, one one two, nine nine nine.",
        "The lens I ordered three weeks ago has not arrived yet, and nobody has answered my letters.",
        "Is it the blue one or the green one, and when is it due, and is it the one that I ordered?",
    ],
)
def test_peoples_repetitions_are_no_loop(text: str) -> None:
    assert not repeats(text)


@pytest.mark.parametrize(
    ("text", "once"),
    [
        ("When is it due? When is it due? When is", "When is it due?"),
        ("Well, stop. Stop. Stop. Stop. St", "Well, stop."),
        ("It is due. Thank you.", "It is due. Thank you."),
    ],
)
def test_an_endless_repetition_is_kept_once(text: str, once: str) -> None:
    assert without_repetition(text) == once

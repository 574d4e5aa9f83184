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


@pytest.mark.parametrize("yes", ANSWERS["yes"])
@pytest.mark.parametrize(
    "spoiler", ["don't {}", "{} but not today", "{}? I don't know", "wait, {}", "{} if I can"]
)
def test_nothing_that_doubts_or_denies_is_ever_a_yes(yes: str, spoiler: str) -> None:
    words = shipped_book().words("en").consent

    assert read_consent(spoiler.format(yes), READ_BACK, words).meaning != "yes"

"""Backchannels do not interrupt; answers, questions and requests do."""

from assistant.prompts.words import NO_LISTENING_WORDS, ListeningWords
from assistant.voice.barge_in import is_backchannel
from tests.support.rows import check_rows

LISTENING = [
    "ok",
    "Okay.",
    "Mm-hmm.",
    "mhm",
    "Uh-huh!",
    "Yeah, right.",
    "I see…",
    "OK, ok, got it.",
    "Oh, I see.",
]
SAYING = [
    "",
    " ... ",
    "no",
    "Stop.",
    "Wait.",
    "Okay, but not on Tuesday.",
    "Yeah, cancel it",
    "Right?",
    "What?",
    "and",
]


@check_rows("text", LISTENING)
def test_backchannels_are_recognised(text: str, words: ListeningWords) -> None:
    assert is_backchannel(text, words)


@check_rows("text", SAYING)
def test_other_words_are_recognised(text: str, words: ListeningWords) -> None:
    assert not is_backchannel(text, words)


@check_rows("text", LISTENING)
def test_with_an_open_question_it_is_an_answer(text: str, words: ListeningWords) -> None:
    assert not is_backchannel(text, words, asked=True)


def test_each_language_has_its_own_words(german: ListeningWords) -> None:
    assert is_backchannel("Ach so, alles klar.", german)
    assert not is_backchannel("Ach so, und wann?", german)
    assert not is_backchannel("ok", NO_LISTENING_WORDS)

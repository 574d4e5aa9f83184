"""Who only listens does not interrupt; who answers, asks or wants something does."""

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
def test_they_only_listen(text: str, words: ListeningWords) -> None:
    assert is_backchannel(text, words)


@check_rows("text", SAYING)
def test_they_say_something(text: str, words: ListeningWords) -> None:
    assert not is_backchannel(text, words)


@check_rows("text", LISTENING)
def test_where_a_yes_or_no_is_waited_for_it_is_an_answer(text: str, words: ListeningWords) -> None:
    assert not is_backchannel(text, words, asked=True)


def test_each_language_has_its_own(german: ListeningWords) -> None:
    assert is_backchannel("Ach so, alles klar.", german)
    assert not is_backchannel("Ach so, und wann?", german)
    assert not is_backchannel("ok", NO_LISTENING_WORDS)

"""In a language whose answers are read as a whole, a yes counts only if it contains nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.prompts.book import shipped_book
from assistant.prompts.consent_words import ConsentWords
from assistant.turn.consent.answer import read_answer
from assistant.turn.consent.question import Question
from assistant.turn.consent.readings import AgreedToAll, Declined, Hold, Unclear
from tests.support.rows import check_rows

BOOK = shipped_book()
WHOLE = tuple(one for one in BOOK.locales if BOOK.words(one).consent.grammar == "whole")
ASKED = Question((), (), ())


def words_of(locale: str) -> ConsentWords:
    return BOOK.words(locale).consent


@pytest.mark.parametrize("locale", WHOLE)
def test_each_yes_agrees_and_each_no_declines(locale: str) -> None:
    words = words_of(locale)
    please = next(iter(words.polite))

    for yes in words.yes:
        assert read_answer(f"{yes.upper()}!", ASKED, words) in (AgreedToAll(), Unclear())
        assert read_answer(f"{yes}, {please}.", ASKED, words) in (AgreedToAll(), Unclear()), yes
        assert read_answer(f"{yes}?", ASKED, words) == Unclear()
    for no in words.no:
        assert not isinstance(read_answer(no, ASKED, words), AgreedToAll), no
    assert read_answer(next(iter(words.yes)), ASKED, words) == AgreedToAll()
    assert read_answer(next(iter(words.no)), ASKED, words) == Declined()


@pytest.mark.parametrize("locale", WHOLE)
@given(data=st.data())
def test_a_yes_with_any_other_word_does_not_agree(locale: str, data: st.DataObject) -> None:
    words = words_of(locale)
    known = {word for phrases in (words.yes, words.polite) for phrase in phrases for word in phrase.split()}
    other = data.draw(
        st.text(alphabet="bcdfgklmnprstvz", min_size=3, max_size=8).filter(lambda w: w not in known)
    )
    pieces = data.draw(st.lists(st.sampled_from([*words.yes, *words.polite]), min_size=1, max_size=3))
    at = data.draw(st.integers(0, len(pieces)))

    said = " ".join([*pieces[:at], other, *pieces[at:]])

    assert not isinstance(read_answer(said, ASKED, words), AgreedToAll | Declined), said


@check_rows(
    ("locale", "answer"),
    [
        ("fr", "oui mais pas demain"),
        ("fr", "oui ou non"),
        ("fr", "oui, la première seulement"),
        ("fr", "👍 non"),
        ("es", "claro que no"),
        ("es", "sí, pero a las tres"),
        ("es", "si no hay coste"),
        ("it", "sì, ma non oggi"),
        ("it", "va bene domani?"),
        ("nl", "ja hoor, maar wacht even"),
        ("nl", "is goed als het gratis is"),
        ("pt", "sim, mas só a primeira"),
        ("pt", "pode ser amanhã"),
        ("pl", "tak, ale nie dziś"),
        ("pl", "dobrze by było w środę"),
        ("sv", "ja, fast inte idag"),
        ("sv", "okej vänta"),
        ("tr", "evet ama yarın"),
        ("tr", "tamam mı"),
    ],
)
def test_a_yes_with_a_condition_does_not_agree(locale: str, answer: str) -> None:
    assert read_answer(answer, ASKED, words_of(locale)) == Unclear()


def test_without_words_for_yes_no_text_agrees() -> None:
    none = ConsentWords(grammar="none")

    assert read_answer("oui", ASKED, none) == Hold()
    assert read_answer("c'est combien ?", ASKED, none) == Unclear()
    assert read_answer("je voudrais aussi changer mon adresse", ASKED, none) == Unclear()

"""Word lists find what customers say, and a mistake in their file is named."""

import pytest

from assistant.errors import DeclarationError
from assistant.prompts.book import PromptBook
from assistant.prompts.words import WordList, read_words
from tests.support.rows import check_rows


def test_phrases_are_whole_words_in_any_case_with_any_apostrophe() -> None:
    words = WordList(("don't", "no,", "hold on"))

    assert "Please DON’T" in words
    assert "no, Wednesday" in words
    assert "household onions" not in words
    assert 7 not in words
    assert list(words) == ["don't", "no,", "hold on"]


def test_the_longest_of_several_phrases_is_found() -> None:
    words = WordList(("not", "not now"))

    assert words.found_in("Not now, and not later") == ("not now", "not")
    assert words.without("Not now, please") == ", please"
    assert words.is_one("NOT  now")
    assert not words.is_one("not now please")
    assert not words.begins("please, not now")


def test_an_empty_list_finds_nothing() -> None:
    assert "" not in WordList(())
    assert WordList(()).found_in("anything") == ()


@check_rows("answer", ["yes", "Yes please!", "go ahead", "OK", "that's right", "Sure"])
def test_agreeing_words_are_known(answer: str, book: PromptBook) -> None:
    consent = book.words("en").consent

    assert answer in consent.yes or answer in consent.approval
    assert answer not in consent.negation
    assert answer not in consent.no
    assert answer not in consent.hold
    assert answer not in consent.correction


@check_rows(
    ("answer", "kind"),
    [
        ("No thanks", "no"),
        ("please don't", "negation"),
        ("yes, but not now", "no"),
        ("never mind", "retraction"),
        ("ok, wait a second", "hold"),
        ("yes if it is free", "hold"),
        ("actually...", "second_thoughts"),
        ("the other one", "others"),
        ("make it 3 pm", "correction"),
        ("Wednesday instead", "correction"),
    ],
)
def test_refusing_words_are_known_too(answer: str, kind: str, book: PromptBook) -> None:
    assert answer in getattr(book.words("en").consent, kind)


def test_a_promise_is_known(book: PromptBook) -> None:
    promise = book.words("en").promise

    assert "Let me check that for you." in promise
    assert "I’ll look that up now." in promise
    assert "Your order was sent." not in promise


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (
            "[promise]",
            "[promises]",
            "'promises': extra inputs are not permitted; the settings here are: language, consent, register,",
        ),
        ('when = "{day} at {time}"', 'when = "{day}"', "'formats.when': string should match pattern"),
        ("\nyes = [", "\nyes = 3\nyea = [", "'consent.yes': input should be a valid tuple"),
    ],
)
def test_a_mistake_in_the_file_is_named(old: str, new: str, complaint: str, book: PromptBook) -> None:
    source = book.sources["locales/en.toml"]

    with pytest.raises(DeclarationError) as raised:
        read_words(source.replace(old, new), "prompts/locales/en.toml")

    where, _, what = str(raised.value).partition(": ")
    assert where.startswith("prompts/locales/en.toml:")
    assert what.startswith(complaint)
    if "match" in complaint:
        assert source.splitlines()[int(where.rpartition(":")[2]) - 1].startswith("when")

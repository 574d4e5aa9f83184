"""The language of a short message is recognised by its words; an unclear message keeps the language."""

from pathlib import Path

import pytest

from assistant.language.detect import guess_language
from assistant.prompts.book import PromptBook
from assistant.prompts.locale import LanguageWords, language_of, one_per_language
from tests.support.rows import check_rows

HERE = Path(__file__).parent


def lines(name: str) -> list[str]:
    return (HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(("written", "page"), [("en", "de"), ("de", "en")])
def test_most_messages_are_recognised_on_a_page_of_the_other_language(
    written: str, page: str, book: PromptBook
) -> None:
    messages = lines(f"messages_{written}")
    wrong = [message for message in messages if book.language_of(message, page) != written]

    assert len(messages) >= 120
    assert len(wrong) <= 0.03 * len(messages), wrong


@pytest.mark.parametrize(("written", "page"), [("en", "de"), ("de", "en")])
def test_messages_outside_the_lists_are_recognised_as_well(written: str, page: str, book: PromptBook) -> None:
    messages = lines(f"unseen_{written}")
    wrong = [message for message in messages if book.language_of(message, page) != written]

    assert len(messages) == 30
    assert len(wrong) <= 1, wrong


@pytest.mark.parametrize("written", ["fr", "es", "it", "nl", "pt", "pl", "sv", "tr"])
def test_most_messages_of_eight_more_languages_are_recognised(written: str, book: PromptBook) -> None:
    messages = [*lines(f"messages_{written}"), *lines(f"unseen_{written}")]
    wrong = [message for message in messages if book.language_of(message, "en") != written]

    assert len(messages) >= 30
    assert len(wrong) <= 4, wrong
    assert [message for message in messages if book.language_of(message, written) != written] == []


def test_the_model_counts_only_if_the_lists_do_not_decide() -> None:
    known = {
        "en": LanguageWords(words=frozenset({"where", "is", "me"})),
        "fr": LanguageWords(words=frozenset({"me"}), guessed=True),
    }

    assert language_of("Où est passée ma commande ?", known, "en") == "fr"
    assert language_of("where is it", known, "fr") == "en"
    assert language_of("Marie Dubois", known, "en") == "en"
    assert language_of("#10482", known, "fr") == "fr"


def test_a_guess_does_not_outweigh_the_words_of_a_list(book: PromptBook) -> None:
    assert guess_language("Wait a moment", frozenset(book.locales)).language == "fr"
    assert book.language_of("Wait a moment", "en") == "en"
    assert book.language_of("es eilt", "de") == "de"


@pytest.mark.parametrize("written", ["en", "de"])
def test_no_message_leaves_the_language_it_is_in(written: str, book: PromptBook) -> None:
    messages = [*lines(f"messages_{written}"), *lines(f"unseen_{written}")]

    assert [message for message in messages if book.language_of(message, written) != written] == []


@check_rows("message", lines("messages_ambiguous"))
def test_text_without_a_language_keeps_the_current_one(message: str, book: PromptBook) -> None:
    assert book.language_of(message, "en-GB") == "en-GB"
    assert book.language_of(message, "de-AT") == "de-AT"
    assert book.language_of(message, "nl") == "nl"


def test_the_region_of_the_page_is_kept_where_the_language_agrees(book: PromptBook) -> None:
    german, english = "Wo ist meine Bestellung?", "Where is my order?"

    assert book.language_of(german, "de-AT") == "de-AT"
    assert book.language_of(english, "de-AT") == "en"
    assert book.language_of(german, "en", page="de-AT") == "de-AT"
    assert book.language_of(german, "en", page="en-US") == "de"
    assert book.language_of(english, "de", page="en_US") == "en_US"


def test_a_mixed_message_stays_where_neither_language_has_more(book: PromptBook) -> None:
    assert book.language_of("Termin cancel", "en") == "en"
    assert book.language_of("Termin cancel", "de") == "de"


def test_words_of_several_languages_decide_nothing() -> None:
    lists = {
        "aa": LanguageWords(words=frozenset({"also", "the"})),
        "bb": LanguageWords(words=frozenset({"also", "der"})),
        "bb-CC": LanguageWords(words=frozenset({"der", "die"})),
        "dd-EE": LanguageWords(words=frozenset({"het"})),
    }
    known = one_per_language(lists)

    assert set(known) == {"aa", "bb", "dd-EE"}
    assert language_of("also", known, "aa") == "aa"
    assert language_of("Der", known, "aa") == "bb"
    assert language_of("het", known, "aa") == "dd-EE"
    assert language_of("het", known, "aa", page="dd") == "dd"
    assert language_of("het", {}, "aa") == "aa"


def test_an_ending_and_a_letter_decide_together_and_not_alone() -> None:
    known = {"xx": LanguageWords(words=frozenset(), endings=("ung",), letters=frozenset("ü"))}

    assert language_of("Überprüfung", known, "en") == "xx"
    assert language_of("Hartung", known, "en") == "en"
    assert language_of("Müller", known, "en") == "en"
    assert language_of("prüf", known, "en") == "en"
    assert language_of("prüf hübsch", known, "en") == "xx"
    assert language_of("young hung", known, "en") == "en"

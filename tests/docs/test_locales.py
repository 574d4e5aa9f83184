"""The page about languages says what the code does, and its sentences are complete."""

import re

import pytest

from docs.generate.locales import LANGUAGES, languages_page, locales_page, rows
from tests.docs.pages import page

BEGINS_AGAIN = re.compile(r"^(?:ich|werde|wir)\b")
DANGLING = re.compile(r"\b(?:and|und|,)\s*[.,]|\s[.,]|\s\s|\.\.")


def test_the_page_is_as_generated() -> None:
    assert page("docs/guides/locales.md").text == locales_page(), "run `python -m docs.generate`"
    assert page("docs/reference/languages.md").text == languages_page(), "run `python -m docs.generate`"


@pytest.mark.parametrize("locale", LANGUAGES)
def test_there_are_fifty_sentences_and_no_two_begin_alike_running(locale: str) -> None:
    table = list(rows(locale))

    assert len(table) >= 50
    assert [row.sentence for row in table if DANGLING.search(row.sentence)] == []
    assert all(row.sentence.endswith(".") and row.sentence[0].isupper() for row in table)


def test_german_clauses_begin_with_their_verb_and_are_joined() -> None:
    for row in rows("de"):
        said = re.fullmatch(r"(?:.+[.,] )?[Ii]ch (.+)\.", row.sentence)
        assert said is not None, row.sentence
        for clause in re.split(r", | und ", said[1]):
            assert re.match(r"[a-zäöü]+e\b", clause), row.sentence
            assert not BEGINS_AGAIN.match(clause), row.sentence

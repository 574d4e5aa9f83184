"""README, docs, the package and its tests use words that plain English needs."""

from docs.plain_english import too_many


def test_no_part_has_more_of_the_rare_words_than_it_may() -> None:
    assert too_many() == []

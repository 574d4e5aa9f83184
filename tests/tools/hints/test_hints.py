"""A gerund hint becomes the assistant's promise."""

from pathlib import Path

from assistant.tools.hints import hint_problem, infinitive
from tests.support.rows import check_rows

HINTS = [tuple(line.split("\t")) for line in Path(__file__).with_name("hints.tsv").read_text().splitlines()]


def test_there_are_two_hundred_examples() -> None:
    assert len(HINTS) >= 200


@check_rows(("doing", "will"), HINTS)
def test_a_typical_hint_becomes_its_promise(doing: str, will: str) -> None:
    assert hint_problem(doing) is None
    assert infinitive(doing) == will


@check_rows(
    ("doing", "will"),
    [
        ("pulling together and sending your papers", "pull together and send your papers"),
        ("yodelling", "yodel"),
        ("rejigging your order", "rejig your order"),
        ("checking your order or quickly calling the shop", "check your order or quickly call the shop"),
        ("running pricing and billing checks", "run pricing and billing checks"),
        ("checking the pricing and billing for you", "check the pricing and billing for you"),
        ("getting the keys and driving there", "get the keys and driving there"),
    ],
)
def test_a_phrase_that_is_no_promise_is_not_changed(doing: str, will: str) -> None:
    assert infinitive(doing) == will

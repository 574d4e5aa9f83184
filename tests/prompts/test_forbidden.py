"""Forbidden phrases are never shown, however a text is cut; everything else is."""

import re

from hypothesis import given
from hypothesis import strategies as st

from assistant.prompts.voice import ForbiddenPhrases
from tests.support.rows import check_rows

PHRASES = ("a bad word", "bad", "word to", "hell", "c++", "#1 rated")
PIECES = st.sampled_from(
    [
        "a",
        "bad",
        "word",
        "BAD",
        "to",
        "hell",
        "hello",
        "o",
        " ",
        "  ",
        "\n",
        ".",
        "c+",
        "+",
        "#",
        "1 rated",
        "ß",
    ]
)


def shown(pieces: list[str], phrases: tuple[str, ...] = PHRASES) -> list[str]:
    guard = ForbiddenPhrases(phrases)
    return [*(guard.push(piece) for piece in pieces), guard.close()]


@given(st.lists(PIECES))
def test_no_phrase_is_ever_shown(pieces: list[str]) -> None:
    text = "".join(shown(pieces)).casefold()

    for phrase in PHRASES:
        before = r"(?<!\w)" if phrase[0].isalnum() else ""
        after = r"(?!\w)" if phrase[-1].isalnum() else ""
        assert not re.search(before + re.escape(phrase).replace(r"\ ", r"\s+") + after, text)


@given(st.lists(PIECES))
def test_the_cuts_make_no_difference(pieces: list[str]) -> None:
    assert (
        "".join(shown(pieces)) == "".join(shown(["".join(pieces)])) == "".join(shown(list("".join(pieces))))
    )


@given(st.lists(st.text()))
def test_a_text_without_a_phrase_is_unchanged(pieces: list[str]) -> None:
    assert "".join(shown(pieces, ("never said by anybody",))) == "".join(pieces)


@given(st.lists(st.text()))
def test_without_phrases_nothing_is_held(pieces: list[str]) -> None:
    assert shown(pieces, ()) == [*pieces, ""]


@check_rows(
    ("pieces", "come_out"),
    [
        (["It is fr", "ee of ", "charge, really"], ["It is ", "", "…, really", ""]),
        (["free of char", "m"], ["", "free of charm", ""]),
        (["free of charge"], ["", "…"]),
        (["free of charge", "s"], ["", "free of charges", ""]),
        (["carefree of charge!"], ["carefree of charge!", ""]),
        (["carefree", " of charge"], ["carefree", " of charge", ""]),
        (["So free  ", "of\nCharge."], ["So ", "….", ""]),
    ],
)
def test_only_what_may_become_a_phrase_is_held(pieces: list[str], come_out: list[str]) -> None:
    assert shown(pieces, ("free of charge",)) == come_out


def test_phrases_without_a_word_are_ignored() -> None:
    assert shown(["..."], ("...", "", "…")) == ["...", ""]

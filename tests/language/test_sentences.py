"""Sentences are cut where they end, in whatever pieces they come."""

from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.language.sentences import SentenceCutter, sentences
from tests.support.rows import check_rows

PARTS = [
    "Dr. Weber",
    "e.g. ",
    "3.50",
    "2 p.m. on",
    "www.x.de",
    "3. Dezember",
    "Done. ",
    "No. 5",
    "No. You",
    "- item\n",
    "1. First\n",
    "\n\n",
    " ",
    "Really?! ",
    "“So.” ",
    "word",
    "…",
    "\t",
]


@st.composite
def in_pieces(draw: st.DrawFn) -> list[str]:
    """A text with traps, cut anywhere."""
    text = "".join(draw(st.lists(st.sampled_from(PARTS), max_size=8)))
    ends = sorted({0, len(text), *draw(st.lists(st.integers(0, len(text)), max_size=12))})
    return [text[begin:end] for begin, end in pairwise(ends)]


@given(in_pieces(), st.sampled_from(["en", "de"]))
def test_the_pieces_joined_are_the_text_and_cuts_make_no_difference(pieces: list[str], locale: str) -> None:
    cutter = SentenceCutter(locale)
    cut: list[str] = []
    for piece in (piece for text in pieces for piece in cutter.push(text)):
        if piece.begins:
            cut.append(piece.text)
        else:
            cut[-1] += piece.text

    assert "".join(cut) == "".join(pieces)
    assert cut == sentences("".join(pieces), locale)


@check_rows(
    "text",
    [
        "You see Dr. Weber then.",
        "Bring something, e.g. Your card.",
        "It costs 3.50 now.",
        "It is at 2 p.m. on Monday.",
        "See www.x.de or mail a.b@x.de today.",
        "Am 3. Dezember um 14 Uhr.",
        "Das ist z.B. Ihre Karte.",
        "Order No. 5 is due on Nov. 24 then.",
        "1. First item",
        "Well... it depends.",
        "Ask J. Smith for it.",
        "From approx. Monday on.",
    ],
)
def test_false_ends_do_not_cut_a_sentence(text: str) -> None:
    assert sentences(text, "de" if "Dezember" in text else "en") == [text]


@check_rows(
    ("text", "cut"),
    [
        ("Sure. Let me see.", ["Sure. ", "Let me see."]),
        ("No. You can't.", ["No. ", "You can't."]),
        ("Sure! let me see.", ["Sure! ", "let me see."]),
        ("Really?! Yes.", ["Really?! ", "Yes."]),
        ("He said “no.” Then he left.", ["He said “no.” ", "Then he left."]),
        ("It is 2 p.m. You are late.", ["It is 2 p.m. ", "You are late."]),
        ("So do I. You too.", ["So do I. ", "You too."]),
        ("You owe 150. That is all.", ["You owe 150. ", "That is all."]),
        ("See you at 5. We wait.", ["See you at 5. ", "We wait."]),
        ("See www.x.de. It is all there.", ["See www.x.de. ", "It is all there."]),
        (
            "Two things:\n1. Bring it\n2. Wear it\n\nBye",
            ["Two things:\n", "1. Bring it\n", "2. Wear it\n\n", "Bye"],
        ),
        ("Well… You know.", ["Well… ", "You know."]),
        ("(It is open.) Come in.", ["(It is open.) ", "Come in."]),
        ("Fine. 3 are left.", ["Fine. ", "3 are left."]),
        ("", []),
    ],
)
def test_sentences_end(text: str, cut: list[str]) -> None:
    assert sentences(text) == cut


def test_each_character_is_passed_on_immediately() -> None:
    cutter = SentenceCutter()

    pieces = [cutter.push(char) for char in "Hi. You"]

    assert ["".join(piece.text for piece in each) for each in pieces] == list("Hi. You")
    assert [each[0].begins for each in pieces] == [True, False, False, False, True, False, False]
    assert cutter.push("") == []


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("filler", [" ", "\n", "x", ".", ". "])
def test_endless_text_costs_no_more_than_its_length(filler: str) -> None:
    cutter, began = SentenceCutter(), process_time()

    for _ in range(20_000):
        cutter.push(filler)

    assert len(cutter._before) <= 42
    assert len(sentences(filler * 20_000)) >= 1
    assert process_time() - began < 2  # about ten times as long as the slowest

"""A message is cut where a speaker would pause, in whatever pieces it comes."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assistant.voice.speech_chunker import SpeechChunk, SpeechChunker
from assistant.voice.text_normalization.normalize import normalize_for_speech
from tests.support.rows import check_rows

HEAD = "| Order | Due |\n|---|---|\n"
PARTS = [
    "You owe $1,250.50. ", "Dr. Weber", "Your visit is on Tuesday, ", "Dec 9, 2026", "at 2 p.m. on",
    "**Note. It is.** ", "**open. ", "[our page. Now](https://x.example/a.b) ", "`a. b` ",
    "(in all. So) ", "(open. ", "- item. More\n", "* ", "1. First\n", "2. ", HEAD, "| 1 | 2 |\n",
    "|x\n", "a | b\n", "---|---\n", "```\nx. Y\n", "```\n", "\n", "\n\n", " ", "# Title. Yes\n",
    "> said. So\n", "ana@x.example. ", "e.g. ", "Really?! ", "word ", "…", "So: ", "; ", "☎", "\t",
    "~~~", "_so. On_ ", "<b>. X",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PARTS), max_size=12).map("".join)


def cut(text: str, locale: str = "en") -> list[SpeechChunk]:
    pieces = SpeechChunker(locale)
    return [*pieces.push(text), *pieces.close()]


def texts(text: str) -> list[str]:
    return [piece.text for piece in cut(text)]


@given(TEXTS, st.lists(st.integers(0, 400), max_size=12), st.sampled_from(["en", "de"]))
@example("", [0], "en")
def test_cuts_in_the_stream_make_no_difference(text: str, cuts: list[int], locale: str) -> None:
    ends = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = SpeechChunker(locale)

    made = [piece for begin, end in pairwise(ends) for piece in pieces.push(text[begin:end])]

    assert [*made, *pieces.close()] == cut(text, locale)


@given(st.one_of(TEXTS, st.text(max_size=120)))
def test_every_character_is_in_one_chunk_in_order(text: str) -> None:
    pieces = cut(text)

    assert [piece.start for piece in pieces] == [0, *(piece.end for piece in pieces)][: len(pieces)]
    assert (pieces[-1].end if pieces else 0) == len(text)
    assert all(piece.start < piece.end for piece in pieces)
    assert "|" in text or "".join(piece.text for piece in pieces) == text


@given(TEXTS)
def test_letter_by_letter_it_gives_the_same_as_at_once(text: str) -> None:
    pieces = SpeechChunker()

    assert [*(piece for sign in text for piece in pieces.push(sign)), *pieces.close()] == cut(text)


@check_rows(
    ("text", "pieces"),
    [
        ("Sure. Let me see. ", ["Sure. ", "Let me see. "]),
        ("Your visit is on Tuesday, with Ana, at two.", ["Your visit is on Tuesday, ", "with Ana, at two."]),
        ("I found two things: one is due.", ["I found two things: ", "one is due."]),
        ("It is all done — you may go.", ["It is all done — ", "you may go."]),
        ("Sure, I'll look that up, wait.", ["Sure, I'll look that up, ", "wait."]),
        ("It is due on Dec 9, 2026, at noon.", ["It is due on Dec 9, 2026, ", "at noon."]),
        ("That is one, e.g. two, or three.", ["That is one, e.g. two, ", "or three."]),
        ("First. Your visit is on Tuesday, at two.", ["First. ", "Your visit is on Tuesday, at two."]),
        ("One\ntwo\n\nthree", ["One\n", "two\n\n", "three"]),
        ("\n\nSo. And on.", ["\n\nSo. ", "And on."]),
    ],
)
def test_the_first_clause_comes_early_and_then_sentences(text: str, pieces: list[str]) -> None:
    assert texts(text) == pieces


@check_rows(
    "text",
    [
        "It costs $1,250.50 at 2 p.m. on Nov. 24 with Dr. Weber.",
        "See ana.b@x.example or https://x.example/a.b?c=1,d.",
        "See **Note. It is all there. Yes** now.",
        "It is *so. On*, __so. On__ and ~~so. On~~.",
        "See [our page. It is here](https://x.example 'a. B') now.",
        "Run `a. b, C. D` now.",
        "It is (as I said. Yes) done.",
        "- Paid. Thanks\n",
        "12. Paid. Thanks",
        "# Title. Yes",
        "> You said. So",
        "```\na. B\n\nc. D\n```\n",
        "~~~\na. B\n```\nC",
        "a. B | c. D",
    ],
)
def test_related_text_stays_together(text: str) -> None:
    assert texts(text) == [text]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("It is **open. So it ends.\nNow. Yes", ["It is **open. ", "So it ends.\n", "Now. ", "Yes"]),
        ("It is (open. So it ends. Yes", ["It is (open. ", "So it ends. ", "Yes"]),
        ("**So. It** is. And (on. So) it. Goes", ["**So. It** is. ", "And (on. So) it. ", "Goes"]),
    ],
)
def test_unclosed_marks_are_plain_text(text: str, pieces: list[str]) -> None:
    assert texts(text) == pieces


def test_a_clause_is_returned_with_the_first_character_of_the_next() -> None:
    pieces = SpeechChunker()

    assert pieces.push("Your visit is on Tuesday, ") == []
    assert pieces.push("a") == [SpeechChunk(0, 26, "Your visit is on Tuesday, ")]


def test_an_item_is_returned_when_it_is_complete() -> None:
    pieces = SpeechChunker()

    assert pieces.push("Here:\n- one. Two") == [SpeechChunk(0, 6, "Here:\n")]
    assert pieces.push("\n- ") == [SpeechChunk(6, 17, "- one. Two\n")]
    assert pieces.close() == [SpeechChunk(17, 19, "- ")]


def test_each_row_has_its_tables_head() -> None:
    pieces = SpeechChunker()

    assert pieces.push(f"Here:\n{HEAD}| 7 | Dec 9 |\n| 8 |") == [
        SpeechChunk(0, 6, "Here:\n"),
        SpeechChunk(6, 46, f"{HEAD}| 7 | Dec 9 |\n"),
    ]
    assert pieces.push(" now |\n\nBye") == [SpeechChunk(46, 59, f"{HEAD}| 8 | now |\n\n")]
    assert [normalize_for_speech(piece.text) for piece in cut(f"{HEAD}| 7 | Dec 9 |\n| 8 | now |")] == [
        "Order seven: due December ninth.",
        "Order eight: due now.",
    ]


@check_rows(
    ("rows", "last"),
    [(4, "due 3"), (5, "due 4"), (6, "And two more in the chat."), (9, "And five more in the chat.")],
)
@check_rows("after", ["", "\n\nBye.", "\n- x"])
def test_a_long_table_is_read_the_same_in_pieces(rows: int, last: str, after: str) -> None:
    table = HEAD + "\n".join(f"| x | due {row} |" for row in range(rows))

    said = [normalize_for_speech(piece.text) for piece in cut(table + after)]

    assert " ".join(said) == normalize_for_speech(table + "\n" + after)
    assert normalize_for_speech(last).rstrip(".") in said[min(rows, 5) - 1]


@check_rows(
    ("text", "pieces"),
    [
        ("| a | b |\nno table. Here", ["| a | b |\n", "no table. ", "Here"]),
        ("| a | b |\n- item", ["| a | b |\n", "- item"]),
        ("| a | b |\n|---|---|", ["| a | b |\n|---|---|"]),
        ("| a | b |\n|---|---|\n\nSo", ["| a | b |\n|---|---|\n\n", "So"]),
        ("| a |\n| b |\n|---|\n| c |", ["| a |\n", "| b |\n|---|\n| c |"]),
        (f"{HEAD}| 1 | 2 |\n- item\n", [f"{HEAD}| 1 | 2 |\n", "- item\n"]),
        (f"{HEAD}- item\n- more", [HEAD, "- item\n", "- more"]),
        (f"{HEAD}| 1 | 2 |\n```\nx. Y\n```", [f"{HEAD}| 1 | 2 |\n", "```\nx. Y\n```"]),
    ],
)
def test_text_that_only_looks_like_a_table_is_none(text: str, pieces: list[str]) -> None:
    assert texts(text) == pieces


def test_in_german_the_unread_rows_are_counted_in_german() -> None:
    pieces = SpeechChunker("de-AT")
    pieces.push(HEAD + "| 1 | 2 |\n" * 7)

    assert pieces.close()[-1].text == "Und 3 weitere im Chat."


def test_a_long_stream_takes_no_more_time_per_character() -> None:
    for text in (
        "word " * 8_000,
        "**a. B " * 3_000,
        "(a. B " * 3_000,
        "```\n" + "a. B\n" * 3_000,
        HEAD + "|1|2|\n" * 3_000,
    ):
        assert cut(text)

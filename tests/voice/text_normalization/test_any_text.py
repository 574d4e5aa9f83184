"""Properties of the spoken form of any text."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from assistant.voice.text_normalization.normalize import normalize_for_speech
from tests.support.rows import check_rows

BITS = [
    "You owe ", "$1,250.50", "€", "£", " 12", "/", "-", "–", ".", ",", ":", "\n", "\n\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n", "**", "_", "`", "[x](", ")", "(", "]",
    "https://a.example/b?c=1", "www.x.example", "ana@b.example", "#", "INV-2041", "2026-11-24",
    "T14:00:00Z", "12/09/2026", "Dec 9", " pm", "a.m.", "%", "°C", " km", "½", "7th", "1st",
    "+1 415 555 0142", "Dr. ", "St. ", "e.g. ", "...", "…", "&", "👍", "²", "٣", "0", "999,999,999,999",
    "1.", "- ", "1. ", "> ", "```", "~", "<b>", " to ", " and ", "order ", "Mon", "PLEASE", "k", "x",
    "=", "*", "\\", "\u00a0", "\u200d", "'", "’", "“", "@",
]  # fmt: skip
ANY_TEXT = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(BITS), max_size=14).map("".join))
WORDS = st.lists(
    st.sampled_from(
        ["sure", "one", "moment", "your", "next", "appointment", "is", "on", "tuesday", "with", "and"]
    ),
    min_size=1,
    max_size=12,
).map(" ".join)


@given(ANY_TEXT)
@example("7777$")
@example("@www.0")
@example("1\n|\n-\n|")
@example("⅞")
def test_in_english_only_words_are_left_on_one_line(text: str) -> None:
    said = normalize_for_speech(text)

    assert re.fullmatch(r"(?:[^\W\d_]|[ .,;:!?'-]|[^\x00-\x7f])*", said), said
    assert not re.search(r"\s{2}|[\n\t]|//|\bwww\.\w", said)
    assert said == said.strip()


@given(ANY_TEXT)
def test_it_is_never_much_longer(text: str) -> None:
    # The heads of a table are read once for each of its rows.
    rows = 1 + min(5, text.count("\n")) if "|" in text else 1

    assert len(normalize_for_speech(text)) <= 16 * len(text) * rows + 40


@given(ANY_TEXT, st.sampled_from(["de", "fr", "sv-SE"]))
def test_in_other_languages_no_markup_and_no_addresses_are_left(text: str, locale: str) -> None:
    said = normalize_for_speech(text, locale)

    assert not re.search(r"[*_`#|~<>\[\]\\\n]|https?://\w", said), said


@given(WORDS)
def test_plain_words_are_not_changed(text: str) -> None:
    assert normalize_for_speech(text) == text
    assert normalize_for_speech(f"{text}.") == f"{text}."


@given(ANY_TEXT)
def test_the_spoken_form_does_not_change_again(text: str) -> None:
    said = normalize_for_speech(text)
    words = re.fullmatch(r"[a-z ]*", said)

    assert not words or normalize_for_speech(said) == said


@check_rows(
    "text",
    [
        "a" * 20_000, "1" * 20_000, "1 " * 8_000, "1," * 8_000, "1." * 8_000, "-" * 20_000, "(" * 5_000,
        "[" * 3_000, "*" * 20_000, "$1 to " * 3_000, "ana@" * 5_000, "a." * 8_000, "https://" * 3_000,
        "A-1" * 5_000, "/" * 20_000, "1 000 " * 3_000, "Mon and " * 3_000, "|" * 5_000, "+1 " * 5_000,
        "order 123, " * 2_000, " " * 20_000, "." * 20_000,
    ],
    ids=lambda text: text[:8],
)  # fmt: skip
def test_no_text_takes_long(text: str) -> None:
    normalize_for_speech(text)

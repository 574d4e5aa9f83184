"""Documents are cut at their natural limits, and each passage knows its place."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.conversation.documents import Document, DocumentKind, Passage
from assistant.conversation.values import Json
from assistant.memory.passages import JSON_CHARACTERS, MAX_PASSAGES, PROSE_CHARACTERS, cut_passages


def document(text: str, mime: str = "text/plain", kind: DocumentKind = "upload") -> Document:
    return Document(
        ref="document:1", tenant="t", customer="ana", kind=kind, title="Notes", text=text, mime=mime
    )


def places(text: str, mime: str) -> list[tuple[str, str]]:
    return [(it.place, it.text) for it in cut_passages(document(text, mime))]


parts = ["# One", "## Two", "#", "```", "~~~~", "- item", "Some words. And more of them! ", "word "]
parts += ["\n", "\n\n", "\f", "  ", "é 日本語。", "1. Dr. Weber, 3.50 EUR; " * 20, "a" * 900]
marked = st.lists(st.sampled_from(parts)).map("".join)
texts = st.one_of(st.text(), marked)
values: st.SearchStrategy[Json] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.just("long " * 200)),
    lambda inner: st.one_of(st.lists(inner, max_size=40), st.dictionaries(st.text(), inner, max_size=8)),
)


def check(whole: Document, longest: int) -> None:
    found = cut_passages(whole)
    assert [it.number for it in found] == list(range(len(found)))
    for it in found:
        assert whole.text[it.start : it.end] == it.text
        assert it.text == it.text.strip()
        assert 0 < len(it.text) <= longest
    starts = [it.start for it in found]
    assert starts == sorted(set(starts))


@given(texts, st.sampled_from(["text/plain", "text/markdown", "text/html", "application/json"]))
def test_passages_are_the_exact_text_and_leave_nothing_out(text: str, mime: str) -> None:
    whole = document(text, mime)
    check(whole, PROSE_CHARACTERS)
    covered = {at for it in cut_passages(whole) for at in range(it.start, it.end)}
    signs = {at for at, sign in enumerate(text) if not sign.isspace()}
    if mime != "application/json":
        assert signs <= covered


@given(values, st.sampled_from([None, 1]))
def test_every_item_of_data_is_in_some_passage(value: Json, indent: int | None) -> None:
    whole = document(json.dumps(value, indent=indent, ensure_ascii=False), "application/json", "result")
    check(whole, PROSE_CHARACTERS)
    covered = {at for it in cut_passages(whole) for at in range(it.start, it.end)}
    missing = {whole.text[at] for at in range(len(whole.text)) if at not in covered}
    assert missing <= set("[]{}, \n\t\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u2028\u2029\u3000") | {" "}


def test_the_headings_above_a_passage_are_its_place() -> None:
    text = "# Returns\n\n## How long\n\nThirty days.\n\n## What for\n\nThe money.\n\n### Gifts\n\nA card."
    text += "\n# Else\nNo."
    assert places(text, "text/markdown") == [
        ("Returns, How long", "# Returns\n\n## How long\n\nThirty days."),
        ("Returns, What for", "## What for\n\nThe money."),
        ("Returns, What for, Gifts", "### Gifts\n\nA card."),
        ("Else", "# Else\nNo."),
    ]


def test_code_is_no_heading_and_a_very_long_heading_is_cut() -> None:
    text = f"# {'long ' * 50}\n\n```\n# no heading\n```\n\n# Real #\nText."
    [first, second] = places(text, "text/markdown")
    assert first[0] == ("long " * 50)[:119] + "…"
    assert "# no heading" in first[1]
    assert second == ("Real", "# Real #\nText.")


def test_plain_text_has_no_headings() -> None:
    assert places("# One\n\nText.\n\n# Two\n\nMore.", "text/plain") == [
        ("", "# One\n\nText.\n\n# Two\n\nMore.")
    ]


def test_a_passage_names_its_page() -> None:
    assert places("First page.\fSecond.\f\fFourth.", "application/pdf") == [
        ("page 1", "First page."),
        ("page 2", "Second."),
        ("page 4", "Fourth."),
    ]


def test_items_of_data_are_counted_and_named() -> None:
    orders: list[Json] = [{"number": f"M-{index}", "about": "x" * 100} for index in range(1, 8)]
    value: Json = {"orders": orders, "note": "y" * 300, "next": None}
    found = cut_passages(document(json.dumps(value), "application/json", "result"))
    assert [it.place for it in found] == ["orders, 1 to 3", "orders, 4 to 6", "orders, 7 to note", "next"]
    assert found[0].text.startswith('{"orders": [{"number": "M-1"')
    assert all(len(it.text) <= JSON_CHARACTERS for it in found)


def test_consecutive_passages_overlap_by_a_sentence_and_end_at_paragraphs() -> None:
    paragraphs = [" ".join(f"Sentence {n} of paragraph {p} is here." for n in range(14)) for p in range(4)]
    for number, it in enumerate(cut_passages(document("\n\n".join(paragraphs)))):
        assert it.text.endswith(f"Sentence 13 of paragraph {number} is here.")
    long = cut_passages(document(" ".join(f"Sentence {n} says a little something." for n in range(100))))
    assert all(0 < one.end - two.start <= 0.15 * PROSE_CHARACTERS for one, two in pairs(long))


def test_a_text_without_a_space_is_cut_with_overlaps() -> None:
    found = cut_passages(document("x" * 5_000))
    assert all(one.end > two.start for one, two in pairs(found))


@pytest.mark.parametrize(
    "text",
    [
        *("[1, 2", "no JSON", "[1] [2]", "[" * 100_000 + "1" + "]" * 100_000, ""),
    ],
)
def test_invalid_json_is_cut_as_a_text(text: str) -> None:
    found = cut_passages(document(text, "application/json", "result"))
    assert "".join(it.text for it in found)[:5] == text[:5]


@pytest.mark.parametrize("kind", ["result", "upload"])
def test_passages_of_a_very_long_document_are_spread_evenly(kind: DocumentKind) -> None:
    text = "\n\n".join(f"Paragraph {n}. " + "Words go here. " * 30 for n in range(3_000))
    found = cut_passages(document(text, kind=kind))
    assert len(found) == MAX_PASSAGES[kind]
    assert found[0].start == 0
    assert found[-1].end > len(text) - 1_000
    middle = [it for it in found if 0.4 * len(text) < it.start < 0.6 * len(text)]
    assert 0.1 * len(found) < len(middle) < 0.3 * len(found)


def test_five_megabytes_of_a_result_give_a_limited_number_of_passages() -> None:
    items: list[Json] = [{"number": n, "name": "tent", "price": "12.00"} for n in range(80_000)]
    found = cut_passages(document(json.dumps(items), "application/json", "result"))
    assert len(found) == MAX_PASSAGES["result"]
    assert (found[0].place, found[-1].place) == ("1 to 7", "79997 to 80000")


def pairs(found: tuple[Passage, ...]) -> list[tuple[Passage, Passage]]:
    return list(pairwise(found))

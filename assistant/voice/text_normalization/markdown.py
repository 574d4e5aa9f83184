"""Markdown as plain blocks, one after the other, as they are read aloud."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from assistant.voice.text_normalization.numbers import ordinal
from assistant.voice.text_normalization.tables import phrases_of, read_rows

_TAG = re.compile(r"<[^>]*>?")
_LAST_NAMED = 99
_LONGEST_CODE = 80


def plain_blocks(text: str, locale: str = "en") -> list[str]:
    r"""Paragraphs, headings, items and rows, in order, without any marks.

    >>> plain_blocks("# Hi\nSee **[our page](https://x.example)**:\n1. one\n2. two")
    ['Hi.', 'See our page:', 'First, one.', 'Second, two.']
    """
    return [block for block in _blocks(_reader().parse(text.strip()), locale) if block]


@cache
def _reader() -> MarkdownIt:
    # Four spaces are no code: a nested item may come alone.
    return (
        MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable(["code", "lheading", "reference"])
    )


def _blocks(tokens: Sequence[Token], locale: str) -> Iterator[str]:
    item, whole, at = "", False, 0
    while at < len(tokens):
        token = tokens[at]
        match token.type:
            case "table_open":
                end = next(place for place in range(at, len(tokens)) if tokens[place].type == "table_close")
                yield from map(_ended, read_rows(_cells(tokens[at:end]), locale))
                at = end
            case "list_item_open":
                item, whole = token.info, True
            case "heading_open":
                whole = True
            case "list_item_close" if item:
                # "5." is no list, but an answer.
                yield f"{item}."
                item, whole = "", False
            case "list_item_close" | "heading_close":
                whole = False
            case "html_block":
                yield _TAG.sub(" ", token.content)
            case "inline":
                said = _item(item, _inline(token.children or []), locale)
                yield _ended(said) if whole else said
                item = ""
            case "fence":
                yield _code(token.content, locale)
            case _:
                pass
        at += 1


def _inline(children: Sequence[Token]) -> str:
    said: list[str] = []
    for child in children:
        match child.type:
            case "text" | "code_inline" | "image":
                said.append(child.content)
            case "softbreak" | "hardbreak":
                said.append("\n")
            case "html_inline" if child.content.lower().startswith("<br"):
                said.append("\n")
            case "html_inline":
                said.append(
                    "" if child.content[1:2].isalpha() or child.content[1:2] in "/!" else child.content
                )
            case _:
                pass
    return "".join(said)


def _item(number: str, text: str, locale: str) -> str:
    """The number of an item of a list, as it is said: in order, or as it stands."""
    if text.startswith(("[ ] ", "[x] ", "[X] ")):
        text = text[4:]
    if not number or not text:
        return text
    if locale.partition("-")[0].lower() != "en" or not 0 < int(number) <= _LAST_NAMED:
        return f"{number}. {text}"
    return f"{ordinal(int(number)).capitalize()}, {text}"


def _ended(text: str) -> str:
    """What stands for itself is said like a sentence, also when nothing follows."""
    return text if not text or text.endswith((".", "!", "?", ":", ",", ";")) else f"{text}."


def _cells(tokens: Sequence[Token]) -> list[list[str]]:
    """The table's rows, its head first."""
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(" ".join(_inline(token.children or []).split()))
    return rows


def _code(content: str, locale: str) -> str:
    line = content.strip()
    if "\n" in line or len(line) > _LONGEST_CODE:
        return phrases_of(locale).code
    return line

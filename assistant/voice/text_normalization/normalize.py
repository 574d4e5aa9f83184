"""The spoken form of text: without Markdown, without web addresses and, in English, without digits.

Call ``normalize_for_speech``. ``normalize_english`` lists the rules for English in order.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from assistant.language.numbers import digits, ordinal
from assistant.voice.text_normalization.dates import say_dates, say_iso_dates, say_times
from assistant.voice.text_normalization.numbers import say_money, say_quantities
from assistant.voice.text_normalization.tables import phrases_of, read_rows
from assistant.voice.text_normalization.words import (
    say_abbreviations,
    say_addresses,
    say_capitals,
    say_ids,
    say_pauses,
    say_phones,
    say_signs,
    unify_symbols,
)

_TAG = re.compile(r"<[^>]*>?")
_LAST_NAMED = 99
_LONGEST_CODE = 80


def plain_blocks(text: str, locale: str = "en") -> list[str]:
    r"""Returns the paragraphs, headings, items and rows in order, without Markdown.

    >>> plain_blocks("# Hi\nSee **[our page](https://x.example)**:\n1. one\n2. two")
    ['Hi.', 'See our page:', 'First, one.', 'Second, two.']
    """
    return [block for block in _blocks(_reader().parse(text.strip()), locale) if block]


@cache
def _reader() -> MarkdownIt:
    # An indentation of four spaces is no code here, because a nested item may come alone.
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
                # "5." alone is an answer, not a list.
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
    """Returns the number of an item of a list as it is spoken: an ordinal, or the number as written."""
    if text.startswith(("[ ] ", "[x] ", "[X] ")):
        text = text[4:]
    if not number or not text:
        return text
    if locale.partition("-")[0].lower() != "en" or not 0 < int(number) <= _LAST_NAMED:
        return f"{number}. {text}"
    return f"{ordinal(int(number)).capitalize()}, {text}"


def _ended(text: str) -> str:
    """Returns the text with a full stop at the end, so that it is spoken like a sentence."""
    return text if not text or text.endswith((".", "!", "?", ":", ",", ";")) else f"{text}."


def _cells(tokens: Sequence[Token]) -> list[list[str]]:
    """Returns the rows of a table, with its head first."""
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


_ENDLESS: Final = re.compile(r"\d{40,}")  # no rule applies, and all would take long
_NO_ZERO: Final = re.compile(r"(?<![\w.])\.(?=\d)")
_RANGE: Final = re.compile(
    r"(?<=\d)(?P<half> ?[ap]\.?m\.?|st|nd|rd|th|%|k| ?€)?\s?[-–—]\s?"
    r"(?=[$€£¥]?\d|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d)",
    re.IGNORECASE,
)
_MARKS: Final = re.compile(r"[*_`#~^<>{}\[\]\\\"“”„«»=•·†‡]+")
_ANY_SIGN: Final = re.compile(r"[^\w\s.,;:!?'-]")
_SPACE: Final = re.compile(r"\s+")
_BEFORE_STOP: Final = re.compile(r"\s+(?=[.,;:!?])")
_STOPS: Final = re.compile(r"[,;:]*([.!?])[.,;:!?]*|([,;:])[,;:]+")
_TIGHT: Final = re.compile(r"(?<=[a-z])([,;])(?=[a-z])")
_ENDS: Final = (".", "!", "?", ":", ",", ";")


def normalize_for_speech(text: str, locale: str = "en") -> str:
    r"""Returns the words to say, on one line, or "" if there is nothing to say.

    In languages other than English, numbers stay as written, because the voice reads them itself; only a date
    such as 2026-11-24 gets the language's own form. The output has at most sixteen times the length of the
    input plus the heads of its tables, which are read once for each row.

    >>> normalize_for_speech("You owe **$150.00** ([invoice 1042](https://pay.example/1042)).")
    'You owe one hundred fifty dollars, invoice one zero four two.'
    >>> normalize_for_speech("| Invoice | Due |\n|---|---|\n| 1042 | 2026-12-09 |\n\nThat is *all* 👍")
    'Invoice one zero four two: due December ninth, twenty twenty-six. That is all'
    """
    return _joined((_block(block, locale) for block in plain_blocks(text, locale)), ".")


def _block(block: str, locale: str) -> str:
    # The end of a line is a pause.
    return _joined((_line(line, locale) for line in block.split("\n")), ",")


def _line(line: str, locale: str) -> str:
    line = unify_symbols(line)
    if locale.partition("-")[0].lower() == "en":
        return _tidy(_ANY_SIGN.sub(" ", normalize_english(line, locale)))
    return _tidy(say_addresses(say_iso_dates(line, locale), locale))


def _tidy(text: str) -> str:
    text = _SPACE.sub(" ", _MARKS.sub(" ", text.replace("|", ",")))
    text = _TIGHT.sub(r"\1 ", text)
    text = _STOPS.sub(lambda found: found[1] or found[2], _BEFORE_STOP.sub("", text))
    # A comma at the end stays, so that the voice does not fall at the end of a clause.
    return text.lstrip(" ,;:.!?-/&").rstrip(" -/&")


def _joined(parts: Iterable[str], mark: str) -> str:
    said = [part for part in parts if part]
    return " ".join([*(part if part.endswith(_ENDS) else part + mark for part in said[:-1]), *said[-1:]])


def normalize_english(text: str, locale: str = "en") -> str:
    """Returns the words for a text without Markdown.

    No rule changes the output of an earlier rule, which contains no digits.

    >>> normalize_english("Invoice INV-2041: $150.00, due 2026-12-09")
    'Invoice I N V, two zero four one: one hundred fifty dollars, due December ninth, twenty twenty-six'
    """
    text = _ENDLESS.sub(lambda found: f" {digits(found[0])} ", text)
    text = _NO_ZERO.sub("0.", say_addresses(text, locale))
    text = say_dates(text, locale)
    text = say_phones(text)
    text = say_ids(text)
    text = _RANGE.sub(lambda found: f"{found['half'] or ''} to ", text)
    text = say_money(text)
    text = say_times(text)
    text = say_abbreviations(text)
    text = say_signs(text)
    text = say_quantities(text)
    return say_capitals(say_pauses(text))

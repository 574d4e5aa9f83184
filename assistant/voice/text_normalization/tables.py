"""Reads tables row by row, and has the phrases that are added when a text is spoken.

A row is read as its subject, followed by its values. Of a long table only the first rows are read.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from assistant.prompts.locale import language
from assistant.prompts.words import SpokenPhrases, read_words
from assistant.shipped import shipped

MOST_ROWS: Final = 4
"""This many rows are read, and one more if it is the last row."""

_EMPTY: Final = re.compile(r"[-–—.\s]*")
_SAYS_NOTHING: Final = frozenset(
    {"", "value", "details", "detail", "info", "information", "wert", "angabe", "#"}
)
_ORDINARY: Final = re.compile(r"[A-ZÄÖÜ][a-zäöüß]+(?: [a-zäöüß]+)*")


def read_rows(rows: Sequence[Sequence[str]], locale: str = "en") -> Iterator[str]:
    """Yields a sentence for each row of a table whose first row is its head.

    For a long table, the last sentence has the number of the other rows.

    >>> list(read_rows([["Invoice", "Amount", "Due"], ["1042", "$150", "Dec 9"], ["1043", "$20", ""]]))
    ['Invoice 1042: amount $150, due Dec 9', 'Invoice 1043: amount $20']
    """
    head, body = rows[0], rows[1:]
    if not body:
        yield ", ".join(cell for cell in head if cell)
        return
    read = body if len(body) <= MOST_ROWS + 1 else body[:MOST_ROWS]
    for row in read:
        yield _row(head, row, locale)
    if len(read) < len(body):
        yield more_rows(len(body) - len(read), locale)


def more_rows(count: int, locale: str = "en") -> str:
    """Returns the phrase for rows that are not read."""
    return phrases_of(locale).more.format(count)


def _row(head: Sequence[str], row: Sequence[str], locale: str) -> str:
    said = [_cell(name, cell, locale) for name, cell in zip(head[1:], row[1:], strict=True)]
    about, rest = _about(head[0], row[0]), ", ".join(cell for cell in said if cell)
    if rest:
        return f"{about}: {rest}" if about else rest
    # Empty cells are not read.
    return about if len(row) == 1 else ""


def _about(name: str, cell: str) -> str:
    """Returns the subject of a row.

    A number gets the column's name: "Invoice 1042"; "Haircut" does not need it.
    """
    if _EMPTY.fullmatch(cell):
        return ""
    named = name.lower() in _SAYS_NOTHING or not re.search(r"\d", cell) or name.lower() in cell.lower()
    return cell if named else f"{name} {cell}"


def _cell(name: str, cell: str, locale: str) -> str:
    if _EMPTY.fullmatch(cell):
        return ""
    if name.lower() in _SAYS_NOTHING:
        return cell
    # Inside of a sentence, an English word needs no capital.
    english = locale.partition("-")[0].lower() == "en"
    return f"{name.lower() if english and _ORDINARY.fullmatch(name) else name} {cell}"


def phrases_of(locale: str) -> SpokenPhrases:
    """Returns the phrases of the locale's language, from its file. A language without a file has almost none.

    >>> phrases_of("de-AT").more.format(3)
    'Und 3 weitere im Chat.'
    """
    return _phrases_of(language(locale))


@cache
def _phrases_of(spoken: str) -> SpokenPhrases:
    file = shipped("prompts") / "locales" / f"{spoken}.toml"
    if not file.is_file():
        return SpokenPhrases()
    return read_words(file.read_text(encoding="utf-8"), f"prompts/locales/{spoken}.toml").spoken

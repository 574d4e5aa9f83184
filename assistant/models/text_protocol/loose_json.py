"""Reads one JSON value as it streams, in the imprecise forms that models write.

A parser for complete JSON could not report a tool's name early, and would refuse these forms: single and
typographic quotation marks, keys without quotation marks, comments, Python's keywords, trailing and missing
commas. It never guesses a value.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal

from assistant.conversation.values import Json
from assistant.models.text_protocol.calls import CallCollector, NotACall


class NeedsMore(Exception):
    """The text ends in the middle of a token."""


class NotRead(Exception):
    """The text cannot be understood; the message says what is wrong."""


class Cursor:
    """The text so far, and the position up to which it was read. ``complete``: no more text follows."""

    __slots__ = ("complete", "place", "text")

    def __init__(self, text: str = "", *, complete: bool = False) -> None:
        self.text, self.complete, self.place = text, complete, 0

    @property
    def at_end(self) -> bool:
        """Whether the whole text so far has been read."""
        return self.place >= len(self.text)

    def sign(self) -> str:
        """Returns the character at the position. Raises ``NeedsMore`` at the end."""
        if self.at_end:
            raise NeedsMore
        return self.text[self.place]

    def ahead(self, length: int) -> str:
        """Returns the next characters; fewer only at the end of a complete text. Raises ``NeedsMore``."""
        if len(self.text) < self.place + length and not self.complete:
            raise NeedsMore
        return self.text[self.place : self.place + length]

    def until(self, sign: str, most: int) -> str:
        """Returns the text up to and including a character, at most ``most`` characters.

        Raises ``NeedsMore``.
        """
        found = self.text.find(sign, self.place, self.place + most)
        if found >= 0:
            return self.text[self.place : found + 1]
        return self.ahead(most)

    def match(self, pattern: re.Pattern[str]) -> str:
        """Returns the match of the pattern at the position, or "" if there is none.

        Raises ``NeedsMore`` if more text could make the match longer.
        """
        found = pattern.match(self.text, self.place)
        if (self.at_end if found is None else found.end() == len(self.text)) and not self.complete:
            raise NeedsMore
        return found[0] if found else ""

    def position(self, start: int) -> tuple[int, int]:
        """Returns the line and column of the position, both from 1, relative to ``start``."""
        read = self.text[start : self.place]
        return read.count("\n") + 1, len(read) - read.rfind("\n")


_DEEPEST: Final = 32
_QUOTES: Final = {'"': '"', "'": "'", "\u201c": "\u201d", "\u201e": "\u201c", "\u2018": "\u2019"}
_TEXTS: Final = {
    begin: re.compile(rf"[^\\{end}]*(?:\\.[^\\{end}]*)*", re.DOTALL) for begin, end in _QUOTES.items()
}
_WORDS: Final = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_WORD: Final = re.compile(r"[\w.$+-]+")
_NUMBER: Final = re.compile(r"[+-]?(?:0|[1-9]\d{0,99})(?:\.\d{1,99})?(?:[eE][+-]?\d{1,3})?")
_LINE_ENDS: Final = re.compile(r"\n\s*\Z")
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES: Final = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "\n": "",
    **{c: c for c in "\"'\\/`"},
}
_UNSEEN: Final = "\ufeff\u200b"
_COMMENTS: Final = {"//": "\n", "#": "\n", "/*": "*/"}


@dataclass(slots=True)
class _Open:
    """An object or list that is being read. ``path`` are the keys above it; lists are left out."""

    value: dict[str, Json] | list[Json]
    path: tuple[str, ...]
    expects: Literal["item", "colon", "value", "comma"] = "item"
    key: str = ""


class LooseJson:
    """Reads one value from a cursor, as far as the text goes.

    Args:
        cursor: the beginning of the value.
        tools: the names of tools, which may be written without quotation marks.
        calls: receives the objects and their members.
    """

    def __init__(self, cursor: Cursor, tools: Collection[str], calls: CallCollector | None = None) -> None:
        self._cursor, self._tools, self._calls = cursor, tools, calls
        self._open: list[_Open] = []
        self._value_end = 0
        self.done = False
        self.value: Json = None

    @property
    def depth(self) -> int:
        """The number of open objects and lists."""
        return len(self._open)

    def read(self) -> Json:
        """Returns the value. Raises ``NeedsMore``, after which you can call it again, and ``NotRead``."""
        while not self.done:
            self._read_token()
        return self.value

    def _read_token(self) -> None:
        cursor = self._cursor
        sign = self._next_sign()
        around = self._open[-1] if self._open else None
        if around is None or around.expects == "value":
            self._read_value(sign)
            return
        is_object = isinstance(around.value, dict)
        end = "}" if is_object else "]"
        match around.expects:
            case "comma":
                if sign == ",":
                    cursor.place += 1
                elif sign != end and (
                    sign in "}]" or not _LINE_ENDS.search(cursor.text[self._value_end : cursor.place])
                ):
                    raise NotRead(
                        f"a comma or {end} is missing, or a quotation mark in a text has no backslash"
                    )
                around.expects = "item"
            case "colon":
                if sign != ":":
                    raise NotRead(f'a colon is missing after the key "{around.key}"')
                cursor.place += 1
                around.expects = "value"
            case "item" if sign == end:
                cursor.place += 1
                self._open.pop()
                if is_object and self._calls is not None:
                    self._calls.close_object(around.path)
                self._add_value(around.value)
            case "item" if is_object:
                around.key = self._read_key(sign)
                if around.key in around.value:
                    raise NotRead(f'the key "{around.key}" occurs twice')
                around.expects = "colon"
            case _:
                self._read_value(sign)

    def _next_sign(self) -> str:
        """Returns the next character that is neither white space nor in a comment."""
        cursor = self._cursor
        while True:
            sign = cursor.sign()
            if sign.isspace() or sign in _UNSEEN:
                cursor.place += 1
            elif not skip_comment(cursor):
                return sign

    def _read_value(self, sign: str) -> None:
        if sign not in "{[":
            self._add_value(self._read_text(sign) if sign in _QUOTES else self._read_word())
            return
        if len(self._open) >= _DEEPEST:
            raise NotRead(f"it is nested more than {_DEEPEST} deep")
        around = self._open[-1] if self._open else None
        path = around.path if around else ()
        if around and isinstance(around.value, dict):
            path = (*path, around.key)
        self._cursor.place += 1
        self._open.append(_Open({} if sign == "{" else [], path))
        if sign == "{" and self._calls is not None:
            self._calls.open_object(path)

    def _add_value(self, value: Json) -> None:
        self._value_end = self._cursor.place
        if not self._open:
            self.value, self.done = value, True
            return
        around = self._open[-1]
        around.expects = "comma"
        if isinstance(around.value, list):
            around.value.append(value)
            return
        around.value[around.key] = value
        if self._calls is not None:
            self._calls.add_member(around.path, around.key, value)

    def _read_key(self, sign: str) -> str:
        if sign in _QUOTES:
            return self._read_text(sign)
        if not (sign.isalpha() or sign in "_$"):
            raise NotRead(f"a key should stand here, and not {sign!r}")
        return self._read_bare()

    def _read_word(self) -> Json:
        start = self._cursor.place
        word = self._read_bare()
        if not word:
            raise NotRead(f"a value should stand here, and not {self._cursor.sign()!r}")
        if word in _WORDS:
            return _WORDS[word]
        if word in self._tools:
            return word
        if _NUMBER.fullmatch(word):
            number = int(word) if word.lstrip("+-").isdigit() else float(word)
            if number in (float("inf"), float("-inf")):
                raise NotRead(f"{word} is too large a number")
            return number
        self._cursor.place = start
        raise NotRead(f'{word} is no number and has no quotation marks: write "{word}" if it is a text')

    def _read_bare(self) -> str:
        found = _WORD.match(self._cursor.text, self._cursor.place)
        word = found[0] if found else ""
        if self._cursor.place + len(word) == len(self._cursor.text):
            raise NeedsMore  # A number at the end of the text may be incomplete.
        self._cursor.place += len(word)
        return word

    def _read_text(self, quote: str) -> str:
        cursor = self._cursor
        start = cursor.place + 1
        found = _TEXTS[quote].match(cursor.text, start)
        end = found.end() if found else start
        if not cursor.text.startswith(_QUOTES[quote], end):
            raise NeedsMore
        text = cursor.text[start:end]
        if "\\" in text:
            text = _ESCAPE.sub(self._escaped, text)
            if any("\ud800" <= sign <= "\udfff" for sign in text):  # a surrogate pair, written as two escapes
                text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        cursor.place = end + 1
        return text

    def _escaped(self, found: re.Match[str]) -> str:
        sign = found[1]
        if len(sign) == 5:
            return chr(int(sign[1:], 16))
        if sign in _ESCAPES:
            return _ESCAPES[sign]
        self._cursor.place += found.end() + 1
        if sign == "u":
            digits = found.string[found.end() : found.end() + 4]
            raise NotRead(f"\\u is followed by four hex digits, and not by {digits!r}")
        raise NotRead(f"\\{sign} means nothing; a backslash in a text is written \\\\")


def skip_comment(cursor: Cursor) -> bool:
    """Skip a comment if one begins here. Raises ``NeedsMore``."""
    sign = cursor.sign()
    opening = cursor.ahead(2) if sign == "/" else sign
    if opening not in _COMMENTS:
        return False
    closing = _COMMENTS[opening]
    found = cursor.text.find(closing, cursor.place + len(opening))
    if found < 0 and not cursor.complete:
        raise NeedsMore
    cursor.place = found + len(closing) if found >= 0 else len(cursor.text)
    return True


def parse_text(text: str, tools: Collection[str]) -> Json:
    """Parse a value that is written as a text, such as the arguments of a call. Raises ``NotACall``."""
    cursor = Cursor(f"{text}\n", complete=True)
    try:
        value = LooseJson(cursor, tools).read()
    except NotRead as error:
        raise NotACall(f"its arguments are a text that is no JSON object: {error}") from error
    except NeedsMore as error:
        raise NotACall("its arguments are a text that ends before its object does") from error
    if cursor.text[cursor.place :].strip():
        raise NotACall("its arguments are a text in which there is more than one object")
    return value

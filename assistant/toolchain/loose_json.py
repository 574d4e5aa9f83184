"""JSON as models write it, read while it comes; nothing is guessed that could mean something else.

Read are also single and typographic quotation marks, keys without any, trailing commas, commas that are missing
at the end of a line, comments, line breaks in texts, and Python's True, False and None. Not read are texts and
numbers of which it cannot be said what they mean: words without quotation marks, ``007``, a key that stands twice.
"""

import re
from collections.abc import Collection
from typing import Final, Protocol

from assistant.conversation.values import Json, JsonObject
from assistant.toolchain.cursor import Cursor, Steps

_DEEPEST: Final = 32
_QUOTES: Final = {'"': '"', "'": "'", "\u201c": "\u201d", "\u201e": "\u201c", "\u2018": "\u2019"}
_WORDS: Final = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_WORD: Final = re.compile(r"[\w.$+-]+")
_NUMBER: Final = re.compile(r"[+-]?(?:0|[1-9]\d{0,99})(?:\.\d{1,99})?(?:[eE][+-]?\d{1,3})?")
_BEFORE_BREAK: Final = re.compile(r"\n\s*\Z")
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""}
_AS_THEY_ARE: Final = "\"'\\/`"
_UNSEEN: Final = "\ufeff\u200b"
_HEX: Final = re.compile(r"[0-9a-fA-F]{4}")


class NotRead(Exception):
    """It cannot be said what is meant; its words say what is wrong."""


class Watch(Protocol):
    """Is told what is read of objects. ``path``: the keys under which an object stands, lists left out."""

    def opened(self, path: tuple[str, ...]) -> None:
        """An object begins."""
        ...

    def member(self, path: tuple[str, ...], key: str, value: Json) -> None:
        """A member of it is complete."""
        ...

    def closed(self, path: tuple[str, ...], value: JsonObject) -> None:
        """It is complete."""
        ...


class LooseJson:
    """Reads values from a cursor.

    Args:
        cursor: where.
        words: what may stand without quotation marks: the names of tools.
        watch: who is told.
    """

    def __init__(self, cursor: Cursor, words: Collection[str], watch: Watch) -> None:
        self._cursor, self._names, self._watch = cursor, words, watch
        self.depth = 0

    def value(self, path: tuple[str, ...] = ()) -> Steps[Json]:
        """The next value. Raises ``NotRead``, and ``Cut`` at the end of the text."""
        sign = yield from self._next()
        if sign == "{":
            return (yield from self._object(path))
        if sign == "[":
            return (yield from self._list(path))
        if sign in _QUOTES:
            return (yield from self._text())
        return (yield from self._word())

    def _object(self, path: tuple[str, ...]) -> Steps[JsonObject]:
        self._enter()
        self._watch.opened(path)
        found: dict[str, Json] = {}
        while (yield from self._next()) != "}":
            key = yield from self._key()
            if key in found:
                raise NotRead(f'the key "{key}" stands there twice')
            if (yield from self._next()) != ":":
                raise NotRead(f'a colon is missing after the key "{key}"')
            self._cursor.place += 1
            found[key] = yield from self.value((*path, key))
            self._watch.member(path, key, found[key])
            yield from self._joint("}")
        self._leave()
        self._watch.closed(path, found)
        return found

    def _list(self, path: tuple[str, ...]) -> Steps[Json]:
        self._enter()
        found: list[Json] = []
        while (yield from self._next()) != "]":
            found.append((yield from self.value(path)))
            yield from self._joint("]")
        self._leave()
        return found

    def _enter(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotRead(f"it is nested more than {_DEEPEST} deep")
        self._cursor.place += 1

    def _leave(self) -> None:
        self.depth -= 1
        self._cursor.place += 1

    def _joint(self, end: str) -> Steps[None]:
        """What parts two members: a comma, or at least the end of a line."""
        began = self._cursor.place
        sign = yield from self._next()
        if sign == ",":
            self._cursor.place += 1
        elif sign != end and (sign in "}]" or not _BEFORE_BREAK.search(self._between(began))):
            raise NotRead(f"a comma or {end} is missing, or a quotation mark in a text has no backslash")

    def _between(self, began: int) -> str:
        return self._cursor.text[began : self._cursor.place]

    def _key(self) -> Steps[str]:
        sign = yield from self._next()
        if sign in _QUOTES:
            return (yield from self._text())
        if not (sign.isalpha() or sign in "_$"):
            raise NotRead(f"a key should stand here, and not {sign!r}")
        return (yield from self._bare())

    def _word(self) -> Steps[Json]:
        word = yield from self._bare()
        if not word:
            raise NotRead(f"a value should stand here, and not {self._cursor.text[self._cursor.place]!r}")
        if word in _WORDS:
            return _WORDS[word]
        if word in self._names:
            return word
        if _NUMBER.fullmatch(word):
            return int(word) if word.lstrip("+-").isdigit() else _float(word)
        self._cursor.place -= len(word)
        raise NotRead(f'{word} is no number and has no quotation marks: write "{word}" if it is a text')

    def _bare(self) -> Steps[str]:
        """Letters and digits; a name is at its end only where something else stands."""
        cursor = self._cursor
        while True:
            found = _WORD.match(cursor.text, cursor.place)
            if (found is None or found.end() < len(cursor.text)) or cursor.over:
                break
            yield
        word = found[0] if found else ""
        cursor.place += len(word)
        yield from cursor.sign()  # A number that the text ends in may have lost digits.
        return word

    def _text(self) -> Steps[str]:
        cursor = self._cursor
        closing = _QUOTES[cursor.text[cursor.place]]
        plain = re.compile(rf"[^\\{closing}]*")
        cursor.place += 1
        found: list[str] = []
        while (sign := (yield from cursor.sign())) != closing:
            if sign == "\\":
                cursor.place += 1
                found.append((yield from self._escaped()))
                continue
            match = plain.match(cursor.text, cursor.place)
            found.append(match[0] if match else "")
            cursor.place += len(found[-1])
        cursor.place += 1
        text = "".join(found)
        # Halves of a pair that were written as two escapes.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _paired(text) else text

    def _escaped(self) -> Steps[str]:
        cursor = self._cursor
        sign = yield from cursor.sign()
        cursor.place += 1
        if sign == "u":
            digits = yield from cursor.ahead(4)
            if not _HEX.fullmatch(digits):
                raise NotRead(f"\\u is followed by four hex digits, and not by {digits!r}")
            cursor.place += 4
            return chr(int(digits, 16))
        if sign not in _ESCAPES and sign not in _AS_THEY_ARE:
            raise NotRead(f"\\{sign} means nothing; a backslash in a text is written \\\\")
        return _ESCAPES.get(sign, sign)

    def _next(self) -> Steps[str]:
        """The next sign that is neither space nor comment."""
        cursor = self._cursor
        while True:
            sign = yield from cursor.sign()
            if sign.isspace() or sign in _UNSEEN:
                cursor.place += 1
            elif not (yield from skip_comment(cursor)):
                return sign


def skip_comment(cursor: Cursor) -> Steps[bool]:
    """Go past a comment, if one stands here: ``//`` and ``#`` to the end of the line, or ``/* */``."""
    sign = cursor.text[cursor.place]
    opening = (yield from cursor.ahead(2)) if sign == "/" else sign
    if opening not in ("//", "#", "/*"):
        return False
    closing = "*/" if opening == "/*" else "\n"
    while (found := cursor.text.find(closing, cursor.place + len(opening))) < 0:
        if cursor.over:
            cursor.place = len(cursor.text)
            return True
        yield
    cursor.place = found + len(closing)
    return True


def _float(word: str) -> float:
    value = float(word)
    if value in (float("inf"), float("-inf")):
        raise NotRead(f"{word} is too large a number")
    return value


def _paired(text: str) -> bool:
    return any("\ud800" <= sign <= "\udfff" for sign in text)

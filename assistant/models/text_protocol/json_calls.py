"""Reads calls in JSON while they come, in the loose forms that models write.

``JsonReader`` skips what stands around the calls: fences, tags, headings, words. ``LooseJson`` reads their objects
token by token: a parser for complete JSON would neither name a call early nor accept these forms.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal

from assistant.conversation.values import Json
from assistant.formats.sections import folded
from assistant.models.text_protocol.calls import (
    CUT_OFF,
    LONGEST,
    NO_CALLS,
    NO_OBJECT,
    SECTIONS_OF_CALLS,
    CallCollector,
    CallEvent,
    NamedCall,
    NotACall,
    known_tool,
)


class NeedsMore(Exception):
    """The text ends before the next token does."""


class NotRead(Exception):
    """It cannot be told what is meant; the message says what is wrong."""


class Cursor:
    """The text so far, and how far it is read. ``complete``: no more text comes."""

    __slots__ = ("complete", "place", "text")

    def __init__(self, text: str = "", *, complete: bool = False) -> None:
        self.text, self.complete, self.place = text, complete, 0

    @property
    def at_end(self) -> bool:
        """Whether all of the text so far is read."""
        return self.place >= len(self.text)

    def sign(self) -> str:
        """The character here. Raises ``NeedsMore`` at the end."""
        if self.at_end:
            raise NeedsMore
        return self.text[self.place]

    def ahead(self, length: int) -> str:
        """The next characters; fewer only at the end of the complete text. Raises ``NeedsMore``."""
        if len(self.text) < self.place + length and not self.complete:
            raise NeedsMore
        return self.text[self.place : self.place + length]

    def until(self, sign: str, most: int) -> str:
        """The text up to and including a character, ``most`` characters at most. Raises ``NeedsMore``."""
        found = self.text.find(sign, self.place, self.place + most)
        if found >= 0:
            return self.text[self.place : found + 1]
        return self.ahead(most)

    def match(self, pattern: re.Pattern[str]) -> str:
        """What the pattern matches here, "" for nothing. Raises ``NeedsMore`` if more text could make it longer."""
        found = pattern.match(self.text, self.place)
        if (self.at_end if found is None else found.end() == len(self.text)) and not self.complete:
            raise NeedsMore
        return found[0] if found else ""

    def position(self, start: int) -> tuple[int, int]:
        """Line and column here, both from 1, counted from a start."""
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
    """An object or list that is being read. ``path``: the keys above it, without lists."""

    value: dict[str, Json] | list[Json]
    path: tuple[str, ...]
    expects: Literal["item", "colon", "value", "comma"] = "item"
    key: str = ""


class LooseJson:
    """Reads one value from a cursor, as far as the text goes.

    Args:
        cursor: where the value begins.
        tools: names of tools may stand without quotation marks.
        calls: is told of objects and their members.
    """

    def __init__(self, cursor: Cursor, tools: Collection[str], calls: CallCollector | None = None) -> None:
        self._cursor, self._tools, self._calls = cursor, tools, calls
        self._open: list[_Open] = []
        self._value_end = 0
        self.done = False
        self.value: Json = None

    @property
    def depth(self) -> int:
        """How many objects and lists are open."""
        return len(self._open)

    def read(self) -> Json:
        """The value. Raises ``NeedsMore``, after which it can be called again, and ``NotRead``."""
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
                    raise NotRead(f'the key "{around.key}" stands there twice')
                around.expects = "colon"
            case _:
                self._read_value(sign)

    def _next_sign(self) -> str:
        """The next character that is neither white space nor in a comment."""
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
            raise NeedsMore  # A number at the end of the text may have lost digits.
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
            if any("\ud800" <= sign <= "\udfff" for sign in text):  # halves of a pair, written as two escapes
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
    """A value that is written as a text, such as the arguments of a call. Raises ``NotACall``."""
    cursor = Cursor(f"{text}\n", complete=True)
    try:
        value = LooseJson(cursor, tools).read()
    except NotRead as error:
        raise NotACall(f"its arguments are a text that is no JSON object: {error}") from error
    except NeedsMore as error:
        raise NotACall("its arguments are a text that ends before its object does") from error
    if cursor.text[cursor.place :].strip():
        raise NotACall("its arguments are a text in which more than one object stands")
    return value


_SKIPPED: Final = " \t\r\n,;[]})\ufeff\u200b"
_LANGUAGES: Final = frozenset(
    ("json", "json5", "jsonc", "yaml", "yml", "xml", "tool_call", "tool_code", "python", "text", "markdown", "md",
     "function"),
)  # fmt: skip
_BRACKETED: Final = re.compile(r"\[/?[A-Z_]{3,24}\]")
_TAG: Final = re.compile(r"<\s*(?:[|\uff5c][^<>]*[|\uff5c]|[/\\]?\s*([A-Za-z][\w:-]*)[^<>]*)>")
_FUNCTION: Final = re.compile(r"<function\s*=\s*\"?([\w.-]+)\"?\s*>")
_HEADING: Final = re.compile(r"(?:#+[ \t]*(?:\*\*)?|\*\*)[ \t]*([A-Za-z][\w -]*?)[ \t:*#]*\n?$")
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][\w.-]*")
_BEHIND_NAME: Final = re.compile(r"\s*(?:\[ARGS\]|[:(>])?\s*")
_WORDS_OF_LINE: Final = re.compile(r"[^{\n<]*")
_LONGEST_MARK: Final = 120


class JsonReader:
    """Reads objects one after another, or in a list, with what models put around them.

    ``over``: there is something that belongs to no call; nothing after it is read.

    Args:
        tools: the names of the tools on offer.
        strict: words before the first call also end it.
    """

    def __init__(self, tools: Collection[str], *, strict: bool = False) -> None:
        self.over = False
        self._tools, self._strict = tools, strict
        self._cursor = Cursor()
        self._calls = CallCollector(tools, lambda text: parse_text(text, tools), self._written)
        self._start, self._where = 0, (1, 1)
        self._json: LooseJson | None = None
        self._named: NamedCall | None = None  # its tool was written before its arguments
        self._label: tuple[str, int] | None = None  # a tool's name, and where it begins
        self._problem = ""
        self._skips: tuple[int, bool] | None = None  # depth, and whether within a text
        self._began = self._words = self._in_words = False

    def push(self, text: str) -> list[CallEvent]:
        """Read more of the text; returns what is known now."""
        room = LONGEST - len(self._cursor.text)
        self._cursor.text += text[:room]
        return self._read(complete=len(text) > room)

    def finish(self, *, cut: bool = False) -> list[CallEvent]:  # noqa: ARG002 - an object shows by itself whether it is complete
        """The text is complete; returns what is known only now."""
        return self._read(complete=True)

    def _read(self, *, complete: bool) -> list[CallEvent]:
        self._cursor.complete = self._cursor.complete or complete
        try:
            while not self.over:
                self._step()
        except NeedsMore:
            if self._cursor.complete:
                self._finish()
        return self._calls.events()

    def _written(self) -> tuple[str, tuple[int, int]]:
        return self._cursor.text[self._start : self._cursor.place].strip(), self._where

    def _step(self) -> None:
        """Read one thing. Raises ``NeedsMore`` with nothing lost."""
        if self._skips is not None:
            self._skip_object(*self._skips)
        elif self._json is not None:
            self._read_object(self._json)
        elif self._label is not None:
            self._read_labelled(*self._label)
        elif self._in_words:
            cursor = self._cursor
            found = _WORDS_OF_LINE.match(cursor.text, cursor.place)
            cursor.place = found.end() if found else cursor.place
            cursor.sign()
            self._in_words = False
        elif not self._skip_mark():
            if self._began or self._strict or self._cursor.sign() in "{\n<#":
                self._finish()
            else:
                self._words = self._in_words = True

    def _finish(self) -> None:
        """Nothing more is read."""
        self.over = True
        cursor = self._cursor
        if self._json is not None:
            if self._skips is None:
                cursor.place = len(cursor.text)
                self._where = cursor.position(self._start)
            self._end_object()
        told = cursor.text[: cursor.place].strip()
        if self._words and not self._began and told.casefold().strip(" .!`\n") not in NO_CALLS:
            self._start, self._where = 0, (1, 1)
            self._calls.add_unreadable("", NO_OBJECT)

    def _begin_object(self, tool: str = "") -> None:
        self._began = True
        self._start, self._where = self._cursor.place, (1, 1)
        self._named = self._calls.name(tool) if tool else None
        self._json = LooseJson(self._cursor, self._tools, None if tool else self._calls)
        self._label = None

    def _read_object(self, json: LooseJson) -> None:
        try:
            value = json.read()
        except NotRead as error:
            self._problem, self._where = str(error), self._cursor.position(self._start)
            self._skips = json.depth, False
            return
        if self._named is not None:
            self._calls.add_arguments(self._named, value)
        self._json = self._named = None

    def _skip_object(self, depth: int, quoted: bool) -> None:
        """Skip the rest of an object that cannot be read, so that those after it can be."""
        cursor = self._cursor
        while depth:
            self._skips = depth, quoted
            sign = cursor.sign()
            cursor.place += 1
            if sign == "\\" and quoted:
                cursor.place += 1
            elif sign == '"':
                quoted = not quoted
            elif not quoted:
                depth += (sign in "{[") - (sign in "}]")
        self._end_object()

    def _end_object(self) -> None:
        if self._named is None:
            self._calls.break_off(self._problem)
        else:
            self._calls.add_unreadable(self._named.tool, self._problem or CUT_OFF, self._named)
        self._json = self._named = self._skips = None
        self._problem = ""

    def _read_labelled(self, tool: str, start: int) -> None:
        """What comes after a tool's name: its arguments, maybe in a fence."""
        cursor = self._cursor
        fence = len(cursor.until("\n", 40)) if cursor.ahead(3) == "```" else 0
        if cursor.text.startswith("{", cursor.place + fence):
            cursor.place += fence
            self._begin_object(tool)
            return
        if cursor.place + fence >= len(cursor.text) and not cursor.complete:
            raise NeedsMore
        cursor.place += fence
        line = cursor.until("\n", 400)
        cursor.place += len(line)
        self._began, self._label = True, None
        self._start, self._where = start, (1, 1)
        self._calls.add_unreadable(tool, "its arguments are no JSON object", self._calls.name(tool))

    def _skip_mark(self) -> bool:
        """Read the next object, or skip what may stand around calls. False if it is neither."""
        cursor = self._cursor
        if cursor.at_end and cursor.complete:
            self._finish()
            return True
        sign = cursor.sign()
        if sign == "{":
            self._begin_object()
            return True
        if sign == "[" and (length := self._bracketed()):
            cursor.place += length
            return True
        if sign in _SKIPPED:
            cursor.place += 1
            return True
        if sign in "`~":
            return self._skip_fence()
        if sign == "<":
            return self._skip_tag()
        if sign in "#*/":
            return self._skip_heading()
        return self._skip_name()

    def _bracketed(self) -> int:
        follows = self._cursor.ahead(2)[1:]
        found = _BRACKETED.match(self._cursor.until("]", 32)) if follows.isupper() or follows == "/" else None
        return found.end() if found else 0

    def _skip_fence(self) -> bool:
        cursor = self._cursor
        signs = cursor.ahead(3)
        if signs in ("```", "~~~"):
            cursor.place += len(signs)
            while not cursor.at_end and cursor.text[cursor.place] == signs[0]:
                cursor.place += 1
            return True
        # One or two of them may stand around a call on a line of its own.
        cursor.place += len(signs) - len(signs.lstrip("`"))
        return signs[:1] == "`"

    def _skip_tag(self) -> bool:
        cursor = self._cursor
        text = cursor.until(">", _LONGEST_MARK)
        if function := _FUNCTION.match(text):
            return self._skip_label(known_tool(function[1], self._tools) or function[1], function.end())
        found = _TAG.match(text)
        if found is None or not (
            found[1] is None or folded(found[1]) in SECTIONS_OF_CALLS or folded(found[1]) == "function"
        ):
            return False
        cursor.place += found.end()
        return True

    def _skip_heading(self) -> bool:
        """Skip a heading that announces calls, or a comment."""
        line = self._cursor.until("\n", _LONGEST_MARK)
        found = _HEADING.match(line)
        known = line.startswith("//") or (found is not None and folded(found[1]) in SECTIONS_OF_CALLS)
        self._cursor.place += len(line) if known else 0
        return known

    def _skip_name(self) -> bool:
        name = self._cursor.match(_IDENTIFIER)
        if folded(name) in _LANGUAGES:
            self._cursor.place += len(name)
            return True
        tool = known_tool(name, self._tools) if name else None
        return tool is not None and self._skip_label(tool, len(name))

    def _skip_label(self, tool: str, length: int) -> bool:
        """Skip a tool's name, and what separates it from its arguments."""
        cursor = self._cursor
        found = _BEHIND_NAME.match(cursor.text, cursor.place + length)
        end = found.end() if found else cursor.place + length
        partly = end >= len(cursor.text) or "[ARGS]".startswith(cursor.text[end : end + 6])
        if partly and not cursor.complete:
            raise NeedsMore
        self._label, cursor.place = (tool, cursor.place), end
        return True

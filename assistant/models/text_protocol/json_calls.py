"""Reads calls in JSON as they stream, and calls that are written as in Python: ``get_order(order="7")``.

``JsonReader`` skips text around the calls: fences, tags, headings, words. ``LooseJson`` reads the objects.
"""

import ast
import re
import warnings
from collections.abc import Collection
from typing import Final, cast

import orjson

from assistant.conversation.values import Json, JsonObject
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
from assistant.models.text_protocol.loose_json import Cursor, LooseJson, NeedsMore, NotRead, parse_text

_SKIPPED: Final = " \t\r\n,;-[]})\ufeff\u200b"
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
_PLAIN_IN_BRACKETS: Final = re.compile(r"""[^()\[\]{}"'\\]+""")
_WORDS_FOR_VALUES: Final = {"true": True, "false": False, "null": None}


class JsonReader:
    """Reads consecutive objects, or objects in a list, with the text that models put around them.

    ``over`` is True if the calls have ended, because something else follows. The reader ignores the rest.

    Args:
        tools: the names of the offered tools.
        strict: stop reading if there are words before the first call.
    """

    def __init__(self, tools: Collection[str], *, strict: bool = False) -> None:
        self.over = False
        self._tools, self._strict = tools, strict
        self._cursor = Cursor()
        self._calls = CallCollector(tools, lambda text: parse_text(text, tools), self._written)
        self._start, self._where = 0, (1, 1)
        self._json: LooseJson | None = None
        self._named: NamedCall | None = None  # a call whose tool was written before its arguments
        self._label: tuple[str, int] | None = None  # a tool's name and its position
        self._problem = ""
        self._skips: tuple[int, bool] | None = None  # the depth, and whether it is inside a text
        self._scanned: tuple[int, int, str] | None = None  # position, depth and open quote of arguments
        self._began = self._words = self._in_words = False

    def push(self, text: str) -> list[CallEvent]:
        """Read more of the text. Returns the events that are known now."""
        room = LONGEST - len(self._cursor.text)
        self._cursor.text += text[:room]
        return self._read(complete=len(text) > room)

    def finish(self, *, cut: bool = False) -> list[CallEvent]:  # noqa: ARG002 - brackets show whether it is complete
        """End the text. Returns the remaining events."""
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
        """Read one token or object. Raises ``NeedsMore`` if more text is needed; then nothing is lost."""
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
        """Stop reading."""
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
        """Skip the rest of an object that cannot be read, so that the next ones can be read."""
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
        """Read what follows a tool's name: its arguments, which may be in a code fence."""
        cursor = self._cursor
        fence = len(cursor.until("\n", 40)) if cursor.ahead(3) == "```" else 0
        if cursor.text.startswith("{", cursor.place + fence):
            cursor.place += fence
            self._begin_object(tool)
            return
        if cursor.place + fence >= len(cursor.text) and not cursor.complete:
            raise NeedsMore
        if cursor.text[: cursor.place].rstrip().endswith("("):
            self._read_keywords(tool, start)
            return
        cursor.place += fence
        line = cursor.until("\n", 400)
        cursor.place += len(line)
        self._began, self._label = True, None
        self._start, self._where = start, (1, 1)
        self._calls.add_unreadable(tool, "its arguments are no JSON object", self._calls.name(tool))

    def _read_keywords(self, tool: str, start: int) -> None:
        """Read what follows a tool's name and "(": arguments as in Python, ``order="7", days=3``."""
        cursor = self._cursor
        end = self._end_of_keywords()
        if end is None and not cursor.complete:
            raise NeedsMore
        text = cursor.text[cursor.place : end]
        self._began, self._label, self._scanned = True, None, None
        self._start, self._where = start, (1, 1)
        cursor.place = len(cursor.text) if end is None else end + 1
        named = self._calls.name(tool)
        if end is None:
            self._calls.add_unreadable(tool, CUT_OFF, named)
            return
        try:
            self._calls.add_arguments(named, read_keywords(text))
        except NotACall as error:
            self._calls.add_unreadable(tool, str(error), named)

    def _end_of_keywords(self) -> int | None:
        """Returns the position of the bracket that closes the arguments, or None if it has not arrived.

        It continues where it stopped, so that a long text in many pieces takes no longer.
        """
        text = self._cursor.text
        place, depth, quote = self._scanned or (self._cursor.place, 1, "")
        while place < len(text):
            sign = text[place]
            if sign == "\\":
                place += 1
            elif quote:
                quote = "" if sign == quote else quote
            elif sign in "\"'":
                quote = sign
            else:
                depth += (sign in "([{") - (sign in ")]}")
                if not depth:
                    return place
            place += 1
            plain = _PLAIN_IN_BRACKETS.match(text, place)
            place = plain.end() if plain else place
        self._scanned = place, depth, quote
        return None

    def _skip_mark(self) -> bool:
        """Read the next object, or skip text that is allowed around calls.

        Returns False for any other text.
        """
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
        # One or two of these characters are allowed on a separate line before or after a call.
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
        """Skip a tool's name and the characters between the name and its arguments."""
        cursor = self._cursor
        found = _BEHIND_NAME.match(cursor.text, cursor.place + length)
        end = found.end() if found else cursor.place + length
        partly = end >= len(cursor.text) or "[ARGS]".startswith(cursor.text[end : end + 6])
        if partly and not cursor.complete:
            raise NeedsMore
        self._label, cursor.place = (tool, cursor.place), end
        return True


def read_keywords(text: str) -> JsonObject:
    """Returns arguments that are written as in Python, each with its name. Raises ``NotACall``.

    >>> read_keywords("order='7', days=3, urgent=true, items=[1, 2]")
    {'order': '7', 'days': 3, 'urgent': True, 'items': [1, 2]}
    """
    try:
        with warnings.catch_warnings():
            # For a "\\d" in a model's text, Python would print a warning.
            warnings.simplefilter("ignore")
            call = ast.parse(f"f({text})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args or any(word.arg is None for word in call.keywords):
            raise NotACall("each argument needs its name")
        return {str(word.arg): _value(word.value) for word in call.keywords}
    except (SyntaxError, TypeError, ValueError, MemoryError, RecursionError):
        raise NotACall("its arguments are no JSON object") from None


def _value(written: ast.expr) -> Json:
    """Returns a literal as a JSON value.

    Raises ``TypeError`` for a literal that JSON does not have, such as a set.
    """
    if isinstance(written, ast.Name) and written.id in _WORDS_FOR_VALUES:
        return _WORDS_FOR_VALUES[written.id]
    return cast("Json", orjson.loads(orjson.dumps(ast.literal_eval(written))))

"""What stands around calls in a text, and the shapes that a call may have."""

import re
from collections.abc import Collection, Generator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from assistant.conversation.values import Json, JsonObject
from assistant.formats.sections import folded, unescape

CALLS: Final = frozenset(
    ("calls", "call", "tool_calls", "tool_call", "tools", "function_calls", "function_call", "functions",
     "tool_use", "tool_code", "action", "actions", "multi_tool_use", "toolcall", "toolcalls"),
)  # fmt: skip
"""What models call a section of calls, whatever they were told."""

RESULTS: Final = frozenset(
    ("observation", "observations", "result", "results", "tool_result", "tool_results", "tool_response",
     "tool_responses", "tool_output", "function_result", "function_results", "function_response"),
)  # fmt: skip
"""What models call a section of results, when they invent some."""

NOTHING: Final = frozenset(("none", "null", "nothing", "no", "n/a", "no calls", "none needed", "-"))
"""How models say that they make no call, where they were to make some."""

_SKIPPED: Final = " \t\r\n,;[]})\ufeff\u200b"
_INFO: Final = frozenset(
    ("json", "json5", "jsonc", "yaml", "yml", "xml", "tool_call", "tool_code", "python", "text", "markdown", "md",
     "function"),
)  # fmt: skip
_BRACKETED: Final = re.compile(r"\[/?[A-Z_]{3,24}\]")
_TAG: Final = re.compile(r"<\s*(?:[|\uff5c][^<>]*[|\uff5c]|[/\\]?\s*([A-Za-z][\w:-]*)[^<>]*)>")
_FUNCTION: Final = re.compile(r"<function\s*=\s*\"?([\w.-]+)\"?\s*>")
_HEADING: Final = re.compile(r"(?:#+[ \t]*(?:\*\*)?|\*\*)[ \t]*([A-Za-z][\w -]*?)[ \t:*#]*\n?$")
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][\w.-]*")
_BEHIND: Final = re.compile(r"\s*(?:\[ARGS\]|[:(>])?\s*")
_LONGEST: Final = 120


@dataclass(frozen=True, slots=True)
class Label:
    """A tool's name that stands before its arguments, as it was written."""

    tool: str
    written: str


T = TypeVar("T")

Steps: TypeAlias = Generator[None, None, T]
"""Reads something, and yields whenever it needs more text."""


class Cursor:
    """The text so far, and how far it is read."""

    __slots__ = ("over", "place", "text")

    def __init__(self) -> None:
        self.text = ""
        self.place = 0
        self.over = False

    def at_end(self) -> Steps[bool]:
        """Whether nothing more comes; waits until that is known."""
        while self.place >= len(self.text):
            if self.over:
                return True
            yield
        return False

    def sign(self) -> Steps[str]:
        """The sign here. Raises ``Cut`` at the end."""
        if self.place >= len(self.text) and (yield from self.at_end()):
            raise Cut
        return self.text[self.place]

    def sign_or_none(self) -> Steps[str]:
        """The sign here; "" at the end."""
        return "" if (yield from self.at_end()) else self.text[self.place]

    def ahead(self, length: int) -> Steps[str]:
        """The next signs; fewer only at the end."""
        while len(self.text) < self.place + length and not self.over:
            yield
        return self.text[self.place : self.place + length]

    def until(self, sign: str, most: int) -> Steps[str]:
        """The text up to and including a sign, not moving; what is there of it where it does not come soon."""
        while True:
            found = self.text.find(sign, self.place, self.place + most)
            if found >= 0:
                return self.text[self.place : found + len(sign)]
            if self.over or len(self.text) - self.place >= most:
                return self.text[self.place : self.place + most]
            yield

    def where(self, start: int) -> tuple[int, int]:
        """Line and column here, both from 1, counted from a start."""
        read = self.text[start : self.place]
        return read.count("\n") + 1, len(read) - read.rfind("\n")


class Scaffold:
    """Goes past it.

    Args:
        cursor: where.
        tools: the names of the tools on offer.
    """

    def __init__(self, cursor: Cursor, tools: Collection[str]) -> None:
        self._cursor, self._tools = cursor, tools

    def skip(self) -> Steps[str | Label]:
        """Go to the next object; gives "{", or the label of one, or "" where something else stands."""
        cursor = self._cursor
        while not (yield from cursor.at_end()):
            sign = cursor.text[cursor.place]
            if sign == "{":
                return sign
            if sign == "[" and (length := (yield from self._bracketed())):
                cursor.place += length
            elif sign in _SKIPPED:
                cursor.place += 1
            elif sign in "`~":
                if not (yield from self._fence()):
                    return ""
            elif sign == "<":
                if (label := (yield from self._tag())) is None:
                    return ""
                if label.tool:
                    return label
            elif sign in "#*/":
                if not (yield from self._line()):
                    return ""
            else:
                label = yield from self._name()
                if label is None or label.tool:
                    return label or ""
        return ""

    def skip_words(self) -> Steps[bool]:
        """Go past words, to an object or the end of the line; says whether there were any."""
        cursor = self._cursor
        began = cursor.place
        while not (yield from cursor.at_end()) and cursor.text[cursor.place] not in "{\n<":
            if cursor.place == began and cursor.text[began] == "#":
                return False
            cursor.place += 1
        return cursor.place > began

    def _bracketed(self) -> Steps[int]:
        follows = yield from self._cursor.ahead(2)
        if not (follows[1:].isupper() or follows[1:] == "/"):
            return 0
        found = _BRACKETED.match((yield from self._cursor.until("]", 32)))
        return found.end() if found else 0

    def _fence(self) -> Steps[bool]:
        signs = yield from self._cursor.ahead(3)
        if signs not in ("```", "~~~"):
            # One or two of them stand around a call in a line of its own.
            self._cursor.place += len(signs) - len(signs.lstrip("`"))
            return signs[:1] == "`"
        while (yield from self._cursor.sign_or_none()) == signs[0]:
            self._cursor.place += 1
        return True

    def _tag(self) -> Steps[Label | None]:
        """Past a tag; with a label where it names a tool, None where it is not of this kind."""
        text = yield from self._cursor.until(">", _LONGEST)
        if function := _FUNCTION.match(text):
            self._cursor.place += function.end()
            yield from self._past_joint()
            return Label(known_tool(function[1], self._tools) or function[1], function[0])
        found = _TAG.match(text)
        if found is None or not (
            found[1] is None or folded(found[1]) in CALLS or folded(found[1]) == "function"
        ):
            return None
        self._cursor.place += found.end()
        return Label("", "")

    def _line(self) -> Steps[bool]:
        """Past a heading that says that these are calls, or a comment."""
        line = yield from self._cursor.until("\n", _LONGEST)
        found = _HEADING.match(line)
        if line.startswith("//") or (found is not None and folded(found[1]) in CALLS):
            self._cursor.place += len(line)
            return True
        return False

    def _name(self) -> Steps[Label | None]:
        """Past a name: with a label where it is a tool's, None where it is anything else."""
        cursor = self._cursor
        while (found := _IDENTIFIER.match(cursor.text, cursor.place)) and found.end() == len(cursor.text):
            if cursor.over:
                break
            yield
        if found is None:
            return None
        if folded(found[0]) in _INFO:
            cursor.place = found.end()
            return Label("", "")
        tool = known_tool(found[0], self._tools)
        if tool is None:
            return None
        start, cursor.place = cursor.place, found.end()
        yield from self._past_joint()
        return Label(tool, cursor.text[start : cursor.place])

    def _past_joint(self) -> Steps[None]:
        """Past what stands between a name and its arguments."""
        cursor = self._cursor
        while True:
            found = _BEHIND.match(cursor.text, cursor.place)
            end = found.end() if found else cursor.place
            if cursor.over or (
                end < len(cursor.text) and not "[ARGS]".startswith(cursor.text[end : end + 6])
            ):
                cursor.place = end
                return
            yield


WRAPPERS: Final = frozenset(("calls", "tool_calls", "tools", "function_calls", "functions", "actions"))
"""Keys below which lists of calls stand."""

FUNCTION: Final = "function"
"""The key that has a tool's name, or an object with its name and arguments."""

_SURE: Final = ("tool", "tool_name", "function_name", "recipient_name")
_UNSURE: Final = ("name", "action")
_ARGUMENTS: Final = (
    "arguments", "args", "parameters", "params", "input", "tool_input", "action_input", "kwargs",
)  # fmt: skip
_IDS: Final = ("id", "call_id")
_OTHER: Final = frozenset(("type", FUNCTION, *_IDS, *_SURE))
_JOINTS: Final = re.compile(r"[\W_]+")


class NotACall(Exception):
    """What stands there is no call; its words say why."""


def known_tool(written: str, tools: Collection[str]) -> str | None:
    """The tool that is meant, however it is spelled; None for one that is not on offer.

    >>> known_tool("Get-Order", ["get_order"]), known_tool("functions.get_order", ["get_order"])
    ('get_order', 'get_order')
    """
    written = written.strip()
    if written in tools:
        return written
    plain = _plain(written.removeprefix("functions."))
    like = [tool for tool in tools if _plain(tool) == plain]
    return like[0] if len(like) == 1 else None


def tool_of(members: JsonObject, tools: Collection[str], *, complete: bool = True) -> str | None:
    """The tool that a call is for; as it is written, where nobody knows it. None while that cannot be said."""
    for key in _SURE:
        if isinstance(name := members.get(key), str) and name.strip():
            return known_tool(name, tools) or name.strip()
    match members.get(FUNCTION):
        case str(name) if name.strip():
            return known_tool(name, tools) or name.strip()
        case Mapping() as function if isinstance(name := function.get("name"), str) and name.strip():
            return known_tool(name, tools) or name.strip()
        case _:
            pass
    for key in _UNSURE:
        if isinstance(name := members.get(key), str) and name.strip():
            # Until all is read it may be an argument that bears such a name.
            tool = known_tool(name, tools)
            if tool is not None or complete:
                return tool or name.strip()
    short = next(iter(members), "") if len(members) == 1 else ""
    return known_tool(short, tools) if complete and isinstance(members.get(short), Mapping) else None


def arguments_of(members: JsonObject, tool: str, tools: Collection[str], *, complete: bool = True) -> Json:
    """What the call is made with, as it is written: an object, if all is well.

    ``complete``: nothing of the call is missing, so that what is not there was left out.

    Raises ``NotACall`` where that cannot be said.
    """
    inner = members.get(FUNCTION)
    for holder in (members, inner) if isinstance(inner, Mapping) else (members,):
        for key in _ARGUMENTS:
            if key in holder and not (holder[key] is None and _rest(members)):
                return holder[key]
    if not complete:
        raise NotACall("it ends before its arguments are complete")
    if len(members) == 1 and known_tool(next(iter(members)), tools) == tool:
        return next(iter(members.values()))
    return _rest(members)


def read_call(members: JsonObject, tools: Collection[str], *, complete: bool = True) -> tuple[str, Json]:
    """Tool and arguments of a call. Raises ``NotACall`` where one of them cannot be said."""
    tool = tool_of(members, tools)
    if tool is None:
        raise NotACall('it does not say which "tool" is to be called')
    return tool, arguments_of(members, tool, tools, complete=complete)


def id_of(members: JsonObject) -> str:
    """What the call is called, "" where it has no name."""
    given = next((members[key] for key in _IDS if key in members), None)
    return str(given) if isinstance(given, str | int) else ""


def unescaped(value: Json) -> Json:
    """The value with what its texts stood for in a section: a model copies them as it saw them."""
    match value:
        case str():
            return unescape(value)
        case Mapping():
            return {unescape(key): unescaped(part) for key, part in value.items()}
        case list() | tuple():
            return [unescaped(part) for part in value]
        case _:
            return value


def _rest(members: JsonObject) -> dict[str, Json]:
    """What stands beside the tool's name, where arguments have no key of their own."""
    named = next((key for key in _UNSURE if key in members), None)
    sure = any(key in members for key in (*_SURE, FUNCTION))
    taken = {*_OTHER, *_ARGUMENTS, *(() if sure or named is None else (named,))}
    return {key: value for key, value in members.items() if key not in taken}


def _plain(name: str) -> str:
    return _JOINTS.sub("_", name).casefold()


class Cut(Exception):
    """The text ends where more was needed."""

"""What models put around calls: lists, fences, tags, headings and names; none of it says anything."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from assistant.sections.names import folded
from assistant.toolchain.cursor import Cursor, Steps
from assistant.toolchain.shapes import known_tool

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

"""Reads calls that are written as YAML, line by line, while they come."""

import re
from collections.abc import Collection, Mapping
from typing import Final

from assistant.sections.fences import FENCE
from assistant.sections.names import folded
from assistant.toolchain.asked import Named, Read
from assistant.toolchain.growing import CUT_OFF, GrowingCalls, Written
from assistant.toolchain.json_reader import LONGEST, NO_OBJECT, JsonReader, object_in
from assistant.toolchain.loose_yaml import NotYaml
from assistant.toolchain.scaffold import CALLS, NOTHING
from assistant.toolchain.shapes import WRAPPERS, NotACall, id_of, known_tool, read_call
from assistant.toolchain.yaml_item import KEY, indent_of, read_item

_TAG: Final = re.compile(r"[ ]*<[ ]?[/\\|]?[ ]?([A-Za-z][\w-]{0,40})[^<>]{0,200}>$")
_HEADING: Final = re.compile(r"[ ]*(?:#{1,6}[ ]?(?:\*\*)?|\*\*)[ ]?([A-Za-z][\w -]{0,40}?)[ :*#]{0,9}$")
_NAMES: Final = frozenset(("tool", "tool_name", "function", "function_name", "name", "action"))
_TABS: Final = re.compile(r"^[ ]*\t[ \t]*")


class YamlReader:
    """Items of a list, or mappings one after another, with what models put around them. JSON is read as well.

    ``over``: something stands there that belongs to no call, and nothing more is read.

    Args:
        tools: the names of the tools on offer.
        texts: by tool, the names of arguments that are texts.
        strict: words before the first call end it as well.
    """

    def __init__(
        self, tools: Collection[str], texts: Mapping[str, Collection[str]], *, strict: bool = False
    ) -> None:
        self._strict = strict
        self.over = False
        self._tools, self._texts = tools, texts
        self._calls = GrowingCalls(tools, lambda text: object_in(text, tools), lambda: self._written)
        self._written = Written()
        self._json: JsonReader | None = None
        self._line = ""
        self._length = 0
        self._item: list[str] = []
        self._named: Named | None = None
        self._began = False
        self._words: list[str] = []

    def push(self, text: str) -> list[Read]:
        """Some more of the text; gives what is known now."""
        if self._json is not None:
            return self._from_json(self._json.push(text))
        self._length += len(text)
        *lines, self._line = f"{self._line}{text}".split("\n")
        for place, line in enumerate(lines):
            if self.over or self._length > LONGEST:
                return self._read()
            if not self._item and line.lstrip()[:1] in {"{", "["}:
                return self._as_json("\n".join((*lines[place:], self._line)))
            self._take(_TABS.sub(lambda found: found[0].replace("\t", "  "), line.rstrip()))
        if not self._item and self._line.lstrip()[:1] in {"{", "["}:
            return self._as_json(self._line)
        return self._read()

    def end(self, *, cut: bool = False) -> list[Read]:
        """The text is complete, or ``cut`` off in the middle; gives what is known only now."""
        if self._json is not None:
            return self._from_json(self._json.end(cut=cut))
        read = self.push("\n") if self._line else []
        if not self.over:
            self._end_item(CUT_OFF if cut else "")
            told = "\n".join(self._words)
            if not self._began and told and told.casefold().strip(" .!`") not in NOTHING:
                self._written = Written(told)
                self._calls.unreadable("", NO_OBJECT)
        self.over = True
        return [*read, *self._read()]

    def _read(self) -> list[Read]:
        read, self._calls.read = self._calls.read, []
        return read

    def _as_json(self, text: str) -> list[Read]:
        self._json = JsonReader(self._tools, strict=self._strict)
        return [*self._read(), *self._from_json(self._json.push(text))]

    def _from_json(self, read: list[Read]) -> list[Read]:
        self.over = self._json is not None and self._json.over
        return read

    def _take(self, line: str) -> None:
        """One line, without the end of it."""
        if not line:
            self._item += [""] if self._item else []
        elif self._is_scaffold(line):
            self._end_item()
        elif _TAG.match(line) or (_HEADING.match(line) and indent_of(line) == 0):
            self._end_item()
            self.over = self._began or not line.startswith("#")
        elif self._begins_item(line):
            self._end_item()
            self._item = [line]
            self._began = True
            self._look_for_name(line)
        elif self._item and (indent_of(line) > indent_of(self._item[0]) or KEY.match(line)):
            self._item.append(line)
            self._look_for_name(line)
        elif self._item:
            self._end_item()
            self.over = True
        else:
            self._words.append(line.strip())
            self.over = self._strict

    def _is_scaffold(self, line: str) -> bool:
        plain = line.strip()
        if FENCE.match(line) or plain in ("---", "..."):
            return True
        if plain.endswith(":") and folded(plain[:-1]) in WRAPPERS:
            return not self._item
        tag = _TAG.match(line) or _HEADING.match(line)
        return tag is not None and folded(tag[1]) in CALLS

    def _begins_item(self, line: str) -> bool:
        if self._item and indent_of(line) > indent_of(self._item[0]):
            return False
        if line.lstrip(" ").startswith("- "):
            return True
        key = KEY.match(line)
        if key is None or folded(key["key"]) not in _NAMES:
            return False
        return not self._item or any(
            (other := KEY.match(before)) and other["key"] == key["key"] for before in self._item
        )

    def _look_for_name(self, line: str) -> None:
        key = KEY.match(line)
        if self._named is not None or key is None or folded(key["key"]) not in _NAMES or not key["value"]:
            return
        written = key["value"].partition(" #")[0].strip().strip("\"'")
        tool = known_tool(written, self._tools)
        if tool is not None:
            ids = (KEY.match(each) for each in self._item)
            id_ = next((one["value"] or "" for one in ids if one and folded(one["key"]) == "id"), "")
            self._named = self._calls.name(tool, id_.strip().strip("\"'"))

    def _end_item(self, problem: str = "") -> None:
        """The item is complete, or broken off for a reason."""
        lines, named = self._item, self._named
        self._item, self._named = [], None
        if not lines:
            return
        self._written = Written("\n".join(lines))
        tool = named.tool if named is not None else ""
        if problem:
            self._calls.unreadable(tool, problem, named)
            return
        try:
            members = read_item(lines, self._texts.get(tool, ()))
            asked, arguments = read_call(members, self._tools)
        except NotYaml as error:
            self._written = Written("\n".join(lines), error.where)
            self._calls.unreadable(tool, str(error), named)
        except NotACall as error:
            self._calls.unreadable(tool, str(error), named)
        else:
            self._calls.ask(named or self._calls.name(asked), arguments, id_of(members))

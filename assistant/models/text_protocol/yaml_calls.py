"""Reads calls in YAML as they stream, in the imprecise forms that models write.

A call's tool is known after its line, its arguments after its item. PyYAML parses complete items.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Protocol, cast

from assistant.conversation.values import Json, JsonObject
from assistant.formats.sections import FENCE, folded
from assistant.models.text_protocol.calls import (
    CUT_OFF,
    LONGEST,
    NO_CALLS,
    NO_OBJECT,
    SECTIONS_OF_CALLS,
    WRAPPERS,
    CallCollector,
    CallEvent,
    NamedCall,
    known_tool,
)
from assistant.models.text_protocol.json_calls import JsonReader
from assistant.models.text_protocol.loose_json import parse_text

if TYPE_CHECKING:
    from yaml import Node

_TAG: Final = re.compile(r"[ ]*<[ ]?[/\\|]?[ ]?([A-Za-z][\w-]{0,40})[^<>]{0,200}>$")
_HEADING: Final = re.compile(r"[ ]*(?:#{1,6}[ ]?(?:\*\*)?|\*\*)[ ]?([A-Za-z][\w -]{0,40}?)[ :*#]{0,9}$")
_NAME_KEYS: Final = frozenset(("tool", "tool_name", "function", "function_name", "name", "action"))
_TABS: Final = re.compile(r"^[ ]*\t[ \t]*")
_KEY: Final = re.compile(
    r"(?P<indent>[ ]*)(?P<dash>-[ ]*)?[\"']?"
    r"(?P<key>tool|tool_name|function|function_name|name|action|arguments|args|parameters|params|input|id)"
    r"[\"']?[ ]*:(?:[ ]+(?P<value>.*))?$",
    re.IGNORECASE,
)
"""A line with a key of a call, with or without a dash before it."""


class YamlReader:
    """Reads items of a list, or consecutive mappings, with the text that models put around them. It also
    reads JSON.

    ``over`` is True if the calls have ended, because something else follows. The reader ignores the rest.

    Args:
        tools: the names of the offered tools.
        texts: for each tool, the names of the arguments that are texts.
        strict: stop reading if there are words before the first call.
    """

    def __init__(
        self, tools: Collection[str], texts: Mapping[str, Collection[str]], *, strict: bool = False
    ) -> None:
        self._strict = strict
        self.over = False
        self._tools, self._texts = tools, texts
        self._written, self._where = "", (1, 1)
        self._calls = CallCollector(
            tools, lambda text: parse_text(text, tools), lambda: (self._written, self._where)
        )
        self._json: JsonReader | None = None
        self._line = ""
        self._length = 0
        self._item: list[str] = []
        self._named: NamedCall | None = None
        self._began = False
        self._words: list[str] = []

    def push(self, text: str) -> list[CallEvent]:
        """Read more of the text. Returns the events that are known now."""
        if self._json is not None:
            return self._from_json(self._json.push(text))
        if self.over:
            return []
        self._length += len(text)
        *lines, self._line = f"{self._line}{text}".split("\n")
        for place, line in enumerate(lines):
            if self.over or self._length > LONGEST:
                return self._calls.events()
            if not self._item and line.lstrip()[:1] in {"{", "["}:
                return self._read_as_json("\n".join((*lines[place:], self._line)))
            self._read_line(_TABS.sub(lambda found: found[0].replace("\t", "  "), line.rstrip()))
        if not (self.over or self._item) and self._line.lstrip()[:1] in {"{", "["}:
            return self._read_as_json(self._line)
        return self._calls.events()

    def finish(self, *, cut: bool = False) -> list[CallEvent]:
        """End the text; ``cut`` is True if it was cut off. Returns the remaining events."""
        if self._json is not None:
            return self._from_json(self._json.finish(cut=cut))
        read = self.push("\n") if self._line else []
        if not self.over:
            self._end_item(CUT_OFF if cut else "")
            told = "\n".join(self._words)
            if not self._began and told and told.casefold().strip(" .!`") not in NO_CALLS:
                self._written, self._where = told, (1, 1)
                self._calls.add_unreadable("", NO_OBJECT)
        self.over = True
        return [*read, *self._calls.events()]

    def _read_as_json(self, text: str) -> list[CallEvent]:
        self._json = JsonReader(self._tools, strict=self._strict)
        return [*self._calls.events(), *self._from_json(self._json.push(text))]

    def _from_json(self, read: list[CallEvent]) -> list[CallEvent]:
        self.over = self._json is not None and self._json.over
        return read

    def _read_line(self, line: str) -> None:
        if not line:
            self._item += [""] if self._item else []
        elif self._is_around_calls(line):
            self._end_item()
        elif _TAG.match(line) or (_HEADING.match(line) and _indent_of(line) == 0):
            self._end_item()
            self.over = self._began or not line.startswith("#")
        elif self._begins_item(line):
            self._end_item()
            self._item = [line]
            self._began = True
            self._look_for_name(line)
        elif self._item and (_indent_of(line) > _indent_of(self._item[0]) or _KEY.match(line)):
            self._item.append(line)
            self._look_for_name(line)
        elif self._item:
            self._end_item()
            self.over = True
        else:
            self._words.append(line.strip())
            self.over = self._strict

    def _is_around_calls(self, line: str) -> bool:
        plain = line.strip()
        if FENCE.match(line) or plain in ("---", "..."):
            return True
        if plain.endswith(":") and folded(plain[:-1]) in WRAPPERS:
            return not self._item
        tag = _TAG.match(line) or _HEADING.match(line)
        return tag is not None and folded(tag[1]) in SECTIONS_OF_CALLS

    def _begins_item(self, line: str) -> bool:
        if self._item and _indent_of(line) > _indent_of(self._item[0]):
            return False
        if line.lstrip(" ").startswith("- "):
            return True
        key = _KEY.match(line)
        if key is None or folded(key["key"]) not in _NAME_KEYS:
            return False
        return not self._item or any(
            (other := _KEY.match(before)) and other["key"] == key["key"] for before in self._item
        )

    def _look_for_name(self, line: str) -> None:
        key = _KEY.match(line)
        if self._named is not None or key is None or folded(key["key"]) not in _NAME_KEYS or not key["value"]:
            return
        written = key["value"].partition(" #")[0].strip().strip("\"'")
        tool = known_tool(written, self._tools)
        if tool is not None:
            ids = (_KEY.match(each) for each in self._item)
            id_ = next((one["value"] or "" for one in ids if one and folded(one["key"]) == "id"), "")
            self._named = self._calls.name(tool, id_.strip().strip("\"'"))

    def _end_item(self, problem: str = "") -> None:
        """End the item: it is complete, or cannot be read because of a problem."""
        lines, named = self._item, self._named
        self._item, self._named = [], None
        if not lines:
            return
        self._written, self._where = "\n".join(lines), (1, 1)
        tool = named.tool if named is not None else ""
        if problem:
            self._calls.add_unreadable(tool, problem, named)
            return
        try:
            members = _read_item(lines, self._texts.get(tool, ()))
        except NotYaml as error:
            self._where = error.where
            self._calls.add_unreadable(tool, str(error), named)
        else:
            self._calls.add(members, named)


def _indent_of(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _read_item(lines: Sequence[str], texts: Collection[str]) -> JsonObject:
    """Returns the members of a call, even if its lines have a wrong indentation. Raises ``NotYaml``."""
    first, *others = lines
    dash = first.lstrip(" ").startswith("-")
    plain = [first.replace("-", " ", 1) if dash else first, *others]
    try:
        found = load_yaml("\n".join((*plain, "")), texts)
    except NotYaml:
        found = load_yaml("\n".join((*_aligned(plain), "")), texts)
    match found:
        case Mapping():
            return found
        case [Mapping() as only]:
            return only
        case _:
            raise NotYaml('it is no mapping with the keys "tool" and "arguments"')


def _aligned(lines: Sequence[str]) -> list[str]:
    """Returns the lines with the call's own keys at column 0, and everything else indented."""
    depth = _indent_of(lines[0])
    return [
        line.lstrip(" ") if _KEY.match(line) and _indent_of(line) <= depth else f"  {line}" for line in lines
    ]


_DEEPEST: Final = 32
_MOST: Final = 5_000
_LONGEST: Final = 65_536
_WORDS: Final = {"true": True, "false": False, "null": None, "~": None, "": None, "none": None}
_INTEGER: Final = re.compile(r"[+-]?(?:0|[1-9]\d{0,99})")
_DECIMAL: Final = re.compile(r"[+-]?(?:0|[1-9]\d{0,99})\.\d{1,99}(?:[eE][+-]?\d{1,2})?")
_CURES: Final = (
    ("mapping values are not allowed", 'a text with ": " in it needs quotation marks'),
    ("cannot start any token", "a text that begins with this sign needs quotation marks"),
    ("found unknown escape", "a backslash in quotation marks is written twice"),
    ("undefined alias", "a text that begins with * needs quotation marks"),
    ("found unexpected end of stream", "a quotation mark is not closed"),
    ("<block", "a line is not indented like its siblings"),
)


class _Mark(Protocol):
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...


class NotYaml(Exception):
    """The text cannot be read. ``where``: line and column, both from 1."""

    def __init__(self, problem: str, where: tuple[int, int] = (1, 1)) -> None:
        self.where = where
        super().__init__(problem)


def load_yaml(text: str, texts: Collection[str] = ()) -> Json:
    r"""Returns the single value in a text. Raises ``NotYaml``.

    ``yes``, ``007``, dates and times are texts. ``texts`` are the keys whose values are texts, even if they
    look like numbers.

    >>> load_yaml("order: 4711\nzip: 04109", ["order"])
    {'order': '4711', 'zip': '04109'}
    """
    import yaml

    if len(text) > _LONGEST:
        raise NotYaml(f"it is longer than {_LONGEST} signs")
    try:
        _check(text)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        return _value(node, texts)
    except yaml.MarkedYAMLError as error:
        told = f"{error.problem or 'it is no YAML'}; {_cure(str(error))}".rstrip("; ")
        raise NotYaml(told, _where(error.problem_mark)) from error
    except yaml.YAMLError as error:
        raise NotYaml(f"there is a sign that YAML does not allow: {error}".partition("\n")[0]) from error


def _check(text: str) -> None:
    """Refuse aliases and other means by which a small text could become a large value, before it is parsed."""
    import yaml

    depth = 0
    for count, event in enumerate(yaml.parse(text, Loader=yaml.SafeLoader)):
        where = _where(event.start_mark)
        if isinstance(event, yaml.AliasEvent):
            raise NotYaml("a text that begins with * needs quotation marks", where)
        if getattr(event, "tag", None) is not None:
            raise NotYaml("a text that begins with ! needs quotation marks", where)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise NotYaml(f"it is nested more than {_DEEPEST} deep", where)
        if count > _MOST:
            raise NotYaml("it has too many parts", where)


def _value(node: "Node | None", texts: Collection[str], key: str = "") -> Json:
    import yaml

    if isinstance(node, yaml.SequenceNode):
        return [_value(part, texts, key) for part in cast("list[Node]", node.value)]
    if isinstance(node, yaml.MappingNode):
        return _mapping(cast("list[tuple[Node, Node]]", node.value), texts)
    if not isinstance(node, yaml.ScalarNode):
        return None
    text = str(node.value)
    quoted = node.style is not None
    return text if quoted or (key in texts and text.casefold() not in ("", "~", "null")) else _plain(text)


def _mapping(pairs: "list[tuple[Node, Node]]", texts: Collection[str]) -> Json:
    import yaml

    found: dict[str, Json] = {}
    for name, part in pairs:
        if not isinstance(name, yaml.ScalarNode):
            raise NotYaml("a key is a text; braces in a text need quotation marks", _where(name.start_mark))
        key = str(name.value)
        if key in found:
            raise NotYaml(f"the key {key!r} occurs twice", _where(name.start_mark))
        found[key] = _value(part, texts, key)
    return found


def _where(mark: _Mark | None) -> tuple[int, int]:
    return (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)


def _plain(text: str) -> Json:
    """Returns the value of a scalar that was written without quotation marks.

    >>> _plain("yes"), _plain("True"), _plain("12"), _plain("1.50"), _plain("~")
    ('yes', True, 12, 1.5, None)
    """
    if text.casefold() in _WORDS:
        return _WORDS[text.casefold()]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else text


def _cure(problem: str) -> str:
    return next((cure for said, cure in _CURES if said in problem), "")

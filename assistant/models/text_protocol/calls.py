"""Calls that a model writes as text: the events of reading them, and the forms that they may have.

``CallReader`` reads one text as it streams, and returns each ``CallEvent``. ``CallCollector`` makes the
events from the objects that a reader finds. ``tool_of`` and ``arguments_of`` know the keys that models use
for a tool's name and its arguments.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias

from assistant.conversation.values import Json, JsonObject
from assistant.formats.sections import unescape


@dataclass(frozen=True, slots=True)
class NamedCall:
    """A call has begun, and its tool is known.

    ``number`` counts the calls in the text, from 0. ``id`` is the call's id in the text, "" if it is not
    known yet.
    """

    number: int
    tool: str
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedCall:
    """A complete call. ``id`` is its id in the text, "" if it has none."""

    number: int
    tool: str
    arguments: JsonObject = field(default_factory=dict[str, Json])
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableCall:
    """A part of the text that was meant as a call, but cannot be read.

    ``tool`` is "" if it is unknown. ``problem`` says what is wrong. ``where`` is the line and column in the
    call near the mistake, both from 1. ``text`` is the call as the model wrote it.
    """

    number: int
    tool: str
    problem: str
    where: tuple[int, int]
    text: str

    @property
    def for_model(self) -> str:
        """The text for the model, so that it can correct the call."""
        line, column = self.where
        shown = self.text if len(self.text) <= _SHOWN else f"{self.text[:_SHOWN]}..."
        return f"{self.problem} (line {line}, column {column}): {shown}"


CallEvent: TypeAlias = NamedCall | ParsedCall | UnreadableCall

_SHOWN: Final = 400


class CallReader(Protocol):
    """Reads the calls of one text as it streams.

    ``over`` is True if the calls have ended, because something else follows. The reader ignores the rest.
    """

    over: bool

    def push(self, text: str) -> list[CallEvent]:
        """Read more of the text. Returns the events that are known now."""
        ...

    def finish(self, *, cut: bool = False) -> list[CallEvent]:
        """End the text; ``cut`` is True if it was cut off. Returns the remaining events."""
        ...


SECTIONS_OF_CALLS: Final = frozenset(
    ("calls", "call", "tool_calls", "tool_call", "tools", "function_calls", "function_call", "functions",
     "tool_use", "tool_code", "action", "actions", "multi_tool_use", "toolcall", "toolcalls"),
)  # fmt: skip
"""Names that models use for the section with the calls."""

NO_CALLS: Final = frozenset(("none", "null", "nothing", "no", "n/a", "no calls", "none needed", "-"))
"""Texts that models write if they make no call."""

NO_OBJECT: Final = "there is no object with the name and the arguments of a tool"
CUT_OFF: Final = "it ends before it is complete"
LONGEST: Final = 65_536
"""The most characters of calls that are read in one reply."""

WRAPPERS: Final = frozenset(("calls", "tool_calls", "tools", "function_calls", "functions", "actions"))
"""Keys whose values are lists of calls."""

_FUNCTION: Final = "function"
"""A key whose value is a tool's name, or an object with the name and the arguments."""

_CERTAIN_NAMES: Final = ("tool", "tool_name", "function_name", "recipient_name")
_POSSIBLE_NAMES: Final = ("name", "action")
_ARGUMENTS: Final = (
    "arguments", "args", "parameters", "params", "input", "tool_input", "action_input", "kwargs",
)  # fmt: skip
_IDS: Final = ("id", "call_id")
_SEPARATORS: Final = re.compile(r"[\W_]+")


class NotACall(Exception):
    """The object is not a call; the message says why."""


def known_tool(written: str, tools: Collection[str]) -> str | None:
    """Returns the tool that a model means, in any spelling, or None if no such tool is offered.

    >>> known_tool("Get-Order", ["get_order"]), known_tool("functions.get_order", ["get_order"])
    ('get_order', 'get_order')
    """
    written = written.strip()
    if written in tools:
        return written
    plain = _plain(written.removeprefix("functions.").removesuffix(".call"))
    like = [tool for tool in tools if _plain(tool) == plain]
    return like[0] if len(like) == 1 else None


def _plain(name: str) -> str:
    return _SEPARATORS.sub("_", name).casefold()


def tool_of(members: JsonObject, tools: Collection[str], *, complete: bool = True) -> str | None:
    """Returns the name of a call's tool. An unknown name is returned as written.

    Returns None if the name cannot be determined yet.
    """
    function = members.get(_FUNCTION)
    inner = function.get("name") if isinstance(function, Mapping) else function
    for name in (*(members.get(key) for key in _CERTAIN_NAMES), inner):
        if isinstance(name, str) and name.strip():
            return known_tool(name, tools) or name.strip()
    for key in _POSSIBLE_NAMES:
        if isinstance(name := members.get(key), str) and name.strip():
            # Before the call is complete, this may also be an argument with the same name as the key.
            tool = known_tool(name, tools)
            if tool is not None or complete:
                return tool or name.strip()
    short = next(iter(members), "") if len(members) == 1 else ""
    return known_tool(short, tools) if complete and isinstance(members.get(short), Mapping) else None


def arguments_of(members: JsonObject, tool: str, tools: Collection[str], *, complete: bool = True) -> Json:
    """Returns the arguments of a call, as they are written.

    ``complete`` is True if the whole call has been read, so a missing part was left out. Raises ``NotACall``.
    """
    inner = members.get(_FUNCTION)
    for holder in (members, inner) if isinstance(inner, Mapping) else (members,):
        for key in _ARGUMENTS:
            if key in holder and not (holder[key] is None and _other_members(members)):
                return holder[key]
    if not complete:
        raise NotACall("it ends before its arguments are complete")
    if len(members) == 1 and known_tool(next(iter(members)), tools) == tool:
        return next(iter(members.values()))
    return _other_members(members)


def read_call(members: JsonObject, tools: Collection[str], *, complete: bool = True) -> tuple[str, Json]:
    """Returns the tool and the arguments of a call. Raises ``NotACall`` if one of them is missing."""
    tool = tool_of(members, tools)
    if tool is None:
        raise NotACall('it does not say which "tool" is to be called')
    return tool, arguments_of(members, tool, tools, complete=complete)


def id_of(members: JsonObject) -> str:
    """Returns the id of a call, or "" if it has none."""
    given = next((members[key] for key in _IDS if key in members), None)
    return str(given) if isinstance(given, str | int) else ""


def _other_members(members: JsonObject) -> dict[str, Json]:
    """Returns all members except the tool's name, type and id: the arguments, if they have no key of their
    own.
    """
    named = next((key for key in _POSSIBLE_NAMES if key in members), None)
    certain = any(key in members for key in (*_CERTAIN_NAMES, _FUNCTION))
    taken = {"type", _FUNCTION, *_IDS, *_CERTAIN_NAMES, *_ARGUMENTS, *(() if certain else (named,))}
    return {key: value for key, value in members.items() if key not in taken}


@dataclass(slots=True)
class _OpenCall:
    path: tuple[str, ...]
    members: dict[str, Json] = field(default_factory=dict[str, Json])
    named: NamedCall | None = None
    holds_calls: bool = False


class CallCollector:
    """Makes call events from the objects that a reader finds; they are in ``events``.

    Args:
        tools: the names of the offered tools.
        parse: parses arguments that are written as a text. Raises ``NotACall``.

    Attributes:
        written: returns the text of the current call, and the position where reading stopped.
    """

    def __init__(
        self,
        tools: Collection[str],
        parse: Callable[[str], Json],
        written: Callable[[], tuple[str, tuple[int, int]]],
    ) -> None:
        self._events: list[CallEvent] = []
        self._tools, self._parse, self._written = tools, parse, written
        self._open: list[_OpenCall] = []
        self._count = 0

    def events(self) -> list[CallEvent]:
        """Returns the events since the last call of this method."""
        events, self._events = self._events, []
        return events

    def open_object(self, path: tuple[str, ...]) -> None:
        """Begin an object below these keys. It is a call, unless it is a part of one."""
        if not all(key in WRAPPERS for key in path) or (self._open and self._open[-1].named):
            return
        if self._open:
            self._open[-1].holds_calls = True
        self._open.append(_OpenCall(path))

    def add_member(self, path: tuple[str, ...], key: str, value: Json) -> None:
        """Add a complete member to an open object."""
        if not self._open:
            return
        call = self._open[-1]
        if path == call.path:
            call.members[key] = value
        elif path == (*call.path, _FUNCTION):
            function = call.members.get(_FUNCTION)
            call.members[_FUNCTION] = {**(function if isinstance(function, Mapping) else {}), key: value}
        else:
            return
        if call.named is None and (tool := tool_of(call.members, self._tools, complete=False)) is not None:
            call.named = self.name(tool, id_of(call.members))

    def close_object(self, path: tuple[str, ...]) -> None:
        """End an object, which is complete."""
        if self._open and self._open[-1].path == path:
            call = self._open.pop()
            if not call.holds_calls and call.members:
                self.add(call.members, call.named)

    def break_off(self, problem: str = "") -> None:
        """Give up the open objects, because of a problem or because the text has ended."""
        calls = [call for call in self._open if not call.holds_calls]
        self._open.clear()
        for call in calls:
            tool = tool_of(call.members, self._tools)
            if problem or tool is None:
                named = call.named or (self.name(tool) if tool is not None else None)
                self.add_unreadable(tool or "", problem or CUT_OFF, named)
            else:
                self.add(call.members, call.named, complete=False)
        if not calls and problem:
            self.add_unreadable("", problem)

    def name(self, tool: str, id_: str = "") -> NamedCall:
        """Report that the tool of the next call is known."""
        named = NamedCall(self._count, tool, id_)
        self._count += 1
        self._events.append(named)
        return named

    def add(self, members: JsonObject, named: NamedCall | None, *, complete: bool = True) -> None:
        """Add a call with these members, which has ended."""
        tool = tool_of(members, self._tools)
        if named is None and tool is not None:
            named = self.name(tool, id_of(members))
        try:
            tool, arguments = read_call(members, self._tools, complete=complete)
        except NotACall as error:
            self.add_unreadable(tool or (named.tool if named is not None else ""), str(error), named)
        else:
            self.add_arguments(named or self.name(tool), arguments, id_of(members))

    def add_arguments(self, named: NamedCall, arguments: Json, id_: str = "") -> None:
        """Add a complete call."""
        try:
            given = self._parse(arguments) if isinstance(arguments, str) and arguments.strip() else arguments
        except NotACall as error:
            self.add_unreadable(named.tool, str(error), named)
            return
        plain = _unescaped({} if given is None or given in ("", []) else given)
        if isinstance(plain, Mapping):
            call = ParsedCall(number=named.number, tool=named.tool, arguments=plain, id=id_)
            self._events.append(call)
        else:
            self.add_unreadable(named.tool, "its arguments are no object of names and values", named)

    def add_unreadable(self, tool: str, problem: str, named: NamedCall | None = None) -> None:
        """Add a call that cannot be read."""
        number = named.number if named is not None else self._count
        if named is None:
            self._count += 1
        text, where = self._written()
        self._events.append(UnreadableCall(number=number, tool=tool, problem=problem, where=where, text=text))


def _unescaped(value: Json) -> Json:
    """Returns the value with escaped characters of a section replaced, because models copy them from what
    they read.
    """
    match value:
        case str():
            return unescape(value)
        case Mapping():
            return {unescape(key): _unescaped(part) for key, part in value.items()}
        case list() | tuple():
            return [_unescaped(part) for part in value]
        case _:
            return value

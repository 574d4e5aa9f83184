"""The shapes in which models write a call, and what each of them asks."""

import re
from collections.abc import Collection, Mapping
from typing import Final

from assistant.conversation.values import Json, JsonObject
from assistant.sections.escape import unescape

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

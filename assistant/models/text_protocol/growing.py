"""Calls while their JSON is read: each is known by its tool first, and complete when its object is."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from assistant.conversation.values import Json, JsonObject
from assistant.models.text_protocol.scaffold import (
    FUNCTION,
    WRAPPERS,
    NotACall,
    id_of,
    read_call,
    tool_of,
    unescaped,
)
from assistant.models.text_protocol.tool_chain import Asked, Named, Read, Unreadable

ReadsText: TypeAlias = Callable[[str], Json]
"""Reads a value that was written as a text; raises ``NotACall``."""

CUT_OFF: Final = "it ends before it is complete"


@dataclass(frozen=True, slots=True)
class Written:
    """What a call looks like in the text, and where reading it stopped, as line and column from 1."""

    text: str = ""
    where: tuple[int, int] = (1, 1)


@dataclass(slots=True)
class _Call:
    path: tuple[str, ...]
    members: dict[str, Json] = field(default_factory=dict[str, Json])
    named: Named | None = None
    holds_calls: bool = False


class GrowingCalls:
    """Told of objects by the reader of JSON, it says in ``read`` of which calls they are.

    Args:
        tools: the names of the tools on offer.
        reads: reads arguments that were written as a text.
        written: gives what the call that is read looks like.
    """

    def __init__(self, tools: Collection[str], reads: ReadsText, written: Callable[[], Written]) -> None:
        self.read: list[Read] = []
        self._tools, self._reads, self._written = tools, reads, written
        self._open: list[_Call] = []
        self._count = 0

    def opened(self, path: tuple[str, ...]) -> None:
        """An object begins: a call, unless it is a part of one."""
        if not all(key in WRAPPERS for key in path) or (self._open and self._open[-1].named):
            return
        if self._open:
            self._open[-1].holds_calls = True
        self._open.append(_Call(path))

    def member(self, path: tuple[str, ...], key: str, value: Json) -> None:
        """A member of an object is complete."""
        if not self._open:
            return
        call = self._open[-1]
        if path == call.path:
            call.members[key] = value
        elif path == (*call.path, FUNCTION):
            function = call.members.get(FUNCTION)
            call.members[FUNCTION] = {**(function if isinstance(function, Mapping) else {}), key: value}
        else:
            return
        if call.named is None and (tool := tool_of(call.members, self._tools, complete=False)) is not None:
            call.named = self.name(tool, id_of(call.members))

    def closed(self, path: tuple[str, ...], value: JsonObject) -> None:  # noqa: ARG002 - its members are known
        """An object is complete."""
        if self._open and self._open[-1].path == path:
            call = self._open.pop()
            if not call.holds_calls:
                self._end(call)

    def break_off(self, problem: str = "") -> None:
        """No more can be read of the objects that are open: for a reason, or because the text ends here."""
        calls = [call for call in self._open if not call.holds_calls]
        self._open.clear()
        for call in calls:
            tool = tool_of(call.members, self._tools)
            if problem or tool is None:
                # What its tool is called may be known only now.
                named = call.named or (self.name(tool) if tool is not None else None)
                self.unreadable(tool or "", problem or CUT_OFF, named)
            else:
                self._end(call, complete=False)
        if not calls and problem:
            self.unreadable("", problem)

    def name(self, tool: str, id_: str = "") -> Named:
        """A call's tool is known."""
        named = Named(self._count, tool, id_)
        self._count += 1
        self.read.append(named)
        return named

    def ask(self, named: Named, arguments: Json, id_: str = "") -> None:
        """A call is complete."""
        try:
            given = self._reads(arguments) if isinstance(arguments, str) and arguments.strip() else arguments
        except NotACall as error:
            self.unreadable(named.tool, str(error), named)
            return
        nothing = given is None or given in ("", [])
        plain = unescaped({} if nothing else given)
        if not isinstance(plain, Mapping):
            self.unreadable(named.tool, "its arguments are no object of names and values", named)
            return
        self.read.append(Asked(number=named.number, tool=named.tool, arguments=plain, id=id_))

    def unreadable(self, tool: str, problem: str, named: Named | None = None) -> None:
        """Something was meant as a call, and cannot be read."""
        number = named.number if named is not None else self._count
        if named is None:
            self._count += 1
        written = self._written()
        self.read.append(
            Unreadable(number=number, tool=tool, problem=problem, where=written.where, text=written.text)
        )

    def _end(self, call: _Call, *, complete: bool = True) -> None:
        if not call.members:
            return
        tool = tool_of(call.members, self._tools)
        named = call.named or (self.name(tool, id_of(call.members)) if tool is not None else None)
        try:
            tool, arguments = read_call(call.members, self._tools, complete=complete)
        except NotACall as error:
            self.unreadable(tool or "", str(error), named)
            return
        self.ask(named or self.name(tool), arguments, id_of(call.members))

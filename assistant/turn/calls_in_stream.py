"""Calls while they stream: each becomes a call the moment its arguments are complete."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import orjson

from assistant.conversation.calls import NOT_JSON, Call, call_id, number_of
from assistant.conversation.chunks import CallArguments, CallNamed, Opaque
from assistant.conversation.turn_state import Round
from assistant.conversation.values import Json
from assistant.turn.reply_limits import ReplyLimits

_SHOWN = 400


@dataclass(slots=True, kw_only=True)
class _Growing:
    id: str
    tool: str
    provider_id: str | None
    opaque: dict[str, Json] = field(default_factory=dict[str, Json])
    fragments: list[str] = field(default_factory=list[str])
    complete: bool = False


class CallsInStream:
    """Gathers one reply's calls by their index in the stream.

    ``unreadable`` has the calls whose arguments turned out not to be a JSON object, as text: see ``NOT_JSON``.
    """

    __slots__ = ("_growing", "_last_number", "_round", "unreadable")

    def __init__(self, round_: Round) -> None:
        self._round = round_.number
        self._last_number = number_of(round_.calls[-1].id) if round_.calls else 0
        self._growing: dict[int, _Growing] = {}
        self.unreadable: list[Call] = []

    def named(self, chunk: CallNamed) -> str:
        """A call begins; gives the id it will have."""
        self._last_number += 1
        id_ = call_id(self._round, self._last_number)
        self._growing[chunk.index] = _Growing(id=id_, tool=chunk.name, provider_id=chunk.provider_id)
        return id_

    def keep(self, chunk: Opaque) -> None:
        """Something that a provider wants back; it is kept with its call, when it belongs to one."""
        if chunk.index is not None and (growing := self._growing.get(chunk.index)) is not None:
            growing.opaque[chunk.provider] = chunk.value

    def more(self, chunk: CallArguments) -> Call | None:
        """Some more of a call's arguments; gives the call when they are complete."""
        growing = self._growing.get(chunk.index)
        if growing is None or growing.complete:
            return None
        growing.fragments.append(chunk.fragment)
        # Only a closing brace can complete an object: no need to try at every fragment.
        return self._complete(growing) if chunk.fragment.rstrip().endswith("}") else None

    def rest(self) -> list[Call]:
        """The stream has ended well: the calls that are complete only now, such as those without arguments."""
        calls: list[Call] = []
        for growing in self._growing.values():
            if growing.complete:
                continue
            if (call := self._complete(growing)) is not None:
                calls.append(call)
            else:
                self.unreadable.append(_unreadable(growing))
        return calls

    def break_off(self, limits: ReplyLimits) -> None:
        """The stream has died: what had only begun stays unreadable, for its tool may have been announced."""
        self.unreadable += [_unreadable(one) for one in self._growing.values() if not one.complete]
        if (refused := limits.refused_call(self._round, self._last_number + 1)) is not None:
            self.unreadable.append(refused)

    def _complete(self, growing: _Growing) -> Call | None:
        text = "".join(growing.fragments).strip() or "{}"
        try:
            arguments: Json = orjson.loads(text)
        except orjson.JSONDecodeError:
            return None
        if not isinstance(arguments, Mapping):
            return None
        growing.complete = True
        return Call(
            id=growing.id,
            tool=growing.tool,
            arguments=arguments,
            provider_id=growing.provider_id,
            opaque=growing.opaque or None,
        )


def _unreadable(growing: _Growing) -> Call:
    text = "".join(growing.fragments)[:_SHOWN]
    return Call(id=growing.id, tool=growing.tool, arguments={NOT_JSON: text}, provider_id=growing.provider_id)

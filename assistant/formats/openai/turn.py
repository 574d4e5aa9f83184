"""One turn's messages, as OpenAI's, each call linked to its result by an id."""

from collections.abc import Iterator
from typing import assert_never

from assistant.conversation.calls import Call
from assistant.conversation.values import Json
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, ViewMessage
from assistant.formats.json_text import json_bytes, json_text
from assistant.formats.names import wire_name
from assistant.formats.results import result_text

_Ids = dict[str, str]  # our call id -> the id on the wire
_NO_IDS: frozenset[str] = frozenset()
_UNWRITTEN = -2
_AS_GIVEN = -1


class FormattedTurn:
    """A turn's messages as JSON text, written once for each way in which its calls can be named.

    Calls keep the provider's ids, if each has one and no earlier turn uses them: some providers number
    their calls anew in every reply. Else they have ours, which repeat in each turn, made unique by its place.
    """

    __slots__ = ("_given", "_named", "_text")

    def __init__(self, turn: TurnView) -> None:
        # Holds nothing of the turn itself, which would then never be forgotten.
        self._given = _given_ids(turn)
        self._named = _UNWRITTEN
        self._text = b""

    def piece(self, turn: TurnView, place: int, taken: set[str]) -> bytes:
        """The messages, joined by commas; empty when the turn has none to send.

        Args:
            turn: the turn that this was made for.
            place: its place in the view, from 0.
            taken: the providers' ids of earlier turns; this turn's are added.
        """
        if self._given == _NO_IDS and self._named == _AS_GIVEN:
            return self._text
        named = place
        if self._given is not None and taken.isdisjoint(self._given):
            taken |= self._given
            named = _AS_GIVEN
        if named != self._named:
            self._named = named
            self._text = json_bytes(list(_messages(turn, _ids(turn, named))))[1:-1]
        return self._text


def _calls(turn: TurnView) -> list[Call]:
    return [call for said in turn.messages if isinstance(said, FromAssistant) for call in said.calls]


def _given_ids(turn: TurnView) -> frozenset[str] | None:
    """The provider's ids of a turn's calls; None when one is missing or stands twice."""
    calls = _calls(turn)
    given = frozenset(call.provider_id for call in calls if call.provider_id)
    return given if len(given) == len(calls) else None


def _ids(turn: TurnView, named: int) -> _Ids:
    if named == _AS_GIVEN:
        return {call.id: call.provider_id or "" for call in _calls(turn)}
    return {call.id: f"t{named + 1}_{call.id.replace('.', '_')}" for call in _calls(turn)}


def _messages(turn: TurnView, ids: _Ids) -> Iterator[Json]:
    for message in turn.messages:
        yield from _wire(message, ids)


def _wire(message: ViewMessage, ids: _Ids) -> Iterator[Json]:
    match message:
        case FromCustomer(text=text):
            yield {"role": "user", "content": text}
        case FromAssistant(text=text, calls=()):
            if text and not text.isspace():  # A message with nothing in it is refused.
                yield {"role": "assistant", "content": text}
        case FromAssistant(text=text, calls=calls):
            spoken = text if text and not text.isspace() else None
            yield {"role": "assistant", "content": spoken, "tool_calls": [_call(call, ids) for call in calls]}
        case FromTools(outcomes=outcomes):
            for outcome in outcomes:
                yield {
                    "role": "tool",
                    "tool_call_id": ids[outcome.call.id],
                    "content": result_text(outcome),
                }
        case _:
            assert_never(message)


def _call(call: Call, ids: _Ids) -> Json:
    return {
        "id": ids[call.id],
        "type": "function",
        "function": {"name": wire_name(call.tool), "arguments": json_text(call.arguments)},
    }

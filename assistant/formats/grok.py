"""Requests to xAI's chat completions.

In Grok's old form, calls and results stand in the conversation as text. Such a text must never be taken for a call
that is to be made: each of its lines begins with a bar, as no line of a person's words does, and no character is
left in it from which JSON, XML or a block of code could be made.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from assistant.conversation.outcomes import CallStatus
from assistant.conversation.values import Json
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView
from assistant.formats.json_text import json_bytes, json_text
from assistant.formats.openai import XAI, OpenAIFormatter, pictures, with_pictures
from assistant.formats.registry import WireRequest
from assistant.formats.tools import text_with_captions, wire_name
from assistant.formats.turns import CallIds, Reader, is_blank
from assistant.ports import ModelRequest


class GrokFormatter:
    """Writes requests as OpenAI's are, except that a message which only calls tools has an empty content.

    Args:
        calls_as_text: earlier calls and results stand in the conversation as text ("Please call ..."), for
            servers that do not take them otherwise. New calls come and go as ever.
    """

    def __init__(self, *, calls_as_text: bool = False) -> None:
        self._chat = OpenAIFormatter(lambda _: XAI, write_turn_as_text if calls_as_text else None)

    def format(self, request: ModelRequest, model: str, provider: str = "") -> WireRequest:
        """Write the request, joined from finished pieces; see :class:`assistant.formats.registry.Formatter`."""
        return self._chat.format(request, model, provider)


_BAR_FIRST = re.compile(r"^(\s*)[|｜]", re.MULTILINE)
_HARMLESS = str.maketrans("{}<>`｛｝＜＞｀﹛﹜﹤﹥", "()‹›'()‹›'()‹›")
"""With look-alikes, which normalization would turn into the signs themselves."""


def write_turn_as_text(turn: TurnView, ids: CallIds, reader: Reader) -> bytes:
    """The turn's messages as JSON text, joined by commas; what the tools were asked and told is the user's."""
    messages: list[Json] = []
    for message in turn.messages:
        match message:
            case FromCustomer(text=text) if not is_blank(text):
                told = replace(message, text=_unbarred(text))
                messages.append({"role": "user", "content": with_pictures(told, reader.sees(XAI.pictures))})
            case FromAssistant(text=text) if not is_blank(text):
                messages.append({"role": "assistant", "content": _unbarred(text)})
            case FromTools(outcomes=outcomes):
                # Not the assistant's words: a model that has written such text would write it again.
                messages.append(
                    {"role": "user", "content": _records(outcomes, ids, reader.sees(XAI.pictures))}
                )
            case FromCustomer() | FromAssistant():
                pass  # A message with nothing in it is refused.
            case _:
                assert_never(message)
    return json_bytes(messages)[1:-1]


def _unbarred(text: str) -> str:
    """What a person says: only our records have lines that begin with a bar."""
    return _BAR_FIRST.sub(r"\1¦", text)


def _records(outcomes: Sequence[CallStatus], ids: CallIds, seen: frozenset[str]) -> Json:
    told = "\n".join(_record(outcome, seen) for outcome in outcomes)
    shown = pictures(outcomes, ids, seen)
    return [{"type": "text", "text": told}, *shown] if shown else told


def _record(outcome: CallStatus, seen: frozenset[str]) -> str:
    call = outcome.call
    asked = f"Please call {wire_name(call.tool)} with {json_text(call.arguments)}"
    return _barred(f"{asked}\nDone: {text_with_captions(outcome, seen)}")


def _barred(text: str) -> str:
    return "\n".join(f"| {line}" for line in text.translate(_HARMLESS).splitlines())

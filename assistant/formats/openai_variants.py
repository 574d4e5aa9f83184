"""Formatters for variants of OpenAI's requests: for xAI's Grok, and for providers behind litellm."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import assert_never

from assistant.conversation.outcomes import CallStatus
from assistant.conversation.values import Json
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView
from assistant.formats.json_text import json_bytes, json_text
from assistant.formats.openai import XAI, Dialect, OpenAIFormatter, dialect_of, pictures, with_pictures
from assistant.formats.options import with_thinking
from assistant.formats.registry import WireRequest
from assistant.formats.tools import text_with_captions, wire_name
from assistant.formats.turns import CallIds, Reader, is_blank
from assistant.ports import ModelRequest


class GrokFormatter:
    """Writes requests like OpenAI's, except that a message with only calls has an empty content.

    Args:
        calls_as_text: write earlier calls and results as text ("Please call ..."), for servers that refuse
            them in another form. New calls use the usual fields.
    """

    def __init__(self, *, calls_as_text: bool = False) -> None:
        self._chat = OpenAIFormatter(lambda _: XAI, write_turn_as_text if calls_as_text else None)

    def format(self, request: ModelRequest, model: str, provider: str = "") -> WireRequest:
        """Write the request by joining cached parts; see :class:`assistant.formats.registry.Formatter`."""
        return self._chat.format(request, model, provider)


_BAR_FIRST = re.compile(r"^(\s*)[|｜]", re.MULTILINE)
_HARMLESS = str.maketrans("{}<>`｛｝＜＞｀﹛﹜﹤﹥", "()‹›'()‹›'()‹›")
"""Includes look-alikes, because a normalization would turn them into these characters."""


def write_turn_as_text(turn: TurnView, ids: CallIds, reader: Reader) -> bytes:
    """Returns the turn's messages as JSON text, joined by commas; calls and results become the user's text."""
    messages: list[Json] = []
    for message in turn.messages:
        match message:
            case FromCustomer(text=text) if not is_blank(text):
                told = replace(message, text=_unbarred(text))
                messages.append({"role": "user", "content": with_pictures(told, reader.sees(XAI.pictures))})
            case FromAssistant(text=text) if not is_blank(text):
                messages.append({"role": "assistant", "content": _unbarred(text)})
            case FromTools(outcomes=outcomes):
                # The user's text, not the assistant's: a model that finds such text in its own messages
                # writes more of it.
                messages.append(
                    {"role": "user", "content": _records(outcomes, ids, reader.sees(XAI.pictures))}
                )
            case FromCustomer() | FromAssistant():
                pass  # The server refuses an empty message.
            case _:
                assert_never(message)
    return json_bytes(messages)[1:-1]


def _unbarred(text: str) -> str:
    """Returns a person's text without bars at the beginning of lines, because only our records have them."""
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


_CLAUDE = "claude"
_BEDROCK = "bedrock/"
_XAI = "xai/"


class GenericFormatter:
    """Writes OpenAI requests that no provider behind litellm refuses.

    The customer speaks first and last. Claude gets its thinking back if it requires it. If the messages
    contain calls but no tool is offered, Claude and Amazon's models are told the names of the called tools.
    """

    def __init__(self) -> None:
        self._chat = OpenAIFormatter(generic_dialect)

    def format(self, request: ModelRequest, model: str, provider: str = "") -> WireRequest:
        """Write the request; see :class:`assistant.formats.registry.Formatter`."""
        reader = Reader(request.options.images, provider)
        if _is_claude(model):
            options, reader = with_thinking(request.options, request.view, reader, _thought)
            request = replace(request, options=options)
        return replace(self._chat.format_for(reader, request, model), provider=provider)


@cache
def generic_dialect(model: str) -> Dialect:
    """Returns the message format that litellm needs for a model.

    >>> generic_dialect("xai/grok-4").silence
    ''
    >>> generic_dialect("gemini/gemini-3-pro").frames, generic_dialect("bedrock/amazon.nova-pro").former
    (True, True)
    """
    former = _is_claude(model) or model.startswith(_BEDROCK)
    # litellm adds the placeholders that servers require, in the form for each server.
    spoken = XAI if model.startswith(_XAI) else dialect_of(model)
    return replace(spoken, frames=True, former=former, insists=None)


def _is_claude(model: str) -> bool:
    return _CLAUDE in model.lower()


def _thought(message: FromAssistant, reader: Reader) -> bool:
    return any(fields.get("thinking_blocks") for fields in reader.own(message.opaque))

"""Thinking, which Anthropic wants back in one case, and may refuse in every other."""

from collections.abc import Mapping
from dataclasses import replace

from assistant.conversation.values import Json, JsonObject
from assistant.conversation.views import FromAssistant, View
from assistant.formats.reader import Reader
from assistant.ports import ModelOptions

_KINDS = frozenset({"thinking", "redacted_thinking"})


def with_thinking(options: ModelOptions, view: View, reader: Reader) -> tuple[ModelOptions, Reader]:
    """The options that can be asked for this view, and the reader of what is given back with them.

    Where an operator turns thinking on by hand, ``{"type": "enabled"}``, the last calls have to come back with
    the thinking before them. When they have none, because another model made them or they are ours, the request
    must do without: it would be refused.

    In all other cases nothing is given back. Models that think when they see fit do not need it; and the newest
    of them take it only behind the very instructions and messages that they wrote it behind, which a decision
    and its narration do not share.
    """
    nothing = replace(reader, provider="")
    if not _by_hand(options.extra):
        return options, nothing
    if _is_lost(view, reader):
        extra = {name: value for name, value in options.extra.items() if name != "thinking"}
        return replace(options, extra=extra), nothing
    # Who thinks may not be told how freely to choose words.
    return replace(options, temperature=None), reader


def thinking_of(message: FromAssistant, reader: Reader) -> list[JsonObject]:
    """The blocks of thinking before a message's calls that its reader wrote, untouched and in order."""
    return [block for block in reader.own(message.opaque) if block.get("type") in _KINDS]


def _by_hand(extra: Mapping[str, Json]) -> bool:
    thinking = extra.get("thinking")
    return isinstance(thinking, Mapping) and thinking.get("type") == "enabled"


def _is_lost(view: View, reader: Reader) -> bool:
    spoken = (message for message in reversed(view.messages) if isinstance(message, FromAssistant))
    last = next(spoken, None)
    return last is not None and bool(last.calls) and not thinking_of(last, reader)

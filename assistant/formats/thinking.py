"""Claude's thinking, which Anthropic wants back in one case, and may refuse in every other."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from assistant.conversation.values import Json
from assistant.conversation.views import FromAssistant, View
from assistant.formats.reader import Reader
from assistant.ports import ModelOptions

_SETTINGS = frozenset({"thinking", "reasoning_effort"})

Thought: TypeAlias = Callable[[FromAssistant, Reader], object]
"""Finds the thinking before a message's calls that its reader wrote; nothing, when it is lost."""


def with_thinking(
    options: ModelOptions, view: View, reader: Reader, thought: Thought
) -> tuple[ModelOptions, Reader]:
    """The options with which Claude can be asked for this view, and the reader of what is given back with them.

    Where an operator turns thinking on by hand, ``{"type": "enabled"}``, the last calls have to come back with
    the thinking before them. When they have none, because another model made them or they are ours, the request
    must do without: it would be refused.

    In all other cases nothing is given back. Models that think when they see fit do not need it; and the newest
    of them take it only behind the very instructions and messages that they wrote it behind, which a decision
    and its narration do not share. ``reasoning_effort``, from which litellm makes either kind, is left out
    where calls stand last.
    """
    nothing = replace(reader, provider="")
    if not _SETTINGS & options.extra.keys():
        return options, nothing
    last = _last_said(view)
    by_hand = _by_hand(options.extra)
    if by_hand and (last is None or not last.calls or thought(last, reader)):
        # Who thinks may not be told how freely to choose words.
        return replace(options, temperature=None), reader
    if last is not None and last.calls:
        options = _without(options, "thinking" if by_hand else "", "reasoning_effort")
    return options, nothing


def _by_hand(extra: Mapping[str, Json]) -> bool:
    thinking = extra.get("thinking")
    return isinstance(thinking, Mapping) and thinking.get("type") == "enabled"


def _last_said(view: View) -> FromAssistant | None:
    said = (message for turn in reversed(view.turns) for message in reversed(turn.messages))
    return next((message for message in said if isinstance(message, FromAssistant)), None)


def _without(options: ModelOptions, *names: str) -> ModelOptions:
    if not set(names) & options.extra.keys():
        return options
    return replace(options, extra={name: value for name, value in options.extra.items() if name not in names})

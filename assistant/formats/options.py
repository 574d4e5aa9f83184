"""What an operator adds to a request: extra fields, and Claude's thinking.

Anthropic requires the thinking back in one case, and may refuse it in all others.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from assistant.conversation.values import Json
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, View, ViewMessage
from assistant.errors import DeclarationError
from assistant.formats.turns import Reader, is_blank
from assistant.ports import ModelOptions

_LIMITS = frozenset({"max_tokens", "max_completion_tokens"})
"""One thing by two names: if you set one, the other is not added."""

_SETTING = "it has its own option: {}"
_VIEW = "it is written for each request, from the conversation"
_STREAM = "a reply is read as one stream with one answer"
_KEPT_APART = "keys and addresses are read from the environment"
_RETRIES = "the assistant has its own timeouts and retries"

_OURS: Mapping[str, str] = {
    "model": "the options are for this model",
    "messages": _VIEW,
    "system": _VIEW,
    "tools": _VIEW,
    "functions": _VIEW,
    "tool_choice": "a model must be free to call a tool or to answer",
    "function_call": "a model must be free to call a tool or to answer",
    "parallel_tool_calls": _SETTING.format("parallel_calls"),
    "stream": _STREAM,
    "stream_options": _STREAM,
    "n": _STREAM,
    **dict.fromkeys(("api_key", "api_base", "base_url", "custom_llm_provider", "extra_headers"), _KEPT_APART),
    **dict.fromkeys(("timeout", "max_retries", "num_retries", "fallbacks", "drop_params"), _RETRIES),
}
"""Fields that an operator cannot add, and why."""


def check_extra(extra: Mapping[str, Json], where: str = "extra") -> None:
    """Refuse fields that an operator may not set.

    Args:
        extra: further fields of a request, as the provider has them.
        where: what the error begins with, such as the setting.

    Raises:
        DeclarationError: one of them is written by us; it says which, and why.
    """
    refused = [f"{name!r} ({_OURS[name]})" for name in extra if name in _OURS]
    if refused:
        raise DeclarationError(f"{where}: not to be set here: {', '.join(refused)}; take it out")


def with_extra(ours: Mapping[str, Json], extra: Mapping[str, Json]) -> dict[str, Json]:
    """Our fields of a request with an operator's, which replace ours; raises what :func:`check_extra` raises.

    >>> with_extra({"model": "m", "max_tokens": 1024}, {"max_completion_tokens": 2000, "seed": 7})
    {'model': 'm', 'max_completion_tokens': 2000, 'seed': 7}
    """
    check_extra(extra)
    dropped = _LIMITS if _LIMITS & extra.keys() else frozenset[str]()
    return {**{name: value for name, value in ours.items() if name not in dropped}, **extra}


_SETTINGS = frozenset({"thinking", "reasoning_effort"})

Thought: TypeAlias = Callable[[FromAssistant, Reader], object]
"""Finds the thinking before a message's calls that its reader wrote; nothing, when it is lost."""


def with_thinking(
    options: ModelOptions, view: View, reader: Reader, thought: Thought
) -> tuple[ModelOptions, Reader]:
    """The options for asking Claude with this view, and the reader for what is sent back.

    With a fixed thinking budget, ``{"type": "enabled"}``, the last calls must come back with the thinking
    before them. If they have none, because another model or the assistant made them, the request is sent
    without thinking, because it would be refused.

    In all other cases no thinking is sent back. Models with adaptive thinking do not need it, and the newest
    accept it only after exactly the same instructions and messages, which a decision and its narration do not
    share. ``reasoning_effort``, which litellm turns into either kind, is left out if the last messages are
    calls.
    """
    nothing = replace(reader, provider="")
    if not _SETTINGS & options.extra.keys():
        return options, nothing
    row = _last_row(view)
    by_hand = _by_hand(options.extra)
    if by_hand and (not row or (len(row) == 1 and thought(row[0], reader))):
        # Who thinks may not be told how freely to choose words.
        return replace(options, temperature=None), reader
    if row:
        options = _without(options, "thinking" if by_hand else "", "reasoning_effort")
    return options, nothing


def check_budget(options: ModelOptions, longest: int, where: str) -> None:
    """Refuse a thinking budget that is larger than the whole reply may be.

    Args:
        options: the model's options.
        longest: how many tokens the reply may have.
        where: what the error begins with, such as the setting.

    Raises:
        DeclarationError: its provider would refuse every request; with the cure.
    """
    thinking = options.extra.get("thinking")
    budget = thinking.get("budget_tokens") if isinstance(thinking, Mapping) else None
    most = options.extra.get("max_tokens", longest)
    if isinstance(budget, int) and isinstance(most, int) and budget >= most:
        raise DeclarationError(
            f"{where}: thinking has budget_tokens {budget}, and a whole reply may have {most}; "
            "set max_tokens beside extra, above that"
        )


def _by_hand(extra: Mapping[str, Json]) -> bool:
    thinking = extra.get("thinking")
    return isinstance(thinking, Mapping) and thinking.get("type") == "enabled"


def _last_row(view: View) -> Sequence[FromAssistant]:
    """What the assistant says first in the row of calls and results that stands last, if one does.

    Anthropic takes the whole row for one answer. More than one message for where it has words before the calls,
    which become one message with them.
    """
    messages = [message for message in view.messages if not _says_nothing(message)]
    while messages and isinstance(messages[-1], FromCustomer):
        messages.pop()
    first: Sequence[FromAssistant] = ()
    while messages and isinstance(messages.pop(), FromTools):
        first = _assistants(messages)
    return first


def _assistants(messages: list[ViewMessage]) -> Sequence[FromAssistant]:
    """Takes what the assistant said last off, the calls and what stands right before them."""
    taken: list[FromAssistant] = []
    while messages and isinstance(last := messages[-1], FromAssistant) and not (taken and last.calls):
        taken.append(last)
        messages.pop()
    return taken


def _says_nothing(message: ViewMessage) -> bool:
    match message:
        case FromCustomer(text=text) | FromAssistant(text=text, calls=()):
            return is_blank(text)
        case FromAssistant() | FromTools():
            return False


def _without(options: ModelOptions, *names: str) -> ModelOptions:
    if not set(names) & options.extra.keys():
        return options
    return replace(options, extra={name: value for name, value in options.extra.items() if name not in names})

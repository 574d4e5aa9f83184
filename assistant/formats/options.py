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
"""Two names of the same limit: if an operator sets one, the other is not added."""

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
    """Refuse extra fields that an operator may not set.

    Args:
        extra: additional fields of a request, with the provider's names.
        where: the beginning of the error, such as the name of the setting.

    Raises:
        DeclarationError: one of them is a field that this package writes. The error names it and says why.
    """
    refused = [f"{name!r} ({_OURS[name]})" for name in extra if name in _OURS]
    if refused:
        raise DeclarationError(f"{where}: not to be set here: {', '.join(refused)}; take it out")


def with_extra(ours: Mapping[str, Json], extra: Mapping[str, Json]) -> dict[str, Json]:
    """Returns our fields of a request together with an operator's, which replace ours.

    Raises like :func:`check_extra`.

    >>> with_extra({"model": "m", "max_tokens": 1024}, {"max_completion_tokens": 2000, "seed": 7})
    {'model': 'm', 'max_completion_tokens': 2000, 'seed': 7}
    """
    check_extra(extra)
    dropped = _LIMITS if _LIMITS & extra.keys() else frozenset[str]()
    return {**{name: value for name, value in ours.items() if name not in dropped}, **extra}


_SETTINGS = frozenset({"thinking", "reasoning_effort"})

Thought: TypeAlias = Callable[[FromAssistant, Reader], object]
"""Finds the thinking before a message's calls that its reader wrote. A false value means that it is lost."""


def with_thinking(
    options: ModelOptions, view: View, reader: Reader, thought: Thought
) -> tuple[ModelOptions, Reader]:
    """Returns the options for asking Claude with this view, and the reader for what is sent back.

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
        # With thinking, Anthropic refuses a temperature.
        return replace(options, temperature=None), reader
    if row:
        options = _without(options, "thinking" if by_hand else "", "reasoning_effort")
    return options, nothing


def check_budget(options: ModelOptions, longest: int, where: str) -> None:
    """Refuse a thinking budget that is not smaller than the longest reply.

    Args:
        options: the model's options.
        longest: how many tokens the reply may have.
        where: the beginning of the error, such as the name of the setting.

    Raises:
        DeclarationError: the provider would refuse every request. The error says what to change.
    """
    thinking = options.extra.get("thinking")
    budget = thinking.get("budget_tokens") if isinstance(thinking, Mapping) else None
    most = options.extra.get("max_tokens", longest)
    if isinstance(budget, int) and isinstance(most, int) and budget >= most:
        raise DeclarationError(
            f"{where}: thinking has budget_tokens {budget}, and a whole reply may have {most}; "
            "set max_tokens (not in extra) above that"
        )


def _by_hand(extra: Mapping[str, Json]) -> bool:
    thinking = extra.get("thinking")
    return isinstance(thinking, Mapping) and thinking.get("type") == "enabled"


def _last_row(view: View) -> Sequence[FromAssistant]:
    """Returns the first assistant message of the calls and results at the end of the view, or empty if the
    view ends otherwise.

    Anthropic treats all of them as one answer. It returns several messages if the assistant wrote text before
    the calls, because the text and the calls become one message.
    """
    messages = [message for message in view.messages if not _says_nothing(message)]
    while messages and isinstance(messages[-1], FromCustomer):
        messages.pop()
    first: Sequence[FromAssistant] = ()
    while messages and isinstance(messages.pop(), FromTools):
        first = _assistants(messages)
    return first


def _assistants(messages: list[ViewMessage]) -> Sequence[FromAssistant]:
    """Remove and return the last assistant messages of the list: the calls and the text right before them."""
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

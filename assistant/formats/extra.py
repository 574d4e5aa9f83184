"""Fields of a request that an operator adds: which may be added, and how they join ours."""

from collections.abc import Mapping

from assistant.conversation.values import Json
from assistant.errors import DeclarationError

_LIMITS = frozenset({"max_tokens", "max_completion_tokens"})
"""One thing by two names: who sets the one does not get the other beside it."""

_SETTING = "it has a setting of its own: {}"
_VIEW = "it is written for each request, from the conversation"
_STREAM = "replies are read as one stream, of one answer"
_KEPT_APART = "keys and addresses are read from the environment"
_STEADY = "time-outs and second tries are the house's own"

_OURS: Mapping[str, str] = {
    "model": "it is what these fields are set for",
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
    **dict.fromkeys(("timeout", "max_retries", "num_retries", "fallbacks", "drop_params"), _STEADY),
}
"""What nobody may add, and why."""


def check_extra(extra: Mapping[str, Json], where: str = "extra") -> None:
    """Refuse fields that are not an operator's to set.

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
    """Our fields of a request with an operator's, which win; see :func:`check_extra` for what it raises.

    >>> with_extra({"model": "m", "max_tokens": 1024}, {"max_completion_tokens": 2000, "seed": 7})
    {'model': 'm', 'max_completion_tokens': 2000, 'seed': 7}
    """
    check_extra(extra)
    dropped = _LIMITS if _LIMITS & extra.keys() else frozenset[str]()
    return {**{name: value for name, value in ours.items() if name not in dropped}, **extra}

"""The count of tokens, as xAI gives it."""

from dataclasses import replace
from typing import Any

from assistant.models.http.usage import Usage
from assistant.models.openai.usage import usage as openai_usage

_TICKS = 10_000_000_000  # to the dollar


def usage(told: dict[str, Any]) -> Usage:
    """Read ``usage``. Unlike OpenAI's, xAI's completion tokens are without what the model thought.

    >>> usage({"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 51}).output_tokens
    42
    >>> usage({"cost_in_usd_ticks": 37_756_000}).cost_usd
    0.0037756
    """
    counted = openai_usage(told)
    total, ticks = told.get("total_tokens"), told.get("cost_in_usd_ticks")
    if total is not None and counted.input_tokens is not None:
        counted = replace(counted, output_tokens=total - counted.input_tokens)
    return replace(counted, cost_usd=None if ticks is None else ticks / _TICKS)

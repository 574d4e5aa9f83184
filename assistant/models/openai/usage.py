"""The count of tokens, as chat completions give it."""

from typing import Any

from assistant.models.http.usage import Usage


def usage(told: dict[str, Any]) -> Usage:
    """Read ``usage``. OpenRouter adds what the reply cost, in credits of one dollar.

    >>> usage({"prompt_tokens": 9, "completion_tokens": 2, "cost": 0.25})
    Usage(input_tokens=9, output_tokens=2, cached_tokens=None, cost_usd=0.25)
    """
    details: dict[str, Any] = told.get("prompt_tokens_details") or {}
    return Usage(
        input_tokens=told.get("prompt_tokens"),
        output_tokens=told.get("completion_tokens"),
        cached_tokens=details.get("cached_tokens"),
        cost_usd=told.get("cost"),
    )

"""The count of tokens, as Anthropic gives it: at the start of a reply, and again at its end."""

from collections.abc import Mapping
from typing import Any

from assistant.models.http.usage import Usage


def usage(told: Mapping[str, Any]) -> Usage:
    """Read ``usage``. Anthropic counts apart what went into its cache and what came from there.

    >>> usage({"input_tokens": 5, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 2000})
    Usage(input_tokens=2105, output_tokens=None, cached_tokens=2000, cost_usd=None)
    """
    fresh = told.get("input_tokens")
    written, cached = told.get("cache_creation_input_tokens") or 0, told.get("cache_read_input_tokens")
    return Usage(
        input_tokens=None if fresh is None else fresh + written + (cached or 0),
        output_tokens=told.get("output_tokens"),
        cached_tokens=cached,
    )

"""The direct client for xAI's Grok models: chat completions, whose tokens xAI counts in its own way."""

from dataclasses import replace
from typing import Any

from assistant.formats.registry import WireRequest
from assistant.models.openai import ChatReply, OpenAIModel, openai_usage
from assistant.models.streamed_reply import Reply, Usage


class XaiModel(OpenAIModel):
    """A model behind xAI's API; the base is such as "https://api.x.ai/v1"."""

    def _reply(self, request: WireRequest) -> Reply:
        return ChatReply(request, usage)


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

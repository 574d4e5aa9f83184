"""The calls and results in a provider's request, in either form."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from assistant.formats.anthropic import AnthropicFormatter
from assistant.formats.openai import OpenAIFormatter
from assistant.formats.openai_variants import GenericFormatter, GrokFormatter
from assistant.formats.registry import Formatter
from tests.support.fake_model.replies import Provider

Batch = tuple[list[str], list[str]]
"""Calls that stand together, by id, and the results that stand right behind them."""


@dataclass(frozen=True, slots=True)
class Written:
    """One way to write a request.

    ``provider`` takes it for ``model``, or None: it is for a gateway. ``batches`` reads calls and results back;
    None where they are text.
    """

    name: str
    make: Callable[[], Formatter]
    provider: Provider | None
    model: str
    batches: Callable[[list[Any]], Iterator[Batch]] | None
    formatted: bool = True


def in_chat(messages: list[Any]) -> Iterator[Batch]:
    """As chat completions have them."""
    for place, message in enumerate(messages):
        if called := message.get("tool_calls"):
            results: list[str] = []
            for told in messages[place + 1 :]:
                if told["role"] != "tool":
                    break
                results.append(told["tool_call_id"])
            yield [call["id"] for call in called], results


def in_blocks(messages: list[Any]) -> Iterator[Batch]:
    """As Anthropic has them."""
    for place, message in enumerate(messages):
        if called := [block["id"] for block in message["content"] if block["type"] == "tool_use"]:
            told = messages[place + 1]["content"]
            yield called, [block["tool_use_id"] for block in told if block["type"] == "tool_result"]


def as_they_stand(messages: list[Any]) -> Iterator[Batch]:
    """As our own neutral form has them."""
    for place, message in enumerate(messages):
        if called := message.get("calls"):
            told = messages[place + 1]["outcomes"]
            yield [call["id"] for call in called], [one["id"] for one in told]


WRITTEN = (
    Written("openai", OpenAIFormatter, "openai", "gpt-5", in_chat),
    Written("anthropic", AnthropicFormatter, "anthropic", "claude", in_blocks),
    Written("grok", GrokFormatter, "xai", "grok-4", in_chat),
    Written("grok as text", lambda: GrokFormatter(calls_as_text=True), "xai", "grok-4", None),
    Written("generic", GenericFormatter, "openai", "gemini/gemini-3-pro", in_chat),
    Written("as it stands", OpenAIFormatter, None, "m", as_they_stand, formatted=False),
)

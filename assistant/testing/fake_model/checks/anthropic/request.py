"""What Anthropic refuses of a request for a message."""

from typing import Any, cast

from assistant.testing.fake_model.checks.anthropic.blocks import check_text
from assistant.testing.fake_model.checks.anthropic.messages import check_messages
from assistant.testing.fake_model.checks.anthropic.shape import fields, items, number, text
from assistant.testing.fake_model.checks.anthropic.thinking import check_thinking
from assistant.testing.fake_model.checks.anthropic.tools import check_tools
from assistant.testing.fake_model.checks.bad_request import require
from assistant.testing.fake_model.request import Received

NEEDED = ("model", "max_tokens", "messages")
ALLOWED = frozenset(
    {
        "metadata",
        "output_config",
        "service_tier",
        "stop_sequences",
        "stream",
        "system",
        "temperature",
        "thinking",
        "tool_choice",
        "tools",
        "top_k",
        "top_p",
    }
)
"""What may stand in a request, besides what must."""

_MOST_CACHED = 4


def check_anthropic(request: Received) -> None:
    """Raise ``BadRequest`` for what is refused."""
    keys = {"x-api-key", "authorization"}  # Its newest clients send the latter.
    require(keys & request.headers.keys(), "x-api-key header is required", status=401)
    require("anthropic-version" in request.headers, "anthropic-version: header is required")
    body = fields(request.body, "", needed=NEEDED, allowed=ALLOWED)
    text(body["model"], "model")
    number(body["max_tokens"], "max_tokens", least=1)
    require(0 <= number(body.get("temperature", 1), "temperature") <= 1, "temperature: range: 0..1")
    _check_system(body.get("system", ""))
    check_tools(body)
    called = check_messages(body["messages"])
    require(
        "tools" in body or not called,
        "Requests which include `tool_use` or `tool_result` blocks must define tools",
    )
    check_thinking(body)
    cached = _count_cached(body)
    require(
        cached <= _MOST_CACHED,
        f"A maximum of {_MOST_CACHED} blocks with cache_control may be provided. Found {cached}.",
    )


def _check_system(system: Any) -> None:
    if isinstance(system, str):
        return
    for place, block in enumerate(items(system, "system")):
        check_text(block, f"system.{place}", "system")


def _count_cached(value: Any) -> int:
    """How many blocks anywhere in it are marked for the provider's cache."""
    if isinstance(value, list):
        return sum(_count_cached(item) for item in cast("list[Any]", value))
    if not isinstance(value, dict):
        return 0
    held = cast("dict[str, Any]", value)
    return ("cache_control" in held) + sum(_count_cached(item) for item in held.values())

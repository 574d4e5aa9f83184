"""What Anthropic refuses of a request for a message."""

from typing import Any

from assistant.testing.fake_model.checks.anthropic_blocks import NAME, check_text, count_cached
from assistant.testing.fake_model.checks.anthropic_messages import check_messages
from assistant.testing.fake_model.checks.bad_request import fields, fits, items, require, schema, unique
from assistant.testing.fake_model.request import Received

_NEEDED = ("model", "max_tokens", "messages")
_ALLOWED = {
    "metadata",
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
_MOST_CACHED = 4
_CHOICES = ("auto", "any", "tool", "none")


def check_anthropic(request: Received) -> None:
    """Raise ``BadRequest`` for what is refused."""
    require("x-api-key" in request.headers, "x-api-key header is required", status=401)
    require("anthropic-version" in request.headers, "anthropic-version: header is required")
    body = fields(request.body, "body", needed=_NEEDED, allowed=_ALLOWED)
    limit = body["max_tokens"]
    require(isinstance(limit, int) and limit >= 1, "max_tokens: Input should be greater than or equal to 1")
    require(0 <= body.get("temperature", 1) <= 1, "temperature: range: 0..1")
    if isinstance(body.get("system"), list):
        for place, block in enumerate(items(body["system"], "system")):
            check_text(block, f"system.{place}")
    if "tools" in body:
        _check_tools(body["tools"])
    _check_choice(body)
    called = check_messages(body["messages"])
    require(
        "tools" in body or not called,
        "Requests which include `tool_use` or `tool_result` blocks must define tools",
    )
    cached = count_cached(body)
    require(
        cached <= _MOST_CACHED,
        f"A maximum of {_MOST_CACHED} blocks with cache_control may be provided. Found {cached}.",
    )


def _check_tools(tools: Any) -> None:
    names: list[str] = []
    for place, tool in enumerate(items(tools, "tools")):
        where = f"tools.{place}"
        fields(tool, where, needed=("name", "input_schema"), allowed=("description", "type", "cache_control"))
        names.append(fits(NAME, tool["name"], f"{where}.name"))
        schema(tool["input_schema"], f"{where}.input_schema")
    unique(names, "tools: Tool names must be unique.")


def _check_choice(body: dict[str, Any]) -> None:
    if "tool_choice" not in body:
        return
    require("tools" in body, "tool_choice may only be specified while providing tools")
    choice = fields(
        body["tool_choice"],
        "tool_choice",
        needed=("type",),
        allowed=("name", "disable_parallel_tool_use"),
    )
    require(choice["type"] in _CHOICES, "tool_choice.type: unknown")
    if choice["type"] == "none":
        require("disable_parallel_tool_use" not in choice, "tool_choice.none: Extra inputs are not permitted")

"""What OpenAI refuses of a chat completion's request."""

import re
from typing import Any

from assistant.testing.fake_model.checks.bad_request import fields, fits, items, require, schema, unique
from assistant.testing.fake_model.checks.chat_messages import check_messages
from assistant.testing.fake_model.request import Received

_NAME = r"[a-zA-Z0-9_-]{1,64}"
_ALLOWED = {
    "frequency_penalty",
    "logit_bias",
    "max_completion_tokens",
    "max_tokens",
    "n",
    "parallel_tool_calls",
    "presence_penalty",
    "reasoning_effort",
    "response_format",
    "seed",
    "stop",
    "stream",
    "stream_options",
    "temperature",
    "tool_choice",
    "tools",
    "top_p",
    "user",
}
_NEWER = re.compile(r"(o\d|gpt-5)")


def check_chat(request: Received) -> None:
    """Raise ``BadRequest`` for what is refused."""
    body = fields(request.body, "body", needed=("model", "messages"), allowed=_ALLOWED)
    require(body["model"] and isinstance(body["model"], str), "you must provide a model parameter")
    _check_limit(body)
    temperature = body.get("temperature", 1)
    require(0 <= temperature <= 2, f"Invalid 'temperature': {temperature}")
    if "stream_options" in body:
        require(body.get("stream"), "'stream_options' is only allowed when 'stream' is enabled")
    if "parallel_tool_calls" in body or "tool_choice" in body:
        require("tools" in body, "'parallel_tool_calls' and 'tool_choice' are only allowed with 'tools'")
    if "tools" in body:
        _check_tools(body["tools"])
    check_messages(body["messages"], _NAME)


def _check_limit(body: dict[str, Any]) -> None:
    for name in ("max_tokens", "max_completion_tokens"):
        limit = body.get(name, 1)
        require(isinstance(limit, int) and limit >= 1, f"Invalid '{name}'")
    if _NEWER.match(body["model"]):
        require(
            "max_tokens" not in body,
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
        )


def _check_tools(tools: Any) -> None:
    names: list[str] = []
    for place, tool in enumerate(items(tools, "tools")):
        where = f"tools[{place}]"
        fields(tool, where, needed=("type", "function"))
        require(tool["type"] == "function", f"Invalid value: '{where}.type'")
        function = fields(
            tool["function"],
            f"{where}.function",
            needed=("name",),
            allowed=("description", "parameters", "strict"),
        )
        names.append(fits(_NAME, function["name"], f"{where}.function.name"))
        if "parameters" in function:
            schema(function["parameters"], f"{where}.function.parameters")
    unique(names, "tools: names must be unique")

"""What Anthropic's API refuses in a request: in messages, tools and options."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from tests.support.fake_model.anthropic_content_checks import (
    NAME,
    THOUGHTS,
    boolean,
    check_block,
    check_cache_mark,
    check_result,
    check_text,
    check_thinking,
    check_use,
    fields,
    fits,
    items,
    mapping,
    number,
    one_of,
    tagged,
    text,
)
from tests.support.fake_model.request_checks import Received, flaw, require

_MAY_SAY = {
    "user": ("document", "image", "text", "tool_result"),
    "assistant": ("redacted_thinking", "text", "thinking", "tool_use"),
}


def check_messages(messages: Any) -> list[str]:
    """Raise ``BadRequest`` for messages that the API refuses; gives the ids of all calls."""
    before = ""
    owed: list[str] = []
    called: list[str] = []
    require(items(messages, "messages"), "messages: at least one message is required")
    for place, message in enumerate(messages):
        where = f"messages.{place}"
        fields(message, where, needed=("role", "content"))
        role = one_of(message["role"], f"{where}.role", ("user", "assistant"))
        require(before or role == "user", 'messages: first message must use the "user" role')
        require(
            role != before,
            'messages: roles must alternate between "user" and "assistant", but found multiple "'
            f'{role}" roles in a row',
        )
        used, told = _check_content(message, where, called)
        _check_pairs(owed, told, place)
        before, owed = role, used
        called += used
    _check_end(messages[-1], owed, len(messages))
    return called


def _check_content(message: dict[str, Any], where: str, called: Sequence[str]) -> tuple[list[str], list[str]]:
    """The ids of a message's calls, and the call ids of the results that it begins with; "" for other blocks."""
    content = message["content"]
    if isinstance(content, str):
        content = [{"type": "text", "text": content}] if content else []
    require(
        items(content, f"{where}.content"),
        f"{where}: all messages must have non-empty content except for the optional final assistant message",
    )
    used: list[str] = []
    told: list[str] = []
    for place, block in enumerate(content):
        here = f"{where}.content.{place}"
        match tagged(block, here, _MAY_SAY[message["role"]]):
            case "tool_use":
                used.append(check_use(block, here))
                require(used[-1] not in [*called, *used[:-1]], f"{here}: `tool_use` ids must be unique")
            case "tool_result":
                result = check_result(block, here)
                # A result after other blocks does not count.
                told.append(result if len(told) == place else "")
            case _:
                check_block(block, here)
    require(
        message["role"] == "user" or content[-1]["type"] not in THOUGHTS,
        f"{where}: The final block in an assistant message cannot be `{content[-1]['type']}`.",
    )
    return used, told


def _check_pairs(owed: Sequence[str], told: Sequence[str], place: int) -> None:
    missing = [use for use in owed if use not in told]
    require(
        not missing,
        f"messages.{place - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: "
        f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in the "
        "next message.",
    )
    for index, result in enumerate(told):
        here = f"messages.{place}.content.{index}"
        require(
            result in owed,
            f"{here}: unexpected `tool_use_id` found in `tool_result` blocks: {result}. Each `tool_result` "
            "block must have a corresponding `tool_use` block in the previous message.",
        )
        require(
            result not in told[:index],
            f"{here}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: "
            f"{result}",
        )


def _check_end(last: dict[str, Any], owed: Sequence[str], count: int) -> None:
    """The last message must be the user's, or text of the assistant that the model can continue."""
    _check_pairs(owed, (), count)
    if last["role"] == "user":
        return
    content = last["content"]
    spoken = content if isinstance(content, str) else content[-1].get("text", "")
    require(
        spoken == spoken.rstrip(), "messages: final assistant content cannot end with trailing whitespace"
    )
    require(
        False,
        "This model does not support assistant message prefill. The conversation must end with a user message.",
    )


_CHOICES = ("auto", "any", "tool", "none")
_NOT_AT_THE_TOP = ("oneOf", "allOf", "anyOf")
_KEY = r"[a-zA-Z0-9_.-]{1,64}"


def check_tools(body: Mapping[str, Any]) -> None:
    """Raise ``BadRequest`` for tools that the API refuses."""
    names: list[str] = []
    for place, tool in enumerate(items(body.get("tools", []), "tools")):
        names.append(_check_tool(tool, f"tools.{place}.custom"))
    require(len(set(names)) == len(names), "tools: Tool names must be unique.")
    if "tool_choice" in body:
        _check_choice(body, names)


def _check_tool(given: Any, where: str) -> str:
    allowed = ("description", "type", "cache_control", "strict")
    tool = fields(given, where, needed=("name", "input_schema"), allowed=allowed)
    one_of(tool.get("type", "custom"), f"{where}.type", ("custom",))
    text(tool.get("description", ""), f"{where}.description")
    check_cache_mark(tool, where)
    _check_schema(mapping(tool["input_schema"], f"{where}.input_schema"), f"{where}.input_schema")
    return fits(NAME, tool["name"], f"{where}.name")


def _check_schema(schema: Mapping[str, Any], where: str) -> None:
    require("type" in schema, f"{where}.type: Field required")
    one_of(schema["type"], f"{where}.type", ("object",))
    require(
        not any(word in schema for word in _NOT_AT_THE_TOP),
        f"{where}: input_schema does not support oneOf, allOf, or anyOf at the top level",
    )
    require(
        flaw(schema) is None,
        f"{where}: JSON schema is invalid. It must match JSON Schema draft 2020-12 "
        "(https://json-schema.org/draft/2020-12). Learn more about tool use at "
        "https://docs.claude.com/en/docs/tool-use.",
    )
    require(
        all(re.fullmatch(_KEY, key) for key in schema.get("properties", {})),
        f"{where}.properties: Property keys should match pattern '^{_KEY}$'",
    )


def _check_choice(body: Mapping[str, Any], names: list[str]) -> None:
    require(names, "tool_choice may only be specified while providing tools")
    choice = body["tool_choice"]
    kind = tagged(choice, "tool_choice", _CHOICES)
    where = f"tool_choice.{kind}"
    allowed = () if kind == "none" else ("disable_parallel_tool_use",)
    fields(choice, where, needed=("type", "name") if kind == "tool" else ("type",), allowed=allowed)
    boolean(choice.get("disable_parallel_tool_use", False), f"{where}.disable_parallel_tool_use")
    if kind == "tool":
        require(choice["name"] in names, f"Tool '{choice['name']}' not found in provided tools")
    thinks = body.get("thinking", {}).get("type") in ("enabled", "adaptive")
    require(
        not thinks or kind in ("auto", "none"),
        "Thinking may not be enabled when tool_choice forces tool use.",
    )


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
"""The optional fields of a request."""

_MOST_CACHED = 4


def check_anthropic(request: Received) -> None:
    """Raise ``BadRequest`` for a request that the API refuses."""
    keys = {"x-api-key", "authorization"}  # The newest clients send the latter.
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
    """How many blocks, at any depth, are marked for the provider's cache."""
    if isinstance(value, list):
        return sum(_count_cached(item) for item in cast("list[Any]", value))
    if not isinstance(value, dict):
        return 0
    held = cast("dict[str, Any]", value)
    return ("cache_control" in held) + sum(_count_cached(item) for item in held.values())

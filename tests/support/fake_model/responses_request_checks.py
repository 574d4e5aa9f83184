"""What OpenAI's Responses API refuses in a request: in items, tools and options."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.support.fake_model.openai_content_checks import (
    check_picture,
    fields,
    items,
    mapping,
    name,
    one_of,
    short,
    text,
)
from tests.support.fake_model.openai_request_checks import (
    check_limit,
    check_parameters,
    check_unsupported,
    thinks_always,
)
from tests.support.fake_model.request_checks import Received, require

_LONGEST_ID = 64
FIELDS = frozenset(
    {
        "include",
        "input",
        "instructions",
        "max_output_tokens",
        "metadata",
        "model",
        "parallel_tool_calls",
        "prompt_cache_key",
        "reasoning",
        "safety_identifier",
        "service_tier",
        "store",
        "stream",
        "stream_options",
        "temperature",
        "text",
        "tool_choice",
        "tools",
        "top_p",
        "truncation",
    }
)
_ROLES = ("user", "assistant", "system", "developer")
_PARTS: Mapping[str, tuple[str, ...]] = {
    "input_text": ("text",),
    "input_image": ("image_url", "detail"),
    "input_file": ("filename", "file_data"),
}


def check_responses(request: Received) -> None:
    """Raise ``BadRequest`` for a request that the API refuses."""
    body = request.body
    for given in body:
        require(given in FIELDS, f"Unknown parameter: '{given}'.", param=given, code="unknown_parameter")
    require(body.get("model") and isinstance(body["model"], str), "you must provide a model parameter")
    require(
        "input" in body,
        "Missing required parameter: 'input'.",
        param="input",
        code="missing_required_parameter",
    )
    check_limit(body, "max_output_tokens")
    reasoning: dict[str, Any] = body.get("reasoning") or {}
    if thinks_always(body["model"]) and reasoning.get("effort") != "none":
        check_unsupported(body, ())
    require(
        not body.get("include") or thinks_always(body["model"]) or reasoning,
        "Encrypted content is not supported with this model.",
        param="include",
    )
    _check_tools(body)
    _check_input(body["input"])


def _check_tools(body: Mapping[str, Any]) -> None:
    if "tools" not in body:
        return
    for place, given in enumerate(items(body["tools"], "tools")):
        where = f"tools[{place}]"
        tool = fields(given, where, needed=("type", "name", "parameters"), allowed=("description", "strict"))
        one_of(tool["type"], f"{where}.type", ("function",))
        called = name(tool["name"], f"{where}.name")
        check_parameters(mapping(tool["parameters"], f"{where}.parameters"), called, where)


def _check_input(given: Any) -> None:
    owed: list[str] = []
    called: set[str] = set()
    thought = ""
    for place, value in enumerate(items(given, "input")):
        where = f"input[{place}]"
        item = mapping(value, where)
        kind = str(item.get("type", "message"))
        require(kind in _CHECKS, f"Invalid value: '{kind}'.", param=f"{where}.type", code="invalid_value")
        _CHECKS[kind](item, where)
        require(
            not thought or kind == "function_call" or item.get("role") == "assistant" or kind == "reasoning",
            f"Item '{thought}' of type 'reasoning' was provided without its required following item.",
            param="input",
        )
        thought = str(item["id"]) if kind == "reasoning" else ""
        if kind == "function_call":
            require(item["call_id"] not in called, f"Duplicate call_id '{item['call_id']}'.", param=where)
            called.add(item["call_id"])
            owed.append(item["call_id"])
        elif kind == "function_call_output":
            require(
                item["call_id"] in owed,
                f"No tool call found for function call output with call_id {item['call_id']}.",
                param="input",
            )
            owed.remove(item["call_id"])
    require(not owed, f"No tool output found for function call {', '.join(owed)}.", param="input")
    require(
        not thought, f"Item '{thought}' of type 'reasoning' was provided without its required following item."
    )


def _check_message(item: dict[str, Any], where: str) -> None:
    fields(item, where, needed=("role", "content"), allowed=("type", "phase"))
    role = one_of(item["role"], f"{where}.role", _ROLES)
    if isinstance(item["content"], list):
        require(
            role == "user",
            f"Invalid value: 'input_text'. Only a user may send parts, not '{role}'.",
            param=where,
        )
    _check_content(item["content"], f"{where}.content")


def _check_call(item: dict[str, Any], where: str) -> None:
    fields(item, where, needed=("type", "call_id", "name", "arguments"), allowed=("id", "status"))
    short(item["call_id"], f"{where}.call_id", _LONGEST_ID)
    name(item["name"], f"{where}.name")
    text(item["arguments"], f"{where}.arguments")


def _check_output(item: dict[str, Any], where: str) -> None:
    fields(item, where, needed=("type", "call_id", "output"), allowed=("id", "status"))
    short(item["call_id"], f"{where}.call_id", _LONGEST_ID)
    _check_content(item["output"], f"{where}.output")


def _check_reasoning(item: dict[str, Any], where: str) -> None:
    fields(item, where, needed=("type", "id", "summary"), allowed=("encrypted_content", "status"))
    require(
        item.get("encrypted_content"),
        f"Item with id '{item['id']}' not found. Items are not persisted when `store` is set to false. Try again "
        "with `store` set to true, or remove this item from your input.",
        status=404,
    )


def _check_content(given: Any, where: str) -> None:
    if isinstance(given, str):
        return
    for place, value in enumerate(items(given, where)):
        here = f"{where}[{place}]"
        part = mapping(value, here)
        kind = one_of(part.get("type"), f"{here}.type", _PARTS)
        fields(part, here, needed=("type", *_PARTS[kind]))
        if kind == "input_image":
            check_picture({"url": part["image_url"]}, here)


_CHECKS: Mapping[str, Callable[[dict[str, Any], str], None]] = {
    "message": _check_message,
    "function_call": _check_call,
    "function_call_output": _check_output,
    "reasoning": _check_reasoning,
}

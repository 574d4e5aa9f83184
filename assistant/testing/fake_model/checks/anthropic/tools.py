"""What Anthropic refuses of the tools on offer, and of what is said about using them."""

import re
from collections.abc import Mapping
from typing import Any

from assistant.testing.fake_model.checks.anthropic.blocks import NAME, check_cache_mark
from assistant.testing.fake_model.checks.anthropic.shape import (
    boolean,
    fields,
    fits,
    items,
    mapping,
    one_of,
    tagged,
    text,
)
from assistant.testing.fake_model.checks.bad_request import require
from assistant.testing.fake_model.checks.schemas import flaw

_CHOICES = ("auto", "any", "tool", "none")
_NOT_AT_THE_TOP = ("oneOf", "allOf", "anyOf")
_KEY = r"[a-zA-Z0-9_.-]{1,64}"


def check_tools(body: Mapping[str, Any]) -> None:
    """Raise ``BadRequest`` for what is refused."""
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

"""What OpenAI refuses of the tools on offer, and of what is said about using them."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from assistant.testing.fake_model.checks.bad_request import require
from assistant.testing.fake_model.checks.openai.shape import fields, items, mapping, name, one_of, text
from assistant.testing.fake_model.checks.schemas import Place, flaw, within

_MOST = 128
_CHOICES = ("none", "auto", "required")
_NOT_AT_THE_TOP = ("oneOf", "anyOf", "allOf", "enum", "not")


def check_tools(body: Mapping[str, Any]) -> None:
    """Raise ``BadRequest`` for what is refused."""
    for option in ("tool_choice", "parallel_tool_calls"):
        require(
            option not in body or "tools" in body,
            f"Invalid value for '{option}': '{option}' is only allowed when 'tools' are specified.",
            param=option,
        )
    if "tools" not in body:
        return
    names: list[str] = []
    for place, tool in enumerate(items(body["tools"], "tools", _MOST)):
        names.append(_check_tool(tool, f"tools[{place}]"))
    twice = next((given for given in names if names.count(given) > 1), "")
    require(not twice, f"Invalid 'tools': tool names must be unique, but '{twice}' is not.", param="tools")
    _check_choice(body.get("tool_choice", "auto"), names)


def _check_tool(given: Any, where: str) -> str:
    tool = fields(given, where, needed=("type", "function"))
    one_of(tool["type"], f"{where}.type", ("function", "custom"))
    here = f"{where}.function"
    function = fields(
        tool["function"], here, needed=("name",), allowed=("description", "parameters", "strict")
    )
    called = name(function["name"], f"{here}.name")
    text(function.get("description", ""), f"{here}.description")
    if "parameters" in function:
        _check_parameters(mapping(function["parameters"], f"{here}.parameters"), called, here)
    return called


def _check_parameters(schema: Mapping[str, Any], called: str, where: str) -> None:
    told = next(_problems(schema), None)
    require(
        told is None,
        f"Invalid schema for function '{called}': {told}",
        param=f"{where}.parameters",
        code="invalid_function_parameters",
    )


def _problems(schema: Mapping[str, Any]) -> Iterator[str]:
    kind = schema.get("type")
    if kind != "object":
        yield f"schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{kind}\"'."
    if any(word in schema for word in _NOT_AT_THE_TOP):
        told = "/".join(f"'{word}'" for word in _NOT_AT_THE_TOP)
        yield f"schema must have type 'object' and not have {told} at the top level."
    if "properties" not in schema:
        yield "In context=(), object schema missing properties."
    if (why := flaw(schema)) is not None:
        yield f"{why}."
    for place, inner in within(schema):
        yield from _without_items(inner, place)


def _without_items(schema: Mapping[str, Any], place: Place) -> Iterator[str]:
    if "items" in schema:
        return
    kind: Any = schema.get("type")
    if kind == "array":
        yield f"In context={place}, array schema missing items."
    elif isinstance(kind, list) and "array" in kind:
        at = (*place, "type", str(cast("list[str]", kind).index("array")))
        yield f"In context={at}, array schema missing items."


def _check_choice(choice: Any, names: list[str]) -> None:
    if isinstance(choice, str):
        one_of(choice, "tool_choice", _CHOICES)
        return
    told = fields(choice, "tool_choice", needed=("type", "function"))
    meant = fields(told["function"], "tool_choice.function", needed=("name",))["name"]
    require(meant in names, f"Tool choice '{meant}' not found in 'tools' parameter.", param="tool_choice")

"""What OpenAI refuses of a conversation: above all a call without its result, or a result without its call."""

from typing import Any

import orjson

from assistant.testing.fake_model.checks.bad_request import fields, fits, items, mapping, require, unique

_LONGEST_ID = 40
_FIELDS = {
    "system": (("content",), ("name",)),
    "developer": (("content",), ("name",)),
    "user": (("content",), ("name",)),
    "assistant": ((), ("content", "tool_calls", "name", "refusal")),
    "tool": (("content", "tool_call_id"), ()),
}


def check_messages(messages: Any, name: str) -> None:
    """Raise ``BadRequest`` for what is refused; ``name`` is the pattern of a tool's."""
    owed: list[str] = []
    for place, given in enumerate(items(messages, "messages")):
        where = f"messages[{place}]"
        message = mapping(given, where)
        role = str(message.get("role"))
        require(role in _FIELDS, f"Invalid value: '{role}' for '{where}.role'")
        needed, allowed = _FIELDS[role]
        fields(message, where, needed=("role", *needed), allowed=allowed)
        _check_content(message, where)
        if role == "tool":
            require(
                message["tool_call_id"] in owed,
                f"{where}: messages with role 'tool' must be a response to a preceding message with "
                "'tool_calls'",
            )
            owed.remove(message["tool_call_id"])
            continue
        _check_nothing_owed(owed)
        if "tool_calls" in message:
            owed = _check_calls(message["tool_calls"], where, name)
    _check_nothing_owed(owed)


def _check_nothing_owed(owed: list[str]) -> None:
    require(
        not owed,
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
        f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(owed)}",
    )


def _check_content(message: dict[str, Any], where: str) -> None:
    content = message.get("content")
    if content is None:
        require(
            message.get("tool_calls"), f"Invalid value for '{where}.content': expected a string, got null"
        )
    else:
        require(isinstance(content, str), f"Invalid type for '{where}.content'")


def _check_calls(calls: Any, where: str, name: str) -> list[str]:
    ids: list[str] = []
    for place, call in enumerate(items(calls, f"{where}.tool_calls")):
        here = f"{where}.tool_calls[{place}]"
        fields(call, here, needed=("id", "type", "function"))
        fits(rf"(?s:.){{1,{_LONGEST_ID}}}", call["id"], f"{here}.id")
        require(call["type"] == "function", f"Invalid value: '{here}.type'")
        function = fields(call["function"], f"{here}.function", needed=("name", "arguments"))
        fits(name, function["name"], f"{here}.function.name")
        require(_is_object(function["arguments"]), f"{here}.function.arguments: not the text of an object")
        ids.append(call["id"])
    unique(ids, f"{where}: tool call ids must be unique")
    return ids


def _is_object(arguments: Any) -> bool:
    try:
        return isinstance(arguments, str) and isinstance(orjson.loads(arguments), dict)
    except orjson.JSONDecodeError:
        return False

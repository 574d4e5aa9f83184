"""What OpenAI refuses of a conversation: above all a call without its result, or a result without its call."""

from collections.abc import Mapping
from typing import Any

import orjson

from assistant.testing.fake_model.checks.bad_request import require
from assistant.testing.fake_model.checks.openai.content import check_content
from assistant.testing.fake_model.checks.openai.dialect import Dialect
from assistant.testing.fake_model.checks.openai.shape import (
    fields,
    items,
    mapping,
    name,
    one_of,
    short,
    text,
)

_LONGEST_ID = 40
_FIELDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "system": (("content",), ("name",)),
    "assistant": ((), ("content", "tool_calls", "name", "refusal")),
    "user": (("content",), ("name",)),
    "tool": (("content", "tool_call_id"), ()),
    "developer": (("content",), ("name",)),
}


def check_messages(messages: Any, dialect: Dialect) -> None:
    """Raise ``BadRequest`` for what is refused."""
    owed: list[str] = []
    for place, given in enumerate(items(messages, "messages")):
        where = f"messages[{place}]"
        message = mapping(given, where)
        role = one_of(message.get("role"), f"{where}.role", _FIELDS)
        needed, allowed = _FIELDS[role]
        more = dialect.said_by_assistant if role == "assistant" else ()
        fields(message, where, needed=("role", *needed), allowed=(*allowed, *more))
        check_content(message, where, dialect)
        if role == "tool":
            _settle(text(message["tool_call_id"], f"{where}.tool_call_id"), owed, where)
            continue
        _check_nothing_owed(owed, f"{where}.role")
        if "tool_calls" in message:
            owed = _check_calls(message["tool_calls"], where, dialect)
    _check_nothing_owed(owed, "messages")


def _settle(answered: str, owed: list[str], where: str) -> None:
    require(
        answered in owed,
        # The provider's own spelling.
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
        "'tool_calls'.",
        param=f"{where}.role",
    )
    owed.remove(answered)


def _check_nothing_owed(owed: list[str], where: str) -> None:
    require(
        not owed,
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
        f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(owed)}",
        param=where,
    )


def _check_calls(calls: Any, where: str, dialect: Dialect) -> list[str]:
    ids: list[str] = []
    for place, call in enumerate(items(calls, f"{where}.tool_calls")):
        here = f"{where}.tool_calls[{place}]"
        fields(call, here, needed=("id", "type", "function"), allowed=dialect.said_of_calls)
        id_ = short(call["id"], f"{here}.id", _LONGEST_ID)
        one_of(call["type"], f"{here}.type", ("function", "custom"))
        function = fields(call["function"], f"{here}.function", needed=("name", "arguments"))
        name(function["name"], f"{here}.function.name")
        _check_arguments(text(function["arguments"], f"{here}.function.arguments"), id_)
        require(
            id_ not in ids,
            f"Invalid parameter: Duplicate value for 'tool_call_id' of '{id_}'.",
            param=f"{here}.id",
        )
        ids.append(id_)
    return ids


def _check_arguments(arguments: str, id_: str) -> None:
    """They may be nonsense to OpenAI itself; xAI, and the templates of most other servers, must read them."""
    try:
        told = "" if isinstance(orjson.loads(arguments), dict) else "expected a JSON object"
    except orjson.JSONDecodeError as error:
        told = str(error)
    require(
        not told,
        f"The arguments to a tool_call with ID '{id_}' are not a valid JSON string. Parsing error: {told}",
    )

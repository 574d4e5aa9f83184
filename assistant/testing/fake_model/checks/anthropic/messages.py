"""What Anthropic refuses of a conversation: roles out of order, and uses of tools apart from their results."""

from collections.abc import Sequence
from typing import Any

from assistant.testing.fake_model.checks.anthropic.blocks import check_block, check_result, check_use
from assistant.testing.fake_model.checks.anthropic.shape import fields, items, one_of, tagged
from assistant.testing.fake_model.checks.anthropic.thinking import THOUGHTS
from assistant.testing.fake_model.checks.bad_request import require

_MAY_SAY = {
    "user": ("document", "image", "text", "tool_result"),
    "assistant": ("redacted_thinking", "text", "thinking", "tool_use"),
}


def check_messages(messages: Any) -> list[str]:
    """Raise ``BadRequest`` for what is refused; gives the ids of all uses of tools."""
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
    """The ids of a message's uses of tools, and of the uses whose results it begins with, "" for the rest."""
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
                # One behind other blocks counts for nothing.
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
    for number, result in enumerate(told):
        here = f"messages.{place}.content.{number}"
        require(
            result in owed,
            f"{here}: unexpected `tool_use_id` found in `tool_result` blocks: {result}. Each `tool_result` "
            "block must have a corresponding `tool_use` block in the previous message.",
        )
        require(
            result not in told[:number],
            f"{here}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: "
            f"{result}",
        )


def _check_end(last: dict[str, Any], owed: Sequence[str], count: int) -> None:
    """A conversation ends with what is to be answered."""
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

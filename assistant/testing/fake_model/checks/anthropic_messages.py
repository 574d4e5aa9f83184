"""What Anthropic refuses of a conversation: roles out of order, and uses of tools apart from their results."""

from typing import Any

from assistant.testing.fake_model.checks.anthropic_blocks import check_result, check_text, check_use
from assistant.testing.fake_model.checks.bad_request import fields, items, mapping, require, unique


def check_messages(messages: Any) -> list[str]:
    """Raise ``BadRequest`` for what is refused; gives the ids of all uses of tools."""
    before = ""
    owed: list[str] = []
    called: list[str] = []
    for place, message in enumerate(items(messages, "messages")):
        where = f"messages.{place}"
        fields(message, where, needed=("role", "content"))
        role = message["role"]
        require(role in ("user", "assistant"), f"{where}.role: Input should be 'user' or 'assistant'")
        require(before or role == "user", 'messages: first message must use the "user" role')
        require(role != before, f"messages: roles must alternate, but found multiple {role!r} roles in a row")
        used, told = _check_blocks(message, where)
        missing = [use for use in owed if use not in told]
        require(
            not missing,
            f"messages.{place - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{', '.join(missing)}",
        )
        for result in told:
            require(
                result in owed,
                f"{where}: unexpected `tool_use_id` found in `tool_result` blocks: {result}",
            )
        unique(told, f"{where}: each tool_use must have a single result")
        before, owed = role, used
        called += used
    require(
        before == "user",
        "This model does not support assistant message prefill. The conversation must end with a user message.",
    )
    unique(called, "messages: `tool_use` ids must be unique")
    return called


def _check_blocks(message: dict[str, Any], where: str) -> tuple[list[str], list[str]]:
    """The ids of a message's uses of tools, and of the uses whose results it brings."""
    content = message["content"]
    if isinstance(content, str):
        require(content and not content.isspace(), f"{where}: text content blocks must be non-empty")
        return [], []
    used: list[str] = []
    told: list[str] = []
    texts = 0
    for place, given in enumerate(items(content, f"{where}.content")):
        here = f"{where}.content.{place}"
        block = mapping(given, here)
        kind = (message["role"], block.get("type"))
        if kind[1] == "text":
            check_text(block, here)
            texts += 1
        elif kind == ("assistant", "tool_use"):
            used.append(check_use(block, here))
        else:
            require(kind == ("user", "tool_result"), f"{here}: unexpected block {kind[1]!r} of {kind[0]}")
            require(not texts, f"{here}: `tool_result` blocks must come before all others")
            told.append(check_result(block, here))
    return used, told

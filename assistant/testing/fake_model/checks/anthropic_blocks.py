"""What Anthropic refuses of a single block."""

from typing import Any, cast

from assistant.testing.fake_model.checks.bad_request import fields, fits, require

NAME = r"[a-zA-Z0-9_-]{1,64}"
_ID = r"[a-zA-Z0-9_-]+"


def check_text(block: Any, where: str) -> None:
    """A block of text, which must have some."""
    fields(block, where, needed=("type", "text"), allowed=("cache_control", "citations"))
    require(block["type"] == "text" and isinstance(block["text"], str), f"{where}: expected text")
    require(block["text"], f"{where}: text content blocks must be non-empty")
    require(not block["text"].isspace(), f"{where}: text content blocks must contain non-whitespace text")


def check_use(block: Any, where: str) -> str:
    """A use of a tool; gives its id."""
    fields(block, where, needed=("type", "id", "name", "input"), allowed=("cache_control",))
    fits(NAME, block["name"], f"{where}.name")
    require(isinstance(block["input"], dict), f"{where}.input: Input should be a valid dictionary")
    return fits(_ID, block["id"], f"{where}.id")


def check_result(block: Any, where: str) -> str:
    """A tool's result; gives the id of its use."""
    fields(block, where, needed=("type", "tool_use_id"), allowed=("content", "is_error", "cache_control"))
    require(isinstance(block.get("content", ""), str), f"{where}.content: expected text")
    require(isinstance(block.get("is_error", False), bool), f"{where}.is_error: expected a boolean")
    return fits(_ID, block["tool_use_id"], f"{where}.tool_use_id")


def count_cached(value: Any) -> int:
    """How many blocks anywhere in it are marked for the provider's cache."""
    if isinstance(value, list):
        return sum(count_cached(item) for item in cast("list[Any]", value))
    if not isinstance(value, dict):
        return 0
    held = cast("dict[str, Any]", value)
    return ("cache_control" in held) + sum(count_cached(item) for item in held.values())

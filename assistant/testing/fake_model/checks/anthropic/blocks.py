"""What Anthropic refuses of a single block."""

from collections.abc import Mapping
from typing import Any

from assistant.testing.fake_model.checks.anthropic.media import check_document, check_image
from assistant.testing.fake_model.checks.anthropic.shape import boolean, fields, fits, items, tagged, text
from assistant.testing.fake_model.checks.bad_request import require

NAME = r"[a-zA-Z0-9_-]{1,64}"
_ID = r"[a-zA-Z0-9_-]+"
_IN_RESULTS = ("document", "image", "text")


def check_block(block: Mapping[str, Any], where: str) -> None:
    """Raise ``BadRequest`` for a block of any kind but a use of a tool and a result."""
    kind = block["type"]
    here = f"{where}.{kind}"
    match kind:
        case "text":
            check_text(block, here)
        case "image":
            fields(block, here, needed=("type", "source"), allowed=("cache_control",))
            check_image(block["source"], here)
            check_cache_mark(block, here)
        case "document":
            optional = ("cache_control", "title", "context", "citations")
            fields(block, here, needed=("type", "source"), allowed=optional)
            check_document(block["source"], here)
        case "thinking":
            fields(block, here, needed=("type", "thinking", "signature"))
            text(block["thinking"], f"{here}.thinking")
            signed = text(block["signature"], f"{here}.signature")
            require(signed, f"{where}: Invalid `signature` in `thinking` block")
        case _:
            fields(block, here, needed=("type", "data"))
            require(
                text(block["data"], f"{here}.data"), f"{where}: Invalid `data` in `redacted_thinking` block"
            )


def check_text(block: Any, where: str, within: str = "messages") -> None:
    """A block of text, which must have some."""
    fields(block, where, needed=("type", "text"), allowed=("cache_control", "citations"))
    require(block["type"] == "text", f"{where}.type: Input should be 'text'")
    require(text(block["text"], f"{where}.text"), f"{within}: text content blocks must be non-empty")
    require(not block["text"].isspace(), f"{within}: text content blocks must contain non-whitespace text")
    check_cache_mark(block, where)


def check_use(block: Any, where: str) -> str:
    """A use of a tool; gives its id."""
    here = f"{where}.tool_use"
    fields(block, here, needed=("type", "id", "name", "input"), allowed=("cache_control",))
    fits(NAME, block["name"], f"{here}.name")
    require(isinstance(block["input"], dict), f"{here}.input: Input should be a valid dictionary")
    check_cache_mark(block, here)
    return fits(_ID, block["id"], f"{here}.id")


def check_result(block: Any, where: str) -> str:
    """A tool's result; gives the id of its use."""
    here = f"{where}.tool_result"
    fields(block, here, needed=("type", "tool_use_id"), allowed=("content", "is_error", "cache_control"))
    failed = boolean(block.get("is_error", False), f"{here}.is_error")
    check_cache_mark(block, here)
    content = block.get("content", "")
    if not isinstance(content, str):
        for place, given in enumerate(items(content, f"{here}.content")):
            kind = tagged(given, f"{here}.content.{place}", _IN_RESULTS)
            require(
                kind == "text" or not failed,
                f"{here}: all content must be type `text` if `is_error` is true",
            )
            check_block(given, f"{here}.content.{place}")
    return fits(_ID, block["tool_use_id"], f"{here}.tool_use_id")


def check_cache_mark(block: Mapping[str, Any], where: str) -> None:
    """The mark up to which the provider is to keep what it read."""
    if "cache_control" in block:
        here = f"{where}.cache_control"
        tagged(block["cache_control"], here, ("ephemeral",))
        fields(block["cache_control"], here, needed=("type",), allowed=("ttl",))

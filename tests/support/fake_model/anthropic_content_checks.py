"""What Anthropic's API refuses in the blocks of a message: shapes, media, thinking."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

from tests.support.fake_model.request_checks import decoded, media_type, refuse, require


def at(where: str, name: object) -> str:
    """The path of a value within another one.

    >>> at("messages.0", "role"), at("", "model")
    ('messages.0.role', 'model')
    """
    return f"{where}.{name}" if where else str(name)


def mapping(value: Any, where: str) -> dict[str, Any]:
    """A JSON object."""
    require(isinstance(value, dict), f"{where}: Input should be a valid dictionary")
    return cast("dict[str, Any]", value)


def items(value: Any, where: str) -> list[Any]:
    """A JSON list."""
    require(isinstance(value, list), f"{where}: Input should be a valid list")
    return cast("list[Any]", value)


def text(value: Any, where: str) -> str:
    """A string."""
    require(isinstance(value, str), f"{where}: Input should be a valid string")
    return value


def boolean(value: Any, where: str) -> bool:
    """True or false."""
    require(isinstance(value, bool), f"{where}: Input should be a valid boolean")
    return value


def number(value: Any, where: str, *, least: float | None = None) -> float:
    """A number; with ``least``, one that is not smaller."""
    require(isinstance(value, int | float) and value is not True, f"{where}: Input should be a valid number")
    require(least is None or value >= least, f"{where}: Input should be greater than or equal to {least}")
    return value


def fields(
    value: Any, where: str, *, needed: Collection[str], allowed: Collection[str] = ()
) -> dict[str, Any]:
    """A JSON object that has all needed fields and no field that is neither needed nor allowed."""
    given = mapping(value, where)
    for name in needed:
        require(name in given, f"{at(where, name)}: Field required")
    for name in given:
        require(name in needed or name in allowed, f"{at(where, name)}: Extra inputs are not permitted")
    return given


def one_of(value: Any, where: str, expected: Collection[str]) -> str:
    """A string that is one of ``expected``."""
    *most, last = (f"'{name}'" for name in expected)
    told = f"{', '.join(most)} or {last}" if most else last
    require(isinstance(value, str) and value in expected, f"{where}: Input should be {told}")
    return value


def tagged(value: Any, where: str, tags: Collection[str]) -> str:
    """The ``type`` of an object, which must be one of ``tags``."""
    found = mapping(value, where).get("type")
    require(found is not None, f"{where}: Unable to extract tag using discriminator 'type'")
    expected = ", ".join(f"'{tag}'" for tag in tags)
    require(
        found in tags,
        f"{where}: Input tag '{found}' found using 'type' does not match any of the expected tags: "
        f"{expected}",
    )
    return str(found)


def fits(pattern: str, value: Any, where: str) -> str:
    """A string that matches this pattern."""
    require(re.fullmatch(pattern, text(value, where)), f"{where}: String should match pattern '^{pattern}$'")
    return value


THOUGHTS = ("thinking", "redacted_thinking")
_KINDS = ("adaptive", "between_tools", "disabled", "enabled")
_LEAST_BUDGET = 1024
_READ_MORE = (
    "Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking"
)


def check_thinking(body: Mapping[str, Any]) -> None:
    """Raise ``BadRequest`` for thinking options that the API refuses. The messages must be valid already."""
    if "thinking" not in body:
        return
    thinking = body["thinking"]
    kind = tagged(thinking, "thinking", _KINDS)
    where = f"thinking.{kind}"
    if kind in ("disabled", "between_tools"):
        fields(thinking, where, needed=("type",))
        return
    if kind == "enabled":
        fields(thinking, where, needed=("type", "budget_tokens"), allowed=("display",))
        number(thinking["budget_tokens"], f"{where}.budget_tokens", least=_LEAST_BUDGET)
        require(
            thinking["budget_tokens"] < body["max_tokens"],
            f"`max_tokens` must be greater than `thinking.budget_tokens`. {_READ_MORE}#max-tokens-and-context-"
            "window-size-with-extended-thinking",
        )
        _check_first_block(body["messages"])
    else:
        fields(thinking, where, needed=("type",), allowed=("display",))
    if thinking.get("display") is not None:
        one_of(thinking["display"], f"{where}.display", ("summarized", "omitted"))
    _check_sampling(body)


def _check_sampling(body: Mapping[str, Any]) -> None:
    require(
        body.get("temperature", 1) == 1,
        f"`temperature` may only be set to 1 when thinking is enabled or in adaptive mode. {_READ_MORE}",
    )
    require("top_k" not in body, f"`top_k` must be unset when thinking is enabled. {_READ_MORE}")
    require(
        body.get("top_p", 1) >= 0.95,
        f"`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled. {_READ_MORE}",
    )


def _check_first_block(messages: Sequence[Mapping[str, Any]]) -> None:
    """If the last message has tool results, the reply with those calls must begin with a thinking block."""
    place = len(messages) - 1
    if not _tells(messages[place], wholly=False):
        return
    while place >= 3 and _tells(messages[place - 2], wholly=True):
        place -= 2
    found = messages[place - 1]["content"][0]["type"]
    require(
        found in THOUGHTS,
        f"messages.{place - 1}.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
        f"`{found}`. When `thinking` is enabled, a final `assistant` message must start with a thinking block "
        "(preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include "
        f"thinking blocks from previous turns. To avoid this requirement, disable `thinking`. {_READ_MORE}",
    )


def _tells(message: Mapping[str, Any], *, wholly: bool) -> bool:
    """Whether a user's message contains tool results; with ``wholly``, whether it contains nothing else."""
    content = message["content"]
    if isinstance(content, str):
        return False
    results = [block["type"] == "tool_result" for block in content]
    return all(results) if wholly else any(results)


_PICTURES = ("image/jpeg", "image/png", "image/gif", "image/webp")
_LARGEST = 5 * 1024 * 1024


def check_image(source: Any, where: str) -> None:
    """Raise ``BadRequest`` for an image that the API refuses."""
    here = f"{where}.source"
    kind = tagged(source, here, ("base64", "url"))
    if kind == "url":
        _check_url(source, f"{here}.url")
        return
    here = f"{here}.base64"
    fields(source, here, needed=("type", "media_type", "data"))
    said = one_of(source["media_type"], f"{here}.media_type", _PICTURES)
    size = len(text(source["data"], f"{here}.data"))
    require(size <= _LARGEST, f"{here}: image exceeds 5 MB maximum: {size} bytes > {_LARGEST} bytes")
    seen = media_type(_data(source, here))
    require(seen in _PICTURES, "Could not process image")
    require(seen == said, f"{here}.data: Image does not match the provided media type {said}")


def check_document(source: Any, where: str) -> None:
    """Raise ``BadRequest`` for a document that the API refuses."""
    here = f"{where}.source"
    kind = tagged(source, here, ("base64", "text", "url"))
    if kind == "url":
        _check_url(source, f"{here}.url")
        return
    here = f"{here}.{kind}"
    fields(source, here, needed=("type", "media_type", "data"))
    expected = "text/plain" if kind == "text" else "application/pdf"
    one_of(source["media_type"], f"{here}.media_type", (expected,))
    if kind == "text":
        require(text(source["data"], f"{here}.data").strip(), "document cannot be empty")
        return
    require(media_type(_data(source, here)) == "application/pdf", "The PDF specified was not valid.")


def _check_url(source: Any, where: str) -> None:
    fields(source, where, needed=("type", "url"))
    url = text(source["url"], f"{where}.url")
    require(url.startswith("https://"), "Only HTTPS URLs are supported.")


def _data(source: Any, where: str) -> bytes:
    data = decoded(source["data"])
    if data is None:
        refuse(f"{where}.data: invalid base64 data")
    return data


NAME = r"[a-zA-Z0-9_-]{1,64}"
_ID = r"[a-zA-Z0-9_-]+"
_IN_RESULTS = ("document", "image", "text")


def check_block(block: Mapping[str, Any], where: str) -> None:
    """Raise ``BadRequest`` for a block that the API refuses; ``tool_use`` and ``tool_result`` are not allowed."""
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
    """Check a text block, which must not be empty."""
    fields(block, where, needed=("type", "text"), allowed=("cache_control", "citations"))
    require(block["type"] == "text", f"{where}.type: Input should be 'text'")
    require(text(block["text"], f"{where}.text"), f"{within}: text content blocks must be non-empty")
    require(not block["text"].isspace(), f"{within}: text content blocks must contain non-whitespace text")
    check_cache_mark(block, where)


def check_use(block: Any, where: str) -> str:
    """Check a ``tool_use`` block and return its id."""
    here = f"{where}.tool_use"
    fields(block, here, needed=("type", "id", "name", "input"), allowed=("cache_control",))
    fits(NAME, block["name"], f"{here}.name")
    require(isinstance(block["input"], dict), f"{here}.input: Input should be a valid dictionary")
    check_cache_mark(block, here)
    return fits(_ID, block["id"], f"{here}.id")


def check_result(block: Any, where: str) -> str:
    """Check a ``tool_result`` block and return the id of its call."""
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
    """Check ``cache_control``, which marks the end of what the provider should cache."""
    if "cache_control" in block:
        here = f"{where}.cache_control"
        tagged(block["cache_control"], here, ("ephemeral",))
        fields(block["cache_control"], here, needed=("type",), allowed=("ttl",))

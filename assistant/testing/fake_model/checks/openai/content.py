"""What OpenAI refuses of a single message's content: text for everybody, pictures from the user alone."""

from collections.abc import Mapping
from typing import Any

from assistant.testing.fake_model.checks.bad_request import refuse, require
from assistant.testing.fake_model.checks.openai.dialect import Dialect
from assistant.testing.fake_model.checks.openai.shape import fields, items, mapping, one_of, text, wrong_type
from assistant.testing.fake_model.checks.pictures import decoded, media_type

_PARTS = ("text", "image_url", "input_audio", "refusal", "audio", "file")
_MAY_SAY: Mapping[str, tuple[str, ...]] = {
    "user": ("text", "image_url", "input_audio", "file"),
    "assistant": ("text", "refusal"),
}


def check_content(message: Mapping[str, Any], where: str, dialect: Dialect) -> None:
    """Raise ``BadRequest`` for what is refused."""
    content = message.get("content")
    if content is None:
        require(
            message.get("tool_calls"),
            "Invalid value for 'content': expected a string, got null.",
            param=f"{where}.content",
        )
    elif isinstance(content, list):
        for place, part in enumerate(items(message["content"], f"{where}.content")):
            _check_part(part, str(message["role"]), where, f"{where}.content[{place}]", dialect)
    elif not isinstance(content, str):
        wrong_type(content, f"{where}.content", "one of a string or array of objects")


def _check_part(given: Any, role: str, message: str, where: str, dialect: Dialect) -> None:
    part = mapping(given, where)
    kind = one_of(part.get("type"), f"{where}.type", _PARTS)
    if kind == "image_url" and role != "user":
        refuse(
            f"Invalid '{message}'. Image URLs are only allowed for messages with role 'user', but this "
            f"message with role '{role}' contains an image URL.",
            param=message,
            code="invalid_value",
        )
    one_of(kind, f"{where}.type", _MAY_SAY.get(role, ("text",)))
    fields(part, where, needed=("type", kind))
    if kind == "image_url":
        _check_picture(part["image_url"], f"{where}.image_url", dialect)
    elif kind in ("text", "refusal"):
        text(part[kind], f"{where}.{kind}")
    else:
        mapping(part[kind], f"{where}.{kind}")


def _check_picture(given: Any, where: str, dialect: Dialect) -> None:
    picture = fields(given, where, needed=("url",), allowed=("detail",))
    one_of(picture.get("detail", "auto"), f"{where}.detail", ("low", "high", "auto"))
    url = text(picture["url"], f"{where}.url")
    if url.startswith(("https://", "http://")):
        return
    head, mark, data = url.partition(";base64,")
    require(
        mark and head.startswith("data:"),
        f"Invalid '{where}.url'. Expected a valid URL, but got a value with an invalid format.",
        param=f"{where}.url",
        code="invalid_value",
    )
    kind = head.removeprefix("data:")
    require(
        kind.startswith("image/"),
        "Invalid MIME type. Only image types are supported.",
        code="invalid_image_format",
    )
    seen = decoded(data)
    if seen is None:
        refuse("Invalid base64 image_url.", code="invalid_base64")
    supported = [f"image/{name}" for name in dialect.pictures]
    require(
        kind in supported and media_type(seen) in supported,
        "You uploaded an unsupported image. Please make sure your image has of one the following formats: "
        f"{list(dialect.pictures)}.",
        code="invalid_image_format",
    )

"""What OpenAI's API refuses in the content of a message."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, cast

from tests.support.fake_model.request_checks import decoded, media_type, refuse, require


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one server differs from OpenAI.

    ``said_by_assistant`` are extra fields of an assistant's message, ``said_of_calls`` extra fields of a
    call. ``pictures`` are the image formats that it accepts.
    """

    said_by_assistant: frozenset[str] = frozenset()
    said_of_calls: frozenset[str] = frozenset()
    pictures: tuple[str, ...] = ("png", "jpeg", "gif", "webp")


OPENAI = Dialect()
XAI = Dialect(said_by_assistant=frozenset({"reasoning_content"}), pictures=("png", "jpeg"))
DEEPSEEK = Dialect(said_by_assistant=frozenset({"reasoning_content"}))
GEMINI = Dialect(said_of_calls=frozenset({"extra_content"}))


_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "a boolean"),
    (int, "an integer"),
    (float, "a decimal"),
    (str, "a string"),
    (list, "an array"),
    (dict, "an object"),
)


def kind_of(value: object) -> str:
    """The type of a value, in the words of OpenAI's errors.

    >>> kind_of([]), kind_of(None)
    ('an array', 'null')
    """
    return next((name for kind, name in _KINDS if isinstance(value, kind)), "null")


def wrong_type(value: object, where: str, expected: str) -> None:
    """Refuse a value because of its type."""
    refuse(
        f"Invalid type for '{where}': expected {expected}, but got {kind_of(value)} instead.",
        param=where,
        code="invalid_type",
    )


def mapping(value: Any, where: str) -> dict[str, Any]:
    """A JSON object."""
    if not isinstance(value, dict):
        wrong_type(value, where, "an object")
    return cast("dict[str, Any]", value)


def text(value: Any, where: str) -> str:
    """A string."""
    if not isinstance(value, str):
        wrong_type(value, where, "a string")
    return value


def items(value: Any, where: str, longest: int | None = None) -> list[Any]:
    """A JSON list that is not empty and, with ``longest``, has no more items than that."""
    if not isinstance(value, list):
        wrong_type(value, where, "an array of objects")
    given = cast("list[Any]", value)
    require(
        given,
        f"Invalid '{where}': empty array. Expected an array with minimum length 1, but got an empty array "
        "instead.",
        param=where,
        code="empty_array",
    )
    require(
        longest is None or len(given) <= longest,
        f"Invalid '{where}': array too long. Expected an array with maximum length {longest}, but got an "
        f"array with length {len(given)} instead.",
        param=where,
        code="array_above_max_length",
    )
    return given


def fields(
    value: Any, where: str, *, needed: Collection[str], allowed: Collection[str] = ()
) -> dict[str, Any]:
    """A JSON object that has all needed fields and no field that is neither needed nor allowed."""
    given = mapping(value, where)
    for name in needed:
        require(
            name in given,
            f"Missing required parameter: '{where}.{name}'.",
            param=f"{where}.{name}",
            code="missing_required_parameter",
        )
    for name in given:
        require(
            name in needed or name in allowed,
            f"Unknown parameter: '{where}.{name}'.",
            param=f"{where}.{name}",
            code="unknown_parameter",
        )
    return given


def one_of(value: Any, where: str, supported: Collection[str]) -> str:
    """A string that is one of ``supported``."""
    *most, last = (f"'{name}'" for name in supported)
    told = f"{', '.join(most)}, and {last}" if most else last
    require(
        value in supported,
        f"Invalid value: '{value}'. Supported values are: {told}.",
        param=where,
        code="invalid_value",
    )
    return str(value)


def short(value: Any, where: str, longest: int) -> str:
    """A string that is not empty and not longer than ``longest`` characters."""
    given = text(value, where)
    require(
        given,
        f"Invalid '{where}': empty string. Expected a string with minimum length 1, but got an empty string "
        "instead.",
        param=where,
        code="empty_string",
    )
    require(
        len(given) <= longest,
        f"Invalid '{where}': string too long. Expected a string with maximum length {longest}, but got a "
        f"string with length {len(given)} instead.",
        param=where,
        code="string_above_max_length",
    )
    return given


def name(value: Any, where: str) -> str:
    """A tool's name."""
    given = short(value, where, 64)
    require(
        re.fullmatch(r"[a-zA-Z0-9_-]+", given),
        f"Invalid '{where}': string does not match pattern. Expected a string that matches the pattern "
        "'^[a-zA-Z0-9_-]+$'.",
        param=where,
        code="invalid_value",
    )
    return given


_PARTS = ("text", "image_url", "input_audio", "refusal", "audio", "file")
_MAY_SAY: Mapping[str, tuple[str, ...]] = {
    "user": ("text", "image_url", "input_audio", "file"),
    "assistant": ("text", "refusal"),
}


def check_content(message: Mapping[str, Any], where: str, dialect: Dialect) -> None:
    """Raise ``BadRequest`` for content that the API refuses."""
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
        check_picture(part["image_url"], f"{where}.image_url", dialect)
    elif kind in ("text", "refusal"):
        text(part[kind], f"{where}.{kind}")
    else:
        mapping(part[kind], f"{where}.{kind}")


def check_picture(given: Any, where: str, dialect: Dialect = OPENAI) -> None:
    """Raise ``BadRequest`` for an image that the API refuses."""
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

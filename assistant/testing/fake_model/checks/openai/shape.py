"""The questions that OpenAI asks of every value in a request, and what it says when the answer is no."""

import re
from collections.abc import Collection
from typing import Any, cast

from assistant.testing.fake_model.checks.bad_request import refuse, require

_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "a boolean"),
    (int, "an integer"),
    (float, "a decimal"),
    (str, "a string"),
    (list, "an array"),
    (dict, "an object"),
)


def kind_of(value: object) -> str:
    """What a value is, as OpenAI calls it.

    >>> kind_of([]), kind_of(None)
    ('an array', 'null')
    """
    return next((name for kind, name in _KINDS if isinstance(value, kind)), "null")


def wrong_type(value: object, where: str, expected: str) -> None:
    """Refuse a value for what it is."""
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
    """A JSON list that is not empty."""
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
    """A JSON object that has all that is needed and nothing that is not allowed."""
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
    """One of a few strings."""
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
    """A string of some length, that is not too long."""
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

"""The questions that Anthropic asks of every value in a request, and what it says when the answer is no."""

import re
from collections.abc import Collection
from typing import Any, cast

from assistant.testing.fake_model.checks.bad_request import require


def at(where: str, name: object) -> str:
    """A place within another one.

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
    """A number, maybe one that is not too small."""
    require(isinstance(value, int | float) and value is not True, f"{where}: Input should be a valid number")
    require(least is None or value >= least, f"{where}: Input should be greater than or equal to {least}")
    return value


def fields(
    value: Any, where: str, *, needed: Collection[str], allowed: Collection[str] = ()
) -> dict[str, Any]:
    """A JSON object that has all that is needed and nothing that is not allowed."""
    given = mapping(value, where)
    for name in needed:
        require(name in given, f"{at(where, name)}: Field required")
    for name in given:
        require(name in needed or name in allowed, f"{at(where, name)}: Extra inputs are not permitted")
    return given


def one_of(value: Any, where: str, expected: Collection[str]) -> str:
    """One of a few strings."""
    *most, last = (f"'{name}'" for name in expected)
    told = f"{', '.join(most)} or {last}" if most else last
    require(isinstance(value, str) and value in expected, f"{where}: Input should be {told}")
    return value


def tagged(value: Any, where: str, tags: Collection[str]) -> str:
    """The ``type`` of an object that comes in a few kinds."""
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
    """A string of this pattern."""
    require(re.fullmatch(pattern, text(value, where)), f"{where}: String should match pattern '^{pattern}$'")
    return value

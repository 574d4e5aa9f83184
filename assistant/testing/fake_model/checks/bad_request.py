"""Why a request is refused, and the few questions that all providers ask of one."""

import re
from collections.abc import Collection, Mapping
from typing import Any, cast


class BadRequest(Exception):
    """A provider will not take this request. The text is the provider's; ``status`` is mostly 400."""

    def __init__(self, message: str, *, status: int = 400) -> None:
        self.status = status
        super().__init__(message)


def require(condition: object, message: str, *, status: int = 400) -> None:
    """Refuse, unless the condition holds."""
    if not condition:
        raise BadRequest(message, status=status)


def mapping(value: Any, where: str) -> dict[str, Any]:
    """A JSON object."""
    if not isinstance(value, dict):
        raise BadRequest(f"{where}: expected an object")
    return cast("dict[str, Any]", value)


def fields(
    value: Any, where: str, *, needed: Collection[str], allowed: Collection[str] = ()
) -> dict[str, Any]:
    """A JSON object that has all that is needed and nothing that is not allowed."""
    given = mapping(value, where)
    for name in needed:
        require(name in given, f"{where}.{name}: Field required")
    for name in given:
        require(name in needed or name in allowed, f"{where}.{name}: Extra inputs are not permitted")
    return given


def items(value: Any, where: str) -> list[Any]:
    """A JSON list that is not empty."""
    if not isinstance(value, list) or not value:
        raise BadRequest(f"{where}: expected a list with at least one item")
    return cast("list[Any]", value)


def fits(pattern: str, value: Any, where: str) -> str:
    """A string of this pattern."""
    require(isinstance(value, str) and re.fullmatch(pattern, value), f"{where}: should match '^{pattern}$'")
    return value


def unique(values: Collection[str], message: str) -> None:
    """Refuse a value that stands twice."""
    require(len(set(values)) == len(values), message)


def schema(value: Mapping[str, Any], where: str) -> None:
    """A tool's parameters: the schema of an object."""
    require(value.get("type") == "object", f"{where}.type: Field required")
    for name in ("oneOf", "allOf", "anyOf"):
        require(name not in value, f"{where}: does not support {name} at the top level")

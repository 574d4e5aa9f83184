"""Checks a call's arguments against a JSON schema, and corrects small mistakes."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache
from typing import Protocol, cast

from assistant.conversation.values import Json, JsonObject
from assistant.errors import BadArguments
from assistant.tools.tool import NotSerializable, serialize

_LONGEST = 80


class Violation(Protocol):
    """One violation of a schema; only the fields of the validator that are used here."""

    message: str
    validator: str
    validator_value: Json
    instance: Json

    @property
    def absolute_path(self) -> Iterator[str | int]:
        """The path to the value."""
        ...


class Checker(Protocol):
    """A compiled schema."""

    def iter_errors(self, instance: object) -> Iterator[Violation]:
        """Yields all violations in the value."""
        ...


def checker_of(schema: JsonObject, formats: object = None) -> Checker:
    """Compile a schema. ``formats`` is the validator's format checker; without it formats are not checked."""
    from jsonschema import Draft202012Validator
    from referencing import Registry

    # The registry is empty, so that a check never fetches anything from the network.
    return cast(
        "Checker",
        Draft202012Validator(dict(schema), registry=Registry(), format_checker=formats),  # pyright: ignore
    )


def cut(message: str) -> str:
    """Returns the validator's message, shortened, because it contains the whole value."""
    return message if len(message) <= 2 * _LONGEST else f"{message[: 2 * _LONGEST]}…"


def shown(value: Json) -> str:
    """Returns a value as the model wrote it, shortened. Half of a surrogate pair becomes a question mark.

    >>> shown({"day": "Tue"}), len(shown("x" * 500))
    ('{"day": "Tue"}', 81)
    """
    text = json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "replace").decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?")
_TRUTHS = {"true": True, "false": False}


def validated(tool: str, schema: JsonObject, arguments: JsonObject) -> JsonObject:
    """Returns the arguments in the schema's order, with defaults filled in; null counts as missing.

    Raises:
        BadArguments: one line for each argument that is missing, unknown or invalid.
    """
    adjusted = coerce(schema, arguments)
    problems: dict[str, str] = {}
    for violation in checker_of(schema, _formats()).iter_errors(adjusted):
        for name, fault in _faults(violation):
            problems.setdefault(name, f"{name} {fault}")
    for name, value in cast("JsonObject", adjusted).items():
        if name not in problems and not _can_be_sent(value):
            problems[name] = f"{name} is nothing that JSON can say (given: {shown(value)})"
    if problems:
        raise BadArguments(tool, list(problems.values()))
    return cast("JsonObject", adjusted)


def schema_violation(schema: JsonObject, value: Json) -> str | None:
    """Returns the reason why a value does not match a schema, or None if it does."""
    return next(
        (
            fault
            for violation in checker_of(schema, _formats()).iter_errors(value)
            for _, fault in _faults(violation)
        ),
        None,
    )


def coerce(schema: JsonObject, value: Json) -> Json:
    """Correct common mistakes of models: numbers as text, text as numbers, white space around a text, and
    null for a missing value.

    >>> coerce({"type": "integer"}, " 3"), coerce({"type": "string"}, 10482)
    (3, '10482')
    >>> coerce({"type": "object", "properties": {"n": {"default": 5}, "m": {}}}, {"m": None})
    {'n': 5}
    """
    match schema.get("type"), value:
        case "object", Mapping():
            return _coerce_object(schema, value)
        case "array", list():
            items = cast("JsonObject", schema.get("items", {}))
            return [coerce(items, one) for one in value]
        case "string", int() | float() if not isinstance(value, bool):
            return json.dumps(value)
        case "string", str():
            return value.strip()
        case "integer", float() if value.is_integer():
            return int(value)
        case "integer" | "number", str() if _NUMBER.fullmatch(value.strip()):
            number: Json = json.loads(value)
            return coerce(schema, number)
        case "boolean", str():
            return _TRUTHS.get(value.strip(), value)
        case _:
            return value


def _coerce_object(schema: JsonObject, given: JsonObject) -> Json:
    known = cast("Mapping[str, JsonObject]", schema.get("properties", {}))
    adjusted: dict[str, Json] = {}
    for name, part in known.items():
        value = given.get(name)
        if value is None:
            value = part.get("default")
        if value is not None:
            adjusted[name] = coerce(part, value)
    return {**adjusted, **{name: value for name, value in given.items() if name not in known}}


def _can_be_sent(value: Json) -> bool:
    """Whether a value can be written as JSON.

    Models write halves of characters, infinite numbers, and huge numbers.
    """
    try:
        return not serialize(value).lost_numbers
    except NotSerializable:
        return False


@cache
def _formats() -> object:
    from jsonschema import FormatChecker

    def is_time(value: object) -> bool:
        return bool(datetime.fromisoformat(str(value)))

    checker = FormatChecker()
    checker.checks("date-time", raises=ValueError)(is_time)
    return checker


def _faults(violation: Violation) -> Iterator[tuple[str, str]]:
    """Yields each argument that is wrong, with the problem."""
    way = list(map(str, violation.absolute_path))
    if violation.validator == "required" and isinstance(violation.instance, Mapping):
        wanted = cast("list[str]", violation.validator_value)
        for name in wanted:
            if name not in violation.instance:
                yield ".".join((*way, name)), "is missing"
        return
    if violation.validator == "additionalProperties":
        yield ".".join(way) or "arguments", f"does not fit: {cut(violation.message)}"
        return
    yield ".".join(way) or "arguments", f"{_fault(violation)} (given: {shown(violation.instance)})"


def _fault(violation: Violation) -> str:
    match violation.validator:
        case "enum":
            return f"should be one of: {', '.join(map(shown, cast('list[Json]', violation.validator_value)))}"
        case "type":
            return f"should be of type {violation.validator_value}"
        case "format":
            return f"should be a {violation.validator_value}"
        case _:
            return f"does not fit: {cut(violation.message)}"

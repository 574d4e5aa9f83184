"""Checks a call's arguments against the schema that the tool's server gave."""

import json
from collections.abc import Collection, Iterator
from typing import Protocol, cast

from assistant.conversation.values import Json, JsonObject
from assistant.errors import BadArguments

_SHOWN = 80
_MOST = 8


class Violation(Protocol):
    """What jsonschema says of a value that does not fit; only what is used here."""

    message: str
    validator: str
    validator_value: object
    instance: Json

    @property
    def absolute_path(self) -> "Iterator[str | int]":
        """Where the value stands."""
        ...


class Checker(Protocol):
    """A schema, made ready to check values."""

    def iter_errors(self, instance: object) -> Iterator[Violation]:
        """Everything in the value that does not fit."""
        ...


def checker_of(schema: JsonObject) -> Checker:
    """Make a schema ready; references lead nowhere but into the schema itself."""
    from jsonschema import Draft202012Validator
    from referencing import Registry

    return cast("Checker", Draft202012Validator(schema, registry=Registry()))


def check_arguments(
    tool: str, arguments: JsonObject, checker: Checker, not_theirs: Collection[str] = ()
) -> None:
    """Raise ``BadArguments``, with a line for each problem, when something does not fit.

    ``not_theirs`` are arguments that are not the model's to give.
    """
    problems = [f"{name} is not one of the tool's parameters" for name in not_theirs if name in arguments]
    problems += [line for violation in checker.iter_errors(arguments) for line in _lines(violation)]
    if problems:
        raise BadArguments(tool, list(dict.fromkeys(problems))[:_MOST])


def _lines(violation: Violation) -> Iterator[str]:
    within = ".".join(map(str, violation.absolute_path))
    given = violation.instance
    if violation.validator == "required" and isinstance(given, dict):
        # One of these for each name that is missing; which one stands in the message alone.
        yield f"{_joined(within, violation.message.split(chr(39))[1])} is missing"
    elif violation.validator == "additionalProperties" and violation.validator_value is False:
        yield f"{within or 'the arguments'}: {_short(violation.message)}"
    else:
        yield f"{within or 'the arguments'} does not fit: {_short(violation.message)} (given: {_shown(given)})"


def _joined(within: str, name: str) -> str:
    return f"{within}.{name}" if within else name


def _short(message: str) -> str:
    return message if len(message) <= 2 * _SHOWN else f"{message[: 2 * _SHOWN]}…"


def _shown(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"

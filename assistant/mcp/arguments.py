"""Checks a call's arguments against the schema that the tool's server gave."""

from collections.abc import Collection, Iterator

from assistant.conversation.values import JsonObject
from assistant.errors import BadArguments
from assistant.tooling.arguments import Checker, Violation, cut, shown

_MOST = 8


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
        yield f"{within or 'the arguments'}: {cut(violation.message)}"
    else:
        yield f"{within or 'the arguments'} does not fit: {cut(violation.message)} (given: {shown(given)})"


def _joined(within: str, name: str) -> str:
    return f"{within}.{name}" if within else name

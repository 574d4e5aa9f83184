"""What of a value does not fit a JSON schema, as its validator tells it, and in words of readable length."""

import json
from collections.abc import Iterator
from typing import Protocol, cast

from assistant.conversation.values import Json, JsonObject

_LONGEST = 80


class Violation(Protocol):
    """One thing that does not fit; only what is used here of what the validator says."""

    message: str
    validator: str
    validator_value: Json
    instance: Json

    @property
    def absolute_path(self) -> Iterator[str | int]:
        """The way to the value."""
        ...


class Checker(Protocol):
    """A schema, made ready to check values."""

    def iter_errors(self, instance: object) -> Iterator[Violation]:
        """Everything in the value that does not fit."""
        ...


def checker_of(schema: JsonObject, formats: object = None) -> Checker:
    """Make a schema ready. ``formats`` is the validator's own checker of formats; without it none is checked."""
    from jsonschema import Draft202012Validator
    from referencing import Registry

    # The registry is empty: nothing is ever fetched in order to check something.
    return cast(
        "Checker",
        Draft202012Validator(dict(schema), registry=Registry(), format_checker=formats),  # pyright: ignore
    )


def cut(message: str) -> str:
    """The validator's words, which quote the whole value."""
    return message if len(message) <= 2 * _LONGEST else f"{message[: 2 * _LONGEST]}…"


def shown(value: Json) -> str:
    """A value as a model wrote it, no longer than it needs to recognise it; half a character is a question mark.

    >>> shown({"day": "Tue"}), len(shown("x" * 500))
    ('{"day": "Tue"}', 81)
    """
    text = json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "replace").decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"

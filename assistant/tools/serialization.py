"""Writes what a tool returns as JSON that the log can keep, or says why it cannot be kept."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from math import isfinite
from typing import cast

import orjson
from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_jsonable_python

from assistant.conversation.values import Json
from assistant.errors import NO_REASON, AssistantError

_MOST_BRACKETS = 200
"""With fewer brackets than these, nothing is nested too deeply."""

_ENTRY_LEVELS = 16
"""So many levels an entry of the log may put around a value."""

_ENDLESS = ("Circular reference detected (id repeated)", "Maximum serialization depth exceeded")

_PLAIN = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS


LOST_NUMBERS = "numbers that are not finite became null"


class NotSerializable(AssistantError, ValueError):
    """A tool gave something that the log cannot keep. Nothing of what it gave stands in the message."""

    say = NO_REASON


@dataclass(frozen=True, slots=True)
class Serialized:
    """A value as JSON, its size as such in bytes, and whether numbers in it became null: NaN is no JSON."""

    value: Json
    size: int
    lost_numbers: bool = False


def serialize(value: object) -> Serialized:
    """Write a tool's value as JSON: models, dataclasses, dates and sets too; decimals as exact text.

    >>> serialize({"amount": 150, 1: ("a", None)})
    Serialized(value={'amount': 150, '1': ['a', None]}, size=29, lost_numbers=False)
    >>> serialize([float("nan")])
    Serialized(value=[None], size=6, lost_numbers=True)

    Raises:
        NotSerializable: it holds something that is no JSON, or never ends, or it is nested too deeply.
    """
    try:
        return _plain(value)
    except TypeError:
        pass  # it has to be made plain first
    try:
        _refuse_iterators(value)
        return _plain(to_jsonable_python(value, inf_nan_mode="constants"))
    except NotSerializable:
        raise
    except Exception as error:
        # A model's own serialiser raises what it likes, with the customer's data in its words.
        raise NotSerializable(f"The result cannot be written as JSON: {_reason(error)}.") from error


def _plain(value: object) -> Serialized:
    """The value, if it is plain JSON already. Raises ``TypeError`` when it is not."""
    written = orjson.dumps(value, option=_PLAIN)
    if written.count(b"[") + written.count(b"{") > _MOST_BRACKETS:
        _refuse_depth(value)
    # Numbers that are not finite were written as null: only then they have to be looked for.
    lost = b"null" in written and _holds_nan(value)
    return Serialized(orjson.loads(written), len(written), lost)


def _refuse_depth(value: object) -> None:
    """Raise ``TypeError`` for what could be written alone, but not as part of an entry."""
    for _ in range(_ENTRY_LEVELS):
        value = [value]
    orjson.dumps(value, option=_PLAIN)


def _holds_nan(value: object) -> bool:
    if isinstance(value, float):
        return not isfinite(value)
    return any(_holds_nan(part) for part in _parts(value))


def _refuse_iterators(value: object) -> None:
    """Raise ``NotSerializable`` for what is only made while it is read: it may never end.

    Raises ``RecursionError`` for what refers to itself.
    """
    if isinstance(value, Iterator):
        kind = type(cast("object", value)).__name__
        raise NotSerializable(f"The result holds a {kind}; return a list.")
    for part in _parts(value):
        _refuse_iterators(part)


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return cast("Mapping[object, object]", value).values()
    if isinstance(value, list | tuple | set | frozenset | deque):
        return cast("Iterable[object]", value)
    if isinstance(value, BaseModel):
        return vars(value).values()
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name) for field in fields(value)]
    return ()


def _reason(error: Exception) -> str:
    told = str(error) if isinstance(error, orjson.JSONEncodeError | PydanticSerializationError) else ""
    if isinstance(error, RecursionError) or told.startswith("Recursion") or str(error) in _ENDLESS:
        return "it refers to itself, or is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "it holds bytes that are no text; give text, or Media beside the value"
    if "surrogates" in str(error):
        return "it holds half a character (a surrogate alone)"
    if isinstance(error, orjson.JSONEncodeError) or told.startswith("Unable to serialize unknown type"):
        return told
    return type(error).__name__

"""A frame on its way out: a plain dict, written as JSON once."""

import json
from collections.abc import Callable, Mapping
from typing import TypeAlias

import orjson

from assistant.conversation.values import Json

JsonFrame: TypeAlias = dict[str, Json]
"""One server frame, ready to be written. ``server_frames`` has the shapes; a test holds the two together."""

Hints: TypeAlias = Callable[[str, str], str]
"""(tool's name, locale) -> what its chip says: "looking up your appointments"."""


def encode(frame: JsonFrame) -> str:
    """Write a frame as JSON.

    >>> encode({"type": "pong", "id": None})
    '{"type":"pong","id":null}'
    """
    try:
        return orjson.dumps(frame, default=_plain).decode()
    except orjson.JSONEncodeError:
        # A tool's result may hold what the fast writer refuses, such as an integer of more than 64 bits.
        return json.dumps(frame, default=_plain)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return str(value)

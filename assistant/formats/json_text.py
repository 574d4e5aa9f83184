"""JSON for requests, from any value that an entry may contain."""

import json
from collections.abc import Mapping, Sequence
from typing import cast

import orjson

from assistant.conversation.values import Json


def json_bytes(value: Json) -> bytes:
    """Encode a value compactly in UTF-8. Half of a surrogate pair, which providers refuse, becomes "?".

    >>> json_bytes({"total": 150, "due": ("2026-11-30",)})
    b'{"total":150,"due":["2026-11-30"]}'
    """
    try:
        return orjson.dumps(value, default=_plain)
    except TypeError:
        # Rare, but a tool may return them: half of a surrogate pair, or a number above 64 bits.
        text = json.dumps(value, default=_plain, separators=(",", ":"), ensure_ascii=False)
        return text.encode(errors="replace")


def json_text(value: Json) -> str:
    """Encode a value like :func:`json_bytes`, as text."""
    return json_bytes(value).decode()


def _plain(value: object) -> object:
    """Returns read-only mappings and sequences as dicts and lists, which the encoder accepts."""
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, Json]", value))
    if isinstance(value, Sequence):
        return list(cast("Sequence[Json]", value))
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")

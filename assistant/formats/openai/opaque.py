"""What servers of chat completions want back untouched: the one table of it, and how it comes in pieces.

Only what is listed is kept: a server may refuse in a request what it writes in a reply. ``reasoning``, which
some write beside these, is for people; no server asks for it.
"""

from collections.abc import Mapping, Sequence

from assistant.conversation.values import Json

OF_MESSAGES: Sequence[str] = (
    "reasoning_content",  # DeepSeek and Moonshot refuse calls that come back without it
    "reasoning_details",  # OpenRouter and MiniMax: reasoning that is signed or encrypted
    "thinking_blocks",  # litellm: Anthropic's thinking
)
"""Fields of an assistant's message that calls tools."""

OF_CALLS: Sequence[str] = (
    "extra_content",  # Gemini: the signature of the thought behind a call, which it insists on
    "provider_specific_fields",  # litellm: the same
)
"""Fields of one call."""

_GROWING: Mapping[str, str] = {
    "reasoning.text": "text",
    "reasoning.summary": "summary",
    "thinking": "thinking",
}
"""Kinds of parts that come in pieces, and the field of theirs that grows; others come whole."""


def only(names: Sequence[str], value: Mapping[str, Json]) -> dict[str, Json]:
    """The fields of these names that are there, in the order of the names.

    >>> only(OF_CALLS, {"id": "call_1", "extra_content": {"google": {}}})
    {'extra_content': {'google': {}}}
    """
    return {name: value[name] for name in names if value.get(name)}


def joined(before: Json, now: Json) -> Json:
    """A field's value, of what came before, None at first, and what comes now: what is alike grows.

    >>> joined("So ", "be it."), joined({"a": 1}, {"b": 2}), joined(None, [])
    ('So be it.', {'a': 1, 'b': 2}, [])
    """
    match before, now:
        case str(), str():
            return before + now
        case dict(), dict():
            return {**before, **now}
        case list(), list():
            return _parts(before, now)
        case _:
            return now


def _parts(before: Sequence[Json], now: Sequence[Json]) -> list[Json]:
    """Parts follow each other; a piece of the part that came last joins it, until that is signed."""
    parts = list(before)
    for piece in now:
        last = parts[-1] if parts else None
        if isinstance(last, Mapping) and isinstance(piece, Mapping) and _goes_on(last, piece):
            parts[-1] = _grown(last, piece)
        else:
            parts.append(piece)
    return parts


def _goes_on(last: Mapping[str, Json], piece: Mapping[str, Json]) -> bool:
    same = all(last.get(name) == piece.get(name) for name in ("type", "index"))
    return same and piece.get("type") in _GROWING and not last.get("signature")


def _grown(last: Mapping[str, Json], piece: Mapping[str, Json]) -> Json:
    grows = _GROWING[str(piece["type"])]
    told = {name: value for name, value in piece.items() if value is not None}
    return {**last, **told, grows: joined(last.get(grows), piece.get(grows) or "")}

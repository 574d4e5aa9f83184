"""What is personal in a tool's result or in a call's arguments, found by the keys it stands under."""

import re
from collections.abc import Iterator, Mapping
from typing import cast

from assistant.conversation.values import Json
from assistant.replay.record.masking.disguise import Disguise
from assistant.replay.record.masking.kinds import Kind, kind_under

_IDENTIFIER = re.compile(r"[a-z_][A-Za-z0-9_]*")
_NUMBERS: frozenset[Kind] = frozenset({"phone", "iban", "card", "postcode"})


def personal_in(value: Json, kind: Kind | None = None) -> Iterator[tuple[Kind, str]]:
    """What stands under personal keys, at whatever depth; ``kind`` is that of the value itself."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from personal_in(inner, kind_under(key, inner, value, kind))
    elif isinstance(value, list | tuple):
        for inner in cast("list[Json]", value):
            yield from personal_in(inner, kind)
    elif kind is not None and isinstance(value, str):
        yield kind, value
    elif kind in _NUMBERS and isinstance(value, int) and not isinstance(value, bool):
        yield kind, str(value)


def texts_in(value: Json) -> Iterator[str]:
    """Every text of a value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from value
        for inner in value.values():
            yield from texts_in(inner)
    elif isinstance(value, list | tuple):
        for inner in cast("list[Json]", value):
            yield from texts_in(inner)


def hidden_in(value: Json, disguise: Disguise, kind: Kind | None = None) -> Json:
    """The value with everything hidden that the disguise knows; a key stays where it is an identifier."""
    if isinstance(value, Mapping):
        return {
            hidden_key(key, disguise): hidden_in(inner, disguise, kind_under(key, inner, value, kind))
            for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [hidden_in(inner, disguise, kind) for inner in cast("list[Json]", value)]
    if isinstance(value, str):
        return disguise.hide_all(kind, value) if kind is not None else disguise.hide(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return hidden_number(value, disguise)
    return value


def hidden_key(key: str, disguise: Disguise) -> str:
    """A key, with what is hidden in it unless it is a name of a field."""
    return key if _IDENTIFIER.fullmatch(key) else disguise.hide(key)


def hidden_number(number: int, disguise: Disguise) -> int:
    """A number that is personal as another of as many digits; any other as it is."""
    text = str(number)
    hidden = disguise.hide(text) if number > 0 else text
    if hidden == text or not hidden.isdigit():
        return number
    return int(f"9{hidden[1:]}" if hidden.startswith("0") else hidden)

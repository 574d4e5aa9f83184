"""Short forms: what may stand in a file instead of a mapping with every key."""

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias, cast

Given: TypeAlias = Mapping[str, object]


def mapping(given: object) -> Given | None:
    """The mapping that this is, or None."""
    return cast("Given", given) if isinstance(given, Mapping) else None


def pair(given: object) -> tuple[object, object] | None:
    """The two items of a list of two, or None."""
    items = cast("Sequence[object]", given) if isinstance(given, list | tuple) else ()
    return (items[0], items[1]) if len(items) == 2 else None


def several(given: object) -> object:
    """A list of one for a text, everything else as it is.

    >>> several("2 pm"), several(["2 pm", "Tuesday"])
    (['2 pm'], ['2 pm', 'Tuesday'])
    """
    return [given] if isinstance(given, str) else given


def moved(given: Given, key: str, to: str, value_to: str) -> dict[str, object]:
    """``{key: value, ...}`` as ``{to: key, value_to: value, ...}``; without a value when there is none.

    Raises:
        ValueError: one of the two stands there already.
    """
    rest = {name: value for name, value in given.items() if name != key}
    for taken in (to, value_to):
        if taken in rest:
            raise ValueError(f"{key!r} says {taken!r} already; keep one of them")
    found = {to: key, **rest}
    return found if given[key] is None else {**found, value_to: given[key]}


def unfolded(given: Given, key: str, to: str) -> dict[str, object]:
    """``{key: {...}, ...}`` as ``{to: key, ..., ...}``.

    Raises:
        ValueError: something stands both within and beside.
    """
    inside = mapping(given[key]) or {}
    rest = {name: value for name, value in given.items() if name != key}
    if twice := next((name for name in inside if name in rest or name == to), None):
        raise ValueError(f"{twice!r} stands there twice; keep one of them")
    return {to: key, **inside, **rest}


def own_name(given: Given, fields: Collection[str], key: str = "tool") -> str | None:
    """The key that is no field but a tool's name; None where ``tool`` stands, or nothing else than fields.

    >>> own_name({"get_order": {}, "within_ms": 3}, {"tool", "within_ms"})
    'get_order'
    """
    if isinstance(given.get(key), str):
        return None
    return next((name for name in given if name not in fields or name == key), None)

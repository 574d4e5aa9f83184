"""Puts the values that references stand for in their places."""

from collections.abc import Callable, Mapping

from assistant.conversation.values import Json, JsonObject
from assistant.tooling.references.path import value_at
from assistant.tooling.references.reference import BadReference, Reference, is_reference, read_reference


def fill_in(arguments: JsonObject, result_of: Callable[[Reference], Json]) -> JsonObject:
    """The arguments with every reference replaced by its value. Raises ``BadReference``.

    Args:
        arguments: as a model wrote them; they stay as they are.
        result_of: gives the whole result that a reference speaks of.

    >>> fill_in({"order": {"$from": "find", "path": "[0].id"}}, lambda _: [{"id": 7}])
    {'order': 7}
    """
    return {name: _filled(name, value, result_of) for name, value in arguments.items()}


def _filled(where: str, value: Json, result_of: Callable[[Reference], Json]) -> Json:
    if is_reference(value):
        reference = read_reference(value)
        try:
            return value_at(result_of(reference), reference.path)
        except BadReference as bad:
            raise BadReference(f"{where!r} cannot be taken from {reference}: {bad}") from bad
    if isinstance(value, Mapping):
        return {name: _filled(f"{where}.{name}", part, result_of) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_filled(f"{where}[{place}]", part, result_of) for place, part in enumerate(value)]
    return value

"""A reference: an argument that says where its value comes from, instead of what it is."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeGuard

from assistant.conversation.values import Json, JsonObject
from assistant.errors import DecisionError

FROM: Final = "$from"
PATH: Final = "path"


class BadReference(DecisionError):
    """An argument cannot be taken from where it says."""

    say = "I could not work out the details"


@dataclass(frozen=True, slots=True)
class Reference:
    """The value at ``path`` in the result of a call of ``tool``: its ``number``-th, from 1, in this decision.

    Without a number it is the only call of that tool.
    """

    tool: str
    number: int | None = None
    path: str = ""

    def __str__(self) -> str:
        """As a model writes the call.

        >>> str(Reference("find", 2)), str(Reference("find"))
        ('find#2', 'find')
        """
        return self.tool if self.number is None else f"{self.tool}#{self.number}"


def is_reference(value: Json) -> TypeGuard[JsonObject]:
    """Whether a value is meant as a reference, well written or not.

    >>> is_reference({"$from": "find"}), is_reference({"from": "find"})
    (True, False)
    """
    return isinstance(value, Mapping) and FROM in value


def read_reference(written: JsonObject) -> Reference:
    """Read what :func:`is_reference` has found. Raises ``BadReference`` for one that is not well written.

    >>> read_reference({"$from": "find#2", "path": "items[0].id"})
    Reference(tool='find', number=2, path='items[0].id')
    """
    source, path = written.get(FROM), written.get(PATH, "")
    if not isinstance(source, str) or not source.strip():
        raise BadReference(f'"{FROM}" should be the name of a tool that is called beside it, not {source!r}')
    if not isinstance(path, str):
        raise BadReference(f'"{PATH}" should be a text such as "items[0].id", not {path!r}')
    if beside := sorted(set(written) - {FROM, PATH}):
        raise BadReference(f'beside "{FROM}" and "{PATH}" there can be nothing, not {", ".join(beside)}')
    tool, hash_, number = source.strip().rpartition("#")
    if hash_ and number.isdecimal():
        return Reference(tool, int(number), path)
    return Reference(source.strip(), None, path)


def references_in(arguments: JsonObject) -> Iterator[Reference]:
    """Every reference in a call's arguments, however deep. Raises ``BadReference``."""
    return map(read_reference, _written_in(arguments))


def refers(arguments: JsonObject) -> bool:
    """Whether a call has to wait for another's result, be its reference well written or not.

    >>> refers({"days": 3}), refers({"days": [{"$from": "find"}]})
    (False, True)
    """
    return next(_written_in(arguments), None) is not None


def _written_in(arguments: JsonObject) -> Iterator[JsonObject]:
    left: list[Json] = list(arguments.values())
    while left:
        value = left.pop()
        if isinstance(value, str):
            continue  # most are
        if is_reference(value):
            yield value
        elif isinstance(value, Mapping):
            left.extend(value.values())
        elif isinstance(value, list | tuple):
            left.extend(value)

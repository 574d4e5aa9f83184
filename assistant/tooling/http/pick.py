"""Takes out of an answer what a tool is about."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice

from assistant.conversation.values import Json

_MOST_NAMES = 12
_LONGEST_NAME = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """``path`` leads to the result, ``("data", "items", "0")``; ``fields`` maps our names to theirs."""

    path: tuple[str, ...] = ()
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def out_of(self, answer: Json) -> Json:
        """The result: of a list each one's fields, and null where an answer does not have one.

        >>> pick = Pick(path=("items",), fields={"number": ("no",), "total": ("price", "amount")})
        >>> pick.out_of({"items": [{"no": 7, "price": {"amount": "1.50"}, "etag": "x"}, {"no": 8}]})
        [{'number': 7, 'total': '1.50'}, {'number': 8, 'total': None}]

        Raises:
            LookupError: the path leads nowhere; names what is there instead.
        """
        found = answer
        for name in self.path:
            found = _step(found, name, ".".join(self.path))
        if not self.fields:
            return found
        if isinstance(found, list):
            return [self._fields_of(one) for one in found]
        return self._fields_of(found)

    def _fields_of(self, value: Json) -> Json:
        if not isinstance(value, Mapping):
            return value
        return {ours: _follow(value, theirs) for ours, theirs in self.fields.items()}


def way(written: str) -> tuple[str, ...]:
    """A path in its steps.

    >>> way("data.items.0"), way("")
    (('data', 'items', '0'), ())
    """
    return tuple(filter(None, written.split(".")))


def _step(value: Json, name: str, path: str) -> Json:
    if isinstance(value, Mapping):
        if name in value:
            return value[name]
        raise LookupError(f"has no {name!r} on the way to {path!r}; it has: {_listed(value)}")
    if isinstance(value, list) and name.isdecimal():
        if int(name) < len(value):
            return value[int(name)]
        # The first one of none is nothing, not a mistake.
        return None
    raise LookupError(f"has no {name!r} on the way to {path!r}; there is no object")


def _listed(names: Iterable[str]) -> str:
    """A few of the names: an answer may have one for each of thousands of customers."""
    some = list(islice(names, _MOST_NAMES + 1))
    rest = "..." if len(some) > _MOST_NAMES else ""
    return (
        ", ".join([*(name[:_LONGEST_NAME] for name in some[:_MOST_NAMES]), *filter(None, [rest])])
        or "nothing"
    )


def _follow(value: Json, path: tuple[str, ...]) -> Json:
    try:
        for name in path:
            value = _step(value, name, "")
    except LookupError:
        return None
    return value

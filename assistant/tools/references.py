"""Arguments whose value comes from the result of another call of the same decision.

A reference names a tool ("find_order", or "find_order#2") and a path in its result ("items[0].id"). This
module reads references, finds which call needs which (:func:`link_references`), and fills in the values. The
instructions explain references to models (``prompts/models/_instructions.j2``).
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeGuard

from assistant.conversation.calls import Call
from assistant.conversation.values import Json, JsonObject
from assistant.errors import DecisionError
from assistant.formats.tools import wire_name

FROM: Final = "$from"
PATH: Final = "path"


class BadReference(DecisionError):
    """A reference that cannot be resolved."""

    say = "I could not work out the details"


@dataclass(frozen=True, slots=True)
class Reference:
    """The value at ``path`` in the result of a call of ``tool``: the ``number``-th call, from 1, in this
    decision.

    Without a number it is the only call of that tool.
    """

    tool: str
    number: int | None = None
    path: str = ""

    def __str__(self) -> str:
        """Returns the call in the form that models write.

        >>> str(Reference("find", 2)), str(Reference("find"))
        ('find#2', 'find')
        """
        return self.tool if self.number is None else f"{self.tool}#{self.number}"


def is_reference(value: Json) -> TypeGuard[JsonObject]:
    """Whether a value is meant as a reference, even if it is not correct.

    >>> is_reference({"$from": "find"}), is_reference({"from": "find"})
    (True, False)
    """
    return isinstance(value, Mapping) and FROM in value


def read_reference(written: JsonObject) -> Reference:
    """Parse a value that :func:`is_reference` accepts. Raises ``BadReference`` if it is not correct.

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
    """Yields all references in a call's nested arguments. Raises ``BadReference``."""
    return map(read_reference, _written_in(arguments))


def has_references(arguments: JsonObject) -> bool:
    """Whether a call must wait for the result of another, even if the reference is not correct.

    >>> has_references({"days": 3}), has_references({"days": [{"$from": "find"}]})
    (False, True)
    """
    return next(_written_in(arguments), None) is not None


def _written_in(arguments: JsonObject) -> Iterator[JsonObject]:
    left: list[Json] = list(arguments.values())
    while left:
        value = left.pop()
        if isinstance(value, str):
            continue  # the usual case
        if is_reference(value):
            yield value
        elif isinstance(value, Mapping):
            left.extend(value.values())
        elif isinstance(value, list | tuple):
            left.extend(value)


Step: TypeAlias = str | int

_STEP: Final = re.compile(
    r"""\.?  (?: \[ (?P<place> -?\d{1,9} ) \]
             |   \[ (?P<quote> ["'] ) (?P<quoted> .*? ) (?P=quote) \]
             |   (?P<name> [^.\[\]]+ ) )""",
    re.VERBOSE,
)
_MOST_NAMED = 12


def value_at(value: Json, path: str) -> Json:
    """Returns the value at a path. Raises ``BadReference``, which says what is there instead.

    Names are separated by dots; positions in a list are in brackets, from 0, or negative from the end. A
    leading ``$`` is ignored, and an empty path means the result itself.

    >>> value_at({"items": [{"id": 7}, {"id": 8}]}, "$.items[-1].id")
    8
    >>> value_at([{"day": "Tuesday"}], "[0]['day']")
    'Tuesday'
    """
    steps, walked = _steps(path), "the result"
    for step in steps:
        inside = _inside(value, step)
        if inside is None:
            there = f"{walked} is {described(value)}"
            raise BadReference(f"there is nothing at {path!r}: no {_shown(step)}, for {there}")
        value, walked = inside[0], f"what stands at {_shown(step)}"
    return value


def described(value: Json) -> str:
    """Returns the kind of a value as text for a model. Of its content, only the names are included.

    >>> described({"id": 7, "day": "Tuesday"}), described([]), described("Ana")
    ("an object with 'id', 'day'", 'an empty list', 'a text')
    """
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case Mapping():
            names = [repr(name) for name in value][:_MOST_NAMED]
            more = ", ..." if len(value) > _MOST_NAMED else ""
            return f"an object with {', '.join(names)}{more}" if names else "an empty object"
        case Sequence():
            return f"a list of {len(value)}" if value else "an empty list"


def _steps(path: str) -> Sequence[Step]:
    text = path.strip().removeprefix("$")
    steps: list[Step] = []
    place = 0
    while place < len(text):
        found = _STEP.match(text, place)
        if found is None:
            raise BadReference(f'{path!r} is no path: write names and places, such as "items[0].id"')
        index, quoted = found["place"], found["quoted"]
        steps.append(int(index) if index is not None else quoted if quoted is not None else found["name"])
        place = found.end()
    return steps


def _inside(value: Json, step: Step) -> tuple[Json] | None:
    """Returns the value to which a step leads, in a tuple, or None if it leads nowhere."""
    if isinstance(value, Mapping):
        name = str(step)
        return (value[name],) if name in value else None
    if isinstance(value, list | tuple):
        place = _place(step)
        return (value[place],) if place is not None and -len(value) <= place < len(value) else None
    return None


def _place(step: Step) -> int | None:
    # Some models write "items.0.id".
    return step if isinstance(step, int) else int(step) if step.isdecimal() else None


def _shown(step: Step) -> str:
    return f"[{step}]" if isinstance(step, int) else repr(step)


def fill_in(arguments: JsonObject, result_of: Callable[[Reference], Json]) -> JsonObject:
    """Returns the arguments with each reference replaced by its value. Raises ``BadReference``.

    Args:
        arguments: the arguments as a model wrote them; they are not changed.
        result_of: returns the full result that a reference names.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceLinks:
    """The references of a decision's calls, by call id.

    ``sources`` are the calls to which each call refers; calls without references are left out. ``faults`` are
    the calls that cannot run because of a wrong reference.
    """

    sources: Mapping[str, Mapping[Reference, str]]
    faults: Mapping[str, BadReference]

    def needed_by(self, call_id: str) -> frozenset[str]:
        """Returns all calls whose results a call needs, directly or indirectly.

        In a circle, they include the call itself.
        """
        found: set[str] = set()
        left = [call_id]
        while left:
            for source in self.sources.get(left.pop(), {}).values():
                if source not in found:
                    found.add(source)
                    left.append(source)
        return frozenset(found)


def link_references(calls: Sequence[Call]) -> ReferenceLinks:
    """Link the calls of one decision, in the order in which they were decided.

    These are faults of single calls: an unknown name, a number that is too high, an ambiguous reference, a
    reference to the call itself, or a circle, in which each member has the fault.
    """
    sources: dict[str, Mapping[Reference, str]] = {}
    faults: dict[str, BadReference] = {}
    referring = [call for call in calls if has_references(call.arguments)]
    by_name = _by_name(calls if referring else ())
    for call in referring:
        try:
            if meant := {one: _meant(one, call, by_name).id for one in references_in(call.arguments)}:
                sources[call.id] = meant
        except BadReference as bad:
            faults[call.id] = bad
    links = ReferenceLinks(sources=sources, faults=faults)
    circle = [call for call in _unordered(calls, sources) if call.id in links.needed_by(call.id)]
    for call in circle:
        others = ", ".join(sorted({repr(other.tool) for other in circle}))
        faults[call.id] = BadReference(
            f"{call.tool!r} needs its own result: {others} wait for one another. Make one of these calls without "
            "a reference"
        )
    return links


def _by_name(calls: Sequence[Call]) -> Mapping[str, Sequence[Call]]:
    """Returns the calls of each tool, by its name and by the name that models use."""
    found: dict[str, list[Call]] = {}
    for call in calls:
        for name in {call.tool, wire_name(call.tool)}:
            found.setdefault(name, []).append(call)
    return found


def _unordered(calls: Sequence[Call], sources: Mapping[str, Mapping[Reference, str]]) -> Sequence[Call]:
    """Returns the calls that cannot be ordered after all their sources: those in circles, and those that need
    one.
    """
    left = {call.id: set(sources[call.id].values()) for call in calls if call.id in sources}
    while ready := [id_ for id_, needs in left.items() if needs.isdisjoint(left)]:
        for id_ in ready:
            del left[id_]
    return [call for call in calls if call.id in left]


def _meant(reference: Reference, by: Call, by_name: Mapping[str, Sequence[Call]]) -> Call:
    same = by_name.get(reference.tool, ())
    if not same:
        called = sorted({call.tool for calls in by_name.values() for call in calls})
        raise BadReference(
            f"{reference.tool!r} is not called in this decision. Called are: {', '.join(called)}. A result that "
            "you have seen already is written out, as the value itself"
        )
    if reference.number is not None:
        return _numbered(reference, reference.number, by, same)
    others = [call for call in same if call is not by]
    if not others:
        raise BadReference(f"{by.tool!r} refers to its own result")
    if len(others) > 1:
        numbers = " or ".join(f'"{reference.tool}#{n}"' for n, call in enumerate(same, 1) if call is not by)
        raise BadReference(
            f"{reference.tool!r} is called {len(same)} times in this decision; write {numbers}"
        )
    return others[0]


def _numbered(reference: Reference, number: int, by: Call, same: Sequence[Call]) -> Call:
    if not 1 <= number <= len(same):
        raise BadReference(
            f"there is no {str(reference)!r}: {reference.tool!r} is called "
            f"{'once' if len(same) == 1 else f'{len(same)} times'} in this decision, counted from 1"
        )
    meant = same[number - 1]
    if meant is by:
        raise BadReference(f"{str(reference)!r} refers to its own result")
    return meant

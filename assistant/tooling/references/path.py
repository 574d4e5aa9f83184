"""Where a value stands within a result, such as ``items[0].id``."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from assistant.conversation.values import Json
from assistant.tooling.references.reference import BadReference

Step: TypeAlias = str | int

_STEP: Final = re.compile(
    r"""\.?  (?: \[ (?P<place> -?\d{1,9} ) \]
             |   \[ (?P<quote> ["'] ) (?P<quoted> .*? ) (?P=quote) \]
             |   (?P<name> [^.\[\]]+ ) )""",
    re.VERBOSE,
)
_MOST_NAMED = 12


def value_at(value: Json, path: str) -> Json:
    """The value at a path. Raises ``BadReference``, which says what is there instead.

    Names stand between dots, places in a list in brackets, from 0, from the end with a minus; a leading ``$`` is
    the result itself, and so is an empty path.

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
    """What kind of value it is, in words for a model; of what it holds, only the names.

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
    """The one value that a step leads to; None where it leads nowhere."""
    if isinstance(value, Mapping):
        name = str(step)
        return (value[name],) if name in value else None
    if isinstance(value, list | tuple):
        place = _place(step)
        return (value[place],) if place is not None and -len(value) <= place < len(value) else None
    return None


def _place(step: Step) -> int | None:
    # "items.0.id" is how some models write it.
    return step if isinstance(step, int) else int(step) if step.isdecimal() else None


def _shown(step: Step) -> str:
    return f"[{step}]" if isinstance(step, int) else repr(step)

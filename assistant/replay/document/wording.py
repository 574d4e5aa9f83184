"""Words a mistake that pydantic found: what is wrong, what was given, what would have worked."""

import json
from collections.abc import Sequence
from difflib import get_close_matches

from pydantic_core import ErrorDetails

_LONGEST = 60
_OWN = {"model_type": "a mapping should stand here", "tuple_type": "a list should stand here"}


def worded(detail: ErrorDetails, at: str, field: str, known: Sequence[str]) -> str:
    """One line: ``at: field: what, got value; cure``.

    Args:
        detail: pydantic's.
        at: the file and the line: ``tasks/a.yaml:4``.
        field: what is wrong, as it stands in the file.
        known: the keys that may stand where ``field`` does; where it should be a mapping, those within.
    """
    told = _OWN.get(detail["type"]) or detail["msg"].removeprefix("Value error, ")
    return f"{at}: {field}: {told}{_given(detail)}{_cure(detail, known)}"


def field_of(place: Sequence[str | int], detail: ErrorDetails) -> str:
    """The field's name: the place in the file, and what is missing there.

    >>> field_of(("turns", 0), {"type": "missing", "loc": ("turns", 0, "customer"), "msg": "", "input": {}})
    'turns.0.customer'
    """
    missing = detail["loc"][-1:] if detail["type"] == "missing" else ()
    return ".".join(str(step) for step in (*place, *missing))


def _given(detail: ErrorDetails) -> str:
    given = detail["input"]
    if detail["type"] == "extra_forbidden" or not isinstance(given, str | int | float):
        return ""
    shown = repr(given) if isinstance(given, str) else json.dumps(given)
    return f", got {shown}" if len(shown) <= _LONGEST else f", got {shown[:_LONGEST]}..."


def _cure(detail: ErrorDetails, known: Sequence[str]) -> str:
    given = detail["input"]
    if detail["type"] == "extra_forbidden" and known:
        near = get_close_matches(str(detail["loc"][-1]), known, n=1)
        return f"; did you mean {near[0]!r}?" if near else f"; known here: {', '.join(known)}"
    if detail["type"] == "model_type":
        return f"; its keys are {', '.join(known)}"
    if detail["type"] == "string_type" and isinstance(given, int | float):
        return f'; for a text write "{json.dumps(given)}"'
    return ""

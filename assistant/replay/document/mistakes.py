"""Says what is wrong in a cassette, each mistake in its line."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from assistant.replay.cassette.cassette import Cassette
from assistant.replay.document.known_keys import known_keys
from assistant.replay.document.refused import REFUSED, refusal
from assistant.replay.document.wording import field_of, worded
from assistant.replay.document.yaml_lines import Lines


def mistakes(error: ValidationError, lines: Lines, where: str) -> list[str]:
    """A line for each, in the order of the file."""
    details = error.errors()
    told = {
        _told(detail, lines, where): lines.of(_place(detail))[1]
        for detail in details
        if not _follows_from_others(detail, details)
    }
    return sorted(told, key=lambda line: told[line])


def _follows_from_others(detail: ErrorDetails, all_: Sequence[ErrorDetails]) -> bool:
    """What is refused explains itself: then nothing is missing beside it; nor is a list of mistakes too short.

    What is mistyped is told as that, and is not missing as well.
    """
    place = detail["loc"]
    if detail["type"] == "missing":
        beside = [one for one in all_ if one["loc"][:-1] == place[:-1]]
        return any(_refused_key(one) is not None or _is_mistyped(one, str(place[-1])) for one in beside)
    return detail["type"] == "too_short" and any(
        len(one["loc"]) > len(place) and one["loc"][: len(place)] == place for one in all_
    )


def _is_mistyped(detail: ErrorDetails, key: str) -> bool:
    return detail["type"] == "extra_forbidden" and bool(get_close_matches(str(detail["loc"][-1]), [key]))


def _told(detail: ErrorDetails, lines: Lines, where: str) -> str:
    place, line = lines.of(_place(detail))
    at, field = f"{where}:{line}", _counted(field_of(place, detail)) or "conversation"
    if (key := _refused_key(detail)) is not None:
        return f"{at}: {field}: {refusal(key)}"
    within = ("",) if detail["type"] == "model_type" else ()
    return worded(_in_own_words(detail), at, field, known_keys(Cassette, (*detail["loc"], *within)))


def _counted(field: str) -> str:
    """A field as people count: the second turn is turn 2.

    >>> _counted("turns.1.expect.hears.0.text"), _counted("turns.0"), _counted("now")
    ('turn 2: expect.hears 1.text', 'turn 1', 'now')
    """
    counted = re.sub(r"\.(\d+)(?=\.|$)", lambda number: f" {int(number[1]) + 1}", field)
    return re.sub(
        r"^turns (\d+)\.?(?=(.?))", lambda turn: f"turn {turn[1]}{': ' if turn[2] else ''}", counted
    )


def _in_own_words(detail: ErrorDetails) -> ErrorDetails:
    match detail["type"]:
        case "extra_forbidden":
            return {**detail, "msg": "this key is not known here"}
        case "missing":
            return {**detail, "msg": "this is missing"}
        case "too_short":
            return {
                **detail,
                "msg": f"there is too little; at least {detail.get('ctx', {}).get('min_length')} should stand here",
            }
        case _:
            return detail


def _place(detail: ErrorDetails) -> tuple[str | int, ...]:
    """Where to look for it; what is missing stands nowhere."""
    return detail["loc"][:-1] if detail["type"] == "missing" else detail["loc"]


def _refused_key(detail: ErrorDetails) -> str | None:
    given: object = detail["input"]
    if detail["type"] == "extra_forbidden" and detail["loc"][-1] in REFUSED:
        return str(detail["loc"][-1])
    if detail["type"] == "string_type" and isinstance(given, Mapping):
        return next((key for key in REFUSED if key in given), None)
    return None

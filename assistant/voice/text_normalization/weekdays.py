"""Short names of weekdays, as one says them."""

import re
from typing import Final

_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_FULL: Final = {name[:3]: name for name in _WEEKDAYS}
_SHORT: Final = "|".join(_FULL)
_MONTHS: Final = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_NAME: Final = rf"({'|'.join(_WEEKDAYS)}|{_SHORT})"
_TWO: Final = re.compile(rf"\b{_NAME}( ?[–—-] ?| to |/| and | or ){_NAME}\b")
_ONE: Final = re.compile(
    r"\b(Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)\b"
    rf"(?:\.(?=,| [a-z\d])|(?=,? (?:\d|{_MONTHS})|,? (?:{_SHORT})\b|:))"
)
_BETWEEN: Final = {"/": " and ", " and ": " and ", " or ": " or "}


def say_weekdays(text: str) -> str:
    """Their whole names, where something beside them tells that they are days: "Sat" and "Sun" may be words.

    >>> say_weekdays("Mon-Fri, Sat and Sun, Tue, Nov 24")
    'Monday to Friday, Saturday and Sunday, Tuesday, Nov 24'
    """
    text = _ONE.sub(lambda found: _full(found[1]), text)
    return _TWO.sub(lambda found: _full(found[1]) + _BETWEEN.get(found[2], " to ") + _full(found[3]), text)


def _full(name: str) -> str:
    return _FULL[name[:3]]

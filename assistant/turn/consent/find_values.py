"""Finds days, times, numbers and addresses in a text, in the forms in which customers write and say them.

"2 pm", "at two", "14 Uhr", "halb drei", "one oh four five five", "a week later". English and German; the text is
expected in lower case, as ``plain_words`` gives it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from assistant.language.addresses import ADDRESSES
from assistant.language.dates import MONTHS, find_single_days
from assistant.language.times import find_times
from assistant.language.values import ClockTime, Day, Found
from assistant.language.words import one_of
from assistant.turn.consent.number_words import HOUR_WORD, NUMBER_WORD, NUMBERS, number_at
from assistant.turn.consent.values import SaidValue, ValueKind

_TOKEN: Final = re.compile(r"[^\W_]+")
_TO: Final = re.compile(r"\.? ?(?:to|until|till|through|bis|-|–)(?: the| zum)? ?")
_CLOCK: Final = re.compile(
    rf"\b(?:(?P<part>half|quarter|halb|viertel|dreiviertel)(?: (?P<side>past|after|to|before|nach|vor))? )"
    rf"(?P<hour>\d{{1,2}}|{HOUR_WORD})\b(?: ?(?P<half>[ap]\.?m\b\.?))?"
)
_PARTS_OF_DAY: Final = {
    "morning": "0-12", "afternoon": "12-18", "evening": "17-24", "noon": "12-13", "vormittag": "0-12",
    "nachmittag": "12-18", "abend": "17-24", "vormittags": "0-12", "nachmittags": "12-18", "abends": "17-24",
    "morgens": "0-12",
}  # fmt: skip
_PART_OF_DAY: Final = re.compile(rf"\b(?:in the |am )?(?P<part>{'|'.join(_PARTS_OF_DAY)})\b")
_MONTH: Final = re.compile(rf"\b(?P<month>{one_of(name for name in MONTHS if len(name) > 3)})\b")
_DAY_WORD: Final = re.compile(
    rf"\b(?:(?P<day_a>\d{{1,2}}|{NUMBER_WORD})(?:st|nd|rd|th|\.)?(?: of)? (?P<month_a>{one_of(MONTHS)})"
    rf"|(?P<month_b>{one_of(MONTHS)}) (?:the )?(?!one\b)(?P<day_b>{NUMBER_WORD}))\b"
)
_SHIFT: Final = re.compile(
    rf"\b(?P<count>\d+|the|a|der|die|{NUMBER_WORD}|eine|einen|einer) (?P<unit>days?|weeks?|tage?n?|wochen?) "
    r"(?:later|after|on|später|drauf|darauf|danach)\b(?! next)"
)
_DURATION: Final = re.compile(
    rf"\b(?:\d+|{NUMBER_WORD}) (?:minutes?|hours?|days?|weeks?|months?|years?|times"
    r"|minuten?|stunden?|tagen?|wochen?|monaten?|jahren?|mal)\b"
)
_SPOKEN_ADDRESS: Final = re.compile(
    r"(?<![\w@])(?P<name>[a-z0-9]+(?:(?: dot | point | punkt |[ .-](?=[a-z0-9]\b))[a-z0-9]+){0,40}?)"
    r" (?:at|ät) (?P<domain>[a-z0-9-]+(?: (?:dot|point|punkt) [a-z0-9-]+)+)(?!\w)"
)
_PATTERNS: Final[Sequence[tuple[str, re.Pattern[str] | None]]] = (
    ("address", ADDRESSES),
    ("spoken", _SPOKEN_ADDRESS),
    ("shift", _SHIFT),
    ("duration", _DURATION),
    ("day_word", _DAY_WORD),
    ("day", None),
    ("month", _MONTH),
    ("clock", _CLOCK),
    ("time", None),
    ("part_of_day", _PART_OF_DAY),
)


def values_in(text: str, locale: str) -> list[SaidValue]:
    """All values in a lower-case text, in order."""
    marked = marked_values(text, locale)
    taken = [(one.start, one.end) for one in marked]
    numbers: list[SaidValue] = []
    for match in _TOKEN.finditer(text):
        if any(start <= match.start() < end for start, end in taken):
            continue
        number = number_at(text, match.start())
        if number is not None:
            numbers.append(number)
            taken.append((number.start, number.end))
    return list(_ranged(sorted((*marked, *numbers), key=lambda one: one.start), text))


def _ranged(values: Sequence[SaidValue], text: str) -> Iterator[SaidValue]:
    """The values; both ends of a range get its month: "January 8 to 10", "8 to 10 January"."""
    for place, one in enumerate(values):
        before = values[place - 1] if place else None
        after = values[place + 1] if place + 1 < len(values) else None
        day = int(one.form) if one.kind == "number" and one.form.isdecimal() else 0
        month = ""
        if before is not None and before.kind == "date" and _TO.fullmatch(text[before.end : one.start]):
            month = before.form[:-2]
        elif after is not None and after.kind == "date" and _TO.fullmatch(text[one.end : after.start]):
            month = after.form[:-2]
        yield SaidValue("date", f"{month}{day:02}", one.start, one.end) if month and 0 < day <= 31 else one


def marked_values(text: str, locale: str) -> list[SaidValue]:
    """The values that are recognised by their form: addresses, dates, weekdays and times, in order."""
    found: list[SaidValue] = []
    left = text
    for kind, pattern in _PATTERNS:
        if pattern is None:
            days_or_times = find_single_days(left, locale, cased=False) if kind == "day" else find_times(left)
            found += [value for one in days_or_times if (value := _said_value(one, left)) is not None]
        else:
            for match in pattern.finditer(left):
                found += _read(kind, match)
        for one in found:
            # Found values are masked for the next kinds; the positions of the others do not change.
            left = left[: one.start] + "\0" * (one.end - one.start) + left[one.end :]
    return sorted(found, key=lambda one: one.start)


def spoken_address(address: str) -> str:
    """A pattern for an address in its spoken form: "ana at new dot example".

    >>> re.fullmatch(spoken_address("ana@new.example"), "ana at new dot example") is not None
    True
    """
    joints = {
        "@": r"\s*(?:@|at|ät)\s*",
        ".": r"\s*(?:\.|dot|point|punkt)\s*",
        "-": r"\s*(?:-|dash|minus|hyphen)\s*",
    }
    joints["_"] = r"\s*(?:_|underscore|unterstrich)\s*"
    return "".join(joints.get(part, re.escape(part)) for part in re.split(r"([@._-])", address))


def _said_value(found: Found, text: str) -> SaidValue | None:
    if text[found.start : found.end].isdecimal():
        # In "9 or 10 am", the first number may also be a count.
        return None
    match found.value:
        case Day(year=year, month=int(month), day=int(day)):
            form = f"{f'{year}-' if year is not None else ''}{month:02}-{day:02}"
            return SaidValue("date", form, found.start, found.end)
        case Day(month=None, day=None, weekday=int(weekday)):
            return SaidValue("weekday", f"w{weekday}", found.start, found.end)
        case ClockTime(hour=hour, minute=minute, half_said=half_said):
            form = f"{hour:02}:{minute:02}{'' if half_said else '?'}"
            return SaidValue("time", form, found.start, found.end)
        case _:
            return None


def _read(kind: str, match: re.Match[str]) -> Iterator[SaidValue]:
    form = ""
    of: ValueKind = "number"
    match kind:
        case "address":
            of, form = "address", match[0]
        case "spoken":
            of, form = "address", f"{_spelled(match['name'])}@{_spelled(match['domain'])}"
        case "shift":
            count = match["count"]
            number = int(count) if count.isdecimal() else NUMBERS.get(count, 1)
            of, form = "shift", str(number * (7 if match["unit"].startswith("w") else 1))
        case "duration":
            of, form = "duration", match[0]
        case "day_word":
            month, day = match["month_a"] or match["month_b"], match["day_a"] or match["day_b"]
            number = int(day) if day.isdecimal() else NUMBERS[day]
            of, form = "date", f"{MONTHS[month]:02}-{number:02}" if number <= 31 else ""
        case "month":
            of, form = "month", f"m{MONTHS[match['month']]:02}"
        case "clock":
            of, form = "time", _on_the_clock(match)
        case _:
            of, form = "part_of_day", _PARTS_OF_DAY[match["part"]]
    if form:
        yield SaidValue(of, form, match.start(), match.end())


def _spelled(said: str) -> str:
    """The written form of a spelled or spoken address: "a-n-a dot s" is "ana.s"."""
    parts = re.split(r" (?:dot|point|punkt) |\.", said)
    return ".".join(
        re.sub(r"[ -]", "", part) if re.fullmatch(r"\w(?:[ -]\w)+", part) else part for part in parts
    )


def _on_the_clock(match: re.Match[str]) -> str:
    """The time: both "half past two" and "halb drei" are 2:30."""
    hour = int(match["hour"]) if match["hour"].isdecimal() else NUMBERS[match["hour"]]
    part, side = match["part"], match["side"]
    before = side in ("to", "before", "vor") or (side is None and part in ("halb", "viertel", "dreiviertel"))
    minutes = {"half": 30, "halb": 30, "dreiviertel": 45}.get(part, 45 if before and side else 15)
    hour = (hour - before) % 24
    if match["half"]:
        return f"{hour % 12 + (12 if match['half'].startswith('p') else 0):02}:{minutes:02}"
    return f"{hour}:{minutes:02}?"

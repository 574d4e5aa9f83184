"""Days, times, numbers and addresses in a question and in its answer, in forms that can be compared.

Customers write them in many ways and say them in more: "2 pm", "at two", "14 Uhr", "halb drei", "one oh four five
five". English and German; the text is expected in lower case, as ``plain_words`` gives it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from assistant.text.days import DAYS, MONTHS, read_day, weekday_of
from assistant.text.names import ADDRESSES
from assistant.text.times import TIMES, read_time

ValueKind: TypeAlias = Literal["address", "weekday", "date", "month", "time", "part_of_day", "number", "shift", "duration"]

_TOKEN: Final = re.compile(r"[^\W_]+")
_TO: Final = re.compile(r"\.? ?(?:to|until|till|through|bis|-|–)(?: the| zum)? ?")
_FULL_DATE: Final = len("2026-11-24")
_LEAST_SUFFIX: Final = 3
"""The last digits of a longer number name it, if there are at least this many: "the one ending in 455"."""


@dataclass(frozen=True, slots=True)
class SaidValue:
    """A value and where it stands in the text.

    Forms: an address in lower case; "w1" (Tuesday); "11-24" or "2026-11-24"; "m11"; "14:00", or "2:00?" without the
    half of the day; "12-18", the hours of an afternoon; "7", the days by which a "shift" is later. A number is its digits, "5550199", and ``pieces`` are what
    it was said in: "26" and "2" in "the twenty sixth at two".
    """

    kind: ValueKind
    form: str
    start: int
    end: int
    pieces: tuple[str, ...] = ()


def values_in(text: str, locale: str) -> list[SaidValue]:
    """Every value of a text in lower case, in its order."""
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
    """The values, with both ends of a range in its month: "January 8 to 10", "8 to 10 January"."""
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


def shift_between(old: Sequence[SaidValue], new: Sequence[SaidValue]) -> str:
    """The days from old dates to new ones, "" where they differ or a date is missing.

    >>> eighth, tenth, fifteenth = (SaidValue("date", f"01-{day}", 0, 0) for day in ("08", "10", "15"))
    >>> shift_between([eighth], [fifteenth]), shift_between([eighth, tenth], [fifteenth])
    ('7', '')
    """
    if len(old) != len(new):
        return ""
    days = {(_day_of_year(after.form) - _day_of_year(before.form)) % 365 for before, after in zip(old, new, strict=True)}
    return str(days.pop()) if len(days) == 1 else ""


def _day_of_year(date: str) -> int:
    month, day = map(int, date.split("-")[-2:])
    return _DAYS_BEFORE[month - 1] + day


def marked_values(text: str, locale: str) -> list[SaidValue]:
    """The values that their own form gives away: addresses, dates, weekdays and times, in the text's order."""
    found: list[SaidValue] = []
    left = text
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(left):
            found += _read(kind, match, locale)
        for one in found:
            # What one kind has taken is no longer there for the next; the places of the others stay.
            left = left[: one.start] + "\0" * (one.end - one.start) + left[one.end :]
    return sorted(found, key=lambda one: one.start)


def number_at(text: str, start: int) -> SaidValue | None:
    """The number that begins here, in figures or in words, or a run of them; None if there is none.

    >>> number_at("555 0199, please", 0), number_at("ten four fifty five", 0).form
    (SaidValue(kind='number', form='5550199', start=0, end=8, pieces=('555', '0199')), '10455')
    """
    pieces: list[str] = []
    end, match = start, _PIECE.match(text, start)
    while match is not None:
        pieces.append(_digits(match))
        end = match.end()
        match = _NEXT_PIECE.match(text, end)
    if not pieces or (text[start:end] in _ARTICLES and not _AT.search(text, 0, start)):
        # "That one" counts nothing; "one oh four" does, and so does "at one".
        return None
    return SaidValue("number", "".join(pieces), start, end, tuple(pieces))


def spelled_numbers(text: str) -> Iterator[SaidValue]:
    """Runs of digits as they are dictated, with pauses: "five five five, zero one nine nine"."""
    for run in _DICTATED.finditer(text):
        pieces = tuple(_digits(match) for match in _PIECE.finditer(run[0]))
        if len(pieces) > 1:
            yield SaidValue("number", "".join(pieces), run.start(), run.end(), pieces)


def is_said(said: SaidValue, asked: SaidValue) -> bool:
    """Whether what was said can mean the value of the question. A number may be an hour or a day of the month."""
    match said.kind, asked.kind:
        case "number", "number":
            return said.form == asked.form or _ends(said.form, asked.form)
        case "number", "date":
            return len(said.pieces) == 1 and said.form.lstrip("0") == asked.form[-2:].lstrip("0")
        case "number", "time":
            return _clock_of(said.pieces) in _ways_to_say(asked.form)
        case "date", "date":
            return asked.form.endswith(said.form) or said.form.endswith(asked.form)
        case "date", "number":
            return False
        case "month", "date":
            return asked.form[-5:-3] == said.form[1:]
        case "time", "time":
            return _same_time(said.form, asked.form)
        case "part_of_day", "time":
            first, last = map(int, said.form.split("-"))
            return first <= int(asked.form.rstrip("?").partition(":")[0]) < last
        case _:
            return said.kind == asked.kind and said.form == asked.form


def is_weekday_of(said: SaidValue, date: SaidValue) -> bool:
    """Whether a weekday is that of a full date."""
    full = date.kind == "date" and len(date.form) == _FULL_DATE
    return said.kind == "weekday" and full and weekday_of(date.form) == said.form


def in_pieces(said: SaidValue) -> Sequence[SaidValue]:
    """A run of numbers as the single numbers in it: "the twenty sixth at two" is a day and an hour."""
    return [SaidValue("number", piece, said.start, said.end, (piece,)) for piece in said.pieces]


def is_comparable(said: SaidValue, asked: SaidValue) -> bool:
    """Whether both are values of the same sort, so that a different one contradicts the question."""
    times, days = {"time", "part_of_day"}, {"weekday", "date", "month"}
    return any(
        {said.kind, asked.kind} <= sort for sort in (times, days, {"address"}, {"number"}, {"shift"})
    ) or (
        said.kind == "number" and asked.kind in ("date", "time")
    )


def spoken_address(address: str) -> str:
    """A pattern for an address as it is said: "ana at new dot example".

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


def _ends(said: str, asked: str) -> bool:
    return len(said) >= _LEAST_SUFFIX and len(asked) > len(said) and asked.endswith(said)


def _clock_of(pieces: Sequence[str]) -> str:
    return ":".join(piece.lstrip("0") or "0" for piece in pieces) if len(pieces) <= 2 else ""


def _ways_to_say(time: str) -> frozenset[str]:
    """An hour with or without the half of the day, and without its minutes where there are none."""
    hour, minute = map(int, time.rstrip("?").split(":"))
    hours = {hour, hour % 12 or 12, (hour % 12) + 12 if time.endswith("?") else hour}
    return frozenset(f"{one}:{minute}" if minute else f"{one}" for one in hours)


def _same_time(one: str, other: str) -> bool:
    if one.endswith("?") or other.endswith("?"):
        (hour, minute), (other_hour, other_minute) = (
            map(int, each.rstrip("?").split(":")) for each in (one, other)
        )
        return minute == other_minute and hour % 12 == other_hour % 12
    return one == other


_UNITS: Final = {
    "zero": 0, "oh": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "null": 0, "eins": 1, "ein": 1, "zwei": 2, "zwo": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6,
    "sieben": 7, "acht": 8, "neun": 9,
}  # fmt: skip
_TEENS: Final = {
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "zehn": 10, "elf": 11, "zwölf": 12, "dreizehn": 13,
    "vierzehn": 14, "fünfzehn": 15, "sechzehn": 16, "siebzehn": 17, "achtzehn": 18, "neunzehn": 19,
}  # fmt: skip
_TENS: Final = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    "zwanzig": 20, "dreissig": 30, "dreißig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60, "siebzig": 70,
    "achtzig": 80, "neunzig": 90,
}  # fmt: skip
_ORDINALS: Final = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15,
    "sixteenth": 16,
    "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30,
}  # fmt: skip
_GERMAN_STEMS: Final = {1: "ers", 3: "drit", 7: "sieb", 8: "ach"}
_ARTICLES: Final = frozenset({"one", "ein"})


def _number_words() -> dict[str, int]:
    german_tens = {word: number for word, number in _TENS.items() if word.endswith("ig")}
    german_units = {
        word: number for word, number in _UNITS.items() if word not in ("eins", "zwo", "null", "oh")
    }
    words = {**_UNITS, **_TEENS, **_TENS, **_ORDINALS}
    for ten_word, ten in german_tens.items():
        words |= {f"{unit}und{ten_word}": ten + number for unit, number in german_units.items() if number}
    for ten_word, ten in _TENS.items():
        words |= {f"{ten_word}{sign}{unit}": ten + n for unit, n in _UNITS.items() if n for sign in "- "}
        words |= {
            f"{ten_word}{sign}{unit}": ten + n for unit, n in _ORDINALS.items() if n < 10 for sign in "- "
        }
    counted = [(word, number) for word, number in words.items() if 0 < number < 32 and word.isalpha()]
    for word, number in counted:
        stem = _GERMAN_STEMS.get(number, f"{word}{'' if number < 20 else 's'}")
        words |= {f"{stem}t{ending}": number for ending in ("e", "en", "er", "es")}
    return words


_WORDS: Final = _number_words()
_EITHER: Final = "|".join(sorted(map(re.escape, _WORDS), key=len, reverse=True))
_DIGITS: Final = (
    r"(?:(?P<double>double|doppel|triple|dreimal)[ -]?)?"
    rf"(?:\+?(?P<digits>\d+)(?:st|nd|rd|th)?\b|(?P<word>{_EITHER})\b)"
)
_PIECE: Final = re.compile(_DIGITS)
_NEXT_PIECE: Final = re.compile(rf"[ ()/.-]{{0,3}}{_DIGITS}")
_ONE_PIECE: Final = re.sub(r"\?P<\w+>", "?:", _DIGITS)
_DICTATED: Final = re.compile(rf"(?<!\w){_ONE_PIECE}(?:[ ,()/.-]{{0,3}}{_ONE_PIECE})*")
_AT: Final = re.compile(r"\b(?:at|for|um|gegen|für) $")

_HOURS: Final = "|".join(word for word in (*_UNITS, *_TEENS) if word not in ("oh", "zero", "null"))
_CLOCK: Final = re.compile(
    rf"\b(?:(?P<part>half|quarter|halb|viertel|dreiviertel)(?: (?P<side>past|after|to|before|nach|vor))? )"
    rf"(?P<hour>\d{{1,2}}|{_HOURS})\b(?: ?(?P<half>[ap]\.?m\b\.?))?"
)
_PARTS_OF_DAY: Final = {
    "morning": "0-12", "afternoon": "12-18", "evening": "17-24", "noon": "12-13", "vormittag": "0-12",
    "nachmittag": "12-18", "abend": "17-24", "vormittags": "0-12", "nachmittags": "12-18", "abends": "17-24",
    "morgens": "0-12",
}  # fmt: skip
_PART_OF_DAY: Final = re.compile(rf"\b(?:in the |am )?(?P<part>{'|'.join(_PARTS_OF_DAY)})\b")
_MONTH: Final = re.compile(rf"\b(?P<month>{'|'.join(name for name in MONTHS if len(name) > 3)})\b")
_DAY_WORD: Final = re.compile(
    rf"\b(?:(?P<day_a>\d{{1,2}}|{_EITHER})(?:st|nd|rd|th|\.)?(?: of)? (?P<month_a>{'|'.join(MONTHS)})"
    rf"|(?P<month_b>{'|'.join(MONTHS)}) (?:the )?(?!one\b)(?P<day_b>{_EITHER}))\b"
)
_DAYS_BEFORE: Final = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
_SHIFT: Final = re.compile(
    rf"\b(?P<count>\d+|the|a|der|die|{_EITHER}|eine|einen|einer) (?P<unit>days?|weeks?|tage?n?|wochen?) "
    r"(?:later|after|on|später|drauf|darauf|danach)\b(?! next)"
)
_DURATION: Final = re.compile(
    rf"\b(?:\d+|{_EITHER}) (?:minutes?|hours?|days?|weeks?|months?|years?|times|minuten?|stunden?|tagen?|wochen?|"
    r"monaten?|jahren?|mal)\b"
)
_SPOKEN_ADDRESS: Final = re.compile(
    r"(?<![\w@])(?P<name>[a-z0-9]+(?:(?: dot | point | punkt |[ .-](?=[a-z0-9]\b))[a-z0-9]+)*?)"
    r" (?:at|ät) (?P<domain>[a-z0-9-]+(?: (?:dot|point|punkt) [a-z0-9-]+)+)(?!\w)"
)
_PATTERNS: Final = (
    ("address", ADDRESSES),
    ("spoken", _SPOKEN_ADDRESS),
    ("shift", _SHIFT),
    ("duration", _DURATION),
    ("day_word", _DAY_WORD),
    ("day", DAYS),
    ("month", _MONTH),
    ("clock", _CLOCK),
    ("time", TIMES),
    ("part_of_day", _PART_OF_DAY),
)


def _read(kind: str, match: re.Match[str], locale: str) -> Iterator[SaidValue]:
    form = ""
    of: ValueKind = "number"
    match kind:
        case "address":
            of, form = "address", match[0]
        case "spoken":
            of, form = "address", f"{_spelled(match['name'])}@{_spelled(match['domain'])}"
        case "shift":
            count = match["count"]
            number = int(count) if count.isdecimal() else _WORDS.get(count, 1)
            of, form = "shift", str(number * (7 if match["unit"].startswith("w") else 1))
        case "duration":
            of, form = "duration", match[0]
        case "day_word":
            month, day = match["month_a"] or match["month_b"], match["day_a"] or match["day_b"]
            number = int(day) if day.isdecimal() else _WORDS[day]
            of, form = "date", f"{MONTHS[month]:02}-{number:02}" if number <= 31 else ""
        case "day":
            form = read_day(match, locale) or ""
            of = "weekday" if form.startswith("w") else "month" if form.startswith("m") else "date"
        case "month":
            of, form = "month", f"m{MONTHS[match['month']]:02}"
        case "clock":
            of, form = "time", _on_the_clock(match)
        case "time":
            of, form = "time", read_time(match) or ""
        case _:
            of, form = "part_of_day", _PARTS_OF_DAY[match["part"]]
    if form:
        yield SaidValue(of, form, match.start(), match.end())


def _spelled(said: str) -> str:
    """What was spelled or said, as it is written: "a-n-a dot s" is "ana.s"."""
    parts = re.split(r" (?:dot|point|punkt) |\.", said)
    return ".".join(
        re.sub(r"[ -]", "", part) if re.fullmatch(r"\w(?:[ -]\w)+", part) else part for part in parts
    )


def _on_the_clock(match: re.Match[str]) -> str:
    """The time that is meant: both "half past two" and "halb drei" are 2:30."""
    hour = int(match["hour"]) if match["hour"].isdecimal() else _WORDS[match["hour"]]
    part, side = match["part"], match["side"]
    before = side in ("to", "before", "vor") or (side is None and part in ("halb", "viertel", "dreiviertel"))
    minutes = {"half": 30, "halb": 30, "dreiviertel": 45}.get(part, 45 if before and side else 15)
    hour = (hour - before) % 24
    if match["half"]:
        return f"{hour % 12 + (12 if match['half'].startswith('p') else 0):02}:{minutes:02}"
    return f"{hour}:{minutes:02}?"


def _digits(match: re.Match[str]) -> str:
    digits = match["digits"] or str(_WORDS[match["word"]])
    return digits * {None: 1, "double": 2, "doppel": 2}.get(match["double"], 3)

"""Days in a text, in any notation: dates, weekdays, months, and days counted from today."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from assistant.language.numbers import MONTH_DAYS, ORDINAL, ORDINALS, word_list
from assistant.language.values import Day, DaysAway, Found, Value
from assistant.language.words import matches_at, one_of, runs

_MONTHS: Final = (
    "january januar jan jänner",
    "february februar feb",
    "march märz mar mrz",
    "april apr",
    "may mai",
    "june juni jun",
    "july juli jul",
    "august aug",
    "september sept sep",
    "october oktober oct okt",
    "november nov",
    "december dezember dec dez",
)
_WEEKDAYS: Final = (
    "monday mondays montag montags mon",
    "tuesday tuesdays dienstag dienstags tue tues",
    "wednesday wednesdays mittwoch mittwochs wed",
    "thursday thursdays donnerstag donnerstags thu thur thurs",
    "friday fridays freitag freitags fri",
    "saturday saturdays samstag samstags sonnabend sat",
    "sunday sundays sonntag sonntags sun",
)
MONTHS: Final = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
WEEKDAYS: Final = {name: number for number, names in enumerate(_WEEKDAYS) for name in names.split()}
MONTH_NAMES: Final = [names.split()[0].capitalize() for names in _MONTHS]
WEEKDAY_NAMES: Final = [names.split()[0].capitalize() for names in _WEEKDAYS]
_GERMAN_SHORT: Final = {
    name: number for number, name in enumerate(("Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"))
}
_ALSO_WORDS: Final = frozenset({"sat", "sun", "mon", "wed", "may", "march", "mar", "jan", "dec"})
"""Names that are also words or names of people: read with a capital only."""

_NO_NOUNS: Final = frozenset({"mon", "wed"})
"""The names of :data:`_ALSO_WORDS` that mean the weekday in most texts that are all in lower case."""

DAYS_AWAY: Final = {
    "the day after tomorrow": 2,
    "day after tomorrow": 2,
    "the day before yesterday": -2,
    "tomorrow": 1,
    "today": 0,
    "tonight": 0,
    "yesterday": -1,
    "übermorgen": 2,
    "heute": 0,
    "gestern": -1,
    "vorgestern": -2,
}
_TOMORROW: Final = r"(?<!guten )(?<!jeden )(?<!am )(?<!diesen )(?<!heute )(?<!gestern )(?<!schönen )morgen"


MONTH: Final = rf"{one_of(MONTHS)}\b\.?"
"""A pattern for a month's name."""

_YEAR: Final = r"(?:,?\s+(?:(?:19|20)\d\d)\b)?"
_ORD: Final = r"(?:st|nd|rd|th)"
_NUMBER: Final = rf"(?:\d{{1,2}}{_ORD}?|{ORDINAL})"
_AND: Final = r"\s*(?:-|–|,|/|to|and|or|until|bis|und|oder|through|instead of|statt)\s*"
# Limits the repetition, so that matching stays linear in the length of the text.
_RUN: Final = "{0,9}"
_SEVERAL: Final = rf"(?:\d{{1,2}}(?:{_ORD}|\.)?{_AND}(?:(?:the|den|dem|zum|am)\s+)?){_RUN}"
_NOT_COUNTED: Final = (
    "is|was|as|are|and|or|the|both|would|will|works?|suits?|for|from|with|you|your|have|has|until|till|to|at|on|in|by"
    "|oder|und|bis|sind|ist|geht|passt|passen|gehen|haben|hat|um|für|mit|vom|von|wäre[n]?|ab"
)
"""After a number, each of these words shows that the number counts nothing. Any other word may be counted: in
"January 8, 10 guests" the 10 is not a day."""
_DATES: Final = re.compile(
    r"(?P<iso>\b(?:19|20)\d{2}-\d\d-\d\d)(?!\d)"
    rf"|\b(?P<before_month>{_SEVERAL}(?:\d{{1,2}}(?:{_ORD}|\.)?|{ORDINAL}))\s*(?:of\s+)?"
    rf"(?P<month_after>{MONTH})(?P<year_a>{_YEAR})"
    rf"|\b(?P<month_first>{MONTH})\s*(?P<after_month>(?:the\s+)?{_NUMBER}"
    rf"(?:{_AND}(?:the\s+)?\d{{1,2}}{_ORD}?(?!\s*(?:[ap]\.?m\b|uhr\b|o['’]|%|\d|:|[.,]\d|€|\$|[-–]?\s*[^\W\d_]*"
    rf"\s*(?:days?|weeks?|hours?|minutes?)\b|\s+(?!(?:{_NOT_COUNTED})\b)[a-zäöü]{{3,}}))){_RUN})\b(?![:.,]\d)"
    rf"(?P<year_b>{_YEAR})"
    r"|(?<![\d.])(?P<dotted>\d{1,2}\.\s?\d{1,2}\.(?:\s?(?:\d{4}|\d\d)\b)?)(?!\d|\.\d)"
    r"|(?<![\d/])(?P<slashed>\d{1,2}/\d{1,2}/(?:\d{4}|\d\d))(?![\d/])"
    r"|(?<![\d/$€£.,])(?P<short_slashed>(?:0?[1-9]|1[0-2])/(?:[12]\d|3[01]|0?[1-9]))(?![\d/%])(?=\s*(?:[,;.)]|at\b|um\b|$))"
    rf"|\b(?P<month>{one_of(MONTHS)})\b(?P<year_c>\s+(?:19|20)\d\d\b)?",
    re.IGNORECASE,
)
_WEEKDAY: Final = re.compile(rf"\b(?P<name>{one_of(WEEKDAYS)})\b\.?", re.IGNORECASE)
_WEEKDAY_DE: Final = re.compile(r"\b(?P<name>Mo|Di|Mi|Do|Fr|Sa|So)\b(?=\.?(?:,?\s*\d|\s*[-–]|,))\.?")
_DAY_ALONE: Final = re.compile(
    rf"\b(?i:{one_of(WEEKDAYS)}),?\s+the\s+(?P<word>(?i:{ORDINAL}))\b(?!\s+of\b)"
    rf"|\b(?:the|on|by|until|and|or)\s+(?P<english>\d{{1,2}}){_ORD}\b(?!\s+(?!or\b|and\b|at\b|of\b|in\b|to\b|for\b"
    r"|with\b|by\b|is\b|as\b|if\b|then\b|works\b|from\b|between\b|which\b|because\b|but\b|until\b|around\b|would\b"
    r"|instead\b)[a-z])"
    r"|\b(?:am|der|den|dem|vom|zum|bis|ab|seit)\s+(?P<german>\d{1,2})\.(?!\d)(?!\s+(?:[A-ZÄÖÜ]\w+\s)?(?i:stock"
    r"|rechnung|termin|mal|bestellung|klasse|etage|tag|woche|monat)\b)",
)
_AWAY: Final = re.compile(rf"\b{one_of(DAYS_AWAY)}\b", re.IGNORECASE)
_AWAY_DE: Final = re.compile(rf"\b{_TOMORROW}\b", re.IGNORECASE)
_JOINT: Final = re.compile(r"[\s,(]*(?:(?:the|den|dem|der)\s+)?")
_FIGURES: Final = re.compile(r"\d[-./]\s?\d")
_ORDINAL_BEGINS: Final = frozenset(re.split("[ -]", word)[0] for word in ORDINALS)
_DATE_BEGINS: Final = _ORDINAL_BEGINS | MONTHS.keys()
_SHORT_BEGINS: Final = frozenset(name.lower() for name in _GERMAN_SHORT)
_ALONE_BEGINS: Final = WEEKDAYS.keys() | frozenset(
    word_list("the on by until and or am der den dem vom zum bis ab seit")
)
_AWAY_BEGINS: Final = frozenset(name.split()[0] for name in DAYS_AWAY)
_TOMORROW_WORD: Final = frozenset({"morgen"})
_AWAY_WORDS: Final = DAYS_AWAY.keys() | _TOMORROW_WORD
_DAY_NUMBERS: Final = re.compile(rf"\d{{1,2}}|{ORDINAL}", re.IGNORECASE)


def find_days(text: str, locale: str = "en") -> list[Found]:
    """Returns the days of a text, in order. A weekday next to a date is part of that day.

    >>> [found.value for found in find_days("Tue, Nov 24 or 2026-12-04")]
    ... # doctest: +NORMALIZE_WHITESPACE
    [Day(year=None, month=11, day=24, weekday=1), Day(year=2026, month=12, day=4, weekday=None)]
    >>> [found.value for found in find_days("übermorgen, am 25.", "de")]
    [DaysAway(days=2), Day(year=None, month=None, day=25, weekday=None)]
    """
    return _joined(find_single_days(text, locale), text)


def find_single_days(text: str, locale: str = "en", *, cased: bool = True) -> list[Found]:
    """Returns the weekdays and dates of a text, each separately.

    ``cased`` is True if a capital letter distinguishes the month in "May 5" from the word. Without it the
    number does.
    """
    german = locale.partition("-")[0] == "de"
    words = [run for run, _ in runs(text)]
    has_digits = any(map(str.isdecimal, words))
    taken: list[Found] = []
    # Each pattern is tried only where the text has what it needs.
    if not MONTHS.keys().isdisjoint(words) or (has_digits and _FIGURES.search(text)):
        dates = matches_at(_DATES, text, _DATE_BEGINS, digits=True)
        taken += (found for match in dates for found in _dates(match, german, cased=cased))
    if german or not WEEKDAYS.keys().isdisjoint(words):
        taken += _free(_weekdays(text, german, cased=cased), taken)
    if has_digits or not _ORDINAL_BEGINS.isdisjoint(words):
        taken += _free(_days_alone(text, german), taken)
    if not _AWAY_WORDS.isdisjoint(words):
        taken += _free(_days_away(text, german), taken)
    return sorted(taken, key=lambda one: one.start)


def weekday_of(day: Day, today: date) -> int | None:
    """Returns the weekday of a day with a known date; without a year, of the date nearest to today.

    >>> weekday_of(Day(month=11, day=24), date(2026, 11, 21))
    1
    """
    found = on_calendar(day, today)
    return found.weekday() if found is not None else day.weekday


def on_calendar(day: Day, today: date) -> date | None:
    """Returns the date of a day with known day and month; without a year, the one nearest to today.

    >>> on_calendar(Day(month=1, day=5), date(2026, 12, 20))
    datetime.date(2027, 1, 5)
    """
    if day.month is None or day.day is None:
        return None
    years = (day.year,) if day.year is not None else (today.year - 1, today.year, today.year + 1)
    dates = [found for year in years if (found := _date(year, day.month, day.day)) is not None]
    return min(dates, key=lambda one: abs(one - today), default=None)


def same_day(said: Day, known: Day, today: date) -> bool:
    """Whether the day in the text is the known day, given with the same or less precision.

    >>> today, known = date(2026, 11, 21), Day(year=2026, month=11, day=24)
    >>> same_day(Day(day=24, weekday=1), known, today), same_day(Day(month=11, day=24, weekday=4), known, today)
    (True, False)
    """
    if said.day is not None and said.day != known.day:
        return False
    if said.month is not None and said.month != known.month:
        return False
    if said.year is not None and said.year != known.year:
        # A customer gives a day without its year; the answer may add the year.
        meant = on_calendar(known, today)
        if known.year is not None or meant is None or meant.year != said.year:
            return False
    return said.weekday is None or said.weekday == weekday_of(known, today)


def away(days: int, today: date) -> Day:
    """Returns the day that many days after today."""
    day = today + timedelta(days=days)
    return Day(year=day.year, month=day.month, day=day.day)


def _dates(match: re.Match[str], german: bool, *, cased: bool) -> Iterator[Found]:
    groups = match.groupdict()
    if groups["iso"]:
        year, month, day = map(int, match["iso"].split("-"))
        yield from _found(match.start(), match.end(), year, month, day)
    elif groups["before_month"]:
        yield from _of_month(match, "before_month", match["month_after"], match["year_a"])
    elif groups["month_first"]:
        if cased and not _may_be_month(match["month_first"]):
            return
        yield from _of_month(match, "after_month", match["month_first"], match["year_b"])
    elif groups["dotted"]:
        day, month, written = re.split(r"\.\s?", match["dotted"])
        # "3.10." ends an English sentence with a number.
        if written or german:
            yield from _found(match.start(), match.end(), _year(written), int(month), int(day))
    elif groups["slashed"] or groups["short_slashed"]:
        first, second, *rest = (groups["slashed"] or groups["short_slashed"]).split("/")
        swapped = german or int(first) > 12
        day, month = (first, second) if swapped else (second, first)
        yield from _found(match.start(), match.end(), _year(rest[0] if rest else ""), int(month), int(day))
    elif _may_be_month(match["month"], match.string[: match.start()]) and (
        len(match["month"]) > 3 or match["year_c"] or match["month"] in {"May", "Mai"}
    ):
        year = int(match["year_c"]) if match["year_c"] else None
        yield Found(Day(year=year, month=MONTHS[match["month"].lower()]), match.start(), match.end())


def _may_be_month(written: str, before: str | None = None) -> bool:
    """Whether a name is a month and not an ordinary word.

    ``before`` is the text before a month without a day: "in May" is a month, "May I" is not.
    """
    name = written.rstrip(".").lower()
    if name not in _ALSO_WORDS:
        return True
    return written[0].isupper() and (before is None or _BEFORE_MONTH.search(before) is not None)


_BEFORE_MONTH: Final = re.compile(
    r"\b(?:in|of|until|till|since|by|from|to|before|after|this|next|last|im|bis|seit|ab|and|und)\s$",
    re.IGNORECASE,
)


def _of_month(match: re.Match[str], group: str, month: str, year: str) -> Iterator[Found]:
    """Yields each day before or after a month's name: "3, 4 and 5 December"."""
    numbers = list(_DAY_NUMBERS.finditer(match.string, match.start(group), match.end(group)))
    number = MONTHS[month.rstrip(".").lower()]
    read_year = _year(year.strip(" ,"))
    for at, one in enumerate(numbers):
        day = int(one[0]) if one[0].isdecimal() else ORDINALS[one[0].lower()]
        first, last = at == 0, at == len(numbers) - 1
        start = match.start() if first else one.start()
        end = match.end() if last else one.end()
        yield from _found(start, end, read_year, number, day)


def _found(start: int, end: int, year: int | None, month: int, day: int) -> Iterator[Found]:
    if _date(year or 2024, month, day) is not None:
        yield Found(Day(year=year, month=month, day=day), start, end)


def _weekdays(text: str, german: bool, *, cased: bool) -> Iterator[Found]:
    for match in matches_at(_WEEKDAY, text, WEEKDAYS.keys()):
        name = match["name"].lower()
        if name not in _ALSO_WORDS or match["name"][0].isupper() or (not cased and name in _NO_NOUNS):
            end = match.end() if len(match["name"]) <= 5 else match.end("name")
            yield Found(Day(weekday=WEEKDAYS[name]), match.start(), end)
    if german:
        for match in matches_at(_WEEKDAY_DE, text, _SHORT_BEGINS):
            yield Found(Day(weekday=_GERMAN_SHORT[match["name"]]), match.start(), match.end())


def _days_alone(text: str, german: bool) -> Iterator[Found]:
    for match in matches_at(_DAY_ALONE, text, _ALONE_BEGINS):
        if match["word"]:
            yield Found(Day(day=ORDINALS[match["word"].lower()]), match.start("word"), match.end())
            continue
        number = match["english"] or (match["german"] if german else None)
        if number is not None and 1 <= int(number) <= MONTH_DAYS:
            group = "english" if match["english"] else "german"
            yield Found(Day(day=int(number)), match.start(group), match.end())


def _days_away(text: str, german: bool) -> Iterator[Found]:
    for match in matches_at(_AWAY, text, _AWAY_BEGINS):
        yield Found(DaysAway(DAYS_AWAY[match[0].lower()]), match.start(), match.end())
    if german:
        for match in matches_at(_AWAY_DE, text, _TOMORROW_WORD):
            yield Found(DaysAway(1), match.start(), match.end())


def _free(found: Iterator[Found], taken: list[Found]) -> list[Found]:
    return [
        one for one in found if not any(one.start < other.end and other.start < one.end for other in taken)
    ]


_SPAN: Final = re.compile(r"\.?\s*(?:-|–|—|to|through|until|till|bis)\s*", re.IGNORECASE)


def _joined(days: list[Found], text: str) -> list[Found]:
    """Join each weekday with the date right after it into one day.

    The last day of a range stays apart from a date: "Friday to Sunday, January 8".
    """
    joined: list[Found] = []
    for found in days:
        last = joined[-1] if joined else None
        if last is not None and len(joined) > 1 and _is_span(joined[-2], last, text):
            joined.append(found)
        elif (
            last is not None
            and isinstance(last.value, Day)
            and isinstance(found.value, Day)
            and last.value.weekday is not None
            and last.value.day is None
            and found.value.day is not None
            and found.value.weekday is None
            and _JOINT.fullmatch(text, last.end, found.start)
        ):
            day = found.value
            both = Day(year=day.year, month=day.month, day=day.day, weekday=last.value.weekday)
            joined[-1] = Found(both, last.start, found.end)
        else:
            joined.append(found)
    return joined


def _is_span(first: Found, last: Found, text: str) -> bool:
    """Whether two weekdays without a date are the ends of a range."""
    return (
        _is_weekday(first.value)
        and _is_weekday(last.value)
        and _SPAN.fullmatch(text, first.end, last.start) is not None
    )


def _is_weekday(value: Value) -> bool:
    return isinstance(value, Day) and value.weekday is not None and value.day is None


def _year(written: str) -> int | None:
    if not written:
        return None
    return int(written) + (2000 if len(written) == 2 else 0)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None

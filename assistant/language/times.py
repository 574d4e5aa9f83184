"""Times of day in a text, in any notation, English and German."""

import re
from collections.abc import Iterator
from typing import Final

from assistant.language.numbers import SIMPLE, german_number, word_list
from assistant.language.values import ClockTime, Found
from assistant.language.words import matches_at, one_of

_HOUR_WORDS: Final = {
    **{word: number for word, number in SIMPLE.items() if 1 <= number <= 12},
    **{
        word: number
        for number, word in enumerate(
            word_list("ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"),
            start=1,
        )
    },
    "eins": 1,
}
_HOURS: Final = one_of(_HOUR_WORDS)
_HALF: Final = r"(?:[ap]\s?m\b|[ap]\.\s?m\b\.?|in the (?:morning|afternoon|evening)\b|at night\b)"
_UHR: Final = r"(?:uhr\b|h\b(?!\w))"
_DIGITS: Final = r"\d{1,2}(?:[:.][0-5]\d)?"
_AND: Final = r"\s*(?:-|–|—|,|/|to|and|or|until|till|bis|und|oder)\s*(?:(?:at|um)\s+)?"
# Limits the repetition, so that matching stays linear in the length of the text.
_RUN: Final = "{0,9}"
_TIMES: Final = re.compile(
    r"\b(?P<part>half|quarter|five|ten|twenty|twenty-five|[1-5]?\d(?=\s(?:past|minutes)))\s(?:minutes\s)?(?P<side>past|to|after|before)\s"
    rf"(?P<of>\d{{1,2}}|{_HOURS})\b(?:\s*(?P<of_half>{_HALF}))?(?!\s*(?:days?|weeks?|hours?|working|business))"
    r"|\b(?P<german_part>halb|viertel\s(?:vor|nach)|dreiviertel|(?:fünf|zehn|zwanzig)\s(?:vor|nach)(?:\shalb)?)\s"
    rf"(?P<german_of>\d{{1,2}}|{_HOURS})\b(?:\s*uhr\b)?"
    rf"|\b(?P<run>(?:{_DIGITS}{_AND}){_RUN}{_DIGITS})\s*(?P<half>{_HALF}|{_UHR}|o['’]\s?clock\b)(?:\s(?P<after>[0-5]\d)\b(?!\s*(?:€|\$|%|(?-i:[A-ZÄÖÜ]))))?"
    rf"|\b(?P<words>(?:(?:{_HOURS}){_AND}){_RUN}(?:{_HOURS}))(?:\s(?P<word_minute>fifteen|thirty|forty-five))?"
    rf"\s(?P<words_half>{_HALF}|o['’]\s?clock\b|uhr\b)(?:\s(?P<word_after>[^\W\d_]+))?"
    r"|(?:\b|(?<=T))(?P<colon>\d{1,2}:[0-5]\d)(?::[0-5]\d(?:[.,]\d+)?)?(?!\d)(?:Z|\+\d\d:\d\d|(?<=:\d\d:\d\d)-\d\d:\d\d)?"
    r"|\b(?P<named>noon|midday|midnight|mittags?|mitternachts?)\b"
    r"|\b(?:from|between|von|zwischen|open|geöffnet)\s(?P<open>\d{1,2})(?:\s?[-–]\s?|\s(?:to|and|until|till|bis|und)\s)"
    r"(?P<close>\d{1,2})(?=[.,;:!?)](?!\d)|\s(?:on|at|every|each|and|or|but|if|so|und|oder|an)\b"
    r"|\sam\s(?:\d|\w*(?:tag|woch|ende)\b)|\s*$)",
    re.IGNORECASE,
)
_CLOCK: Final = re.compile(r"(\d{1,2})(?:[:.]([0-5]\d))?")
_PARTS: Final = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}
_GERMAN_PARTS: Final = {"viertel": 15, "fünf": 5, "zehn": 10, "zwanzig": 20}
_BEGINS: Final = _HOUR_WORDS.keys() | frozenset(
    word_list(
        "half quarter five ten twenty halb viertel dreiviertel fünf zehn zwanzig noon midday midnight mittag "
        "mittags mitternacht mitternachts from between von zwischen open geöffnet"
    )
)
_LAST_HOUR: Final = 24
_NOON: Final = 12


TIME_WORDS: Final = frozenset(
    word_list(
        "am pm m uhr h clock past to after before vor nach halb viertel dreiviertel morning afternoon evening "
        "night noon midday midnight mittag mittags mitternacht mitternachts from between von zwischen open geöffnet"
    )
)
"""Each text that contains a time has one of these words, or a colon."""


def find_times(text: str) -> list[Found]:
    """Returns the times of a text, in order. Several numbers before one "pm" or "Uhr" are all times.

    >>> [str(found.value) for found in find_times("9 or 10 am")]  # doctest: +NORMALIZE_WHITESPACE
    ['ClockTime(hour=9, minute=0, half_said=False)', 'ClockTime(hour=10, minute=0, half_said=True)']
    """
    return [found for match in matches_at(_TIMES, text, _BEGINS, digits=True) for found in _read(match)]


def same_time(said: ClockTime, known: ClockTime) -> bool:
    """Whether both can be the same time: "2:00" without the half of the day can be 14:00."""
    if said.minute != known.minute:
        return False
    if said.half_said and known.half_said:
        return said.hour == known.hour
    return said.hour % _NOON == known.hour % _NOON


def _read(match: re.Match[str]) -> Iterator[Found]:
    groups = match.groupdict()
    if groups["part"]:
        yield from _past_or_to(match)
    elif groups["german_part"]:
        yield from _german_part(match)
    elif groups["run"]:
        yield from _run(match)
    elif groups["words"]:
        yield from _run_of_words(match)
    elif groups["colon"]:
        hour, minute = map(int, groups["colon"].split(":"))
        yield from _time(match.start(), match.end(), hour, minute, "", zero=groups["colon"].startswith("0"))
    elif groups["named"]:
        night = groups["named"].lower().startswith(("midnight", "mittern"))
        yield Found(ClockTime(0 if night else _NOON, 0), match.start(), match.end())
    else:
        for name in ("open", "close"):
            yield from _time(match.start(name), match.end(name), int(match[name]), 0, "")


def _past_or_to(match: re.Match[str]) -> Iterator[Found]:
    part = match["part"].lower()
    minute = int(part) if part.isdecimal() else _PARTS[part]
    hour = _hour(match["of"])
    if minute >= 60:
        return
    if match["side"].lower() in {"to", "before"}:
        hour, minute = hour - 1 or _NOON, 60 - minute
    yield from _time(match.start(), match.end(), hour, minute, match["of_half"] or "")


def _german_part(match: re.Match[str]) -> Iterator[Found]:
    words, hour = match["german_part"].lower().split(), _hour(match["german_of"])
    if words[0] == "halb":
        hour, minute = hour - 1, 30
    elif words[0] == "dreiviertel":
        hour, minute = hour - 1, 45
    else:
        minute = _GERMAN_PARTS[words[0]]
        if words[-1] == "halb":
            hour, minute = hour - 1, 30 + (minute if words[1] == "nach" else -minute)
        elif words[1] == "vor":
            hour, minute = hour - 1, 60 - minute
    yield from _time(match.start(), match.end(), hour or _NOON, minute, "")


def _run(match: re.Match[str]) -> Iterator[Found]:
    several = list(_CLOCK.finditer(match.string, match.start("run"), match.end("run")))
    for at, one in enumerate(several):
        last = at == len(several) - 1
        minute = int(one[2] or (match["after"] if last and match["after"] else 0) or 0)
        half = (match["half"] or "") if last else ""
        zero = one[1].startswith("0")
        yield from _time(
            one.start(), match.end() if last else one.end(), int(one[1]), minute, half, zero=zero
        )


def _run_of_words(match: re.Match[str]) -> Iterator[Found]:
    several = list(re.finditer(rf"\b(?:{_HOURS})\b", match["words"], re.IGNORECASE))
    begin = match.start("words")
    for at, one in enumerate(several):
        last = at == len(several) - 1
        minute, end = 0, match.end("words_half")
        if last and match["word_minute"]:
            minute = {"fifteen": 15, "thirty": 30, "forty-five": 45}[match["word_minute"].lower()]
        elif last and match["word_after"] and (german := german_number(match["word_after"].lower())):
            minute, end = german % 60, match.end()
        half = match["words_half"] if last else ""
        yield from _time(begin + one.start(), end if last else begin + one.end(), _hour(one[0]), minute, half)


def _hour(written: str) -> int:
    return int(written) if written.isdecimal() else _HOUR_WORDS[written.lower()]


def _time(start: int, end: int, hour: int, minute: int, half: str, *, zero: bool = False) -> Iterator[Found]:
    lowered = half.lower()
    morning = (lowered.startswith("a") and not lowered.startswith("at")) or lowered.endswith("morning")
    evening = lowered.startswith("p") or lowered.endswith(("afternoon", "evening", "night"))
    if morning or evening:
        if hour <= _NOON:
            yield Found(ClockTime(hour % _NOON + (_NOON if evening else 0), minute), start, end)
    elif hour <= _LAST_HOUR:
        said = zero or hour > _NOON or hour == 0
        yield Found(ClockTime(hour % _LAST_HOUR, minute, said), start, end)

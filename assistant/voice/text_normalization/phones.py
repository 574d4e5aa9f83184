"""Phone numbers, in the groups in which one writes them down."""

import re
from typing import Final

from assistant.voice.text_normalization.numbers import digits

_GAP: Final = r"[ .\-\u2010\u2011–/]"
_PHONE: Final = re.compile(
    rf"(?<![\w.,:/$€£-])(?:"
    rf"\+\d{{1,3}}{_GAP}?(?:\(\d{{1,4}}\){_GAP}?)?\d{{1,5}}(?:{_GAP}?\d{{1,5}}){{1,6}}"  # +49 30 123 45 67
    rf"|(?:1{_GAP})?\(\d{{2,5}}\){_GAP}?\d{{2,5}}(?:{_GAP}\d{{2,5}}){{0,3}}"  # (415) 555-0142
    rf"|(?:1{_GAP})?\d{{3}}([ .\-\u2010\u2011])\d{{3}}\1\d{{4}}"  # 415-555-0142
    rf"|\d{{3}}[-\u2010\u2011]\d{{4}}"  # 555-0142
    rf"|0\d{{1,4}}(?:[ /\-]\d{{2,8}}){{1,4}}"  # 030 1234567
    rf")(?![\w/]|[.,:-]\d)"
)
_EXTENSION: Final = re.compile(r",? ?\b(?:ext|extn|extension)\b\.?\s?(\d{1,6})\b", re.IGNORECASE)
_SHORT: Final = re.compile(r"\b((?:call|dial|text|ring) )(\d{3,6})(?![\w-]| [a-z]+s\b)", re.IGNORECASE)
_FEWEST: Final = 7


def say_phones(text: str) -> str:
    """Every digit, with a pause where the writer left a gap.

    >>> say_phones("Call +1 (415) 555-0142.")
    'Call plus one, four one five, five five five, zero one four two.'
    """
    text = _PHONE.sub(_phone, text)
    text = _SHORT.sub(lambda found: found[1] + digits(found[2]), text)
    return _EXTENSION.sub(lambda found: f", extension {digits(found[1])}", text)


def _phone(found: re.Match[str]) -> str:
    groups = re.findall(r"\d+", found[0])
    if sum(map(len, groups)) < _FEWEST:
        return found[0]
    said = ", ".join(digits(group) for group in groups)
    # Whoever writes it down needs a moment before what follows.
    goes_on = re.match(r" \w", found.string[found.end() :]) is not None
    return f"{'plus ' if found[0].startswith('+') else ''}{said}{',' if goes_on else ''}"

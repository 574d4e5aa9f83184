"""Text as it is spoken: without marks, addresses of pages and, in English, without digits.

Call ``normalize_for_speech``. ``normalize_english`` lists the rules for English in their order.
"""

import re
from collections.abc import Iterable
from typing import Final

from assistant.voice.text_normalization.amounts import say_money, say_quantities
from assistant.voice.text_normalization.dates import say_dates, say_times
from assistant.voice.text_normalization.identifiers import say_addresses, say_ids, say_phones
from assistant.voice.text_normalization.markdown import plain_blocks
from assistant.voice.text_normalization.numbers import digits
from assistant.voice.text_normalization.words_and_symbols import (
    say_abbreviations,
    say_capitals,
    say_pauses,
    say_signs,
    unify_symbols,
)

_ENDLESS: Final = re.compile(r"\d{40,}")  # no rule knows what it is, and all would look for long
_NO_ZERO: Final = re.compile(r"(?<![\w.])\.(?=\d)")
_RANGE: Final = re.compile(
    r"(?<=\d)(?P<half> ?[ap]\.?m\.?|st|nd|rd|th|%|k| ?€)?\s?[-–—]\s?"
    r"(?=[$€£¥]?\d|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d)",
    re.IGNORECASE,
)
_MARKS: Final = re.compile(r"[*_`#~^<>{}\[\]\\\"“”„«»=•·†‡]+")
_ANY_SIGN: Final = re.compile(r"[^\w\s.,;:!?'-]")
_SPACE: Final = re.compile(r"\s+")
_BEFORE_STOP: Final = re.compile(r"\s+(?=[.,;:!?])")
_STOPS: Final = re.compile(r"[,;:]*([.!?])[.,;:!?]*|([,;:])[,;:]+")
_TIGHT: Final = re.compile(r"(?<=[a-z])([,;])(?=[a-z])")
_ENDS: Final = (".", "!", "?", ":", ",", ";")


def normalize_for_speech(text: str, locale: str = "en") -> str:
    r"""The words to say, on one line; "" where there is nothing to say.

    In other languages than English numbers stay as they are written: a voice reads them by itself. What comes out
    is at most sixteen times as long as what goes in and the heads of its tables, read once for every row.

    >>> normalize_for_speech("You owe **$150.00** ([invoice 1042](https://pay.example/1042)).")
    'You owe one hundred fifty dollars, invoice one zero four two.'
    >>> normalize_for_speech("| Invoice | Due |\n|---|---|\n| 1042 | 2026-12-09 |\n\nThat is *all* 👍")
    'Invoice one zero four two: due December ninth, twenty twenty-six. That is all'
    """
    return _joined((_block(block, locale) for block in plain_blocks(text, locale)), ".")


def _block(block: str, locale: str) -> str:
    # A line's end is a pause.
    return _joined((_line(line, locale) for line in block.split("\n")), ",")


def _line(line: str, locale: str) -> str:
    line = unify_symbols(line)
    if locale.partition("-")[0].lower() == "en":
        return _tidy(_ANY_SIGN.sub(" ", normalize_english(line, locale)))
    return _tidy(say_addresses(line, locale))


def _tidy(text: str) -> str:
    text = _SPACE.sub(" ", _MARKS.sub(" ", text.replace("|", ",")))
    text = _TIGHT.sub(r"\1 ", text)
    text = _STOPS.sub(lambda found: found[1] or found[2], _BEFORE_STOP.sub("", text))
    # A comma at the end stays: a clause's voice does not fall.
    return text.lstrip(" ,;:.!?-/&").rstrip(" -/&")


def _joined(parts: Iterable[str], mark: str) -> str:
    said = [part for part in parts if part]
    return " ".join([*(part if part.endswith(_ENDS) else part + mark for part in said[:-1]), *said[-1:]])


def normalize_english(text: str, locale: str = "en") -> str:
    """A text without marks, as words alone. What a rule has said, no later one touches: it holds no digits.

    >>> normalize_english("Invoice INV-2041: $150.00, due 2026-12-09")
    'Invoice I N V, two zero four one: one hundred fifty dollars, due December ninth, twenty twenty-six'
    """
    text = _ENDLESS.sub(lambda found: f" {digits(found[0])} ", text)
    text = _NO_ZERO.sub("0.", say_addresses(text, locale))
    text = say_dates(text, locale)
    text = say_phones(text)
    text = say_ids(text)
    text = _RANGE.sub(lambda found: f"{found['half'] or ''} to ", text)
    text = say_money(text)
    text = say_times(text)
    text = say_abbreviations(text)
    text = say_signs(text)
    text = say_quantities(text)
    return say_capitals(say_pauses(text))

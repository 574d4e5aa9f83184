"""English as it is said: numbers, money, days, times, codes and signs as words, in the order of the rules."""

import re
from typing import Final

from assistant.voice.spoken.abbreviations import say_abbreviations
from assistant.voice.spoken.addresses import say_addresses
from assistant.voice.spoken.capitals import say_capitals
from assistant.voice.spoken.dates import say_dates
from assistant.voice.spoken.ids import say_ids
from assistant.voice.spoken.money import say_money
from assistant.voice.spoken.numbers import digits
from assistant.voice.spoken.phones import say_phones
from assistant.voice.spoken.quantities import say_quantities
from assistant.voice.spoken.signs import say_pauses, say_signs
from assistant.voice.spoken.times import say_times

_ENDLESS: Final = re.compile(r"\d{40,}")  # no rule knows what it is, and all would look for long
_NO_ZERO: Final = re.compile(r"(?<![\w.])\.(?=\d)")
_RANGE: Final = re.compile(
    r"(?<=\d)(?P<half> ?[ap]\.?m\.?|st|nd|rd|th|%|k| ?€)?\s?[-–—]\s?"
    r"(?=[$€£¥]?\d|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d)",
    re.IGNORECASE,
)


def say_english(text: str, locale: str = "en") -> str:
    """A text without marks, as words alone. What a rule has said, no later one touches: it holds no digits.

    >>> say_english("Invoice INV-2041: $150.00, due 2026-12-09")
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

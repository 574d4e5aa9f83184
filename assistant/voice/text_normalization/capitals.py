"""Words in capitals: shouted ones are said like any other, abbreviations letter by letter."""

import re
from typing import Final

_WORD: Final = re.compile(r"(?<![\w-])[A-Z]{2,}(?:'[A-Z]+)?(?![\w-])")
_SHORT_WORDS: Final = frozenset((
    "ALL", "AND", "ANY", "ARE", "BUT", "CAN", "DAY", "DO", "DUE", "FOR", "FREE", "GET", "HAS", "HIS", "HOW",
    "IF", "IN", "IS", "IT", "MAY", "MUST", "MY", "NEW", "NO", "NOT", "NOW", "OF", "OFF", "OK", "ON", "ONE",
    "OR", "OUR", "OUT", "PAY", "SEE", "SO", "THE", "TO", "TWO", "UP", "WAS", "WAY", "WE", "WHO", "WHY",
    "YES", "YOU", "YOUR", "BE", "AT", "BY", "AS", "AN", "ME",
))  # fmt: skip
_LETTERS: Final = frozenset((
    "IBAN", "ISBN", "ISIN", "IMEI", "ANSI", "UEFA", "USPS", "UTC",
))  # fmt: skip
_SAID: Final = {"VAT": "V A T", "IBAN": "I BAN", "OK": "okay"}


def say_capitals(text: str) -> str:
    """Small letters for what is only shouted.

    >>> say_capitals("PLEASE do NOT send the PDF to DHL or IBAN")
    'please do not send the PDF to DHL or I BAN'
    """
    return _WORD.sub(_word, text)


def _word(found: re.Match[str]) -> str:
    word = found[0]
    if word in _SAID:
        return _SAID[word]
    if word in _SHORT_WORDS:
        # A lone "US" or "IT" may be a name; where others are shouted too, they are not.
        return word.lower()
    pronounced = len(word) > 4 and re.search("[AEIOUY]", word) is not None
    return word.lower() if pronounced and word not in _LETTERS else word

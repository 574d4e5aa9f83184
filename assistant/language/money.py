"""Currencies: the symbols, codes and words that make a number an amount of money."""

import re
from typing import Final

from assistant.language.numbers import word_list
from assistant.language.words import one_of

ANY_DOLLAR: Final = "$"
"""The currency code for "$" when it is unknown which dollar a company charges in."""

_SIGNS: Final = {"$": ANY_DOLLAR, "us$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₩": "KRW"}
_CODES: Final = word_list(
    "USD CAD AUD NZD EUR GBP JPY INR KRW SEK NOK DKK CHF PLN CZK CNY HUF RON BRL MXN SGD HKD ZAR TRY AED"
)
_WORDS: Final = {
    "dollar": ANY_DOLLAR,
    "dollars": ANY_DOLLAR,
    "bucks": ANY_DOLLAR,
    "euro": "EUR",
    "euros": "EUR",
    "pounds sterling": "GBP",
    "quid": "GBP",
    "franken": "CHF",
    "swiss francs": "CHF",
    "francs": "CHF",
    "yen": "JPY",
    "kronor": "SEK",
    "zloty": "PLN",
    "rupees": "INR",
    "fr.": "CHF",
    "kr": "SEK",
}
CENTS: Final = frozenset({"cent", "cents"})
_ALL: Final = {**_SIGNS, **{code.lower(): code for code in _CODES}, **_WORDS}
_NAMES: Final = one_of((*_CODES, *_WORDS, *CENTS))

BEFORE: Final = re.compile(
    rf"(?:(?:US)?\$|[€£¥₹₩]|(?<![^\W\d_])(?:{'|'.join(_CODES)}))[\s\u00a0]?[-−–]?$", re.IGNORECASE
)
"""A currency that ends right before a number."""

AFTER: Final = re.compile(
    rf"[\s\u00a0-]?(?:(?P<sign>[$€£¥₹₩])|(?P<name>{_NAMES})(?![^\W\d_]))", re.IGNORECASE
)
"""A currency that follows a number."""


def currency_of(written: str) -> str:
    """Returns the currency of a symbol, code or word.

    >>> currency_of("US$"), currency_of("euros"), currency_of("chf ")
    ('USD', 'EUR', 'CHF')
    """
    return _ALL[written.strip().rstrip("-−–").strip().lower()]


def same_currency(one: str, other: str) -> bool:
    """Whether both can be the same currency: "$" is any dollar."""
    return one == other or (ANY_DOLLAR in (one, other) and {one, other} <= {ANY_DOLLAR, *_DOLLARS})


_DOLLARS: Final = frozenset({"USD", "CAD", "AUD", "NZD", "SGD", "HKD"})

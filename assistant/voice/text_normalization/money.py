"""Sums of money, whichever sign or code names them, and wherever it stands."""

import re
from typing import Final

from assistant.voice.text_normalization.numbers import NUMBER, cardinal, number, parts

_NAMES: Final = {
    "$": ("dollar", "dollars", "cent", "cents"),
    "us$": ("US dollar", "US dollars", "cent", "cents"),
    "ca$": ("Canadian dollar", "Canadian dollars", "cent", "cents"),
    "a$": ("Australian dollar", "Australian dollars", "cent", "cents"),
    "€": ("euro", "euros", "cent", "cents"),
    "£": ("pound", "pounds", "penny", "pence"),
    "¥": ("yen", "yen", "sen", "sen"),
    "₹": ("rupee", "rupees", "paisa", "paise"),
    "₩": ("won", "won", "jeon", "jeon"),
    "kr": ("krona", "kronor", "öre", "öre"),
    "sek": ("Swedish krona", "Swedish kronor", "öre", "öre"),
    "nok": ("Norwegian krone", "Norwegian kroner", "øre", "øre"),
    "dkk": ("Danish krone", "Danish kroner", "øre", "øre"),
    "chf": ("Swiss franc", "Swiss francs", "centime", "centimes"),
    "pln": ("zloty", "zlotys", "grosz", "groszy"),
    "czk": ("Czech koruna", "Czech korunas", "heller", "hellers"),
    "cny": ("yuan", "yuan", "fen", "fen"),
}
_SAME: Final = {
    "usd": "us$", "cad": "ca$", "c$": "ca$", "aud": "a$", "au$": "a$", "eur": "€", "gbp": "£", "jpy": "¥",
    "inr": "₹", "krw": "₩",
}  # fmt: skip
_CODES: Final = "USD|CAD|AUD|EUR|GBP|JPY|INR|KRW|SEK|NOK|DKK|CHF|PLN|CZK|CNY"
_EACH_SHORT: Final = {"mo": "month", "yr": "year", "wk": "week", "hr": "hour"}
_NOUN: Final = re.compile(r" (?:credit|discount|refund|fee|voucher|coupon|charge|deposit|plan|gift)s?\b")
_SCALES: Final = {"k": "thousand", "m": "million", "mn": "million", "bn": "billion", "b": "billion"}
_AMOUNT: Final = rf"(?:\d+,\d{{2}}(?!\d)|{NUMBER})"
_SCALE: Final = r"(?:(?P<{}>k|K|m|M|mn|bn|B)\b| (?P<{}>thousand|million|billion)\b)?"
_BEFORE: Final = re.compile(
    rf"(?<![\w.,])(?P<minus>[-−–+]?)(?P<sign>(?:US|CA|AU|A|C)?\$|[€£¥₹₩]|(?:{_CODES}|kr) ?)\s?(?P<minus2>-?)"
    rf"(?P<amount>{_AMOUNT})(?: to \$?[€£]?(?P<to>{_AMOUNT}))?{_SCALE.format('scale', 'word')}"
)
_AFTER: Final = re.compile(
    rf"(?<![\w.,$€£])(?P<minus>[-−–+]?)(?P<amount>{_AMOUNT})(?: to (?P<to>{_AMOUNT}))?"
    rf"{_SCALE.format('scale', 'word')}\s?(?P<sign>(?:{_CODES}|kr)\b|[$€£¥₹₩](?![\d]))"
)
_SPACED: Final = re.compile(
    rf"(?<![\d.,] )(?<![\w.,])\d{{1,3}}(?: \d{{3}})+(?=(?:[.,]\d\d)? ?(?:{_CODES}|kr\b|€))"
)
_EACH: Final = re.compile(
    r"(?<=[a-zö]) ?/ ?(month|mo|year|yr|week|wk|day|hour|hr|night|person|user|item|each|unit)\b"
)


def say_money(text: str) -> str:
    """Whole units and, where there are two places, the hundredths by their own name.

    >>> say_money("$1,250.50 or 99 EUR/month")
    'one thousand two hundred fifty dollars and fifty cents or ninety-nine euros per month'
    """
    text = _SPACED.sub(lambda found: found[0].replace(" ", ","), text)
    for pattern in (_BEFORE, _AFTER):
        text = pattern.sub(_sum, text)
    return _EACH.sub(lambda found: f" per {_EACH_SHORT.get(found[1], found[1])}", text)


def _sum(found: re.Match[str]) -> str:
    sign = found["sign"].strip().lower()
    names = _NAMES[_SAME.get(sign, sign)]
    scale = _SCALES.get((found["scale"] or "").lower(), found["word"])
    below = "-" if "minus2" in found.groupdict() and found["minus2"] else found["minus"]
    minus = {"": "", "+": "plus "}.get(below, "minus ")
    if found["to"]:
        first, last = number(_shortest(found["amount"])), number(_shortest(found["to"]))
        return f"{minus}{first} to {last} {f'{scale} ' if scale else ''}{names[1]}"
    if scale:
        return f"{minus}{number(found['amount'])} {scale} {names[1]}"
    if _NOUN.match(found.string, found.end()):
        # "Your twenty dollar credit": before what it is the price of, it stands for one thing.
        names = (names[0], names[0], *names[2:])
    return minus + _exactly(found["amount"], names)


def _exactly(written: str, names: tuple[str, str, str, str]) -> str:
    whole, fraction = parts(written)
    hundredths = int(fraction) if len(fraction) == 2 else 0
    if (fraction.strip("0") and len(fraction) != 2) or len(whole) > 12:
        return f"{number(written)} {names[1]}"
    small = f"{cardinal(hundredths)} {names[2 if hundredths == 1 else 3]}"
    if hundredths and not int(whole):
        return small
    large = f"{cardinal(int(whole))} {names[0 if int(whole) == 1 else 1]}"
    return f"{large} and {small}" if hundredths else large


def _shortest(written: str) -> str:
    """Without the zeros that only say that nothing is missing."""
    whole, fraction = parts(written)
    return whole if not fraction.strip("0") else f"{whole}.{fraction}"

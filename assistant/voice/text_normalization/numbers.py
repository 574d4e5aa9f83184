"""Amounts, measures, percentages and fractions as English words.

``say_money`` runs before ``say_quantities``, which says all digits that no other rule has replaced.
"""

import re
from typing import Final

from assistant.language.numbers import cardinal, digits, ordinal, year
from assistant.language.words import one_of

NUMBER: Final = (
    r"(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d{1,2}(?!\d)|\d{1,3}(?:\.\d{3}){2,}(?!\d)"
    r"|\d+(?:\.\d+)?)"
)
"""A number with commas as group separators, or with full stops as group separators and a decimal comma."""


def number(written: str) -> str:
    """Returns a number without a sign as words. A number that is not a quantity is read digit by digit.

    >>> number("1,250.50"), number("007"), number("3.14")
    ('one thousand two hundred fifty point five zero', 'zero zero seven', 'three point one four')
    """
    whole, fraction = parts(written)
    said = digits(whole) if len(whole) > 12 or (whole[0] == "0" and len(whole) > 1) else cardinal(int(whole))
    return f"{said} point {digits(fraction)}" if fraction else said


def parts(written: str) -> tuple[str, str]:
    """Returns the digits before and after the decimal separator, in the notation of any country.

    >>> parts("1,250.50"), parts("1.250,50"), parts("1,250,000"), parts("150,00"), parts("2.500")
    (('1250', '50'), ('1250', '50'), ('1250000', ''), ('150', '00'), ('2', '500'))
    """
    at = max(written.rfind("."), written.rfind(","))
    if at < 0:
        return written, ""
    mark, grouped = written[at], len(written) - at - 1 == 3
    if written.count(mark) > 1 or (grouped and mark == "," and "." not in written):
        return re.sub(r"\D", "", written), ""
    return re.sub(r"\D", "", written[:at]), written[at + 1 :]


def is_one(written: str) -> bool:
    """Whether the number is exactly one, which takes the singular: "1 dollar".

    >>> is_one("1"), is_one("1.00"), is_one("1.5")
    (True, True, False)
    """
    whole, fraction = parts(written)
    return whole == "1" and not fraction.strip("0")


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
_SCALE_NAMES: Final = {"k": "thousand", "m": "million", "mn": "million", "bn": "billion", "b": "billion"}
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
    """Returns the text with amounts of money in words: whole units and, if there are two decimals, the
    smaller unit with its name.

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
    scale = _SCALE_NAMES.get((found["scale"] or "").lower(), found["word"])
    below = "-" if "minus2" in found.groupdict() and found["minus2"] else found["minus"]
    minus = {"": "", "+": "plus "}.get(below, "minus ")
    if found["to"]:
        first, last = number(_shortest(found["amount"])), number(_shortest(found["to"]))
        return f"{minus}{first} to {last} {f'{scale} ' if scale else ''}{names[1]}"
    if scale:
        return f"{minus}{number(found['amount'])} {scale} {names[1]}"
    if _NOUN.match(found.string, found.end()):
        # "Your twenty dollar credit": singular before the thing that has this price.
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
    """Returns the number without trailing zeros after the decimal point."""
    whole, fraction = parts(written)
    return whole if not fraction.strip("0") else f"{whole}.{fraction}"


_UNITS: Final = {
    "km": "kilometer", "cm": "centimeter", "mm": "millimeter", "m": "meter", "mi": "mile", "ft": "foot",
    "in.": "inch", "km/h": "kilometer per hour", "kph": "kilometer per hour", "mph": "mile per hour",
    "kg": "kilogram", "mg": "milligram", "g": "gram", "lbs": "pound", "lb": "pound", "oz": "ounce",
    "l": "liter", "L": "liter", "ml": "milliliter", "mL": "milliliter", "m²": "square meter",
    "m2": "square meter", "m³": "cubic meter", "sq ft": "square foot", "sqm": "square meter", "KB": "kilobyte",
    "kB": "kilobyte", "MB": "megabyte", "GB": "gigabyte", "TB": "terabyte", "Mbps": "megabit per second",
    "Mbit/s": "megabit per second", "Gbps": "gigabit per second", "kWh": "kilowatt hour", "kW": "kilowatt",
    "W": "watt", "V": "volt", "mAh": "milliamp hour", "Hz": "hertz", "GHz": "gigahertz", "MHz": "megahertz",
    "px": "pixel", "pt": "point", "pts": "point", "pcs": "piece", "pc": "piece", "h": "hour", "hr": "hour",
    "hrs": "hour", "min": "minute", "mins": "minute", "sec": "second", "secs": "second", "s": "second",
    "ms": "millisecond", "d": "day", "wk": "week", "wks": "week", "mo": "month", "mos": "month", "yr": "year",
    "yrs": "year", "°C": "degree Celsius", "°F": "degree Fahrenheit", "° C": "degree Celsius",
    "° F": "degree Fahrenheit", "°": "degree", "K": "thousand", "k": "thousand", "M": "million",
    "bn": "billion",
}  # fmt: skip
_MANY: Final = {
    "foot": "feet", "square foot": "square feet", "inch": "inches", "hertz": "hertz", "gigahertz": "gigahertz",
    "megahertz": "megahertz", "thousand": "thousand", "million": "million", "billion": "billion",
}  # fmt: skip
_UNIT_NAMES: Final = one_of(_UNITS)
_SCREENS: Final = frozenset({"2", "4", "5", "8"})
_MINUS: Final = r"(?:(?<![\w.,])(?P<minus>[-−–+])(?=\d))?"
_EITHER_POINT: Final = rf"(?:\d+,\d{{1,2}}(?!\d)|{NUMBER})"  # "1,5 kg"
_MEASURED: Final = re.compile(
    rf"{_MINUS}(?<![\w.])(?P<number>{_EITHER_POINT}) ?(?P<unit>{_UNIT_NAMES})(?![\w²³])(?:\.(?= [a-z]))?"
    r"(?:/(?P<each>month|day|week|year|h|s|min|night)\b)?"
)
_SIGNS: Final = {None: "", "+": "plus "}
_DOTTED: Final = re.compile(r"(?<![\w.])\d+(?:\.\d+){2,8}(?![\w]|\.\d)")
_TOGETHER: Final = re.compile(r"(?<=\dh) ?(?=\d+ ?m(?:in)?\b)|(?<=\dm) ?(?=\d+ ?s\b)")
_MINUTES: Final = re.compile(r"(?<=[hd])( ?\d+ ?)m\b")
_PERCENT: Final = re.compile(rf"{_MINUS}(?P<number>{_EITHER_POINT}) ?(?:%|percent\b)")
_DECADE: Final = re.compile(r"\b((?:1[5-9]|20)\d)0s\b")
_SHORT_DECADE: Final = re.compile(r"(?:(?<=the )|['’])([2-9])0s\b")
_ORDINAL: Final = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d{1,9})(?:st|nd|rd|th)\b", re.IGNORECASE)
_SIZE: Final = re.compile(rf"(?<![\w.])({NUMBER}) ?[x×] ?(?={NUMBER})")
_TIMES: Final = re.compile(rf"(?<![\w.])({NUMBER}) ?[x×](?!\w)")
_OUT_OF: Final = re.compile(r"(?<![\w/.])(\d{1,3}(?:\.\d)?)/(\d{1,3})(?= (?:stars?|points?)\b)")
_ALWAYS: Final = re.compile(r"(?<![\w/])24/7(?![\w/])")
_FRACTION: Final = re.compile(r"(?<![\w/.,])(?:(\d{1,3}) )?([1-9]\d?)/([2-9]|1\d|20)(?![\w/]|[.,]\d)")
_RATIO: Final = re.compile(r"(?<=\d):(?=\d)")
_SLASHED: Final = re.compile(r"(?<=(\d\d))/(?=(\d+))|(?<=\d)/(?=\d)")
_GLYPHS: Final = {
    "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8",
    "⅞": "7/8",
}  # fmt: skip
_GLYPH: Final = re.compile(f"(?:(\\d) ?)?([{''.join(_GLYPHS)}])")
_YEAR: Final = re.compile(r"(?<![\w.,:/#-])((?:19|20)\d\d)(?![\w,.:/%-]*\d)(?! [a-z]{3,}s\b)(?!\w)")
_NUMBER: Final = re.compile(rf"{_MINUS}(?P<number>{NUMBER})")
_PLUS: Final = re.compile(r"(?<=\d)\+(?!\w)")


def say_quantities(text: str) -> str:
    """Returns the words for all remaining text with digits.

    >>> say_quantities("1.5 km in 2h 30m, 45%, the 3rd, 2 1/2 cups, 1,024 in 2026, -5")
    'one point five kilometers in two hours thirty minutes, forty-five percent, the third, two and a half cups, \
one thousand twenty-four in twenty twenty-six, minus five'
    """
    text = _GLYPH.sub(
        lambda found: f"{found[1]} {_GLYPHS[found[2]]}" if found[1] else _GLYPHS[found[2]], text
    )
    text = _MINUTES.sub(r"\1min", _TOGETHER.sub(" ", text))
    text = _ALWAYS.sub("twenty-four seven", text)
    text = _SIZE.sub(r"\1 by ", text)
    text = _DECADE.sub(_decade, text)
    text = _SHORT_DECADE.sub(lambda found: f"{cardinal(int(found[1]) * 10)[:-1]}ies", text)
    text = _MEASURED.sub(_measured, text)
    text = _TIMES.sub(lambda found: f"{number(found[1])} times", text)
    text = _PERCENT.sub(lambda found: f"{_signed(found)} percent", text)
    text = _OUT_OF.sub(lambda found: f"{number(found[1])} out of {number(found[2])}", text)
    text = _FRACTION.sub(_fraction, text)
    text = _RATIO.sub(" to ", text)
    text = _SLASHED.sub(lambda found: " " if found[1] == found[2] else " slash ", text)
    text = _ORDINAL.sub(lambda found: ordinal(int(found[1].replace(",", ""))), text)
    text = _YEAR.sub(lambda found: year(int(found[1])), text)
    text = _PLUS.sub(" or more", _DOTTED.sub(_dotted, text))
    return _NUMBER.sub(_alone, text)


def _signed(found: re.Match[str]) -> str:
    return _SIGNS.get(found["minus"], "minus ") + number(found["number"])


def _measured(found: re.Match[str]) -> str:
    if found["unit"] == "K" and found["number"] in _SCREENS:
        return f"{number(found['number'])} K"
    name = _UNITS[found["unit"]]
    if not is_one(found["number"]):
        first, space, rest = name.partition(" per ") if " per " in name else name.partition(" ")
        degrees = f"{first}s{space}{rest}" if first == "degree" or " per " in name else f"{name}s"
        name = _MANY.get(name, degrees)
    each = found["each"]
    return f"{_signed(found)} {name}" + (f" per {_UNITS.get(each, each)}" if each else "")


def _dotted(found: re.Match[str]) -> str:
    """Returns a version number or an IP address, unless the full stops only group the digits of one number."""
    if re.fullmatch(NUMBER, found[0]):
        return found[0]
    return " point ".join(number(part) for part in found[0].split("."))


def _decade(found: re.Match[str]) -> str:
    said = year(int(found[1]) * 10)
    return f"{said[:-1]}ies" if said.endswith("y") else f"{said}s"


def _fraction(found: re.Match[str]) -> str:
    top, bottom = int(found[2]), int(found[3])
    if top >= bottom:
        return found[0]
    names = {2: "half", 4: "quarter"}
    name = names.get(bottom, ordinal(bottom))
    many = {"half": "halves"}.get(name, f"{name}s")
    if found[1]:
        part = (
            f"a {name}" if top == 1 and bottom in names else f"{cardinal(top)} {name if top == 1 else many}"
        )
        return f"{cardinal(int(found[1]))} and {part}"
    return f"{cardinal(top)} {name if top == 1 else many}"


def _alone(found: re.Match[str]) -> str:
    whole, fraction = parts(found["number"])
    plain = found["number"] == whole
    # A number of seven digits without separators is an identifier, not a count.
    said = digits(whole) if plain and len(whole) > 6 and not fraction else number(found["number"])
    before = found.string[found.start() - 1 : found.start()] if found.start() else ""
    after = found.string[found.end() : found.end() + 1]
    said = _SIGNS.get(found["minus"], "minus ") + said
    return f"{' ' if before.isalpha() else ''}{said}{' ' if after.isalpha() else ''}"

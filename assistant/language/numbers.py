"""Numbers: read from digits and from words, English and German; and written in English words.

Begin with ``find_numbers`` to read and with ``cardinal`` to write.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from assistant.language.words import one_of

DIGITS: Final = re.compile(r"\d+(?:[.,'’\u00a0\u202f]\d{3})*(?:[.,]\d+)?")
"""A number as people write it: "7", "1,234.50", "1.234,50", "1'234"."""

MONTH_DAYS: Final = 31
_LARGEST_SAID: Final = 10**12 - 1
_SCALES: Final = ((10**9, "billion"), (10**6, "million"), (1_000, "thousand"), (100, "hundred"))


def word_list(words: str) -> list[str]:
    """Returns the words of a text that lists them with spaces between."""
    return words.split()


_ONES: Final = word_list(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS: Final = word_list("twenty thirty forty fifty sixty seventy eighty ninety")
_GERMAN_ONES: Final = word_list(
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn "
    "sechzehn siebzehn achtzehn neunzehn"
)
_GERMAN_TENS: Final = word_list("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")

SIMPLE: Final = {
    **{word: number for number, word in enumerate(_ONES)},
    **{word: 10 * number for number, word in enumerate(_TENS, 2)},
}
"""English words below a hundred that are one word."""

CARDINALS: Final = {
    **SIMPLE,
    **{
        f"{ten}{joint}{one}": SIMPLE[ten] + SIMPLE[one]
        for ten in _TENS
        for one in _ONES[1:10]
        for joint in " -"
    },
}
"""English words from zero to ninety-nine, "twenty-one" and "twenty one" among them."""

_MULTIPLES: Final = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "dozen": 12}


def _german_below_hundred() -> Iterator[tuple[str, int]]:
    yield from ((word, number) for number, word in enumerate(_GERMAN_ONES))
    yield "zwo", 2
    for tens, word in enumerate(_GERMAN_TENS, 2):
        for spelled in {word, word.replace("ß", "ss")}:
            yield spelled, 10 * tens
            for ones, one in enumerate(_GERMAN_ONES[1:10], 1):
                yield f"{'ein' if ones == 1 else one}und{spelled}", 10 * tens + ones


GERMAN_CARDINALS: Final = dict(_german_below_hundred())
"""German words from "null" to "neunundneunzig"."""

_GERMAN_PARTS: Final = {**GERMAN_CARDINALS, "ein": 1, "": 0}
_GERMAN_SIGN: Final = re.compile(r"hundert|tausend")
_FRACTIONS: Final = {
    "anderthalb": Decimal("1.5"),
    "eineinhalb": Decimal("1.5"),
    "zweieinhalb": Decimal("2.5"),
    "dreieinhalb": Decimal("3.5"),
    "viereinhalb": Decimal("4.5"),
}
_ALONE: Final[Mapping[str, int | Decimal]] = {**GERMAN_CARDINALS, **_FRACTIONS, "dutzend": 12}
_ARTICLES: Final = frozenset({"a", "an"})
WEAK: Final = {"one": 1, "ein": 1, "eine": 1, "einen": 1, "einem": 1, "einer": 1, "eines": 1}
"""Words for one that usually are articles and no number."""

_WORD: Final = re.compile(r"[^\W\d_]+")
NUMBER_WORDS: Final = frozenset(
    {*SIMPLE, *_MULTIPLES, *GERMAN_CARDINALS, *_FRACTIONS, "dutzend", "million", "millionen"} - {"one"}
)
"""Words that are a number or begin one. German compounds with "hundert" and "tausend" are not in the list."""

_COUNTING: Final = NUMBER_WORDS | WEAK.keys()
_IN_A_WORD: Final = ("hundert", "tausend", "mal")

_ORDINALS: Final = word_list(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_GERMAN_ORDINALS: Final = word_list(
    "erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft dreizehnt vierzehnt "
    "fünfzehnt sechzehnt siebzehnt achtzehnt neunzehnt"
)


def _ordinals() -> Iterator[tuple[str, int]]:
    yield from ((word, number) for number, word in enumerate(_ORDINALS, 1))
    yield from ((f"twenty{joint}{word}", 20 + n) for n, word in enumerate(_ORDINALS[:9], 1) for joint in " -")
    yield "thirtieth", 30
    yield from ((f"thirty{joint}first", 31) for joint in " -")
    german = dict(enumerate(_GERMAN_ORDINALS, 1))
    german |= {n: f"{word}st" for word, n in GERMAN_CARDINALS.items() if 20 <= n <= MONTH_DAYS}
    yield from (
        (f"{stem}{ending}", n) for n, stem in german.items() for ending in ("e", "en", "er", "em", "es")
    )


ORDINALS: Final = dict(_ordinals())
"""Ordinals in words, English and German, up to the last day of a month."""

ORDINAL: Final = one_of(ORDINALS)
"""A pattern for the words of :data:`ORDINALS`."""


@dataclass(frozen=True, slots=True)
class NumberFound:
    """A number in a text. ``weak`` is True for a word such as "a", which is a number only before a unit."""

    amount: Decimal
    start: int
    end: int
    in_words: bool = False
    weak: bool = False


def find_numbers(text: str, locale: str = "en") -> list[NumberFound]:
    """Returns the numbers of a text, in order, in digits and in words.

    >>> [str(one.amount) for one in find_numbers("a hundred and twenty of 1,234.50, or anderthalb")]
    ['120', '1234.5', '1.5']
    """
    found = [
        NumberFound(read_digits(one[0], locale), one.start(), one.end()) for one in DIGITS.finditer(text)
    ]
    lowered = text.lower()
    if not _COUNTING.isdisjoint(_WORD.findall(lowered)) or any(part in lowered for part in _IN_A_WORD):
        found += _in_words(text)
    return sorted(found, key=lambda one: one.start)


def read_digits(written: str, locale: str = "en") -> Decimal:
    """Returns the number in digits.

    If there are two kinds of separators, the last one is the decimal separator.

    A single separator before three digits ("1.234") follows the locale's rule.

    >>> str(read_digits("1,234.50")), str(read_digits("1.234,50"))
    ('1234.5', '1234.5')
    >>> str(read_digits("1.234", "de")), str(read_digits("1.234"))
    ('1234', '1.234')
    """
    digits = re.sub(r"['’\s]", "", written)
    marks = [char for char in digits if char in ".,"]
    if not marks:
        return Decimal(digits)
    last = marks[-1]
    grouped = len(digits) - digits.rfind(last) == 4
    thousands = "." if locale.partition("-")[0] == "de" else ","
    if marks.count(last) > 1 or (grouped and len(set(marks)) == 1 and last == thousands):
        return Decimal(digits.replace(last, ""))
    whole, _, fraction = digits.rpartition(last)
    return plain(Decimal(re.sub(r"[.,]", "", whole) + "." + fraction))


def amount_of(data: object) -> Decimal | None:
    """Returns the amount of a JSON value: a number, or a text that contains only a number.

    Returns None for anything else.
    """
    if isinstance(data, bool) or not isinstance(data, int | float | str):
        return None
    return Decimal(str(data)) if _DECIMAL.fullmatch(str(data)) else None


_DECIMAL: Final = re.compile(r"-?\d{1,18}(?:\.\d{1,6})?")


def plain(amount: Decimal) -> Decimal:
    """Returns the same number without trailing zeros and without exponent."""
    whole = amount == amount.to_integral() and abs(amount) < _MOST_DIGITS
    return amount.quantize(Decimal(1)) if whole else amount.normalize()


_MOST_DIGITS: Final = Decimal(10) ** 20


def german_number(word: str) -> int | None:
    """Returns the value of a German number word in lower case, or None if the word is not a number.

    >>> german_number("zweitausenddreihundertfünfundvierzig"), german_number("hundert"), german_number("hunde")
    (2345, 100, None)
    """
    if _GERMAN_SIGN.search(word) is None:
        return GERMAN_CARDINALS.get(word)
    head, thousand, rest = word.rpartition("tausend")
    above = 1 if thousand and not head else _below_thousand(head)
    below = _below_thousand(rest)
    return None if above is None or below is None else above * 1000 + below


def _below_thousand(word: str) -> int | None:
    head, hundred, rest = word.rpartition("hundert")
    above = 1 if hundred and not head else _GERMAN_PARTS.get(head)
    below = _GERMAN_PARTS.get(rest.removeprefix("und") if hundred else rest)
    return None if above is None or below is None else above * 100 + below


def _in_words(text: str) -> Iterator[NumberFound]:
    words = [(one[0].lower(), one.start(), one.end()) for one in _WORD.finditer(text)]
    at = 0
    while at < len(words):
        word, start, end = words[at]
        if word in SIMPLE or word in _MULTIPLES or (word in _ARTICLES and _multiplied(words, at + 1, text)):
            read, after = _english(words, at, text)
            weak = after == at + 1 and word in WEAK
            yield NumberFound(Decimal(read), start, words[after - 1][2], in_words=True, weak=weak)
            at = after
            continue
        if word in WEAK:
            yield NumberFound(Decimal(1), start, end, in_words=True, weak=True)
        elif word in _ALONE or "hundert" in word or "tausend" in word or word.endswith("mal"):
            once = word.removesuffix("mal")
            number = _ALONE.get(word, german_number(once))
            # "dreimal", but not "einmal"
            if number is not None and (once == word or number > 1):
                yield NumberFound(Decimal(number), start, end, in_words=True)
        at += 1


def _multiplied(words: list[tuple[str, int, int]], at: int, text: str) -> bool:
    return at < len(words) and words[at][0] in _MULTIPLES and _joined(words, at, text)


def _joined(words: list[tuple[str, int, int]], at: int, text: str) -> bool:
    """Whether only a space or a hyphen is between this word and the one before it."""
    return text[words[at - 1][2] : words[at][1]] in {" ", "-"}


def _english(words: list[tuple[str, int, int]], at: int, text: str) -> tuple[int, int]:
    """Returns the number that begins here, and the place after its last word."""
    total = current = 0
    smallest = 1_000_000_000
    begin = at
    while at < len(words) and (at == begin or _joined(words, at, text)):
        word = words[at][0]
        if word in _ARTICLES and at == begin:
            current = 1
        elif word in _MULTIPLES:
            multiple = _MULTIPLES[word]
            current = (current or 1) * multiple
            if multiple >= 1000:
                total, current = total + current, 0
            smallest = multiple
        elif word in SIMPLE and SIMPLE[word] < smallest and (at == begin or smallest != 10 or SIMPLE[word]):
            current += SIMPLE[word]
            # After "twenty" only one to nine can follow, after those only a multiplier such as "hundred".
            smallest = 10 if SIMPLE[word] >= 20 else 1
        elif not (word == "and" and smallest >= 100 and at + 1 < len(words) and words[at + 1][0] in SIMPLE):
            break
        at += 1
    return total + current, at


def cardinal(number: int) -> str:
    """Returns a cardinal number in English words.

    Raises ``ValueError`` beyond 999,999,999,999 in either direction.

    >>> cardinal(1_250), cardinal(-42)
    ('one thousand two hundred fifty', 'minus forty-two')
    """
    if abs(number) > _LARGEST_SAID:
        raise ValueError(f"{number} has more than twelve digits; say its digits")
    return f"minus {_counted(-number)}" if number < 0 else _counted(number)


def ordinal(number: int) -> str:
    """Returns an ordinal number in English words.

    >>> ordinal(1), ordinal(22), ordinal(100)
    ('first', 'twenty-second', 'one hundredth')
    """
    before, last = re.fullmatch(r"(.*?)(\w+)", cardinal(number), re.DOTALL).groups()  # pyright: ignore[reportOptionalMemberAccess]
    if 0 < (low := SIMPLE.get(last, 0)) < len(_ORDINALS):
        return before + _ORDINALS[low - 1]
    return before + (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")


def year(number: int) -> str:
    """Returns a year between 1000 and 9999 in English words.

    >>> year(2026), year(1905), year(2005), year(1900)
    ('twenty twenty-six', 'nineteen oh five', 'two thousand five', 'nineteen hundred')
    """
    century, rest = divmod(number, 100)
    if century % 10 == 0 and rest < 10:
        return cardinal(number)
    if rest == 0:
        return f"{_counted(century)} hundred"
    return f"{_counted(century)} {'oh ' if rest < 10 else ''}{_counted(rest)}"


def digits(written: str) -> str:
    """Returns single digits in English words, in groups of up to four with a pause between groups.

    >>> digits("2041"), digits("4155550142")
    ('two zero four one', 'four one five, five five five, zero one four two')
    """
    groups: list[str] = []
    while len(written) > 4:
        groups.append(written[:3])
        written = written[3:]
    return ", ".join(" ".join(_ONES[int(digit)] for digit in group) for group in [*groups, written])


def _counted(number: int) -> str:
    if number < 20:
        return _ONES[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return f"{_TENS[tens - 2]}-{_ONES[ones]}" if ones else _TENS[tens - 2]
    scale, name = next(pair for pair in _SCALES if number >= pair[0])
    many, rest = divmod(number, scale)
    return f"{_counted(many)} {name}{f' {_counted(rest)}' if rest else ''}"

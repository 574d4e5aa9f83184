"""Addresses and identifiers in a text: mail, links, streets, telephone numbers, reference numbers, people."""

import re
from collections.abc import Iterator
from typing import Final

from assistant.language.values import Address, Found, Identifier, Person, Phone, Street
from assistant.language.words import runs

# The length of every part is limited, so that matching stays linear in the length of the text.
EMAIL: Final = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_DOMAIN_END: Final = r"\.(?:com|org|net|de|eu|io|shop|store|example|co\.uk|at|ch|info|biz)\b"
ADDRESSES: Final = re.compile(
    rf"{EMAIL.pattern}"
    r"|\b(?:https?://|www\.)[^\s<>\"')\]]{0,500}[^\s<>\"')\].,;:!?*]"
    rf"|(?<![\w.@-])[\w-]{{1,63}}(?:\.[\w-]{{1,63}}){{0,3}}{_DOMAIN_END}"
    r"(?:/[^\s<>\"')\],;!?*]{0,200}[^\s<>\"')\].,;:!?*])?",
    re.IGNORECASE,
)
"""An e-mail address or a link."""

PHONES: Final = re.compile(
    r"(?<![\w.,-])(?:\+\d{1,3}[ ./()-]{0,2}\d|\(?0\d|(?:1[ .-])?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?!\d))"
    r"(?:[ ()/-]{0,2}\d){0,14}(?!\w)|(?<![\w.,-])\d{3}-\d{4}(?!\w)"
)
"""Digits in the notation of a telephone number. A single leading zero is not enough, see
:func:`find_phones`."""

IDENTIFIERS: Final = re.compile(
    r"(?<![\w-])(?:[^\W\d_]{1,20}[-_/]?(?=\d)|\d{1,20}[-_/]?(?=[A-Z])|#)[^\W_]{1,40}(?:[-_/][^\W_]{1,40}){0,4}"
)
"""A word that contains digits, such as an order number. "24th" and "3-day" do not match."""

_STREET_WORD: Final = (
    "street|road|avenue|lane|square|drive|boulevard|court|way|terrace|place|crescent|row|st|rd|ave|ln|dr|blvd"
)
_STREETS: Final = re.compile(
    rf"\b(?P<number>\d{{1,5}}[a-zA-Z]?)\s(?P<name>(?:[A-Z][\w'’]{{1,30}}\s){{1,3}}(?i:{_STREET_WORD}))\b\.?"
    r"|\b(?P<name_de>(?:[A-ZÄÖÜ][\w-]{1,40}(?:straße|strasse|str\.|platz|weg|allee|gasse|ring|damm|ufer|markt)"
    r"|(?:[A-ZÄÖÜ][\w-]{1,30}\s){1,3}(?:Straße|Strasse|Str\.|Platz|Weg|Allee|Ring|Damm|Ufer)))\s"
    r"(?P<number_de>\d{1,4}\s?[a-zA-Z]?)\b"
)
_SHORT: Final = {
    "street": "st", "road": "rd", "avenue": "ave", "lane": "ln", "drive": "dr", "boulevard": "blvd",
}  # fmt: skip
_DOMAIN: Final = re.compile(_DOMAIN_END, re.IGNORECASE)
_STREET_WORDS: Final = frozenset(_STREET_WORD.split("|"))
_STREET_ENDINGS: Final = (
    "straße", "strasse", "str", "platz", "weg", "allee", "gasse", "ring", "damm", "ufer", "markt",
)  # fmt: skip
_DIGIT: Final = re.compile(r"\d")
_LEAST_DIGITS: Final = 7
_WORD_DIGITS: Final = 2


def find_addresses(text: str) -> Iterator[Found]:
    """Yields the e-mail addresses, links and streets of a text.

    >>> [found.value for found in find_addresses("Write to Help@Willow.example or see https://willow.example/")]
    [Address(form='help@willow.example'), Address(form='willow.example')]
    """
    for match in ADDRESSES.finditer(text) if _may_hold_link(text) else ():
        yield Found(Address(address_form(match[0])), match.start(), match.end())
    for match in _STREETS.finditer(text) if _may_hold_street(text) else ():
        name, number = match["name"] or match["name_de"], match["number"] or match["number_de"]
        yield Found(Street(_street_form(name), re.sub(r"\s", "", number).lower()), match.start(), match.end())


def _may_hold_link(text: str) -> bool:
    return (
        "@" in text
        or "//" in text
        or ("." in text and ("www." in text.lower() or _DOMAIN.search(text) is not None))
    )


def _may_hold_street(text: str) -> bool:
    return _DIGIT.search(text) is not None and any(
        run in _STREET_WORDS or run.endswith(_STREET_ENDINGS) for run, _ in runs(text)
    )


def find_phones(text: str) -> Iterator[Found]:
    """Yields the telephone numbers of a text."""
    for match in PHONES.finditer(text) if len(_DIGIT.findall(text)) >= _LEAST_DIGITS else ():
        digits = re.sub(r"\D", "", match[0])
        if len(digits) >= _LEAST_DIGITS:
            yield Found(Phone(digits), match.start(), match.end())


def find_identifiers(text: str) -> Iterator[Found]:
    """Yields the words that have letters and digits, and the words after "#". One digit is enough for a name:
    "A4", "MP3".
    """
    for match in IDENTIFIERS.finditer(text):
        form = identifier_form(match[0])
        hashed = match[0].startswith("#")
        if (hashed and form) or sum(letter.isdigit() for letter in form) >= _WORD_DIGITS:
            yield Found(Identifier(form), match.start(), match.end())


TITLES: Final = frozenset({"dr", "prof", "mr", "mrs", "ms", "frau", "herr", "herrn"})
"""Words before a person's name."""

_PEOPLE: Final = re.compile(
    r"\b(?:(?:Dr|Prof|Mr|Mrs|Ms|Frau|Herrn?)\b\.?\s{1,3}){1,3}(?P<name>[^\W\d_a-zäöüß][^\W\d_-]{1,40})"
)


def find_people(text: str) -> Iterator[Found]:
    """Yields the people of a text who have a title.

    >>> [found.value for found in find_people("Dr. Lee's colleague is Frau Dr. Weber; see Mr Big on Monday")]
    [Person(name='lee'), Person(name='weber'), Person(name='big')]
    """
    for match in _PEOPLE.finditer(text):
        yield Found(Person(match["name"].lower()), match.start(), match.end())


def address_form(written: str) -> str:
    """Returns the normalized form of an address, for comparison.

    >>> address_form("https://www.Willow.example/Returns/")
    'willow.example/returns'
    """
    return re.sub(r"^(?:https?://)?(?:www\.)?", "", written.lower()).rstrip("/")


def identifier_form(written: str) -> str:
    """Returns the normalized form of an identifier, for comparison.

    >>> identifier_form("#A-10482")
    'a10482'
    """
    return re.sub(r"[-_/#\s]", "", written).lower()


def _street_form(name: str) -> str:
    lowered = name.lower().replace("strasse", "str").replace("straße", "str").replace("str.", "str")
    return " ".join(_SHORT.get(word, word) for word in lowered.split())

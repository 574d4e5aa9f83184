"""Finds in a text what is personal by its look: where somebody is to be reached, where they live, who they are."""

import re
from collections.abc import Iterator

from assistant.replay.record.masking.kinds import Kind
from assistant.text.personal import ANNOUNCED_PHONE, personal_in

# Every part is bounded, so that no text of whatever kind takes longer than its length.
_HOUSE = r"\s{1,3}\d{1,4}\s?[a-z]?(?!\w)"
_GERMAN_STREET = re.compile(
    r"(?<!\w)(?:[A-ZÄÖÜ][\wäöüß.-]{1,30}(?:straße|strasse|str\.|weg|platz|allee|gasse|ufer|damm|ring)"
    rf"|(?:[A-ZÄÖÜ][\wäöüß.-]{{1,30}}\s){{1,3}}(?:Straße|Strasse|Str\.|Weg|Platz|Allee|Gasse|Ufer|Damm|Ring)){_HOUSE}"
    rf"|(?<!\w)\w{{3,30}}(?:straße|strasse){_HOUSE}",
)
_ENGLISH_STREET = re.compile(
    r"(?<![\w.,-])\d{1,5}[a-z]?\s(?:[A-Z][\w'-]{1,30}\s){1,4}"
    r"(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Way|Court|Ct|Square|Boulevard|Blvd|Place|Close|Terrace|Crescent)\b"
    r"|(?<![\w.,-])\d{1,5}[a-z]?\s(?:[\w'-]{2,30}\s){1,2}(?:street|road|avenue|lane|boulevard)\b"
)
_TOWN = r"([A-ZÄÖÜ][\wäöüß-]{1,30}(?:\s(?:am|an der|im|bei)\s[A-ZÄÖÜ][\wäöüß-]{1,30})?)"
_PLACE = re.compile(rf"(?:,\s{{0,2}}|\n|\b(?:in|aus|from|nach|to|D-|A-|CH-)\s?)(\d{{4,5}})\s{{1,2}}{_TOWN}")
_ANNOUNCED_POSTCODE = re.compile(
    r"\b(?:post\s?code|postal code|zip(?: code)?|PLZ|Postleitzahl)\b[^\d\n]{0,12}(\d{4,5})(?!\w)",
    re.IGNORECASE,
)
_BRITISH_POSTCODE = re.compile(r"(?<![\w-])[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}(?![\w-])")
_NAME_WORDS = (
    r"((?:[A-ZÄÖÜ][\w'’-]{1,30})(?:\s(?:(?:von|van|de|der|den|zu|la|le)\s){0,2}[A-ZÄÖÜ][\w'’-]{1,30}){0,3})"
)
_INTRODUCED = re.compile(
    r"(?i:\bmy (?:full )?name(?:'s| is)|\bich hei(?:ß|ss)e|\bmein name ist|\bi am called|\bsigned,)\s{1,2}"
    + _NAME_WORDS
)
_TITLED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof|Herrn?|Frau|Familie)\b\.?\s(?:(?:Dr|Prof)\.\s)?" + _NAME_WORDS
)
_DATE = r"(\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2}\.?\s[^\W\d_]{3,9}\s\d{4}|[^\W\d_]{3,9}\s\d{1,2},?\s\d{4})"
_BORN = re.compile(
    r"\b(?:born(?: on)?|date of birth|birthday|d\.?o\.?b\.?|geboren(?: am)?|Geburtsdatum|Geburtstag)\b"
    rf"[^\d\n]{{0,12}}?{_DATE}",
    re.IGNORECASE,
)


def found_in(text: str) -> Iterator[tuple[Kind, str]]:
    """What is personal in a text, as it is written there.

    Numbers of orders, sums of money, dates and times are not; a long number is a card's when it checks as one.

    >>> list(found_in("Order 1002 is late, I have 030 1234567 and ana@web.example"))
    [('email', 'ana@web.example'), ('phone', '030 1234567')]
    """
    for kind, start, end in personal_in(text):
        yield kind, text[start:end]
    for kind, pattern in _WHOLE:
        for found in pattern.finditer(text):
            yield kind, found[0]
    for kind, pattern in _PARTS:
        for found in pattern.finditer(text):
            yield kind, found[1]
    for found in _PLACE.finditer(text):
        yield "postcode", found[1]
        yield "city", found[2]


_WHOLE: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("street", _GERMAN_STREET),
    ("street", _ENGLISH_STREET),
    ("postcode", _BRITISH_POSTCODE),
)
_PARTS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("phone", ANNOUNCED_PHONE),
    ("postcode", _ANNOUNCED_POSTCODE),
    ("name", _INTRODUCED),
    ("name", _TITLED),
    ("birthday", _BORN),
)

"""Which data is personal: kinds of it, the keys it stands under, the patterns it has, and words that are names."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from typing import Literal, TypeAlias

from assistant.language.personal_data import ANNOUNCED_PHONE, personal_in
from assistant.language.words import carries_meaning

Kind: TypeAlias = Literal[
    "name", "email", "phone", "iban", "card", "street", "postcode", "city", "birthday", "id", "word"
]
"""``word`` is a word that the user named; ``id`` is the customer's number."""


def _each(text: str) -> frozenset[str]:
    return frozenset(text.split())


_KEYS: dict[Kind, frozenset[str]] = {
    "name": _each("""
        name firstname lastname fullname surname middlename givenname familyname maidenname nickname
        customername displayname username login contactname
        vorname nachname zuname familienname kundenname rufname geburtsname benutzername ansprechpartner
    """),
    "email": _each("email emailaddress mail mailaddress emailadresse mailadresse"),
    "phone": _each("""
        phone phonenumber phoneno mobile mobilenumber mobilephone cell cellphone tel telephone fax whatsapp
        telefon telefonnummer telefonnr handy handynummer mobil mobilnummer rufnummer
    """),
    "iban": _each("iban accountnumber bankaccount kontonummer bankverbindung konto"),
    "card": _each("card cardnumber cardno creditcard pan kartennummer karte kreditkarte"),
    "street": _each("""
        street streetname streetaddress address addressline address1 address2 addressline1 addressline2 line1
        line2 houseno housenumber shippingaddress billingaddress deliveryaddress homeaddress
        strasse adresse anschrift hausnummer hausnr lieferadresse rechnungsadresse lieferanschrift wohnadresse
    """),
    "postcode": _each("postcode postalcode zip zipcode plz postleitzahl"),
    "city": _each("city town ort stadt wohnort"),
    "birthday": _each("birthday birthdate dateofbirth dob geburtsdatum geburtstag geboren"),
}

_PEOPLE = _each("""
    customer owner holder accountholder cardholder recipient contact patient passenger guest person user
    kunde kundin inhaber kontoinhaber karteninhaber empfaenger patientin gast kontakt
""")
"""Keys that hold a name, or just as well an id."""

_OF_THINGS = _each("price sku quantity qty stock ean unitprice preis menge")
_NOT_PERSONAL = _each("country countrycode type kind label land region")
_SOMEBODY = re.compile(r"[^\W\d_]+[^\d@]*\s[^\d@]*[^\W\d_]+")


def plain(text: str) -> str:
    """A key or a word by which others are found: small letters and digits only.

    >>> plain("First_Name"), plain("Straße")
    ('firstname', 'strasse')
    """
    spelled = text.casefold().replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")
    decomposed = unicodedata.normalize("NFKD", spelled)
    return "".join(letter for letter in decomposed if letter.isalnum())


def kind_under(
    key: str, value: object, siblings: Collection[str] = (), within: Kind | None = None
) -> Kind | None:
    """The kind of what stands under a key; None when it is not personal.

    A ``name`` beside a price is a thing's. What an address or a name consists of is personal whatever its
    key: ``within`` is the kind of the mapping that the key stands in.

    >>> kind_under("E-Mail", "ana@example.com"), kind_under("customer", "Ana Berg"), kind_under("customer", "C7")
    ('email', 'name', None)
    """
    found = plain(key)
    if found in _NOT_PERSONAL:
        return None
    if found == "name" and not _OF_THINGS.isdisjoint(map(plain, siblings)):
        return None
    if found in _PEOPLE:
        return "name" if isinstance(value, str) and _SOMEBODY.fullmatch(value) else None
    for kind, keys in _KEYS.items():
        if found in keys:
            return kind
    return within


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


def patterns_found_in(text: str) -> Iterator[tuple[Kind, str]]:
    """What is personal in a text, as it is written there.

    Numbers of orders, sums of money, dates and times are not; a long number is a card's when it checks as one.

    >>> list(patterns_found_in("Order 1002 is late, I have 030 1234567 and ana@web.example"))
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


_WORD = re.compile(r"[^\W\d_]+")


def _every(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NO_NAMES = _every("""
    mr mrs ms miss dr prof sir herr herrn frau familie ing dipl jr sr
    von vom van zu zum zur der den dem del dos das della di da de du la le el al bin ibn und and
""")
_ALSO_WORDS = _every("""
    january march april may june august sunday monday friday summer winter autumn rose grace hope faith joy
    bill mark frank rich art will sue jack long short young old white black brown green grey gray king price
    page post bank case day field house hill wood woods stone rice cook baker carpenter miller might brand
    order call street park church
    berg bach sommer herbst könig klein groß gross lang kurz jung alt weiß schwarz braun grün stein wolf vogel
    fuchs koch
""")


def name_words(name: str) -> list[str]:
    """The words that name somebody, in order: no title, no particle.

    >>> name_words("Dr. Ana von der Lindqvist-Berg")
    ['Ana', 'Lindqvist', 'Berg']
    """
    return [word for word in _WORD.findall(name) if word.casefold() not in _NO_NAMES]


def masked_name(name: str, words: Mapping[str, str]) -> str:
    """The name with other words in the same places.

    >>> masked_name("Dr. Ana von Berg", {"Ana": "Robin", "Berg": "Tarnby"})
    'Dr. Robin von Tarnby'
    """
    return _WORD.sub(lambda found: words.get(found[0], found[0]), name)


def spellings(name: str, masked: str) -> Iterator[tuple[str, str]]:
    """The name, and how it is written in accounts' names and without its accents; each with its stand-in.

    >>> list(spellings("Ana Müller", "Robin Tarnby"))[1:3]
    [('AnaMüller', 'RobinTarnby'), ('Ana_Müller', 'Robin_Tarnby')]
    """
    yield name, masked
    for joint in ("", "_"):
        if " " in name:
            yield joint.join(name.split()), joint.join(masked.split())
    for spelled in sorted(plain_spellings(name)):
        yield spelled, masked


def plain_spellings(word: str) -> set[str]:
    """A word without its accents, as keyboards without them write it.

    >>> sorted(plain_spellings("Müller"))
    ['Mueller', 'Muller']
    """
    return {_in_ascii(word), _without_accents(word)} - {word}


def is_ambiguous(name: str) -> bool:
    """Whether all of it are words of the language too, so that it names somebody only with its capitals.

    >>> is_ambiguous("May"), is_ambiguous("May Lindqvist")
    (True, False)
    """
    return all(_is_word(word) for word in name.casefold().split())


def _is_word(word: str) -> bool:
    return word in _ALSO_WORDS or not (carries_meaning(word) and carries_meaning(word, "de"))


def _in_ascii(text: str) -> str:
    for letter, spelled in (
        ("ä", "ae"),
        ("ö", "oe"),
        ("ü", "ue"),
        ("Ä", "Ae"),
        ("Ö", "Oe"),
        ("Ü", "Ue"),
        ("ß", "ss"),
    ):
        text = text.replace(letter, spelled)
    return text


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))

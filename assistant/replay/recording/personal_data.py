"""Finds personal data by keys and patterns, and invents surrogates.

A surrogate can be recognised as one, and has the form of the original.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from typing import Literal, TypeAlias, assert_never

from assistant.language.personal_data import ANNOUNCED_PHONE, personal_in
from assistant.language.words import carries_meaning

Kind: TypeAlias = Literal[
    "name", "email", "phone", "iban", "card", "street", "postcode", "city", "birthday", "id", "word"
]
"""``word`` is a word that the user listed; ``id`` is the customer's id."""


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
"""Keys whose value is a name or an id."""

_OF_THINGS = _each("price sku quantity qty stock ean unitprice preis menge")
_NOT_PERSONAL = _each("country countrycode type kind label land region")
_FULL_NAME = re.compile(r"[^\W\d_]+[^\d@]*\s[^\d@]*[^\W\d_]+")


_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"})


def plain(text: str) -> str:
    """Returns the normalized form of a key or word: lower-case letters and digits only.

    >>> plain("First_Name"), plain("Straße")
    ('firstname', 'strasse')
    """
    return "".join(filter(str.isalnum, _without_accents(text.casefold().translate(_UMLAUTS))))


def kind_under(
    key: str, value: object, siblings: Collection[str] = (), within: Kind | None = None
) -> Kind | None:
    """Returns the kind of personal data under a key, or None if the value is not personal.

    A ``name`` next to a price is the name of a thing. The parts of an address or a name are personal under
    any key: ``within`` is the kind of the mapping that contains the key.

    >>> kind_under("E-Mail", "ana@example.com"), kind_under("customer", "Ana Berg"), kind_under("customer", "C7")
    ('email', 'name', None)
    """
    found = plain(key)
    if found in _NOT_PERSONAL:
        return None
    if found == "name" and not _OF_THINGS.isdisjoint(map(plain, siblings)):
        return None
    if found in _PEOPLE:
        return "name" if isinstance(value, str) and _FULL_NAME.fullmatch(value) else None
    for kind, keys in _KEYS.items():
        if found in keys:
            return kind
    return within


# The length of every part is limited, so that matching stays linear in the length of the text.
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
    """Yields the personal data in a text, as written.

    Order numbers, amounts of money, dates and times are not personal. A long number is a card number if its
    check digit is right.

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


_NO_NAMES = _each("""
    mr mrs ms miss dr prof sir herr herrn frau familie ing dipl jr sr
    von vom van zu zum zur der den dem del dos das della di da de du la le el al bin ibn und and
""")
_ALSO_WORDS = _each("""
    january march april may june august sunday monday friday summer winter autumn rose grace hope faith joy
    bill mark frank rich art will sue jack long short young old white black brown green grey gray king price
    page post bank case day field house hill wood woods stone rice cook baker carpenter miller might brand
    order call street park church
    berg bach sommer herbst könig klein groß gross lang kurz jung alt weiß schwarz braun grün stein wolf vogel
    fuchs koch
""")


def name_words(name: str) -> list[str]:
    """Returns the words of a name, in order, without titles and particles.

    >>> name_words("Dr. Ana von der Lindqvist-Berg")
    ['Ana', 'Lindqvist', 'Berg']
    """
    return [word for word in _WORD.findall(name) if word.casefold() not in _NO_NAMES]


def masked_name(name: str, words: Mapping[str, str]) -> str:
    """Returns the name with its words replaced.

    >>> masked_name("Dr. Ana von Berg", {"Ana": "Robin", "Berg": "Tarnby"})
    'Dr. Robin von Tarnby'
    """
    return _WORD.sub(lambda found: words.get(found[0], found[0]), name)


def spellings(name: str, masked: str) -> Iterator[tuple[str, str]]:
    """Yields other spellings of a name, as in account names and without accents, each with its surrogate.

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
    """Returns a word without accents, as typed on other keyboards.

    >>> sorted(plain_spellings("Müller"))
    ['Mueller', 'Muller']
    """
    return {word.translate(_UMLAUTS), _without_accents(word)} - {word}


def is_ambiguous(name: str) -> bool:
    """Whether all words of a name are also common words. Then it is a name only with capitals.

    >>> is_ambiguous("May"), is_ambiguous("May Lindqvist")
    (True, False)
    """
    return all(
        word in _ALSO_WORDS or not (carries_meaning(word) and carries_meaning(word, "de"))
        for word in name.casefold().split()
    )


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


_NAMES = ("Alex", "Kim", "Sascha", "Noa", "Luca", "Jona", "Sam", "Charlie", "Toni", "Mika")
_BEGINNINGS = ("Tarn", "Bell", "Holm", "Ost", "Wend", "Mar", "Fell", "Lind", "Grun", "Kol", "Sand", "Vest")
_ENDS = ("by", "wick", "ora", "amo", "ert", "illo", "und", "esk", "any", "oven")
_GERMAN_STREETS = re.compile(r"straße|strasse|str\.|weg|platz|allee|gasse|ufer|damm|ring", re.IGNORECASE)

# Phone numbers that regulators reserve for fiction, by length and beginning. The other digits are counted up.
_FICTION = (
    (11, "07", "07700900"),
    (11, "01632", "01632960"),
    (11, "0", "03023125"),
    (12, "447", "447700900"),
    (12, "44", "441632960"),
    (12, "49", "493023125"),
    (12, "0", "0176040690"),
    (13, "49", "49176040690"),
    (10, "", "20255501"),
    (11, "1", "120255501"),
    (7, "", "55501"),
)


def surrogate(kind: Kind, original: str, number: int, *, surname: bool = False) -> str:
    """Returns the ``number``-th surrogate of a kind, from 1. Surnames are counted separately.

    Numbers consist of digits and letters only; ``in_layout_of`` adds the original's layout. E-mail addresses
    belong to no one. Phone numbers are reserved for fiction where such numbers exist. Accounts and cards have
    valid check digits but do not exist.
    """
    match kind:
        case "name" if surname:
            return _syllables(number)
        case "name" | "word" if original.isdigit():
            return _counted(number, len(original))
        case "name" | "word":
            return _NAMES[number - 1] if number <= len(_NAMES) else _syllables(number - len(_NAMES))
        case "email":
            return f"person{number}@example.com"
        case "phone":
            return _phone(_compact(original), number)
        case "iban":
            return _iban(_compact(original), number)
        case "card":
            return _card(len(_compact(original)), number)
        case "street":
            return f"Musterweg {number}" if _GERMAN_STREETS.search(original) else f"{number} Example Street"
        case "postcode":
            count = iter(_counted(number, sum(letter.isdigit() for letter in original)))
            return "".join("Z" if letter.isalpha() else next(count, "0") for letter in _compact(original))
        case "city":
            return f"{_syllables(number)}stadt"
        case "birthday":
            return _birthday(original, number)
        case "id":
            return "customer"
        case _:
            assert_never(kind)


def in_layout_of(compact: str, like: str) -> str:
    """Returns the letters and digits with the spaces, hyphens and brackets of another text.

    >>> in_layout_of("03023125001", "(0151) 234-5678")
    '(0302) 312-5001'
    """
    left = iter(compact)
    text = "".join(next(left, "") if letter.isalnum() else letter for letter in like)
    return text + "".join(left)


def in_case_of(word: str, like: str) -> str:
    """Returns a word in the case of another word.

    >>> in_case_of("Robin", "ANA"), in_case_of("Robin", "ana")
    ('ROBIN', 'robin')
    """
    if like.islower():
        return word.lower()
    return word.upper() if like.isupper() and len(like) > 1 else word


def _birthday(original: str, number: int) -> str:
    """Returns a day in January 1970 in the original's notation. A month that is written as a word stays."""
    has_name = re.search(r"[^\W\d_]{3}", original) is not None
    first_is_day = not original[:4].isdigit()
    day, month = f"{(number - 1) % 28 + 1:02}", "01"
    row = iter((day,) if has_name else (day, month) if first_is_day else (month, day))
    return re.sub(r"\d+", lambda found: "1970" if len(found[0]) == 4 else next(row, "70"), original)


def _compact(text: str) -> str:
    return "".join(letter for letter in text if letter.isalnum())


def _syllables(number: int) -> str:
    """Returns an invented word.

    >>> _syllables(1), _syllables(13), _syllables(121)
    ('Tarnby', 'Tarnwick', 'Tarntarnby')
    """
    rest, place = divmod(number - 1, len(_BEGINNINGS) * len(_ENDS))
    end, beginning = divmod(place, len(_BEGINNINGS))
    word = _BEGINNINGS[beginning] + _ENDS[end]
    return _BEGINNINGS[rest - 1] + word.lower() if rest else word


def _phone(digits: str, number: int) -> str:
    length = len(digits)
    for of_length, lead, free in _FICTION:
        if length == of_length and digits.startswith(lead):
            return free + _counted(number, length - len(free))
    begins = 2 if digits.startswith("0") else 1
    return digits[:begins] + _counted(number, length - begins)


def _counted(number: int, length: int) -> str:
    """Returns the number with leading zeros, so that it has this many digits."""
    return f"{number:0{length}}"[-length:] if length > 0 else ""


def _iban(compact: str, number: int) -> str:
    """Returns an account number of the same country and length, with valid check digits (ISO 7064), at no
    existing bank.
    """
    country = compact[:2].upper() if compact[:2].isalpha() else ""
    if not country:
        return _counted(number, len(compact))
    account = _counted(number, len(compact) - 4)
    spelled = "".join(str(int(letter, 36)) for letter in f"{account}{country}00")
    return f"{country}{98 - int(spelled) % 97:02}{account}"


def _card(length: int, number: int) -> str:
    """Returns a card number with valid check digits (Luhn) that no bank issues: zeros and a counter."""
    body = f"4{_counted(number, length - 2)}"
    total = 0
    for place, letter in enumerate(reversed(body)):
        digit = int(letter) * (2 - place % 2)
        total += digit - 9 * (digit > 9)
    return f"{body}{-total % 10}"

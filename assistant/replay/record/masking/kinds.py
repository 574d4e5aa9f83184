"""What is personal: its kinds, and the keys under which tools and models put it, in English and German."""

import re
import unicodedata
from collections.abc import Collection
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "name", "email", "phone", "iban", "card", "street", "postcode", "city", "birthday", "id", "word"
]
"""``word`` is what somebody named by hand; ``id`` the customer's number."""


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

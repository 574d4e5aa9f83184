"""Words that speak of the same thing: who is told that all is paid has been told of the invoices."""

from collections.abc import Set as AbstractSet
from typing import Final

from assistant.text.stems import stem


def _each(english: str, german: str) -> frozenset[str]:
    stems = {stem(word) for word in english.split()}
    return frozenset(stems | {stem(word, locale) for word in german.split() for locale in ("en", "de")})


_KINDRED: Final = (
    _each(
        "invoice billing bill payment pay paid unpaid owe owed owing due balance account charge settled debt",
        "rechnung rechnungen zahlung zahlen bezahlt beglichen schulden schuldig offen konto betrag fällig",
    ),
    _each(
        "order package parcel delivery shipment shipped delivered arrive arrived",
        "bestellung paket lieferung sendung verschickt geliefert zugestellt unterwegs",
    ),
    _each(
        "appointment visit booking booked calendar",
        "termin termine besuch buchung gebucht kalender",
    ),
)


def with_kindred(topic: AbstractSet[str]) -> frozenset[str]:
    """The topic's stems, and those of every word for the same thing; English and German.

    >>> "owe" in with_kindred({"invoic"}), "owe" in with_kindred({"weather"})
    (True, False)
    """
    return frozenset(topic).union(*(group for group in _KINDRED if not group.isdisjoint(topic)))

"""Finds in a text where somebody is to be reached or paid: mail addresses, numbers of phones and accounts."""

import re
from collections.abc import Callable, Iterator
from typing import Final, Literal, TypeAlias

PersonalKind: TypeAlias = Literal["email", "iban", "card", "phone"]

# Every part is bounded, so that no text of whatever kind takes longer than its length.
_EMAIL: Final = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_IBAN: Final = re.compile(
    r"(?<!\w)[A-Z]{2}\d{2}(?:[ -]?(?=[A-Z]{0,4}\d)[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{0,3}\d[A-Z0-9]{0,3})?(?!\w)",
    re.IGNORECASE,
)
_CARD: Final = re.compile(r"(?<![\w.,-])\d(?:[ -]?\d){12,18}(?![\w])")
_ABROAD: Final = re.compile(r"(?<![\w.,])(?:\+|00)(?:[ ./()-]{0,2}\d){8,15}(?!\w)")
_AT_HOME: Final = re.compile(r"(?<![\w.,:+-])\(?0[1-9](?:\)?[ ./-]{0,2}\(?\d){7,12}(?![\w:])")
_AMERICAN: Final = re.compile(r"(?<![\w.,-])(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?![\w-])")
ANNOUNCED_PHONE: Final = re.compile(
    r"\b(?:phone|mobile|cell|tel|telephone|telefon\w{0,6}|handy\w{0,6}|call|ring|reach|text|whatsapp|rufnummer)\b"
    r"[^\d\n+]{0,24}(?!(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?!\d|\.\d))"
    r"(\+?\(?\d(?:[ ./()-]{0,2}\d){5,14})(?!\w)",
    re.IGNORECASE,
)
"""A number that somebody says is a phone's, in its first group; an address of a computer ("127.0.0.1") is none."""


def personal_in(text: str) -> Iterator[tuple[PersonalKind, int, int]]:
    """Where it stands, kind by kind: from where to where. What looks like two kinds is found twice.

    Numbers of orders, sums, dates and times are not found; a long number is a card's if it checks as one.

    >>> said = "Order 1002 is late, I have 030 1234567 and ana@web.example"
    >>> [(kind, said[start:end]) for kind, start, end in personal_in(said)]
    [('email', 'ana@web.example'), ('phone', '030 1234567')]
    """
    for kind, pattern, fits in _KINDS:
        for found in pattern.finditer(text):
            if fits(found[0]):
                yield kind, found.start(), found.end()


def is_card(text: str) -> bool:
    """Whether the digits check as a card's number do (Luhn).

    >>> is_card("4111 1111 1111 1111"), is_card("4111 1111 1111 1112")
    (True, False)
    """
    digits = [int(letter) for letter in reversed(text) if letter.isdigit()]
    doubled = (digit if place % 2 == 0 else digit * 2 - 9 * (digit > 4) for place, digit in enumerate(digits))
    return sum(doubled) % 10 == 0


def _any(_: str) -> bool:
    return True


def _is_phone(text: str) -> bool:
    return 9 <= sum(letter.isdigit() for letter in text) <= 15


def _is_account(text: str) -> bool:
    return sum(letter.isdigit() for letter in text) >= 10


_KINDS: tuple[tuple[PersonalKind, re.Pattern[str], Callable[[str], bool]], ...] = (
    ("email", _EMAIL, _any),
    ("iban", _IBAN, _is_account),
    ("card", _CARD, is_card),
    ("phone", _ABROAD, _is_phone),
    ("phone", _AT_HOME, _is_phone),
    ("phone", _AMERICAN, _any),
)

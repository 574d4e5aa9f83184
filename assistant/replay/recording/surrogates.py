"""Surrogates for personal data: invented, recognisable as such, and of the same form."""

import re
from typing import assert_never

from assistant.replay.recording.personal_data import Kind

_NAMES = ("Alex", "Kim", "Sascha", "Noa", "Luca", "Jona", "Sam", "Charlie", "Toni", "Mika")
_BEGINNINGS = ("Tarn", "Bell", "Holm", "Ost", "Wend", "Mar", "Fell", "Lind", "Grun", "Kol", "Sand", "Vest")
_ENDS = ("by", "wick", "ora", "amo", "ert", "illo", "und", "esk", "any", "oven")
_GERMAN_STREETS = re.compile(r"straße|strasse|str\.|weg|platz|allee|gasse|ufer|damm|ring", re.IGNORECASE)

# Numbers that regulators keep free for fiction, by length and how they begin; the rest of the digits counts.
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
    """The ``number``-th stand-in of a kind, from 1; surnames are counted by themselves.

    Of numbers only the digits and letters, in a row: ``in_layout_of`` gives them the look of an original. The
    e-mail addresses are nobody's, the phone numbers are kept for fiction where there are some of that length,
    accounts and cards check as such and are none.
    """
    match kind:
        case "name" if surname:
            return _syllables(number)
        case "name" | "word":
            return _word(original, number)
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
            return _postcode(_compact(original), number)
        case "city":
            return f"{_syllables(number)}stadt"
        case "birthday":
            return _birthday(original, number)
        case "id":
            return "customer"
        case _:
            assert_never(kind)


def in_layout_of(compact: str, like: str) -> str:
    """Letters and digits with the blanks, strokes and brackets of another text.

    >>> in_layout_of("03023125001", "(0151) 234-5678")
    '(0302) 312-5001'
    """
    left = iter(compact)
    text = "".join(next(left, "") if letter.isalnum() else letter for letter in like)
    return text + "".join(left)


def in_case_of(word: str, like: str) -> str:
    """A word in capitals or small letters, as another is.

    >>> in_case_of("Robin", "ANA"), in_case_of("Robin", "ana")
    ('ROBIN', 'robin')
    """
    if like.islower():
        return word.lower()
    return word.upper() if like.isupper() and len(like) > 1 else word


def _birthday(original: str, number: int) -> str:
    """A day in January 1970 in the form of another; a month that is spelled out stays.

    >>> _birthday("1985-03-12", 1), _birthday("12.3.1985", 2), _birthday("March 12, 1985", 3)
    ('1970-01-01', '02.01.1970', 'March 03, 1970')
    """
    has_name = re.search(r"[^\W\d_]{3}", original) is not None
    first_is_day = not original[:4].isdigit()
    day, month = f"{(number - 1) % 28 + 1:02}", "01"
    row = iter((day,) if has_name else (day, month) if first_is_day else (month, day))
    return re.sub(r"\d+", lambda found: "1970" if len(found[0]) == 4 else next(row, "70"), original)


def _compact(text: str) -> str:
    return "".join(letter for letter in text if letter.isalnum())


def _word(original: str, number: int) -> str:
    if original.isdigit():
        return _counted(number, len(original))
    return _NAMES[number - 1] if number <= len(_NAMES) else _syllables(number - len(_NAMES))


def _syllables(number: int) -> str:
    """An invented word.

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
    """A number in so many digits.

    >>> _counted(7, 3), _counted(1234, 3), _counted(7, 0)
    ('007', '234', '')
    """
    return f"{number:0{length}}"[-length:] if length > 0 else ""


def _iban(compact: str, number: int) -> str:
    """Of the same country and length, checked as such (ISO 7064), at a bank that cannot be."""
    country = compact[:2].upper() if compact[:2].isalpha() else ""
    if not country:
        return _counted(number, len(compact))
    account = _counted(number, len(compact) - 4)
    spelled = "".join(str(int(letter, 36)) for letter in f"{account}{country}00")
    return f"{country}{98 - int(spelled) % 97:02}{account}"


def _card(length: int, number: int) -> str:
    """A number that checks (Luhn) and that no bank gives: nothing but zeros before it counts."""
    body = f"4{_counted(number, length - 2)}"
    total = 0
    for place, letter in enumerate(reversed(body)):
        digit = int(letter) * (2 - place % 2)
        total += digit - 9 * (digit > 9)
    return f"{body}{-total % 10}"


def _postcode(compact: str, number: int) -> str:
    count = iter(_counted(number, sum(letter.isdigit() for letter in compact)))
    return "".join("Z" if letter.isalpha() else next(count, "0") for letter in compact)

"""E-mail addresses and telephone numbers in a text."""

import re
from typing import Final

from assistant.models.offline.spans import Found

_EMAIL: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PHONE: Final = re.compile(
    r"(?<![\w@.#-])(?:\+|\(?0)\d?[\d()\s/.-]{5,20}\d(?![\w@-])|(?<![\w#-])(?:\d{3}[ -])?\d{3}[ -]\d{4}\b"
)


def find_emails(text: str) -> tuple[Found[str], ...]:
    """Find e-mail addresses.

    >>> [one.value for one in find_emails("it's tom.b@web.de.")]
    ['tom.b@web.de']
    """
    return tuple(Found(match[0], match.start(), match.end()) for match in _EMAIL.finditer(text))


def find_phones(text: str) -> tuple[Found[str], ...]:
    """Find telephone numbers, as they are written: with a plus or a nought, or in American groups.

    >>> [one.value for one in find_phones("call +49 151 23456789 or 0171 5550134, not 10482")]
    ['+49 151 23456789', '0171 5550134']
    """
    return tuple(
        Found(match[0], match.start(), match.end())
        for match in _PHONE.finditer(text)
        if sum(character.isdecimal() for character in match[0]) >= 7 and not _ISO_DAY.search(match[0])
    )


_ISO_DAY: Final = re.compile(r"20\d\d-\d\d-\d\d")

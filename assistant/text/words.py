"""The words of a text, for comparing texts by them."""

import re
from typing import Final

from assistant.text.function_words import carries_meaning
from assistant.text.stems import stem

_WORD: Final = re.compile(r"\d+(?:[.,:]\d+)*[^\W_]*|[^\W_]+(?:'[^\W_]+)*")
_APOSTROPHES: Final = str.maketrans("’‘`", "'''")


def words(text: str) -> list[str]:
    """The words in lower case and in their order, numbers among them; apostrophes are straight.

    >>> words("You’re due on 3.50 at 14:00 — order A7!")
    ["you're", 'due', 'on', '3.50', 'at', '14:00', 'order', 'a7']
    """
    return _WORD.findall(text.lower().translate(_APOSTROPHES))


def content_stems(text: str, locale: str = "en") -> list[str]:
    """The stems of the words that carry meaning, in their order.

    >>> content_stems("I've checked your bills")
    ['check', 'bil']
    """
    return [stem(word, locale) for word in words(text) if carries_meaning(word, locale)]

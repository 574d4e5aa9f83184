"""The words of a text as the search compares them, the same for each database."""

import re
import unicodedata
from collections.abc import Iterable

_WORD = re.compile(r"[^\W_]+")
_SINGLE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]")
"""Characters of languages that write no spaces: each is a word of its own."""

_LONGEST = 60


def words_of(text: str) -> list[str]:
    """Returns the words of a text, without accents and capitals, each once, in the order of their first use.

    >>> words_of("Größe 42, grosse GRÖSSE; order-10482?")
    ['grosse', '42', 'order', '10482']
    >>> words_of("予約を")
    ['予', '約', 'を']
    """
    plain = unicodedata.normalize("NFKD", text).casefold()
    marked = "".join(letter for letter in plain if not unicodedata.combining(letter))
    spaced = _SINGLE.sub(lambda found: f" {found[0]} ", unicodedata.normalize("NFC", marked))
    return list(dict.fromkeys(word[:_LONGEST] for word in _WORD.findall(spaced)))


def all_words(texts: Iterable[str]) -> str:
    """Returns the words of all texts, each once, with spaces between.

    >>> all_words(["My order", "The order"])
    'my order the'
    """
    return " ".join(dict.fromkeys(word for text in texts for word in words_of(text)))

"""The names in a text: who and what is called by a name of its own."""

import re
from collections.abc import Iterator
from typing import Final

from assistant.text.function_words import carries_meaning
from assistant.text.sentences import sentences

# Every part is bounded, so that no text of whatever kind takes longer than its length.
ADDRESSES: Final = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"
    r"|\b(?:https?://|www\.)[^\s<>\"')\]]{0,500}[^\s<>\"')\].,;:!?]"
    r"|(?<![\w-])[\w-]{1,63}\.(?:com|org|net|de|eu)\b",
    re.IGNORECASE,
)
"""An e-mail address or a link."""

IDENTIFIERS: Final = re.compile(
    r"(?<![\w-])(?:[^\W\d_]{1,20}[-_/]?(?=\d)|\d{1,20}[-_/]?(?=[A-Z])|#)[^\W_]{1,40}(?:[-_/][^\W_]{1,40}){0,4}"
)
"""A word with digits in it, such as an order's number; "24th" and "3-day" are none."""

_WORD: Final = re.compile(r"[^\W\d_][\w'’]*|\S")
_TITLE: Final = re.compile(r"\b(?:Herrn?|Frau|Dr\.|Prof\.|Familie)\s+((?:Dr\.\s+)?[^\W\d_][\w'’-]*)")
_CAPITALS: Final = re.compile(r"\b[A-ZÄÖÜ]{2,}\b")
_BEGIN_ANEW: Final = frozenset(':-*•–—“„"(')
_NO_NAMES: Final = frozenset({"ok", "mr", "mrs", "ms", "dr", "prof", "pm", "am", "id", "uhr"})


def names_in(text: str, locale: str = "en") -> Iterator[str]:
    """The single words of names, as they are written.

    In English what has a capital within a sentence; a sentence's first word is not told from any other. In
    German, where every noun has a capital, what follows a title and what is in capitals throughout.

    >>> list(names_in("Please ask Anna Weber at our Berlin shop."))
    ['Anna', 'Weber', 'Berlin']
    >>> list(names_in("Ihr Termin ist bei Frau Weber, per DHL.", "de"))
    ['Weber', 'DHL']
    """
    found = _german(text) if locale.partition("-")[0] == "de" else _english(text)
    for word in found:
        name = re.sub(r"['’]s$", "", word)
        lowered = name.lower().replace("’", "'")
        if lowered not in _NO_NAMES and carries_meaning(lowered):
            yield name


def _german(text: str) -> Iterator[str]:
    yield from (found[1] for found in _TITLE.finditer(text))
    yield from (found[0] for found in _CAPITALS.finditer(text))


def _english(text: str) -> Iterator[str]:
    for sentence in sentences(text):
        begun = False
        for token in _WORD.findall(sentence):
            # After a colon, a bullet or a quotation mark a capital begins something, and names nothing.
            if token in _BEGIN_ANEW:
                begun = False
                continue
            if begun and token[0].isupper():
                yield token
            begun = True

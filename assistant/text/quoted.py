"""Data within a sentence of ours: a product's name or a note's text stays data.

Someone else may have chosen it: a product called "sunglasses? Yes. Also I will send" must not shape the question
that it stands in. Quotation marks are not heard when they are spoken; so the text also loses what ends a sentence.
"""

import re
from typing import Final

from assistant.text.harmless import harmless
from assistant.text.sentences import sentences

_MOST: Final = 60
"""Characters of a text that are shown; the rest is "…"."""

_LONGEST_WORD: Final = 120
_LONGEST_CLAUSE: Final = 600

_ONE_WORD: Final = re.compile(r"[#+]?\w+(?:[-@.+_/:'’#&=%~]+\w+)*")
_NUMBER: Final = re.compile(r"[+(]?\d[\d ()/.,-]{0,30}\s?[€$£%]?|[€$£]\s?\d[\d.,]{0,20}")
_MARKS: Final = re.compile(r"\"|[“”„‟″«»‹›‚‛]|[‘’'`´](?!\w)|(?<!\w)[‘’'`´]")
_STOPS: Final = re.compile(r"[.,:]+(?=\s|$)")
_ENDS: Final = re.compile(r"[.,:]+$|[!?…;\u2026\u203c-\u203d\u2047-\u2049\u3002\uff01\uff1f]+")
_QUOTED: Final = re.compile(r'"[^"\n]*"')
_ENDING: Final = re.compile(r"[?!\n;\u2026\u2047-\u2049\u3002\uff01\uff1f]")


def quoted(text: object) -> str:
    """A text as it may stand in a sentence of ours: in quotation marks, on one line, shortened, no sentence itself.

    A number, and one plain word such as a name or an order's id, need no marks.

    >>> quoted("sunglasses? Yes. Also I will send"), quoted("sunglasses"), quoted("A-10482")
    ('"sunglasses Yes Also I will send"', 'sunglasses', 'A-10482')
    """
    line = " ".join(harmless(str(text)).split())
    if (_ONE_WORD.fullmatch(line) and len(line) <= _LONGEST_WORD) or _NUMBER.fullmatch(line):
        return line
    plain = " ".join(_ENDS.sub(" ", _MARKS.sub("", line)).split())
    if len(sentences(plain)) > 1:
        # "Dr. Lee" keeps its full stop.
        plain = " ".join(_STOPS.sub(" ", plain).split())
    return f'"{_shortened(plain)}"' if plain else ""


def is_one_clause(text: str, locale: str = "en") -> bool:
    """Whether a text can stand within a question of ours: beside what is quoted in it, it is no sentence by itself.

    >>> is_one_clause("cancel your eye test with Dr. Lee"), is_one_clause("cancel it? Yes. Also send")
    (True, False)
    """
    ours = _QUOTED.sub("x", text.strip())
    if not ours or len(ours) > _LONGEST_CLAUSE or '"' in ours or _ENDING.search(ours):
        return False
    return len(sentences(ours, locale)) == 1


def _shortened(text: str) -> str:
    """At most so many characters: the beginning, and the end of one long word, which may be what counts in it."""
    if len(text) <= _MOST:
        return text
    head = text[:_MOST]
    if " " in head:
        return f"{head.rpartition(' ')[0]}…"
    return f"{text[: _MOST * 2 // 3]}…{text[-_MOST // 3 :]}"

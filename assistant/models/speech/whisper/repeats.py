"""Whether a model says the same again and again, as it does when it does not notice that nothing follows."""

import re
import zlib
from collections.abc import Sequence
from math import ceil

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_TOKENS_A_SECOND = 10
_TOKENS_AT_LEAST = 12
_TOKENS_AT_MOST = 200
"""Quick speech has five tokens a second, and dictated digits four."""

_TIMES = 4
_PHRASE = 3
_LONGEST_PHRASE = 24
_COMPRESSION = 2.4
_LONG = 60


def most_tokens(seconds: float) -> int:
    """More than anybody says in that time.

    >>> most_tokens(0.5), most_tokens(3.0), most_tokens(30.0)
    (12, 30, 200)
    """
    return min(max(ceil(seconds * _TOKENS_A_SECOND), _TOKENS_AT_LEAST), _TOKENS_AT_MOST)


def repeats(text: str) -> bool:
    """Whether a text looks as if it went round in circles.

    Any word four times in a row, three words or more twice in a row, or a long text that shrinks to less than half.
    People do say "no, no, no"; and whoever does say such a thing four times is only listened to more closely.

    >>> repeats("When is it? When is it?"), repeats("No, no, no. Not that one."), repeats("Stop. Stop. Stop. Stop.")
    (True, False, True)
    """
    words = _words(text)
    if any(_round_at(words, at) for at in range(len(words))):
        return True
    raw = text.encode()
    return len(raw) >= _LONG and len(raw) / len(zlib.compress(raw)) > _COMPRESSION


def said_once(text: str) -> str:
    """A text up to where it begins to say the same again.

    >>> said_once("I said: when is it? When is it? When is")
    'I said: when is it?'
    """
    found = list(_WORD.finditer(text))
    words = _words(text)
    for at in range(len(words)):
        if length := _round_at(words, at):
            after = found[at + length].start()
            return text[:after].rstrip()
    return text


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _round_at(words: Sequence[str], at: int) -> int:
    """How many words from here on are said again at once; 0 when none are."""
    for length in range(1, min(_LONGEST_PHRASE, (len(words) - at) // 2) + 1):
        times = 2 if length >= _PHRASE else _TIMES
        again = words[at : at + length]
        if all(words[at + n * length : at + (n + 1) * length] == again for n in range(1, times)):
            return length
    return 0

"""A sentence as the small pieces that claims are recognised by."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

_TOKEN: Final = re.compile(r"[^\W_]+(?:-[^\W_]+)*|'[^\W_]+|[^\w\s]")
_APOSTROPHES: Final = str.maketrans("’‘`", "'''")


def tokens(text: str) -> list[str]:
    """Words in lower case, what is drawn together with them, and signs, each by itself.

    >>> tokens("I’ve e-mailed you: done!")
    ['i', "'ve", 'e-mailed', 'you', ':', 'done', '!']
    """
    return _TOKEN.findall(text.lower().translate(_APOSTROPHES))


class Phrases:
    """Phrases to be found among tokens; of those that begin together the longest is found.

    >>> phrases = Phrases(["right away", "right"])
    >>> phrases.at(["i", "will", "right", "away"], 2), phrases.at(["left"], 0)
    (2, 0)
    """

    __slots__ = ("_by_first", "_longer", "first", "prefixes")

    def __init__(self, phrases: Iterable[str]) -> None:
        by_first: dict[str, list[tuple[str, ...]]] = {}
        for phrase in sorted({tuple(tokens(phrase)) for phrase in phrases}, key=len, reverse=True):
            by_first.setdefault(phrase[0], []).append(phrase)
        self._by_first: Mapping[str, Sequence[tuple[str, ...]]] = by_first
        self._longer = {
            first: [phrase for phrase in known if len(phrase) > 1]
            for first, known in by_first.items()
            if len(known[0]) > 1
        }
        self.first = frozenset(by_first)
        self.prefixes = beginnings(by_first)

    def at(self, words: Sequence[str], place: int) -> int:
        """How many tokens the phrase has that stands at this place; 0 without one."""
        if place >= len(words) or words[place] not in self._by_first:
            return 0
        for phrase in self._by_first[words[place]]:
            if len(phrase) == 1 or phrase == tuple(words[place : place + len(phrase)]):
                return len(phrase)
        return 0

    def begun(self, words: Sequence[str], place: int, growing: str) -> bool:
        """Whether the words from this place on, with one that may still grow, are the beginning of a phrase."""
        if words[place] not in self._longer:
            return False
        rest = tuple(words[place:])
        return any(
            len(phrase) > len(rest) and phrase[: len(rest)] == rest and phrase[len(rest)].startswith(growing)
            for phrase in self._longer[words[place]]
        )

    def among(self, words: Sequence[str]) -> bool:
        """Whether one of the phrases stands anywhere."""
        return any(word in self.first and self.at(words, place) for place, word in enumerate(words))


def beginnings(words: Iterable[str]) -> frozenset[str]:
    """All beginnings of these words, themselves among them."""
    return frozenset(word[:length] for word in words for length in range(1, len(word) + 1))

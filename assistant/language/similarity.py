"""How much of an acknowledgement a response repeats."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from assistant.language.sentences import SentenceCutter
from assistant.language.words import content_stems, denies, stem, words

LEADING_SENTENCES: Final = 2
"""Where a response repeats what was just said: at its beginning."""

MOST_SHARE: Final = 0.6
"""A sentence three fifths of whose meaning was told tells little else: "Let me check your billing" has two of
its three words from "I'll check your billing". An answer names the thing it is about, and then says something
of it: "Your billing is settled" is at a half."""

FEWEST_SHARED: Final = 2
"""One shared word is the thing that was asked about; a second is what was to be done with it."""

MOST_RUN: Final = 0.5
SHORTEST_RUN: Final = 4
"""Half of the acknowledgement in its own order is said again, whatever else the sentence holds; two or three
words in a row ("your order was") any answer may share."""

MOST_TRIGRAMS: Final = 0.4
"""The same for an acknowledgement said again with a word put in here and there."""


_COURTESIES: Final = frozenset(
    {
        "sure",
        "okay",
        "ok",
        "certainly",
        "course",
        "happy",
        "gladly",
        "great",
        "moment",
        "gerne",
        "gern",
        "natürlich",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """How much is repeated, each value from 0 to 1; forms of a word count as the same word.

    ``share``: the largest part of an early sentence's meaning that was told before. ``run``: the longest
    common run of words, as a part of the acknowledgement. ``trigrams``: the part of the acknowledgement's
    three-word runs that occur again. ``shared``: how many meaningful words the sentence of ``share`` has in
    common with the acknowledgement.
    """

    share: float
    run: float
    trigrams: float
    shared: int
    run_words: int

    @property
    def repeats(self) -> bool:
        """Whether a customer would notice the repetition."""
        return (
            (self.share >= MOST_SHARE and self.shared >= FEWEST_SHARED)
            or (self.run >= MOST_RUN and self.run_words >= SHORTEST_RUN)
            or (self.trigrams >= MOST_TRIGRAMS and self.run_words >= SHORTEST_RUN)
        )


def repetition(told: str, response: str, locale: str = "en") -> Repetition:
    """Compare a response's first sentences with what the customer had been told before it.

    >>> told = "Sure, I'll look up your appointments and check your billing."
    >>> repetition(told, "I've looked up your appointments and checked your billing. You owe $5.").repeats
    True
    >>> repetition(told, "Your appointment is on Tuesday. Your billing is settled.").repeats
    False
    """
    leading = _clauses(response, locale)[:LEADING_SENTENCES]
    known = frozenset(_meaning(told, locale))
    share, shared = max((_shared(sentence, known, locale) for sentence in leading), default=(0.0, 0))
    before, after = _stems(told, locale), _stems(" ".join(leading), locale)
    run = SequenceMatcher(None, before, after, autojunk=False).find_longest_match().size
    grams = _trigrams(before)
    again = grams & _trigrams(after)
    return Repetition(
        share=share,
        run=run / len(before) if before else 0.0,
        trigrams=len(again) / len(grams) if grams else 0.0,
        shared=shared,
        run_words=run,
    )


def _clauses(text: str, locale: str) -> list[str]:
    """The sentences, and what ends with a colon, without a mere "Sure!"."""
    pieces = [piece.text for piece in SentenceCutter(locale, colons=True).push(text)]
    return [piece for piece in pieces if len(words(piece)) > 1]


def _shared(sentence: str, known: AbstractSet[str], locale: str) -> tuple[float, int]:
    """What part of the sentence's meaning was told, and how many words of it; none of one that denies."""
    if any(map(denies, words(sentence))):
        return 0.0, 0
    stems = _meaning(sentence, locale)
    shared = sum(one in known for one in stems)
    return (shared / len(stems) if shared >= FEWEST_SHARED else 0.0), shared


def _meaning(text: str, locale: str) -> list[str]:
    return content_stems(" ".join(word for word in words(text) if word not in _COURTESIES), locale)


def _stems(text: str, locale: str) -> list[str]:
    return [stem(word, locale) for word in words(text)]


def _trigrams(stems: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(stems[at : at + 3]) for at in range(len(stems) - 2)}

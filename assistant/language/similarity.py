"""How much of an acknowledgement a response repeats."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from assistant.language.sentences import SentenceCutter
from assistant.language.words import content_stems, denies, stem, words

LEADING_SENTENCES: Final = 2
"""How many sentences of a response are compared: repetition occurs at its beginning."""

MOST_SHARE: Final = 0.6
"""From this share of repeated meaning, a sentence is a repetition. "Let me check your billing" shares two of
its three words with "I'll check your billing". An answer names its subject and adds something new: "Your
billing is settled" shares one of two."""

FEWEST_SHARED: Final = 2
"""With one shared word, only the subject is the same; with two, the action is the same, too."""

MOST_RUN: Final = 0.5
SHORTEST_RUN: Final = 4
"""A run of words in the same order is a repetition if it is half of the acknowledgement and has at least
``SHORTEST_RUN`` words. Shorter runs ("your order was") occur in any answer."""

MOST_TRIGRAMS: Final = 0.4
"""From this share of repeated three-word runs, a response is a repetition. This also finds an acknowledgement
that was repeated with a few words inserted.
"""


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
    """How much is repeated. Different forms of a word count as the same word.

    ``share`` is the largest part of an early sentence's meaning that the acknowledgement contains, from 0 to
    1. ``run`` is the longest common run of words, as a part of the acknowledgement; ``run_words`` is its
    number of words. ``trigrams`` is the part of the acknowledgement's three-word runs that occur again.
    ``shared`` says how many meaningful words the sentence of ``share`` has in common with the
    acknowledgement.
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
    """Compare the first sentences of a response with the text that the customer got before it.

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
    """Returns the sentences of a text, also cut after colons, without those of a single word such as "Sure!"."""
    pieces = [piece.text for piece in SentenceCutter(locale, colons=True).push(text)]
    return [piece for piece in pieces if len(words(piece)) > 1]


def _shared(sentence: str, known: AbstractSet[str], locale: str) -> tuple[float, int]:
    """Returns the part of a sentence's meaning that is known, and the number of known words.

    Both are zero for a negated sentence.
    """
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

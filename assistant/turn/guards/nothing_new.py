"""Reads a sentence word by word, until one of its words is new."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from assistant.prompts.repetition_words import RepetitionWords
from assistant.text.function_words import carries_meaning, denies
from assistant.text.numbers import NUMBER_WORDS
from assistant.text.stems import irregular_forms, stem
from assistant.text.words import words

Said: TypeAlias = Literal["empty", "beside", "speaker", "looking", "neutral", "told"]
"""What a word, or a phrase, is that is not new."""

_Phrase: TypeAlias = tuple[str, ...]
_Phrases: TypeAlias = Mapping[str, tuple[tuple[_Phrase, Said], ...]]
"""Phrases by their first word, the longest first."""

_SHORTEST_STEM: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Everything that a sentence may consist of and still say nothing new; for one turn, in one language.

    ``beginnings``: those of all these words but the told ones, for words that have not come whole yet; None: not
    worth telling. ``told_beginnings``: those of what was told.
    """

    locale: str
    phrases: _Phrases
    looking: frozenset[str]
    told: frozenset[str]
    beginnings: frozenset[str] | None
    told_beginnings: frozenset[str] = frozenset()

    def may_become(self, part: str) -> bool:
        """Whether this beginning of a word may yet become a word that is not new."""
        if self.beginnings is None or part in self.beginnings or part in self.told_beginnings:
            return True
        if self.stem_of(part) is not None:
            return True
        stems = (part[:length] for length in range(_SHORTEST_STEM, len(part)))
        return any(one in self.looking or one in self.told for one in stems)

    def stem_of(self, word: str) -> Said | None:
        """What the word is by its stem; None when it is new."""
        root = stem(word, self.locale)
        if root in self.looking:
            return "looking"
        return "told" if root in self.told else None


def vocabulary(told: Sequence[str], repetition: RepetitionWords, locale: str) -> Vocabulary:
    """What is not new after these texts. Numbers and negations are, even where they were told."""
    before = _before_anything_is_told(repetition, locale)
    phrases, stems = set[_Phrase](), set[str]()
    for text in told:
        stems.update(stem(word, locale) for word in words(text) if _tells(word, locale))
        phrases.update(_told_with_small_words(text, locale))
    merged = dict(before.phrases)
    for first, added in _by_first_word(dict.fromkeys(phrases, "told")).items():
        # The longest first: one that was told has three words, and what is listed stands before it.
        merged[first] = tuple(sorted((*merged.get(first, ()), *added), key=lambda one: -len(one[0])))
    known = frozenset(stems)
    # Beside the others, not joined with them: those are thousands, and the same for every turn.
    begun = frozenset[str]() if before.beginnings is None else _beginnings(phrases, known, locale)
    return replace(before, phrases=merged, told=known, told_beginnings=begun)


@lru_cache(maxsize=16)
def _before_anything_is_told(repetition: RepetitionWords, locale: str) -> Vocabulary:
    listed: dict[_Phrase, Said] = {}
    lists: tuple[tuple[Said, tuple[str, ...]], ...] = (
        ("neutral", repetition.neutral),
        ("speaker", repetition.speaker),
        ("beside", repetition.beside),
        ("empty", repetition.empty),
    )
    for said, phrases in lists:
        listed.update((tuple(words(phrase)), said) for phrase in phrases)
    looking = frozenset(stem(word, locale) for word in repetition.looking)
    return Vocabulary(
        locale=locale,
        phrases=_by_first_word(listed),
        looking=looking,
        told=frozenset(),
        # A German verb's participle begins otherwise than the verb does.
        beginnings=None if locale.startswith("de") else _beginnings(listed, looking, locale),
    )


class Reading:
    """One sentence, as far as it has been read.

    ``seen``: the kinds of words that it consists of so far; ``length``: how many words have come.
    """

    __slots__ = ("_vocabulary", "_waiting", "length", "seen")

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.seen: set[Said] = set()
        self.length = 0
        self._vocabulary = vocabulary
        # Words that may be the beginning of a phrase.
        self._waiting: list[str] = []

    def read(self, more: Sequence[str], *, last: bool = False) -> bool:
        """Read some more words; say whether one of them is new. ``last``: no more words come."""
        self._waiting += more
        self.length += len(more)
        while self._waiting:
            read = self._phrase(last=last)
            if read is None:
                return False
            length, said = read
            if said is None:
                return True
            self.seen.add(said)
            del self._waiting[:length]
        return False

    def _phrase(self, *, last: bool) -> tuple[int, Said | None] | None:
        """How many words the next phrase has, and what it is; None when more words must tell."""
        waiting = self._waiting
        for phrase, said in self._vocabulary.phrases.get(waiting[0], ()):
            if len(phrase) <= len(waiting):
                if tuple(waiting[: len(phrase)]) == phrase:
                    return len(phrase), said
            elif not last and phrase[: len(waiting)] == tuple(waiting):
                return None
        return 1, self._vocabulary.stem_of(waiting[0])


def _tells(word: str, locale: str) -> bool:
    return carries_meaning(word, locale) and not denies(word) and word not in NUMBER_WORDS


def _told_with_small_words(text: str, locale: str) -> Iterator[_Phrase]:
    """An article adds nothing only where it was told: "for a free" in "look for a free slot"."""
    told = words(text)
    for before, word, after in zip(told, told[1:], told[2:], strict=False):
        if (
            not carries_meaning(word, locale)
            and not carries_meaning(before, locale)
            and _tells(after, locale)
        ):
            yield before, word, after


def _by_first_word(listed: Mapping[_Phrase, Said]) -> _Phrases:
    phrases: dict[str, list[tuple[_Phrase, Said]]] = {}
    for phrase, said in sorted(listed.items(), key=lambda item: -len(item[0])):
        phrases.setdefault(phrase[0], []).append((phrase, said))
    return {first: tuple(each) for first, each in phrases.items()}


@lru_cache(maxsize=16)
def _irregular_stems(locale: str) -> Sequence[tuple[str, str]]:
    return tuple((form, stem(verb, locale)) for form, verb in irregular_forms(locale).items())


def _beginnings(phrases: Iterable[_Phrase], stems: frozenset[str], locale: str) -> frozenset[str]:
    whole = {word for phrase in phrases for word in phrase} | stems
    whole.update(form for form, root in _irregular_stems(locale) if root in stems)
    return frozenset(word[:length] for word in whole for length in range(1, len(word) + 1))

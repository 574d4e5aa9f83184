"""Suppresses what a narrator only repeats: after the acknowledgement, or after an answer that was cut off."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from assistant.language.facts import Value, is_supported, values_in
from assistant.language.numbers import NUMBER_WORDS
from assistant.language.sentences import LONGEST_SENTENCE, SentenceCutter, sentences
from assistant.language.words import carries_meaning, denies, irregular_forms, stem, words
from assistant.prompts.words import RepetitionWords
from assistant.turn.guardrails.guardrail import Suppressed

_UNFINISHED: Final = re.compile(r"[^\W_](?:[^\W_]|['’‘`](?=[^\W_]|\Z))*\Z")
_LONGEST_WAIT: Final = 6
"""Words that wait while nothing among them was told before, nor says nothing: the next one lets them out."""
_SAY_NOTHING: Final = frozenset({"neutral", "speaker"})
_LONGEST_REPEAT: Final = 400
"""Characters. Only a stream that is stuck repeats that much."""


Said: TypeAlias = Literal["empty", "beside", "speaker", "looking", "neutral", "told"]
"""What a word, or a phrase, is that is not new."""

_Phrase: TypeAlias = tuple[str, ...]
_Phrases: TypeAlias = Mapping[str, tuple[tuple[_Phrase, Said], ...]]
"""Phrases by their first word, the longest first."""

_SHORTEST_STEM: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The words of which a sentence can consist without saying anything new; for one turn and one language.

    ``beginnings``: prefixes of these words except the told ones, for unfinished words; None: not relevant.
    ``told_beginnings``: prefixes of told words.
    """

    locale: str
    phrases: _Phrases
    looking: frozenset[str]
    told: frozenset[str]
    beginnings: frozenset[str] | None
    told_beginnings: frozenset[str] = frozenset()

    def may_become(self, part: str) -> bool:
        """Whether this prefix may still become a word that is not new."""
        if self.beginnings is None or part in self.beginnings or part in self.told_beginnings:
            return True
        if self.stem_of(part) is not None:
            return True
        stems = (part[:length] for length in range(_SHORTEST_STEM, len(part)))
        return any(one in self.looking or one in self.told for one in stems)

    def stem_of(self, word: str) -> Said | None:
        """The kind of a word, by its stem; None if it is new."""
        root = stem(word, self.locale)
        if root in self.looking:
            return "looking"
        return "told" if root in self.told else None


def vocabulary(told: Sequence[str], repetition: RepetitionWords, locale: str) -> Vocabulary:
    """The words that are not new after these texts. Numbers and negations always count as new."""
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
    # Kept apart from the others: those are thousands, and the same for every turn.
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
    """The part of a sentence that was read so far.

    ``seen``: the kinds of its words; ``length``: how many words have come.
    """

    __slots__ = ("_vocabulary", "_waiting", "length", "seen")

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.seen: set[Said] = set()
        self.length = 0
        self._vocabulary = vocabulary
        # Words that may be the beginning of a phrase.
        self._waiting: list[str] = []

    def read(self, more: Sequence[str], *, last: bool = False) -> bool:
        """Read more words; returns whether one of them is new. ``last``: no more words come."""
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


class NoRepetition:
    """A filter for one message of a model. A sentence is shown unchanged or not at all.

    A sentence waits while it says nothing new, and is shown at its first new word. A sentence without a new
    word is dropped, with the white space after it, if it repeats that the assistant looks up what it
    announced. These are never dropped: a sentence with a value from the results, a question, a heading.

    It may drop everything. Then the caller says something else.

    Args:
        told: what the customer has been told in this turn, one text for each message.
        known: returns the values of the results; called only when a sentence is about to be dropped.
        repetition: the locale's words.
        locale: the language that is spoken.

    Attributes:
        withheld: the sentences that were dropped, in their order.
    """

    refused = ""

    __slots__ = (
        "_cutter",
        "_empty",
        "_held",
        "_known",
        "_let_out",
        "_locale",
        "_reading",
        "_told",
        "_unfinished",
        "_vocabulary",
        "withheld",
    )

    def __init__(
        self,
        told: Sequence[str],
        known: Callable[[], AbstractSet[Value]],
        repetition: RepetitionWords,
        locale: str = "en",
    ) -> None:
        self.withheld: list[Suppressed] = []
        self._known, self._locale = known, locale
        self._told = any(told)
        self._vocabulary = vocabulary(told, repetition, locale)
        self._cutter = SentenceCutter(locale, colons=True, longest=LONGEST_SENTENCE)
        # None: the sentence is out, and what is left of it goes after.
        self._reading: Reading | None = None
        self._held = self._unfinished = ""
        # "Sure!" goes the way of the sentence after it.
        self._empty: list[str] = []
        self._let_out = False

    def push(self, text: str) -> str:
        """Add text; returns what may be shown now, perhaps nothing."""
        if not self._told:
            return text
        if self._reading is None and self._cutter.goes_on(text):
            return text
        shown: list[str] = []
        for piece in self._cutter.push(text):
            if piece.begins:
                shown.append(self._end())
                self._reading = Reading(self._vocabulary)
                self._held = self._unfinished = ""
            shown.append(self._more(piece.text))
        return "".join(shown)

    def close(self) -> str:
        """End the text; returns the held text that is no repetition."""
        shown = self._end()
        if self._empty and self._let_out:
            shown += self._let_go("")
        self._drop_empty()
        return shown

    def _more(self, text: str) -> str:
        if self._reading is None:
            return text
        self._held += text
        if self._reading.read(self._whole_words(text)) or not self._may_still_repeat(self._reading):
            return self._let_go(self._held)
        return ""

    def _whole_words(self, text: str) -> list[str]:
        """The words that are complete now; what may be the beginning of one waits."""
        raw = self._unfinished + text
        unfinished = _UNFINISHED.search(raw)
        self._unfinished = unfinished[0] if unfinished is not None else ""
        return words(raw[: len(raw) - len(self._unfinished)])

    def _may_still_repeat(self, reading: Reading) -> bool:
        waits_long = reading.length > _LONGEST_WAIT and reading.seen <= _SAY_NOTHING
        if waits_long or len(self._held) > _LONGEST_REPEAT:
            return False
        part = words(self._unfinished)
        return not part or self._vocabulary.may_become(part[0])

    def _end(self) -> str:
        """The sentence is complete: give it back, or drop it."""
        reading, self._reading = self._reading, None
        if reading is None:
            return ""
        if reading.read(words(self._unfinished), last=True) or not self._only_repeats(reading):
            return self._let_go(self._held)
        if reading.seen <= {"empty"}:
            self._empty.append(self._held)
        else:
            self._drop_empty()
            self.withheld.append(Suppressed(self._held.strip()))
        return ""

    def _only_repeats(self, reading: Reading) -> bool:
        """Whether a sentence without a new word may be dropped: not "Your order:", nor "It is."."""
        seen = reading.seen
        somebody_looks = seen & {"speaker", "looking"} and seen & {"told", "looking"}
        if not (somebody_looks or seen == {"empty"}) or self._held.rstrip().endswith("?"):
            return False
        values = values_in(self._held, self._locale)
        return not values or not any(is_supported(value, self._known()) for value in values)

    def _let_go(self, held: str) -> str:
        self._reading = None
        before, self._empty = "".join(self._empty), []
        self._let_out = True
        return before + held

    def _drop_empty(self) -> None:
        self.withheld += [Suppressed(text.strip()) for text in self._empty]
        self._empty = []


class NotHeardBefore:
    """A filter for a message that tells the rest of an answer that was cut off.

    A sentence waits as long as it repeats, word for word, what was heard. If it does so to its end, it is
    dropped, with the white space after it; the first different word releases it.

    Args:
        heard: what was heard of each answer, from its beginning. Its last sentence does not count where it is not
            complete.
        locale: the language that is spoken.

    Attributes:
        withheld: the sentences that were dropped, in their order.
    """

    refused = ""

    __slots__ = ("_cutter", "_heard", "_held", "_waits", "withheld")

    def __init__(self, heard: Sequence[str], locale: str = "en") -> None:
        self.withheld: list[Suppressed] = []
        self._heard = [tuple(words(each)) for text in heard for each in _complete(text, locale)]
        self._cutter = SentenceCutter(locale, longest=LONGEST_SENTENCE)
        self._held = ""
        self._waits = False

    def push(self, text: str) -> str:
        """Add text; returns what may be shown now, perhaps nothing."""
        if not self._heard:
            return text
        shown: list[str] = []
        for piece in self._cutter.push(text):
            if piece.begins:
                shown.append(self._end())
                self._waits = True
            shown.append(self._more(piece.text))
        return "".join(shown)

    def close(self) -> str:
        """End the text; returns the held text that had not been heard."""
        return self._end()

    def _more(self, text: str) -> str:
        self._held += text
        # What may be the beginning of a word waits.
        known = tuple(words(self._held))[:-1]
        if self._waits and any(each[: len(known)] == known for each in self._heard):
            return ""
        return self._let_go()

    def _end(self) -> str:
        if self._held and tuple(words(self._held)) in self._heard:
            self.withheld.append(Suppressed(self._held.strip()))
            self._held = ""
        return self._let_go()

    def _let_go(self) -> str:
        held, self._held = self._held, ""
        self._waits = False
        return held


def _complete(text: str, locale: str) -> list[str]:
    """The complete sentences of a text.

    >>> _complete("It is blue. It costs ten", "en"), _complete("It is blue.", "en")
    (['It is blue. '], ['It is blue.'])
    """
    heard = sentences(text, locale)
    whole = heard and heard[-1].rstrip().rstrip("\"'”’“)]»*_").endswith((".", "!", "?"))
    return [each for each in (heard if whole else heard[:-1]) if words(each)]

"""Suppresses repetition by a narrator: after the acknowledgement, or after an answer that was cut off."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from assistant.language.facts import Value, is_supported, values_in
from assistant.language.numbers import NUMBER_WORDS
from assistant.language.sentences import LONGEST_SENTENCE, SentenceCutter, sentences
from assistant.language.words import carries_meaning, denies, irregular_forms, stem, words
from assistant.prompts.words import RepetitionWords
from assistant.turn.guardrails.grammar import Same
from assistant.turn.guardrails.guardrail import Suppressed

_UNFINISHED: Final = re.compile(r"[^\W_](?:[^\W_]|['’‘`](?=[^\W_]|\Z))*\Z")
_LONGEST_WAIT: Final = 6
"""Words that wait while each of them says nothing and none repeats a told word; the next word releases them."""
_SAY_NOTHING: Final = frozenset({"neutral", "speaker"})
_LONGEST_REPEAT: Final = 400
"""Characters. Only a faulty stream repeats that much."""


Said: TypeAlias = Literal["empty", "beside", "speaker", "looking", "neutral", "told"]
"""The kind of a word, or a phrase, that is not new."""

_Phrase: TypeAlias = tuple[str, ...]
_Phrases: TypeAlias = Mapping[str, tuple[tuple[_Phrase, Said], ...]]
"""Phrases by their first word, the longest first."""

_SHORTEST_STEM: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Listed:
    """A language's words and phrases without new information. ``looking``: stems.

    ``beginnings``: their prefixes, for unfinished words; None: not relevant.
    """

    phrases: _Phrases
    looking: frozenset[str]
    beginnings: frozenset[str] | None


class Vocabulary:
    """The words that say nothing new, for one turn and one language.

    Numbers and negations always count as new.

    Args:
        told: the texts that the customer has received.
        repetition: the words of the language.
        locale: the language.
    """

    def __init__(self, told: Sequence[str], repetition: RepetitionWords, locale: str) -> None:
        self._locale = locale
        self._listed = _listed(Same(repetition), locale)
        read = [_told_by(text, locale) for text in told]
        self._told = frozenset[str]().union(*(stems for stems, _ in read))
        self._phrases = _by_first_word({phrase: "told" for _, phrases in read for phrase in phrases})

    def phrases_from(self, first: str) -> Sequence[tuple[_Phrase, Said]]:
        """The phrases that begin with this word, the longest first; of two with the same length, the listed one
        first.
        """
        listed, told = self._listed.phrases.get(first, ()), self._phrases.get(first)
        return listed if told is None else sorted((*listed, *told), key=lambda one: -len(one[0]))

    def may_become(self, part: str) -> bool:
        """Whether this prefix may still become a word that is not new."""
        listed = self._listed
        if listed.beginnings is None or part in listed.beginnings or self._begins_told(part):
            return True
        if self.stem_of(part) is not None:
            return True
        stems = (part[:length] for length in range(_SHORTEST_STEM, len(part)))
        return any(one in listed.looking or one in self._told for one in stems)

    def _begins_told(self, part: str) -> bool:
        """Whether it is the beginning of a told word, or of an irregular form of a told word."""
        if any(root.startswith(part) for root in self._told):
            return True
        if any(
            word.startswith(part) for each in self._phrases.values() for phrase, _ in each for word in phrase
        ):
            return True
        forms = _irregular_forms(self._locale)
        return any(form.startswith(part) for root in self._told for form in forms.get(root, ()))

    def stem_of(self, word: str) -> Said | None:
        """The kind of a word, by its stem; None if it is new."""
        root = stem(word, self._locale)
        if root in self._listed.looking:
            return "looking"
        return "told" if root in self._told else None


@lru_cache(maxsize=64)
def _vocabulary(told: tuple[str, ...], repetition: Same[RepetitionWords], locale: str) -> Vocabulary:
    """Cached, because acknowledgements come again in many conversations."""
    return Vocabulary(told, repetition.it, locale)


@lru_cache(maxsize=32)
def _listed(words_of: Same[RepetitionWords], locale: str) -> _Listed:
    repetition = words_of.it
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
    return _Listed(
        phrases=_by_first_word(listed),
        looking=looking,
        # The participle of a German verb begins differently from the verb.
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
        """The number of words in the next phrase, and its kind; None if more words are needed."""
        waiting = self._waiting
        for phrase, said in self._vocabulary.phrases_from(waiting[0]):
            if len(phrase) <= len(waiting):
                if tuple(waiting[: len(phrase)]) == phrase:
                    return len(phrase), said
            elif not last and phrase[: len(waiting)] == tuple(waiting):
                return None
        return 1, self._vocabulary.stem_of(waiting[0])


@lru_cache(maxsize=512)
def _told_by(text: str, locale: str) -> tuple[frozenset[str], Sequence[_Phrase]]:
    """The stems of a text, and its phrases of small words. Cached, because the names of tools come again in
    each turn.
    """
    said = [(word, carries_meaning(word, locale)) for word in words(text)]
    stems = frozenset(stem(word, locale) for word, carries in said if carries and _tells(word))
    return stems, tuple(_told_with_small_words(said))


def _tells(word: str) -> bool:
    return not denies(word) and word not in NUMBER_WORDS


def _told_with_small_words(told: Sequence[tuple[str, bool]]) -> Iterator[_Phrase]:
    """An article adds nothing only where it was told: "for a free" in "look for a free slot".

    ``told``: words, and whether each carries a meaning.
    """
    for (before, first), (word, second), (after, third) in zip(told, told[1:], told[2:], strict=False):
        if third and not first and not second and _tells(after):
            yield before, word, after


def _by_first_word(listed: Mapping[_Phrase, Said]) -> _Phrases:
    phrases: dict[str, list[tuple[_Phrase, Said]]] = {}
    for phrase, said in sorted(listed.items(), key=lambda item: -len(item[0])):
        phrases.setdefault(phrase[0], []).append((phrase, said))
    return {first: tuple(each) for first, each in phrases.items()}


@lru_cache(maxsize=16)
def _irregular_forms(locale: str) -> Mapping[str, Sequence[str]]:
    """The irregular forms of verbs, by the verbs' stems."""
    forms: dict[str, list[str]] = {}
    for form, verb in irregular_forms(locale).items():
        forms.setdefault(stem(verb, locale), []).append(form)
    return forms


def _beginnings(phrases: Iterable[_Phrase], stems: frozenset[str], locale: str) -> frozenset[str]:
    whole = {word for phrase in phrases for word in phrase} | stems
    forms = _irregular_forms(locale)
    whole.update(form for root in stems for form in forms.get(root, ()))
    return frozenset(word[:length] for word in whole for length in range(1, len(word) + 1))


class NoRepetition:
    """A filter for one message of a model. A sentence is shown unchanged or not at all.

    A sentence waits while it says nothing new, and is shown at its first new word. A sentence without a new
    word is dropped, with the white space after it, if it only repeats that the assistant is looking up what it
    announced. Never dropped are a sentence with a value from the results, a question, and a heading.

    It may drop everything. Then the caller says a different text.

    Args:
        told: the texts that the customer has received in this turn, one for each message.
        known: returns the values of the results; called only when a sentence is about to be dropped.
        repetition: the locale's words.
        locale: the spoken language.

    Attributes:
        withheld: the dropped sentences, in order.
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
        self._vocabulary = _vocabulary(tuple(told), Same(repetition), locale)
        self._cutter = SentenceCutter(locale, colons=True, longest=LONGEST_SENTENCE)
        # None: the sentence is shown, and so is the rest of it.
        self._reading: Reading | None = None
        self._held = self._unfinished = ""
        # "Sure!" is shown or dropped with the sentence after it.
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
        """End the text; returns the held text that is not a repetition."""
        shown = self._end()
        if self._empty and self._let_out:
            shown += self._release("")
        self._drop_empty()
        return shown

    def _more(self, text: str) -> str:
        if self._reading is None:
            return text
        self._held += text
        if self._reading.read(self._whole_words(text)) or not self._may_still_repeat(self._reading):
            return self._release(self._held)
        return ""

    def _whole_words(self, text: str) -> list[str]:
        """The complete words; an unfinished word waits."""
        raw = self._unfinished + text
        unfinished = _UNFINISHED.search(raw, raw.rfind(" ") + 1)
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
            return self._release(self._held)
        if reading.seen <= {"empty"}:
            self._empty.append(self._held)
        else:
            self._drop_empty()
            self.withheld.append(Suppressed(self._held.strip()))
        return ""

    def _only_repeats(self, reading: Reading) -> bool:
        """Whether a sentence without a new word may be dropped; not "Your order:" and not "It is."."""
        seen = reading.seen
        somebody_looks = seen & {"speaker", "looking"} and seen & {"told", "looking"}
        if not (somebody_looks or seen == {"empty"}) or self._held.rstrip().endswith("?"):
            return False
        values = values_in(self._held, self._locale)
        return not values or not any(is_supported(value, self._known()) for value in values)

    def _release(self, held: str) -> str:
        self._reading = None
        before, self._empty = "".join(self._empty), []
        self._let_out = True
        return before + held

    def _drop_empty(self) -> None:
        self.withheld += [Suppressed(text.strip()) for text in self._empty]
        self._empty = []


class NotHeardBefore:
    """A filter for a message that tells the rest of an answer that was cut off.

    A sentence waits while it repeats heard text word for word. If it does so to its end, it is dropped, with
    the white space after it; the first different word releases it.

    Args:
        heard: the heard part of each answer, from its beginning. An incomplete last sentence does not count.
        locale: the spoken language.

    Attributes:
        withheld: the dropped sentences, in order.
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
        """End the text; returns the held text that the customer had not heard."""
        return self._end()

    def _more(self, text: str) -> str:
        self._held += text
        # An unfinished word waits.
        known = tuple(words(self._held))[:-1]
        if self._waits and any(each[: len(known)] == known for each in self._heard):
            return ""
        return self._release()

    def _end(self) -> str:
        if self._held and tuple(words(self._held)) in self._heard:
            self.withheld.append(Suppressed(self._held.strip()))
            self._held = ""
        return self._release()

    def _release(self) -> str:
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

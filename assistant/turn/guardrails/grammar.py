"""How one language claims and promises deeds: its word lists made ready to be looked for."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Generic, Literal, TypeAlias, TypeVar

from assistant.prompts.deed_words import Act, DeedWords
from assistant.text.stems import stem

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


_T = TypeVar("_T")


class Same(Generic[_T]):
    """Equal to another only when ``it`` is the very same object, which is kept for as long.

    >>> words = ["done"]
    >>> Same(words) == Same(words), Same(words) == Same(["done"])
    (True, False)
    """

    __slots__ = ("it",)

    def __init__(self, it: _T) -> None:
        self.it = it

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.it is self.it  # pyright: ignore[reportUnknownMemberType]

    def __hash__(self) -> int:
        return id(self.it)


Mood: TypeAlias = Literal["do", "done", "doing"]
FrameKind: TypeAlias = Literal["did", "could", "was", "will", "doing", "will_be"]

MOODS: Final[Mapping[FrameKind, Mood]] = {
    "did": "done",
    "could": "do",
    "was": "done",
    "will": "do",
    "doing": "doing",
    "will_be": "done",
}
CLAIMS: Final[frozenset[FrameKind]] = frozenset({"did", "could", "was"})
TORN: Final = "…"
"""Where other words may stand within a verb: "call … off"."""

_TORN_APART: Final = 6
"""How many, at most, and the next word of the verb."""


@dataclass(frozen=True, slots=True)
class Verb:
    """A deed's verb in a sentence, from ``place`` to before ``end``. ``acts``: what it may mean, one at least."""

    acts: tuple[Act, ...]
    place: int
    end: int


@dataclass(frozen=True, slots=True)
class Said:
    """One deed that a sentence speaks of.

    Attributes:
        kind: whether it has been done, or will be.
        acts: what the verb may mean.
        by_us: the assistant says so of itself; nobody's record but its own can prove that.
        things: the stems of all words of its clause.
        lately: it is said to have been done just now.
    """

    kind: Literal["claim", "promise"]
    acts: tuple[Act, ...]
    by_us: bool
    things: frozenset[str]
    lately: bool


class Grammar:
    """The words of one locale."""

    def __init__(self, words: DeedWords, locale: str) -> None:
        self.locale, self.span = locale, words.span
        self.acts = words.acts
        self.frames: Mapping[FrameKind, Phrases] = {
            kind: Phrases(getattr(words.frames, kind)) for kind in MOODS
        }
        self.adverbs, self.openers = Phrases(words.adverbs), Phrases(words.openers)
        self.subjects, self.alone = frozenset(words.subjects), frozenset(words.alone)
        self.ours, self.customer = frozenset(words.ours), frozenset(words.customer)
        self.at_once = frozenset(words.at_once)
        self.all_of_it = frozenset(stem(word, locale) for word in words.all_of_it)
        self.after, self.lately = frozenset(words.after), Phrases(words.lately)
        self.negations, self.modals = Phrases(words.negations), Phrases(words.modals)
        self.conditions, self.reported = Phrases(words.conditions), Phrases(words.reported)
        self.usually = Phrases(words.usually)
        self.free = frozenset(stem(word, locale) for word in words.free)
        self.things = frozenset(stem(word, locale) for word in words.things)
        self._forms: Mapping[Mood, Mapping[str, Sequence[tuple[Sequence[str], Act]]]] = {
            mood: _forms(words.acts, mood) for mood in ("do", "done", "doing")
        }
        self.frame_first = frozenset[str]().union(*(frame.first for frame in self.frames.values()))
        self.frame_beginnings = beginnings(self.frame_first)
        self.verbs: Mapping[Mood, frozenset[str]] = {
            mood: frozenset(
                first for first, known in forms.items() if any(len(form) == 1 for form, _ in known)
            )
            for mood, forms in self._forms.items()
        }
        self.verb_beginnings = {mood: beginnings(forms) for mood, forms in self._forms.items()}
        self._verb_first = frozenset[str]().union(*self._forms.values())
        self.begins = (
            beginnings({*self.openers.first, *self.subjects})
            | self.frame_beginnings
            | self.verb_beginnings["done"]
            | self.verb_beginnings["doing"]
        )
        self.goes_on = self.adverbs.prefixes | self.frame_beginnings
        self.after_beginnings = beginnings(self.after)
        self.thing_beginnings = beginnings(words.things)

    def speaks_of_deeds(self, words: Sequence[str], own: Mapping[str, Act]) -> bool:
        """Whether any verb of a deed is among the words; most sentences have none."""
        if not self._verb_first.isdisjoint(words):
            return True
        return bool(own) and any(stem(word, self.locale) in own for word in words)

    def verb_begun(self, words: Sequence[str], place: int, growing: str, mood: Mood) -> bool:
        """Whether a verb of several words may begin here, the word after the last still growing."""
        following = words[place + 1] if place + 1 < len(words) else None
        return any(
            form[1] in (TORN, following) or (following is None and form[1].startswith(growing))
            for form, _ in self._forms[mood].get(words[place], ())
            if len(form) > 1
        )

    def past_adverbs(self, words: Sequence[str], place: int) -> int:
        """The first place from here on where no adverb stands."""
        while place < len(words):
            length = self.adverbs.at(words, place)
            if not length and not (self.locale == "en" and words[place].endswith("ly")):
                break
            place += length or 1
        return place

    def verb(
        self, words: Sequence[str], place: int, mood: Mood, own: Mapping[str, Act], *, yours: bool = False
    ) -> Verb | None:
        """The deed's verb that begins at this place.

        ``own``: verbs of tools that no list has, by their stems. ``yours``: the customer is the subject.
        """
        if place >= len(words):
            return None
        ends = [
            (act, end)
            for form, act in self._forms[mood].get(words[place], ())
            if act.yours == yours and (end := _stands(form, words, place))
        ]
        fit = [(act, end) for act, end in ends if not act.things or self._speaks_of(act.things, words)]
        if not fit:
            act = (
                own.get(stem(words[place], self.locale))
                if own and not self.negations.at(words, place)
                else None
            )
            return (
                Verb((act,), place, place + 1)
                if act is not None and _in_mood(words[place], act, mood)
                else None
            )
        closest = (
            [each for each in fit if each[0].things] or [each for each in fit if each[0].name != "any"] or fit
        )
        return Verb(tuple(act for act, _ in closest), place, max(end for _, end in closest))

    def _speaks_of(self, things: Iterable[str], words: Sequence[str]) -> bool:
        said = {stem(word, self.locale) for word in words}
        return any(stem(thing, self.locale) in said for thing in things)


def _in_mood(word: str, act: Act, mood: Mood) -> bool:
    """Whether a tool's own verb stands in this mood: only its plain forms are known."""
    plain = word in act.do or word in act.doing
    return not plain if mood == "done" else plain


def _forms(acts: Iterable[Act], mood: Mood) -> Mapping[str, Sequence[tuple[Sequence[str], Act]]]:
    forms: dict[str, list[tuple[Sequence[str], Act]]] = {}
    for act in acts:
        for phrase in getattr(act, mood):
            split = tokens(phrase.replace("...", TORN))
            forms.setdefault(split[0], []).append((split, act))
    return forms


def _stands(form: Sequence[str], words: Sequence[str], place: int) -> int:
    """The place after the verb that stands here; 0 when it does not."""
    reach = 1
    for word in form[1:]:
        if word == TORN:
            reach = _TORN_APART
            continue
        near = words[place + 1 : place + 1 + reach]
        if word not in near:
            return 0
        place, reach = place + 1 + near.index(word), 1
    return place + 1


def grammar_of(words: DeedWords, locale: str) -> Grammar:
    """The grammar of these words; the same whenever it is asked for."""
    return _grammar(Same(words), locale.partition("-")[0])


@lru_cache(maxsize=32)
def _grammar(words: Same[DeedWords], locale: str) -> Grammar:
    return Grammar(words.it, locale)

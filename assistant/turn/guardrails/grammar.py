"""How a language expresses claims and promises: its word lists, prepared for search."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Generic, Literal, TypeAlias, TypeVar

from assistant.language.words import carries_meaning, stem, with_plain_apostrophes
from assistant.prompts.words import Act, DeedWords, Frames

_PLAIN_TOKEN: Final = re.compile(r"\d+(?:[.,:]\d+)+|[^\W_]+(?:-[^\W_]+)*|'[^\W_]+|[^\w\s]")
_TOKEN: Final = re.compile(rf"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|{_PLAIN_TOKEN.pattern}")
"""Also matches e-mail addresses, so that each word is read twice."""


def tokens(text: str) -> list[str]:
    """Words in lower case, contractions, and punctuation marks, each as a token.

    >>> tokens("I’ve e-mailed you: done!"), tokens("120,00 € at 10:30")
    (['i', "'ve", 'e-mailed', 'you', ':', 'done', '!'], ['120,00', '€', 'at', '10:30'])
    """
    return (_TOKEN if "@" in text else _PLAIN_TOKEN).findall(with_plain_apostrophes(text.lower()))


class Phrases:
    """A set of phrases to find among tokens; if several begin the same, the longest is found.

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
        """The number of tokens of the phrase at this place; 0 if there is none."""
        if place >= len(words) or words[place] not in self._by_first:
            return 0
        for phrase in self._by_first[words[place]]:
            if len(phrase) == 1 or phrase == tuple(words[place : place + len(phrase)]):
                return len(phrase)
        return 0

    def begun(self, words: Sequence[str], place: int, growing: str) -> bool:
        """Whether the words from this place on, the last one unfinished, are the beginning of a phrase."""
        if words[place] not in self._longer:
            return False
        rest = tuple(words[place:])
        return any(
            len(phrase) > len(rest) and phrase[: len(rest)] == rest and phrase[len(rest)].startswith(growing)
            for phrase in self._longer[words[place]]
        )

    def among(self, words: Sequence[str]) -> bool:
        """Whether one of the phrases occurs."""
        return any(word in self.first and self.at(words, place) for place, word in enumerate(words))


def beginnings(words: Iterable[str]) -> frozenset[str]:
    """All prefixes of these words, including the words."""
    return frozenset(word[:length] for word in words for length in range(1, len(word) + 1))


_T = TypeVar("_T")


class Same(Generic[_T]):
    """Compares by identity: equal only if ``it`` is the same object.

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
FrameKind: TypeAlias = Literal["did", "could", "was", "became", "will", "doing", "will_be"]

MOODS: Final[Mapping[FrameKind, Mood]] = {
    "did": "done",
    "could": "do",
    "was": "done",
    "became": "done",
    "will": "do",
    "doing": "doing",
    "will_be": "done",
}
CLAIMS: Final[frozenset[FrameKind]] = frozenset({"did", "could", "was", "became"})
UNLISTED: Final = "unlisted"
"""The name of an act whose verb is in no list."""

TORN: Final = "…"
"""Marks where other words may be inside a verb: "call … off"."""

_TORN_APART: Final = 6
"""The maximum number of such words, including the next word of the verb."""


@dataclass(frozen=True, slots=True)
class Verb:
    """A deed's verb in a sentence, from ``place`` to before ``end``. ``acts``: its possible meanings, at
    least one.
    """

    acts: tuple[Act, ...]
    place: int
    end: int


Speaker: TypeAlias = Literal["i", "we", "people", "other"]
"""Who does it: the assistant, the company, a person who works there; or "other" if the sentence does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One deed that a sentence claims or promises.

    Attributes:
        kind: whether it has been done, or will be.
        speaker: who did it or will do it.
        acts: the possible meanings of the verb; for an unlisted verb, an act with its name.
        things: the stems of all words of its clause.
        object: the stems of the object of the deed; empty for a pronoun, or if there is none.
        lately: the sentence says that it has just been done.
        near: it begins just now, or is in progress: it is no rule of how things are done.
        to_you: the clause speaks to the customer.
        rule: the clause may tell how things are done, and no deed: "the full price is refunded within a week".
        past: it tells an event in the past: "it was left at your door".
        perfect: it tells a change: "it has been taken off".
        no_longer: it says that something ends: "it will no longer be charged".
        also: it repeats the deed for a further thing: "and the phone number is updated too".
        value: the words of a new value that it has without a verb: "is now ana@new.example".
    """

    kind: Literal["claim", "promise"]
    speaker: Speaker
    acts: tuple[Act, ...]
    things: frozenset[str]
    object: frozenset[str]
    lately: bool
    near: bool
    to_you: bool
    rule: bool
    past: bool = False
    perfect: bool = False
    no_longer: bool = False
    also: bool = False
    value: tuple[str, ...] = ()

    @property
    def unlisted(self) -> bool:
        """Whether the verb is in no list."""
        return self.acts[0].name == UNLISTED


class Grammar:
    """The words of one locale."""

    def acts_of(self, verbs: AbstractSet[str], words: AbstractSet[str]) -> frozenset[str]:
        """The names of the acts that one of these verbs promises, with the words around it."""
        return frozenset(
            act.name
            for verb in verbs
            for form, act in self._forms["do"].get(verb, ())
            if all(word in words or word == TORN for word in form)
            and (not act.things or not words.isdisjoint(act.things))
        )

    def knows_verb(self, verb: str) -> bool:
        """Whether the promise of an act begins with this verb."""
        return verb in self._forms["do"]

    def __init__(self, words: DeedWords, locale: str) -> None:
        self.locale, self.span = locale, words.span
        self.acts = words.acts
        self.frames: Mapping[FrameKind, Phrases] = {
            kind: Phrases(getattr(words.frames, kind)) for kind in MOODS if kind != "did"
        }
        self.frames = {"did": Phrases(_of_all_people(words)), **self.frames}
        self.adverbs, self.openers = Phrases(words.adverbs), Phrases(words.openers)
        self.conjunctions = Phrases(words.conjunctions)
        self.subjects, self.alone = frozenset(words.subjects), frozenset(words.alone)
        self.ours, self.customer = frozenset(words.ours), frozenset(words.customer)
        self.at_once = frozenset(words.at_once)
        self.all_of_it = frozenset(stem(word, locale) for word in words.all_of_it)
        self.after, self.lately = frozenset(words.after), Phrases(words.lately)
        self.negations, self.modals = Phrases(words.negations), Phrases(words.modals)
        self.conditions, self.reported = Phrases(words.conditions), Phrases(words.reported)
        self.usually, self.unchanged = Phrases(words.usually), Phrases(words.unchanged)
        self.no_longer = Phrases(words.no_longer)
        self.harmless_phrases = Phrases(one for one in words.harmless if " " in one)
        single = [one for one in words.harmless if " " not in one]
        self.harmless = frozenset(_regular_forms(single) if locale == "en" else single)
        self.past = frozenset(words.past)
        self.people = frozenset(stem(word, locale) for word in words.people)
        self._person: dict[str, bool] = {}
        self.messages = frozenset(stem(word, locale) for word in words.messages)
        self.media = frozenset(stem(word, locale) for word in words.media)
        self.to_you = frozenset(words.to_you)
        self.near, self.invites = Phrases(words.near), frozenset(words.invites)
        self.free = frozenset(stem(word, locale) for word in words.free)
        self.not_free = frozenset(stem(word, locale) for word in words.not_free)
        self.things = frozenset(stem(word, locale) for word in words.things)
        self._forms: Mapping[Mood, Mapping[str, Sequence[tuple[Sequence[str], Act]]]] = {
            mood: _forms(words.acts, mood) for mood in ("do", "done", "doing")
        }
        self.frame_first = frozenset[str]().union(*(frame.first for frame in self.frames.values()))
        self.frames_from: Mapping[str, Sequence[tuple[FrameKind, Phrases]]] = {
            word: [(kind, frame) for kind, frame in self.frames.items() if word in frame.first]
            for word in self.frame_first
        }
        self.frame_beginnings = beginnings(self.frame_first)
        self.trigger = _trigger(self.frame_first)
        self.continued_by: Mapping[str, frozenset[str]] = _continued_by(words.frames)
        self.verbs: Mapping[Mood, frozenset[str]] = {
            mood: frozenset(
                first for first, known in forms.items() if any(len(form) == 1 for form, _ in known)
            )
            for mood, forms in self._forms.items()
        }
        self._verb_first = frozenset[str]().union(*self._forms.values())
        self.verb_beginnings = {mood: beginnings(forms) for mood, forms in self._forms.items()}
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
        """Whether these words may mention a deed; a fast test that is false for most sentences."""
        if not (self.frame_first.isdisjoint(words) and self._verb_first.isdisjoint(words)):
            return True
        return self._has_own(words, own)

    def may_have_verb(self, mood: Mood, words: Sequence[str], own: Mapping[str, Act]) -> bool:
        """Whether one of these words may be the verb of a frame; a fast test, never wrongly False."""
        if self.span or mood == "do":
            # An unlisted verb may be any word.
            return True
        ending = _ENGLISH_ENDINGS[mood]
        if any(word.endswith(ending) for word in words) or (
            mood == "done" and not self.past.isdisjoint(words)
        ):
            return True
        forms = self._forms[mood]
        return any(
            all(part in words or part == TORN for part in form)
            for first in forms.keys() & words
            for form, _ in forms[first]
        ) or self._has_own(words, own)

    def _has_own(self, words: Sequence[str], own: Mapping[str, Act]) -> bool:
        return bool(own) and any(stem(word, self.locale) in own for word in words)

    def speaker(self, words: Sequence[str], start: int, frame: int, after: int) -> Speaker:
        """Who acts, according to the words of the frame or the subject before it."""
        said = words[frame:after]
        before = words[start:frame]
        last = next((word for word in reversed(before) if not self.adverbs.at([word], 0)), "")
        for each, names in _FIRST_PERSON.items():
            if any(word in names for word in said) or last in names:
                return each
        return "people" if any(self._is_person(word) for word in (*before, *said)) else "other"

    def _is_person(self, word: str) -> bool:
        if (known := self._person.get(word)) is None:
            known = self._person[word] = stem(word, self.locale) in self.people
            if len(self._person) > _REMEMBERED:
                self._person.clear()
        return known

    def takes_any_verb(self, kind: FrameKind, frame: str, speaker: Speaker) -> bool:
        """Whether any unlisted verb counts as a deed after this frame, which begins with this word."""
        match kind:
            case "did" | "could" | "was" | "became" | "will_be":
                return True
            case "will":
                # "It should arrive on Friday" is an expectation, and no promise.
                return speaker != "other" or frame != "should"
            case "doing":
                return speaker in ("i", "people") if self.span else speaker != "other"

    def verb_begun(self, words: Sequence[str], place: int, growing: str, mood: Mood) -> bool:
        """Whether a verb of several words may begin here, with an unfinished last word."""
        following = words[place + 1] if place + 1 < len(words) else None
        return any(
            form[1] in (TORN, following) or (following is None and form[1].startswith(growing))
            for form, _ in self._forms[mood].get(words[place], ())
            if len(form) > 1
        )

    def past_adverbs(self, words: Sequence[str], place: int) -> int:
        """The first place from here on without an adverb and without "no longer"."""
        while place < len(words):
            length = self.adverbs.at(words, place) or self.no_longer.at(words, place)
            if not length and not (self.locale == "en" and words[place].endswith("ly")):
                break
            place += length or 1
        return place

    def verb(
        self,
        words: Sequence[str],
        place: int,
        mood: Mood,
        own: Mapping[str, Act],
        *,
        yours: bool = False,
        unlisted: bool = False,
        of_people: bool = False,
    ) -> Verb | None:
        """The deed's verb that begins at this place.

        ``own``: unlisted verbs of tools, by their stems. ``yours``: the customer is the subject.
        ``unlisted``: any other verb counts too, except harmless ones. ``of_people``: other people are the
        subject, so that "give you a call" is their deed.
        """
        if place >= len(words) or (self.harmless_phrases.at(words, place) and not of_people):
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
            if act is not None and _in_mood(words[place], act, mood):
                return Verb((act,), place, place + 1)
            return self._unlisted(words, place, mood) if unlisted else None
        closest = (
            [each for each in fit if each[0].things] or [each for each in fit if each[0].name != "any"] or fit
        )
        return Verb(tuple(act for act, _ in closest), place, max(end for _, end in closest))

    def _unlisted(self, words: Sequence[str], place: int, mood: Mood) -> Verb | None:
        """A verb that is in no list, recognised by its form."""
        word = words[place]
        if word in self.harmless or not word[0].isalpha() or self.negations.at(words, place):
            return None
        if word not in self.past and not carries_meaning(word, self.locale):
            return None
        form = _GERMAN_FORMS[mood] if self.span else _ENGLISH_FORMS[mood]
        if not (form.fullmatch(word) or (mood == "done" and word in self.past)):
            return None
        return Verb((Act(name=UNLISTED, do=(word,), done=(word,), doing=(word,)),), place, place + 1)

    def _speaks_of(self, things: Iterable[str], words: Sequence[str]) -> bool:
        said = {stem(word, self.locale) for word in words}
        return any(stem(thing, self.locale) in said for thing in things)


_FIRST_PERSON: Final[Mapping[Speaker, frozenset[str]]] = {
    # "Consider it done" is a claim of the assistant's own deed.
    "i": frozenset({"i", "me", "ich", "consider", "betrachten"}),
    "we": frozenset({"we", "us", "wir"}),
}
_ENGLISH_FORMS: Final[Mapping[Mood, re.Pattern[str]]] = {
    "done": re.compile(r"[a-z-]{2,}ed"),
    "do": re.compile(r"[a-z-]{3,}"),
    "doing": re.compile(r"[a-z-]{2,}ing"),
}
_ENGLISH_ENDINGS: Final[Mapping[Mood, str]] = {"done": "ed", "doing": "ing"}
_GERMAN_FORMS: Final[Mapping[Mood, re.Pattern[str]]] = {
    "done": re.compile(
        r"\w*ge\w{2,}(?:t|en)|(?:ab|an|auf|aus|ein|mit|nach|vor|weiter|zu)?"
        r"(?:be|emp|ent|er|ver|zer|über|unter|wider|hinter)\w{2,}(?:t|en)|\w+iert"
    ),
    "do": re.compile(r"\w{2,}(?:en|ern|eln|tun)"),
    "doing": re.compile(r"\w{2,}e"),
}
_REMEMBERED: Final = 2_000
_JOINS: Final = ("and", "but", "so", "then", "und", "aber", "doch", "dann")


def _trigger(frame_first: Iterable[str]) -> re.Pattern[str]:
    """Where another clause or a frame may begin in a sentence: a punctuation mark, or a complete ``word``."""
    drawn = [word for word in frame_first if word.startswith("'")]
    whole = [*_JOINS, *(word for word in frame_first if not word.startswith("'"))]
    tails = "|".join(re.escape(word[1:]) for word in drawn) or "s"
    words = "|".join(map(re.escape, sorted(whole, key=len, reverse=True)))
    return re.compile(
        rf"[,;:—–(]|(?<!\w)(?P<word>{words})(?=[^\w])|['’‘`](?:{tails})(?=[^\w])", re.IGNORECASE
    )


def _continued_by(frames: Frames) -> Mapping[str, frozenset[str]]:
    """Words that begin a frame only together with a next word: "have" with "been"."""
    phrases = [tokens(phrase) for kind in MOODS for phrase in getattr(frames, kind)]
    alone = {phrase[0] for phrase in phrases if len(phrase) == 1}
    return {
        first: frozenset(phrase[1] for phrase in phrases if phrase[0] == first)
        for first in {phrase[0] for phrase in phrases}
        if first not in alone and first not in _JOINS and first.isalpha()
    }


def _of_all_people(words: DeedWords) -> Iterator[str]:
    """The frames of past deeds; "team has" is also a frame with each other person who works for the company."""
    have = set[str]()
    for frame in words.frames.did:
        yield frame
        who, _, verb = frame.partition(" ")
        if who in words.people:
            have.add(verb)
    yield from (f"{who} {verb}" for who in words.people for verb in have if who not in words.subjects)


_DOUBLED: Final = re.compile(r"[^aeiou][aeiou][bdgmnprt]")


def _regular_forms(verbs: Iterable[str]) -> Iterator[str]:
    """English verbs in all their regular forms.

    >>> sorted(_regular_forms(["review"]))
    ['review', 'reviewed', 'reviewes', 'reviewing', 'reviews']
    """
    for verb in verbs:
        stems = (verb[:-1],) if verb.endswith("e") and not verb.endswith("ee") else (verb,)
        if _DOUBLED.search(verb[-3:]):
            stems = (*stems, verb + verb[-1])
        if verb.endswith("y"):
            stems = (*stems, verb[:-1] + "i")
        yield verb
        for each in stems:
            yield from (f"{each}s", f"{each}es", f"{each}ed", f"{each}ing")


def _in_mood(word: str, act: Act, mood: Mood) -> bool:
    """Whether a tool's own verb is in this mood: only its plain forms are known."""
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
    """The position after the verb at this place; 0 if there is no such verb."""
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
    """The grammar of these words; cached."""
    return _grammar(Same(words), locale.partition("-")[0])


@lru_cache(maxsize=32)
def _grammar(words: Same[DeedWords], locale: str) -> Grammar:
    return Grammar(words.it, locale)

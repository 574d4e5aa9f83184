"""The question of a read-back: its parts, the words that name each part, its new and its old values.

A question consists of *parts*. Each call is one part, or several if its clause names several independent
things ("change your e-mail to X and your phone number to Y"). An answer may name a part by its words or by
its values. A value is *old* if the clause only mentions it to say what changes ("from Tuesday").
:mod:`read_question` makes the question from a log entry.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from assistant.language.words import stem
from assistant.turn.consent.values import SaidValue

_STEM: Final = 6
"""Words that begin with this number of equal letters count as equal: "cancel" and "cancellation"."""
LONGEST_COUNT: Final = 2
"""The most digits of a number that counts things."""
_COMPOUND: Final = 4
"""The least length of a word that can stand for a longer German one: "Test" for "Sehtest"."""


@dataclass(frozen=True, slots=True)
class AskedValue:
    """A value in the question. ``old``: it is the value that changes, so naming it agrees to nothing."""

    value: SaidValue
    old: bool


@dataclass(frozen=True, slots=True)
class Part:
    """One thing in the question. ``call`` is the position of its call, from 0."""

    call: int
    words: frozenset[str]
    values: tuple[AskedValue, ...]


@dataclass(frozen=True)
class Question:
    """The question that was asked.

    Args:
        parts: the parts, in the order of the read-back.
        acts: for each call, the words for its action: "cancel".
        shared: for each call, the words that name all of its parts.
        elsewhere: words for other things that tools can do.
        ends: the calls that end something. For these, a reason against the thing is a reason for the call.
        locale: the language of the answer.
        compounds: whether the language has compound words: "Sehtest".
        goals: words for a new state.
        relations: words before a time: "until December 28".
        any_thing: words that may mean any thing in question: "the booking".
    """

    parts: tuple[Part, ...]
    acts: tuple[frozenset[str], ...]
    shared: tuple[frozenset[str], ...]
    elsewhere: Collection[str] = ()
    ends: frozenset[int] = frozenset()
    locale: str = "en"
    compounds: bool = False
    goals: frozenset[str] = frozenset()
    any_thing: frozenset[str] = frozenset()
    relations: frozenset[str] = frozenset()

    @cached_property
    def everything(self) -> frozenset[int]:
        """The positions of all parts."""
        return frozenset(range(len(self.parts)))

    @property
    def calls(self) -> frozenset[int]:
        """The positions of all calls."""
        return frozenset(range(len(self.acts)))

    @property
    def only_ends(self) -> bool:
        """Whether all calls end something."""
        return self.ends == self.calls

    @property
    def changes(self) -> bool:
        """Whether the question has an old and a new state."""
        return any(asked.old for part in self.parts for asked in part.values)

    @cached_property
    def counts(self) -> frozenset[str]:
        """The numbers of a new state that count something: "for 2 guests"."""
        if self.only_ends:
            return frozenset()
        return frozenset(
            asked.value.form
            for part in self.parts
            for asked in part.values
            if asked.value.kind == "number" and not asked.old and len(asked.value.form) <= LONGEST_COUNT
        )

    def acted(self, word: str) -> frozenset[int]:
        """The positions of the parts whose call has this verb, even if it is misspelt: "cancle"."""
        if word not in self._acted:
            self._acted[word] = self._parts_of(
                {
                    call
                    for call, acts in enumerate(self.acts)
                    if self._is_one_of(word, acts, whole=True) or any(is_slip_of(word, act) for act in acts)
                }
            )
        return self._acted[word]

    @cached_property
    def _acted(self) -> dict[str, frozenset[int]]:
        """The cached results of :meth:`acted`."""
        return {}

    def named(self, word: str) -> frozenset[int]:
        """The positions of the parts that this word names; empty if the word is not in the question.

        "Orders" does not name the single order in a question.
        """
        if word not in self._named:
            self._named[word] = self._find_named(word)
        return self._named[word]

    @cached_property
    def _named(self) -> dict[str, frozenset[int]]:
        """The cached results of :meth:`named`."""
        return {}

    def _find_named(self, word: str) -> frozenset[int]:
        if len(self.parts) == 1 and self._is_plural_of_one(word):
            return frozenset()
        own = {place for place, part in enumerate(self.parts) if self._is_one_of(word, part.words)}
        shared = {call for call, words in enumerate(self.shared) if self._is_one_of(word, words)}
        return frozenset(own) | self._parts_of(shared) | self.acted(word)

    def means_any(self, word: str) -> bool:
        """Whether the word may mean the only thing in question without naming it, and nothing else."""
        others = self._elsewhere.isdisjoint((word, f"{word}s"))
        return word in self.any_thing and len(self.parts) == 1 and others and not self.named(word)

    @cached_property
    def _elsewhere(self) -> frozenset[str]:
        return frozenset(form for word in self.elsewhere for form in word_forms(word, self.locale))

    @cached_property
    def addressed(self) -> frozenset[int]:
        """The positions of the parts with a new address."""
        return frozenset(
            place
            for place, part in enumerate(self.parts)
            if any(asked.value.kind == "address" and not asked.old for asked in part.values)
        )

    def is_plural(self, word: str) -> bool:
        """Whether the word names several parts, and can only mean more than one: "rooms"."""
        known = frozenset[str]().union(*self.shared, *(part.words for part in self.parts))
        return word.endswith("s") and word not in known and word.removesuffix("s") in known

    def is_goal(self, word: str) -> bool:
        """Whether the word belongs to the new state in the question: "to your Visa card"."""
        return self._is_one_of(word, self.goals)

    def is_elsewhere(self, word: str) -> bool:
        """Whether the word is about something else that tools can do, and not about the question."""
        return word in self.elsewhere and not self.named(word)

    def is_sibling(self, word: str) -> bool:
        """Whether the word names another thing of the same kind as one in the question: "Einzelzimmer"."""
        if not self.compounds or self.named(word):
            return False
        known = frozenset[str]().union(*self.shared, *(part.words for part in self.parts))
        return any(len(head) >= _COMPOUND and len(word) > len(head) and word.endswith(head) for head in known)

    def _parts_of(self, calls: Collection[int]) -> frozenset[int]:
        return frozenset(place for place, part in enumerate(self.parts) if part.call in calls)

    def _is_plural_of_one(self, word: str) -> bool:
        known = self.parts[0].words | self.shared[0]
        return word.endswith("s") and word not in known and word.removesuffix("s") in known

    def _is_one_of(self, word: str, words: Collection[str], *, whole: bool = False) -> bool:
        forms = word_forms(word, self.locale)
        joined = word.replace("-", "")
        return not forms.isdisjoint(words) or any(self._akin(joined, other, whole=whole) for other in words)

    def _akin(self, word: str, other: str, *, whole: bool) -> bool:
        if not (word.isalpha() and other.isalpha()):
            return False
        if len(word) >= _STEM and len(other) >= _STEM and word[:_STEM] == other[:_STEM]:
            return True
        compound = (
            self.compounds
            and not whole
            and len(word) >= _COMPOUND
            and len(other) - len(word) >= _COMPOUND - 1
        )
        return compound and (other.startswith(word) or other.endswith(word))


def is_slip_of(typed: str, word: str) -> bool:
    """Whether one letter is missing, doubled or wrong, or two letters are swapped: "cancle".

    >>> is_slip_of("cancle", "cancel"), is_slip_of("move", "mode"), is_slip_of("cancel", "cancel")
    (True, False, False)
    """
    if typed[:1] != word[:1]:
        return False
    longer, shorter = (typed, word) if len(typed) >= len(word) else (word, typed)
    if len(shorter) < _STEM - 1 or len(longer) < _STEM or len(longer) - len(shorter) > 1 or typed == word:
        return False
    begin = next(
        (n for n, (one, other) in enumerate(zip(longer, shorter, strict=False)) if one != other), len(shorter)
    )
    if not typed.isalpha():
        return False
    if len(longer) > len(shorter):
        return longer[begin + 1 :] == shorter[begin:]
    swapped = longer[begin : begin + 2] == shorter[begin : begin + 2][::-1]
    return (swapped and longer[begin + 2 :] == shorter[begin + 2 :]) or longer[begin + 1 :] == shorter[
        begin + 1 :
    ]


@lru_cache(maxsize=4096)
def word_forms(word: str, locale: str) -> frozenset[str]:
    """The forms of a word for comparisons: "e-mail" is "email", "cancelled" is "cancel", "Momo's" is "Momo"."""
    joined = word.replace("-", "")
    owner = joined.removesuffix("'s")
    return frozenset((joined, stem(joined, locale), joined.rstrip("s") or joined, owner))

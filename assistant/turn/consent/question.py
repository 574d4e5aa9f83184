"""What a read-back asked about: its parts, the words each goes by, its new and its old values.

What a customer agrees to is made of *parts*: each call is one, or several where its clause names several things
that are independent of one another ("change your e-mail to X and your phone number to Y"). An answer may name a
part by its words or by its values. A value is *old* when the clause only mentions it to say what changes ("from
Tuesday"). :mod:`read_question` makes the question out of a log entry.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from assistant.language.words import stem
from assistant.turn.consent.values import SaidValue

_STEM: Final = 6
"""Words that begin with this many equal letters count as one: "cancel" and "cancellation"."""
_COMPOUND: Final = 4
"""The least length of a word that stands for a longer German one: "Test" for "Sehtest"."""


@dataclass(frozen=True, slots=True)
class AskedValue:
    """A value in the question; ``old``: it is what changes, so that naming it agrees to nothing."""

    value: SaidValue
    old: bool


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that was asked about. ``call`` is the place of its call, from 0."""

    call: int
    words: frozenset[str]
    values: tuple[AskedValue, ...]


@dataclass(frozen=True)
class Question:
    """What was asked.

    Args:
        parts: in the order of the read-back.
        acts: for each call, the words of what is done: "cancel".
        shared: for each call, the words that all of its parts go by.
        elsewhere: words of what else there is to ask for.
        ends: the calls that end something, so that a reason against the thing is a reason for the call.
        locale: the language of the answer.
        compounds: words of the language are made of several: "Sehtest".
        goals: words of a new state.
    """

    parts: tuple[Part, ...]
    acts: tuple[frozenset[str], ...]
    shared: tuple[frozenset[str], ...]
    elsewhere: Collection[str] = ()
    ends: frozenset[int] = frozenset()
    locale: str = "en"
    compounds: bool = False
    goals: frozenset[str] = frozenset()

    @cached_property
    def everything(self) -> frozenset[int]:
        """The places of all parts."""
        return frozenset(range(len(self.parts)))

    @property
    def calls(self) -> frozenset[int]:
        """The places of all calls."""
        return frozenset(range(len(self.acts)))

    @property
    def only_ends(self) -> bool:
        """Whether every call ends something."""
        return self.ends == self.calls

    @property
    def changes(self) -> bool:
        """Whether the question tells a new state from an old one."""
        return any(asked.old for part in self.parts for asked in part.values)

    def acted(self, word: str) -> frozenset[int]:
        """The places of the parts whose call does what the word says, or nearly says: "cancle"."""
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
        """What :meth:`acted` has found."""
        return {}

    def named(self, word: str) -> frozenset[int]:
        """The places of the parts that go by the word; none if it is no word of the question.

        "Orders" is no word of a question about one order.
        """
        if word not in self._named:
            self._named[word] = self._find_named(word)
        return self._named[word]

    @cached_property
    def _named(self) -> dict[str, frozenset[int]]:
        """What :meth:`named` has found."""
        return {}

    def _find_named(self, word: str) -> frozenset[int]:
        if len(self.parts) == 1 and self._is_plural_of_one(word):
            return frozenset()
        own = {place for place, part in enumerate(self.parts) if self._is_one_of(word, part.words)}
        shared = {call for call, words in enumerate(self.shared) if self._is_one_of(word, words)}
        return frozenset(own) | self._parts_of(shared) | self.acted(word)

    @cached_property
    def addressed(self) -> frozenset[int]:
        """The places of the parts with a new address."""
        return frozenset(
            place
            for place, part in enumerate(self.parts)
            if any(asked.value.kind == "address" and not asked.old for asked in part.values)
        )

    def is_plural(self, word: str) -> bool:
        """Whether the word, which several parts go by, can only mean more than one: "rooms"."""
        known = frozenset[str]().union(*self.shared, *(part.words for part in self.parts))
        return word.endswith("s") and word not in known and word.removesuffix("s") in known

    def is_goal(self, word: str) -> bool:
        """Whether the question has the word in its new state: "to your Visa card"."""
        return self._is_one_of(word, self.goals)

    def is_elsewhere(self, word: str) -> bool:
        """Whether the word belongs to something else that there is to ask for, and not to the question."""
        return word in self.elsewhere and not self.named(word)

    def is_sibling(self, word: str) -> bool:
        """Whether the word is of the same kind as a thing of the question, and another: "Einzelzimmer"."""
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
    """Whether one letter is missing, doubled or wrong, or two have changed places: "cancle".

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
    """A word in the forms in which it is compared: "e-mail" is "email", "cancelled" is "cancel"."""
    joined = word.replace("-", "")
    return frozenset((joined, stem(joined, locale), joined.rstrip("s") or joined))

"""Keeps back what a narrator only says again after the acknowledgement."""

import re
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from assistant.prompts.repetition_words import RepetitionWords
from assistant.text.sentences import SentenceCutter
from assistant.text.supported import supported
from assistant.text.values import Value, values_in
from assistant.text.words import words
from assistant.turn.guards.guard import Kept
from assistant.turn.guards.nothing_new import Reading, vocabulary

_UNFINISHED: Final = re.compile(r"[^\W_](?:[^\W_]|['’‘`](?=[^\W_]|\Z))*\Z")
_LONGEST_WAIT: Final = 6
"""Words that wait while nothing among them was told before, nor says nothing: the next one lets them out."""
_SAY_NOTHING: Final = frozenset({"neutral", "speaker"})
_LONGEST_REPEAT: Final = 400
"""Characters. Nobody says that much again; a stream that is stuck might."""


class NoRepetition:
    """A filter for one message of a model. Sentences come out as they went in, or not at all.

    A sentence waits while it says nothing new; its first new word lets it out. One that ends without is
    dropped, together with the white space after it, when somebody tells in it of looking up what they had said
    they would. Never dropped: a sentence with a value of the results, a question, a heading.

    Where everything would be dropped, it is, for there are better words for the customer than the same once
    more: whoever finds that nothing was let out says something else.

    Args:
        told: what the customer has been told in this turn, one text for each message.
        known: gives the values of the results; asked only when a sentence is about to be dropped.
        repetition: the locale's words.
        locale: the language that is spoken.

    Attributes:
        withheld: the sentences that were dropped, in their order.
    """

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
        self.withheld: list[Kept] = []
        self._known, self._locale = known, locale
        self._told = any(told)
        self._vocabulary = vocabulary(told, repetition, locale)
        self._cutter = SentenceCutter(locale, colons=True)
        # None: the sentence is out, and what is left of it goes after.
        self._reading: Reading | None = None
        self._held = self._unfinished = ""
        # "Sure!" goes the way of the sentence after it.
        self._empty: list[str] = []
        self._let_out = False

    def push(self, text: str) -> str:
        """Take some more text; give back what may be shown now, perhaps nothing."""
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
        """There is no more text: give back what was held and is no repetition."""
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
            self.withheld.append(Kept(self._held.strip()))
        return ""

    def _only_repeats(self, reading: Reading) -> bool:
        """Whether a sentence without a new word may be dropped: not "Your order:", nor "It is."."""
        seen = reading.seen
        somebody_looks = seen & {"speaker", "looking"} and seen & {"told", "looking"}
        if not (somebody_looks or seen == {"empty"}) or self._held.rstrip().endswith("?"):
            return False
        values = values_in(self._held, self._locale)
        return not values or not any(supported(value, self._known()) for value in values)

    def _let_go(self, held: str) -> str:
        self._reading = None
        before, self._empty = "".join(self._empty), []
        self._let_out = True
        return before + held

    def _drop_empty(self) -> None:
        self.withheld += [Kept(text.strip()) for text in self._empty]
        self._empty = []

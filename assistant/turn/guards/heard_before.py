"""Keeps back the sentences of an answer that the customer had heard before they cut it off."""

from collections.abc import Sequence

from assistant.text.sentences import SentenceCutter, sentences
from assistant.text.words import words
from assistant.turn.guards.guard import Kept


class NotHeardBefore:
    """A filter for one message of a model, which tells the rest of an answer that was cut off.

    A sentence waits for as long as it says, word for word, what was heard. One that ends so is dropped, together
    with the white space after it; the first other word lets it out.

    Args:
        heard: what was heard of each answer, from its beginning. Its last sentence does not count where it is not
            complete.
        locale: the language that is spoken.

    Attributes:
        withheld: the sentences that were dropped, in their order.
    """

    __slots__ = ("_cutter", "_heard", "_held", "_waits", "withheld")

    def __init__(self, heard: Sequence[str], locale: str = "en") -> None:
        self.withheld: list[Kept] = []
        self._heard = [tuple(words(each)) for text in heard for each in _complete(text, locale)]
        self._cutter = SentenceCutter(locale)
        self._held = ""
        self._waits = False

    def push(self, text: str) -> str:
        """Take some more text; give back what may be shown now, perhaps nothing."""
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
        """There is no more text: give back what was held and had not been heard."""
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
            self.withheld.append(Kept(self._held.strip()))
            self._held = ""
        return self._let_go()

    def _let_go(self) -> str:
        held, self._held = self._held, ""
        self._waits = False
        return held


def _complete(text: str, locale: str) -> list[str]:
    """The sentences that somebody who heard this text heard to their end.

    >>> _complete("It is blue. It costs ten", "en"), _complete("It is blue.", "en")
    (['It is blue. '], ['It is blue.'])
    """
    heard = sentences(text, locale)
    whole = heard and heard[-1].rstrip().rstrip("\"'”’“)]»*_").endswith((".", "!", "?"))
    return [each for each in (heard if whole else heard[:-1]) if words(each)]

"""Reads an answer to a read-back in a language whose answers are not read word by word.

``grammar = "whole"`` in a locale's file: an answer is a yes or a no only if nothing else is in it.
``grammar = "none"``: no words agree, only a button or a key does.
"""

import re
from typing import Final

from assistant.prompts.consent_words import ConsentWords
from assistant.turn.consent.readings import AgreedToAll, Declined, Hold, Reading, Unclear

_PAUSES: Final = re.compile(r"[\s.,!…¡]+")
_LONGEST_HOLD: Final = 3
"""Words. A longer message may be about another matter, which the decision model answers."""


def read_whole_answer(text: str, words: ConsentWords) -> Reading:
    """A yes or a no that is nothing else; what is neither goes to the decision model. Pure.

    A text of a few words where none can agree is no matter of its own: the question is asked again.
    """
    if words.grammar == "whole":
        rest = _rest(words.polite.without(text))
        without_no = _rest(words.no.without(rest))
        without_yes = _rest(words.yes.without(rest))
        # A longer phrase may hold a shorter one of the other kind ("non merci", "claro que no").
        if rest and not without_no and without_yes:
            return Declined()
        if rest and not without_yes and without_no:
            return AgreedToAll()
        return Unclear()
    if "?" not in text and len(text.split()) <= _LONGEST_HOLD:
        return Hold()
    return Unclear()


def _rest(text: str) -> str:
    """What is left when pauses are left out; a question mark or a sign stays, so it is never agreed to."""
    return _PAUSES.sub(" ", text).strip()

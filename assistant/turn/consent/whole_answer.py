"""Reads an answer to a read-back in a language whose answers are not read word by word.

``grammar = "whole"`` in a locale's file: an answer is a yes or a no only if it contains nothing else.
``grammar = "none"``: no words agree, only a button or a key does.
"""

import re
from typing import Final

from assistant.prompts.consent_words import ConsentWords
from assistant.turn.consent.readings import AgreedToAll, Declined, Hold, Reading, Unclear

_PAUSES: Final = re.compile(r"[\s.,!…¡]+")
_LONGEST_HOLD: Final = 3
"""The most words of a text that leads to a repetition of the question. A longer one may be about another
matter, which the decision model answers."""


def read_whole_answer(text: str, words: ConsentWords) -> Reading:
    """Reads an answer that is only a yes or only a no, apart from polite words. No side effects.

    Returns ``Unclear`` for any other text: the decision model then reads it. If the locale has no words that can
    agree (``grammar = "none"``), a text of at most three words without "?" is ``Hold``: the question is
    asked again.
    """
    if words.grammar == "whole":
        rest = _rest(words.polite.without(text))
        without_no = _rest(words.no.without(rest))
        without_yes = _rest(words.yes.without(rest))
        # A longer phrase may contain a shorter one of the other kind ("non merci", "claro que no").
        if rest and not without_no and without_yes:
            return Declined()
        if rest and not without_yes and without_no:
            return AgreedToAll()
        return Unclear()
    if "?" not in text and len(text.split()) <= _LONGEST_HOLD:
        return Hold()
    return Unclear()


def _rest(text: str) -> str:
    """The text without pauses. Question marks and other characters stay, so that it is never a yes."""
    return _PAUSES.sub(" ", text).strip()

"""What kind of thing the assistant has just asked for: such things are dictated slowly, with pauses."""

import re
from typing import Literal, TypeAlias

from assistant.prompts.listening_words import ListeningWords

Expecting: TypeAlias = Literal["anything", "digits", "name", "email"]
"""What may be dictated now. Numbers of every kind, dates of birth and postcodes are digits."""

_SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n+")
_LAST = 2  # "I need your customer number. What is it?"


def expected_after(question: str, words: ListeningWords) -> Expecting:
    """What the assistant's own message asks for; "anything" where it asks for nothing that is dictated.

    Only its end counts, and a sentence that holds a number or an address asks about that one, not for another.
    Of several things, an e-mail address takes the longest to say.
    """
    sentences = [sentence for sentence in _SENTENCE.split(question.strip()) if sentence][-_LAST:]
    if not any(sentence in words.asks for sentence in sentences):
        return "anything"
    asked = " ".join(sentence for sentence in sentences if not re.search(r"[\d@]", sentence))
    if asked in words.emails:
        return "email"
    if asked in words.digits:
        return "digits"
    return "name" if asked in words.names else "anything"

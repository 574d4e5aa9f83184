"""Tells whether a model promised to look something up."""

import re

from assistant.prompts.words import WordList

_SENTENCES = re.compile(r"(?<=[.!?])\s+")


def promises(text: str, phrases: WordList, condition: WordList) -> bool:
    """Whether a sentence announces a lookup, and neither asks anything nor makes it depend on the customer.

    >>> phrases, condition = WordList(("let me check", "i'll look")), WordList(("as soon as you",))
    >>> promises("Let me check that for you.", phrases, condition)
    True
    >>> promises("I'll look as soon as you tell me the number.", phrases, condition)
    False
    """
    if "?" in text:
        return False
    return any(sentence in phrases and sentence not in condition for sentence in _SENTENCES.split(text))

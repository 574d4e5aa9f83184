"""Tells whether a model promised to look something up."""

import re

from assistant.prompts.words import WordList

_SENTENCES = re.compile(r"(?<=[.!?])\s+")


def promises(text: str, phrases: WordList) -> bool:
    """Whether a sentence announces a lookup, and neither asks anything nor makes it depend on the customer.

    >>> phrases = WordList(("let me check", "i'll look"))
    >>> promises("Let me check that for you.", phrases)
    True
    >>> promises("Shall I look? I'll look as soon as you tell me the number, okay?", phrases)
    False
    """
    if "?" in text:
        return False
    return any(sentence in phrases for sentence in _SENTENCES.split(text) if not _depends(sentence))


def _depends(sentence: str) -> bool:
    return re.search(r"\b(once|if|when|as soon as|after) you\b", sentence.casefold()) is not None

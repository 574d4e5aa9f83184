"""Words without their endings, so that "bills" and "billing" count as one."""

import re
from typing import Final

_WORD: Final = re.compile(r"[a-z]+(?:'[a-z]+)?")
_COMMON: Final = frozenset(
    [
        "a",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "don't",
        "for",
        "from",
        "get",
        "give",
        "go",
        "had",
        "has",
        "have",
        "how",
        "i",
        "i'd",
        "i'm",
        "i've",
        "if",
        "in",
        "is",
        "it",
        "it's",
        "its",
        "just",
        "let",
        "like",
        "look",
        "me",
        "my",
        "need",
        "of",
        "off",
        "on",
        "or",
        "our",
        "out",
        "please",
        "show",
        "so",
        "some",
        "tell",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "they",
        "this",
        "to",
        "up",
        "us",
        "want",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "will",
        "with",
        "would",
        "you",
        "your",
        "about",
        "not",
        "no",
        "see",
        "know",
        "one",
        "all",
        "am",
        "check",
        "remind",
        "find",
        "list",
        "could",
        "come",
        "going",
        "today",
        "tomorrow",
        "day",
        "time",
    ]
)
_ENDINGS: Final = (
    "ations",
    "ation",
    "ings",
    "ing",
    "ments",
    "ment",
    "ies",
    "ers",
    "er",
    "ed",
    "es",
    "s",
    "y",
    "e",
)


def stem(word: str) -> str:
    """Strip an English ending, crudely: for comparing, not for reading.

    >>> stem("bills") == stem("billing"), stem("cancelled") == stem("cancel"), stem("opening") == stem("open")
    (True, True, True)
    """
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def stems(text: str) -> frozenset[str]:
    """The stems of the words that carry meaning.

    >>> sorted(stems("Please cancel my appointments"))
    ['appoint', 'cancel']
    """
    words = _WORD.findall(text.lower().replace("_", " "))
    return frozenset(stem(word) for word in words if word not in _COMMON and len(word) > 1)

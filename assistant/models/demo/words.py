"""Word stems, and the correction of spelling."""

import re
from collections.abc import Callable, Iterable
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from assistant.conversation.tool_spec import ToolSpec
from assistant.language.words import without_ending
from assistant.models.minilm import vocabulary

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


def stems(text: str) -> frozenset[str]:
    """Returns the stems of the words that carry meaning.

    >>> sorted(stems("Please cancel my appointments"))
    ['appoint', 'cancel']
    """
    words = _WORD.findall(text.lower().replace("_", " "))
    return frozenset(without_ending(word) for word in words if word not in _COMMON and len(word) > 1)


_SPELT: Final = re.compile(r"(?<![\w@.'’-])[^\W\d_]+(?![\w@'’-]|\.\w)")
_RARE: Final = 15_000  # the vocabulary is sorted by frequency: "order" is number 2344, "oder" number 27215
_SHORTEST: Final = 4  # letters; shorter words are not corrected
_LONG: Final = 8  # letters; a longer word may have two mistakes
_ALIKE: Final = 0.85
_KEPT: Final = 2048
_ALWAYS: Final = (
    "monday tuesday wednesday thursday friday saturday sunday january february march april june july august"
    " september october november december tomorrow today week when where what which cancel reschedule change"
    " check show move book please want need appointment order invoice bill address email phone number"
)
_SHORT_FOR: Final = {
    "appt": "appointment",
    "appts": "appointments",
    "apt": "appointment",
    "u": "you",
    "ur": "your",
    "r": "are",
    "pls": "please",
    "plz": "please",
    "wanna": "want to",
    "gimme": "give me",
    "tmrw": "tomorrow",
    "tmr": "tomorrow",
    "whats": "what's",
    "wheres": "where's",
    "whens": "when's",
    "dont": "don't",
    "cant": "can't",
    "wont": "won't",
    "didnt": "didn't",
    "doesnt": "doesn't",
    "isnt": "isn't",
    "havent": "haven't",
    "hasnt": "hasn't",
    "shouldnt": "shouldn't",
    "im": "i'm",
    "ive": "i've",
    "id": "i'd",
}


def mender(specs: Iterable[ToolSpec]) -> Callable[[str], str]:
    """Returns a function that corrects the spelling of a text.

    Known words, numbers and addresses do not change. Corrected words become lower case.

    >>> mend = mender([ToolSpec(name="get_order_status", description="", parameters={})])
    >>> mend("Wheres my oder? I got mail at oder@oder.de, cancle my APOINTMENT, the chancellor")
    "where's my order? I got mail at oder@oder.de, cancel my appointment, the chancellor"
    """
    specs = tuple(specs)
    named = _words(" ".join(spec.name for spec in specs)) | _words(_ALWAYS)
    known = _words(" ".join(example for spec in specs for example in spec.examples)) | named
    ranks = lru_cache(maxsize=1)(vocabulary)

    @lru_cache(maxsize=_KEPT)
    def mended(word: str) -> str | None:
        if (whole := _SHORT_FOR.get(word)) is not None:
            return whole
        if len(word) < _SHORTEST - 1 or word in known or ranks().get(word, _RARE) < _RARE:
            return None
        near = [target for target in known if _is_slip(word, target, new=word not in ranks())]
        # Words in the names of tools are preferred, then frequent words.
        return min(near, key=lambda one: (one not in named, ranks().get(one, _RARE), one), default=None)

    return lambda text: _SPELT.sub(lambda match: mended(match[0].lower()) or match[0], text)


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in re.findall(r"[a-z]+", text.lower()) if len(word) >= _SHORTEST)


def _is_slip(word: str, target: str, *, new: bool) -> bool:
    """Whether a word is another one with one letter added, missing or wrong, or two letters swapped."""
    if word[0] != target[0] or (word.startswith(target) and word[-1] != target[-1]):
        return False  # "orders" is a form of "order", not a slip
    start = _common(word, target)
    end = min(_common(word[::-1], target[::-1]), len(word) - start, len(target) - start)
    left, right = word[start : len(word) - end], target[start : len(target) - end]
    if max(len(left), len(right)) <= 1 or (len(left) == 2 and left == right[::-1]):
        return True
    long = new and min(len(word), len(target)) >= _LONG and abs(len(word) - len(target)) <= 2
    return long and SequenceMatcher(None, word, target).ratio() >= _ALIKE


def _common(one: str, other: str) -> int:
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )

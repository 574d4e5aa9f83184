"""What a waiting hint must not hold: it says what is being done and nothing else, whatever comes of it."""

import re
from collections.abc import Sequence

from assistant.prompts.hint_forms import Never

_MOST_WORDS = 8

_SHAPES: Sequence[tuple[re.Pattern[str], str]] = (
    (
        re.compile(r"[{}<>\[\]%$]"),
        "should have no placeholder: a hint is the same for every call; say 'your order', not which",
    ),
    (
        re.compile(r"\d"),
        "should have no number or id: a hint is the same for every call; say 'your order', not which",
    ),
    (
        re.compile(r"\w_\w|_\w|\w_|[a-z][A-Z]|\w\(|\w\.\w|[/\\@#=|*`]"),
        "should be in the customer's words, not in those of the code",
    ),
)


def lint(phrase: str, never: Sequence[Never]) -> str | None:
    """The cure for a hint that says too much, in either of its forms; None: it does not.

    ``never`` are the words that its language has no use for in a hint, as its locale's file lists them.

    >>> lint("cancelling order 4711", ())
    "should have no number or id: a hint is the same for every call; say 'your order', not which"
    """
    for shape, cure in _SHAPES:
        if shape.search(phrase):
            return cure
    for rule in never:
        if word := rule.found(phrase):
            return f"should not say {word!r}: {rule.because}"
    if len(phrase.split()) > _MOST_WORDS:
        return f"should have at most {_MOST_WORDS} words: others are named beside it in the same sentence"
    return None

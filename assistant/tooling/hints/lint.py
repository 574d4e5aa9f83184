"""What a waiting hint should not hold: what cannot be said is an error, what may not be meant is a doubt."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assistant.conversation.tool_spec import Hint
from assistant.prompts.hint_forms import Never

_MOST_WORDS = 8

_UNSAYABLE: Sequence[tuple[re.Pattern[str], str]] = (
    (
        re.compile(r"[{}<>\[\]]|%[a-z(]"),
        "should have no placeholder: a hint is the same for every call; say 'your order', not which",
    ),
    (
        re.compile(r"[_\\=|*`^~]|\w\("),
        "should be in the customer's words, not in those of the code",
    ),
)
"""Signs that no sentence has: a voice cannot say them, and a customer cannot read them."""

_DOUBTFUL: Sequence[tuple[re.Pattern[str], str]] = (
    (re.compile(r"\d"), "it has a number or id in it, and a hint is the same for every call"),
    (re.compile(r"[a-z][A-Z]|\w\.\w|[/@#$%]"), "it looks like code; use the customer's words"),
)


@dataclass(frozen=True, slots=True)
class Doubt:
    """A hint that makes a sentence which may not be meant.

    ``form`` is "doing" or "will"; ``why`` says what may be wrong with it.
    """

    locale: str
    form: str
    phrase: str
    why: str


def unsayable(phrase: str) -> str | None:
    """The cure for a phrase that makes no sentence, in either of its forms; None: it makes one.

    >>> unsayable("cancelling order {number}")
    "should have no placeholder: a hint is the same for every call; say 'your order', not which"
    >>> unsayable("looking up your stay")
    """
    return next((cure for shape, cure in _UNSAYABLE if shape.search(phrase)), None)


def doubts(hints: Mapping[str, Hint], never: Mapping[str, Sequence[Never]]) -> Iterator[Doubt]:
    """What in a tool's hints may not be meant, at most once for each locale.

    ``never`` has for each locale the words that hints seldom mean, as its file lists them.
    """
    for locale, hint in hints.items():
        forms = (("doing", hint.doing), ("will", hint.will))
        found = ((form, phrase, _doubt(phrase, never.get(locale, ()))) for form, phrase in forms)
        yield from [Doubt(locale, form, phrase, why) for form, phrase, why in found if why][:1]


def _doubt(phrase: str, never: Sequence[Never]) -> str | None:
    for shape, why in _DOUBTFUL:
        if shape.search(phrase):
            return why
    for rule in never:
        if word := rule.found(phrase):
            return f"{word!r} is doubtful: {rule.because}"
    if len(phrase.split()) > _MOST_WORDS:
        return f"it has more than {_MOST_WORDS} words, and others are named beside it in the same sentence"
    return None

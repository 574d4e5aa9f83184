"""Sees that a deed is asked for on something that no tool is for: "cancel my gym membership"."""

import re
from collections.abc import Collection
from typing import Final

from assistant.models.offline.deeds import deeds_of
from assistant.models.offline.numbers import ORDINAL
from assistant.models.offline.stems import stems

_THING: Final = re.compile(
    r"\b(?:my|an?|the|our)\s+(?P<thing>(?:(?!(?:for|on|at|in|to|from|with|of|that|which|who|by|please|and|or|is|are|was"
    r"|has|have|will|can|could|would|should|not|any|i|we|you|it)\b)[a-z'-]+\s?){1,3})"
)

_POINTS: Final = re.compile(
    rf"\b(?:{ORDINAL}|ones?|other|another|last|latest|next|same|times?|days?|dates?|things?|earl\w+|later|new|different)\b"
)


def is_strange(clause: str, known: Collection[str]) -> bool:
    """Whether the first thing that a lower-case deed names is made of words that no tool is ``known`` by.

    >>> is_strange("cancel my gym membership", {"appointment"}), is_strange("cancel my visit", {"visit"})
    (True, False)
    >>> is_strange("when does my gym open", {"appointment"}), is_strange("cancel it", ())
    (False, False)
    """
    thing = _THING.search(clause) if deeds_of(clause) else None
    said = stems(_POINTS.sub("", thing["thing"])) if thing is not None else frozenset[str]()
    return bool(said) and not any(word in known for word in said)

"""A message cut where one request may end and another begin."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from assistant.models.offline.deeds import deeds_of

_ABBREVIATION: Final = re.compile(
    r"\b(?:dr|mr|mrs|ms|no|nr|st|vs|e\.g|i\.e|a\.m|p\.m|a|p|jan|feb|mar|apr|aug|sept?|oct|nov|dec)$"
)

_BEGINS_REQUEST: Final = (
    r"(?:please|pls|just|only|kindly|maybe|perhaps|actually|instead|otherwise|oh|ah|well|so|yes|no|not"
    r"|if|whether|what|what's|when|when's|where|where's|which|who|who's"
    r"|how|how's|why|can|could|would|will|shall|should|do|does|did|don't|is|are|am|was|were|has|have"
    r"|had|any|may"
    r"|i|i'm|i'd|i've|i'll|we|we'd|we're|my|you|your|it|it's|there|there's|that|that's|he|she|they|let"
    r"|let's|tell|show|give|check|see|find|look|list|get|send|put|take|make|set"
    r"|book|reserve|schedule|arrange|cancel|delete|remove|drop|scrap|move|shift|push|change|update"
    r"|correct|replace"
    r"|reschedule|postpone|track|confirm|add|call|keep|leave|forget|never|remind|explain|help|pay"
    # "cancel my eye test and order 10455": a number and no more makes it a thing.
    r"|stop|order(?! (?:no\.? ?|number )?#?\d{3,}(?: please| too| as well)?(?: and| or|[^\w ]|$)))\b"
)

_STRONG: Final = re.compile(
    r"(?P<mark>[.?!;\n]+)(?=\s|$)"
    r"|\s[-–—]+\s"
    r"|,?\s+(?:but|however|while you're at it|in addition|additionally|besides)\b,?"
    r"|,?\s*(?:\b(?:and|or|oh|then|also|plus|as well as|first|next|finally)\b,?\s*)+(?="
    + _BEGINS_REQUEST
    + r")"
    r"|,\s*(?=" + _BEGINS_REQUEST + r")"
)
_WEAK: Final = re.compile(
    r",\s*(?:and|or|plus|as well as)\b|,|\s(?:and|plus|as well as|&)\s|\bboth\b(?=.*\band\b)"
)


# "... and my invoices": a thing, with nothing said of it.
_NOUNS: Final = re.compile(
    r"(?:my|your|the|our|any|all)(?: (?!is\b|are\b|was\b|has\b|changed\b|'s)[a-z-]+){1,3}(?: [\d +()./-]{4,})?$"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a message, ``text[start:end]``.

    ``joined`` says how it hangs on the piece before: ``strong``, it may well be a request of its own;
    ``weak``, only a list goes on ("appointments and billing").
    """

    text: str
    start: int
    end: int
    joined: str


def split(text: str, whole: Sequence[tuple[int, int]] = ()) -> tuple[Clause, ...]:
    """Cut a lower-case message at every place where a request may begin; nothing is cut inside ``whole``.

    >>> [clause.text for clause in split("check my appointments and billing. also, are you open monday?")]
    ['check my appointments', 'billing', 'are you open monday']
    >>> [clause.text for clause in split("don't cancel anything, just tell me when i come next")]
    ["don't cancel anything", 'just tell me when i come next']
    """
    clauses: list[Clause] = []
    start, joined = 0, "strong"
    for cut_start, cut_end, kind in (*_cuts(text, whole), (len(text), len(text), "strong")):
        if clause := _trimmed(text, start, cut_start, joined):
            clauses.append(replace(clause, joined="weak") if _NOUNS.match(clause.text) else clause)
            joined = kind
        elif kind == "strong":
            joined = kind
        start = cut_end
    return tuple(clauses)


def borrow_head(head: str, tail: str) -> str:
    """Complete the second half of a list with the words the first half began with.

    >>> borrow_head("check my appointments", "billing")
    'check my billing'
    >>> borrow_head("show me the hours", "my invoices")
    'show me my invoices'
    >>> borrow_head("please cancel order 12", "my appointment")
    'please cancel my appointment'
    """
    begun = re.match(r"(.*?\b)(my|the|your|our|any|all|both|if|about)\b", head)
    if begun is None:
        verb = next((n for n, word in enumerate(head.split(), start=1) if deeds_of(word)), 0)
        return " ".join((*head.split()[:verb], tail))
    own = re.match(r"(?:my|the|your|our|any|all)\b", tail)
    return f"{begun[1]}{tail}" if own else f"{begun[1]}{begun[2]} {tail}"


def _cuts(text: str, whole: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    strong = [
        (match.start(), match.end(), "strong")
        for match in _STRONG.finditer(text)
        if not (match["mark"] == "." and _ABBREVIATION.search(text[: match.start()]))
    ]
    weak = [
        (match.start(), match.end(), "weak")
        for match in _WEAK.finditer(text)
        if not any(match.start() < end and start < match.end() for start, end, _ in strong)
    ]
    for start, end, kind in sorted(strong + weak):
        if not any(start < last and first < end for first, last in whole):
            yield start, end, kind


def _trimmed(text: str, start: int, end: int, joined: str) -> Clause | None:
    piece = text[start:end]
    stripped = piece.strip(" \t\r\n,;:.?!-–—")
    if not re.search(r"\w", stripped):
        return None
    first = start + piece.index(stripped)
    return Clause(stripped, first, first + len(stripped), joined)

"""Reads a customer's answer to a read-back. In doubt it is not a yes."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from assistant.prompts.words import ConsentWords

Meaning: TypeAlias = Literal["yes", "no", "correction", "hold", "other"]


@dataclass(frozen=True, slots=True)
class Consent:
    """What an answer means; ``only``: it says nothing else that would want an answer."""

    meaning: Meaning
    only: bool


def read_consent(text: str, words: ConsentWords) -> Consent:
    """Interpret an answer in words. A negation, a question or a hold-word anywhere beats a yes.

    ``correction`` is a no, or a hold, together with something to do instead.
    """
    rest = _rest(text, words)
    if "?" in text:
        return Consent("no" if text in words.no else "other", only=False)
    if text in words.correction and rest:
        return Consent("correction", only=False)
    if text in words.no:
        return Consent("correction" if rest else "no", only=not rest)
    if text in words.hold:
        return Consent("correction" if rest and text in words.correction else "hold", only=not rest)
    if text in words.yes:
        return Consent("other" if rest else "yes", only=not rest)
    return Consent("other", only=False)


def _rest(text: str, words: ConsentWords) -> str:
    """What was said beside the words that answer, and the polite ones."""
    for known in (words.correction, words.no, words.hold, words.yes, words.polite):
        text = known.without(text)
    return re.sub(r"[^\w]+", " ", text).strip()

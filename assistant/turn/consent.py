"""Reads a customer's answer to a read-back. In doubt it is not a yes."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from assistant.prompts.words import ConsentWords, WordList, plain_words

Meaning: TypeAlias = Literal["yes", "no", "correction", "hold", "other"]

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Consent:
    """What an answer means; ``only``: it says nothing else that would want an answer."""

    meaning: Meaning
    only: bool


def read_consent(text: str, read_back: str, words: ConsentWords) -> Consent:
    """Interpret an answer in words. A negation, a question or a hold-word anywhere beats a yes.

    Words of the question itself ("yes, cancel it") add nothing. A ``correction`` says what to do instead.
    """
    # "no," tells a correction from a plain no only by what follows it.
    found = {phrase.rstrip(",") for phrase in _answering(words).found_in(text)}
    said_no = _any(found, words.no)
    rest = _rest(text, read_back, words)
    if "?" in text:
        return Consent("no" if said_no else "other", only=False)
    if _any(found, words.correction) or (rest and said_no):
        return Consent("correction", only=False)
    if said_no:
        return Consent("no", only=True)
    if _any(found, words.hold):
        return Consent("hold", only=not rest)
    if _any(found, words.yes) and not rest:
        return Consent("yes", only=True)
    return Consent("other", only=False)


def _any(found: set[str], phrases: WordList) -> bool:
    return any(plain_words(phrase) in found for phrase in phrases)


def _rest(text: str, read_back: str, words: ConsentWords) -> str:
    """What was said beside the words that answer, the polite ones, and those of the question."""
    asked = set(_WORD.findall(plain_words(read_back)))
    left = _WORD.findall(_answering(words).without(text))
    return " ".join(word for word in left if word not in asked)


@cache
def _answering(words: ConsentWords) -> WordList:
    # One list, so that the longest phrase wins: "not yet" is no "not".
    lists = (words.yes, words.no, words.hold, words.correction, words.polite)
    return WordList(tuple(phrase for each in lists for phrase in each))

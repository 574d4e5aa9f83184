"""Reads a customer's answer to a read-back. In doubt it is not a yes."""

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, TypeAlias

from assistant.prompts.words import ConsentWords, WordList, plain_words
from assistant.turn.confirm.beside import beside
from assistant.turn.confirm.chosen import chosen
from assistant.turn.confirm.question import Question, words_of

Meaning: TypeAlias = Literal["yes", "no", "correction", "hold", "other"]

_DRAWN_OUT = re.compile(r"\b\w*?(\w)\1\w*\b")
_RUN = re.compile(r"(\w)\1+")


@dataclass(frozen=True, slots=True)
class Consent:
    """What an answer means; ``only``: it says nothing else that would want an answer.

    ``chosen``: with a yes, the places of the calls that it was said to, from 0; none for all. ``beside``: what
    else was said with a yes.
    """

    meaning: Meaning
    only: bool
    chosen: frozenset[int] = frozenset()
    beside: str = ""


def read_consent(text: str, read_back: str, words: ConsentWords, question: Question | None = None) -> Consent:
    """Interpret an answer in words. A negation, a question or a hold-word anywhere beats a yes.

    Words of the question itself ("yes, cancel it") add nothing. A ``correction`` says what to do instead.
    Where ``question`` tells the calls apart, a yes may be to some of them ("only the first"), and where it knows
    what else there is to ask for, something of that may stand beside a yes.
    """
    question = question or Question((read_back,))
    alone = _yes(text, question, words)
    if alone is not None:
        return alone
    for before, after in beside(text, question, words):
        yes = _yes(before, question, words)
        if yes is not None:
            return replace(yes, only=False, beside=after)
    return _other_than_yes(text, question, words)


def _yes(text: str, question: Question, words: ConsentWords) -> Consent | None:
    """A yes and nothing else."""
    text = _drawn_in(text, words)
    places = chosen(text, question, words)
    if places is not None:
        every = len(places) == len(question)
        return Consent("yes", only=True, chosen=frozenset() if every else places)
    found = _found(text, words)
    spoilt = any(_any(found, spoils) for spoils in (words.no, words.hold, words.correction))
    if spoilt or _asks(text, words) or not _any(found, words.yes) or _rest(text, question, words):
        return None
    # "Yes, the order" of two things that were asked about: to which of them, is for the forms to say.
    told = {question.told_by(word) for word in words_of(text)} - {None}
    return None if told else Consent("yes", only=True)


def _other_than_yes(text: str, question: Question, words: ConsentWords) -> Consent:
    text = _drawn_in(text, words)
    found = _found(text, words)
    said_no = _any(found, words.no)
    rest = _rest(text, question, words)
    if "?" in text:
        return Consent("no" if said_no else "other", only=False)
    if _any(found, words.correction) or (rest and said_no):
        return Consent("correction", only=False)
    if said_no and not _any(found, words.hold):
        return Consent("no", only=True)
    if said_no or _any(found, words.hold):
        return Consent("hold", only=not rest)
    return Consent("other", only=False)


def _found(text: str, words: ConsentWords) -> set[str]:
    # "no," tells a correction from a plain no only by what follows it.
    return {phrase.rstrip(",") for phrase in _answering(words).found_in(text)}


def _any(found: set[str], phrases: WordList) -> bool:
    return any(plain_words(phrase) in found for phrase in phrases)


def _asks(text: str, words: ConsentWords) -> bool:
    """Whether it asks anything; "sure, why not?" does not."""
    return "?" in _answering(words).without(text)


def _rest(text: str, question: Question, words: ConsentWords) -> str:
    """What was said beside the words that answer, the polite ones, and those of the question."""
    left = words_of(_answering(words).without(text))
    return " ".join(word for word in left if not question.names(word))


def _drawn_in(text: str, words: ConsentWords) -> str:
    """The text with "yesss" and "noo" as "yes" and "no"."""

    def short(match: re.Match[str]) -> str:
        word = match[0]
        drawn_in = _RUN.sub(r"\1", word)
        known = _answering(words)
        return drawn_in if not known.is_one(word) and known.is_one(drawn_in) else word

    return _DRAWN_OUT.sub(short, text)


@cache
def _answering(words: ConsentWords) -> WordList:
    # One list, so that the longest phrase wins: "not yet" is no "not".
    lists = (words.yes, words.no, words.hold, words.correction, words.polite)
    return WordList(tuple(phrase for each in lists for phrase in each))

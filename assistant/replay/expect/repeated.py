"""How much of a sentence has been said before: by its lemmas, and by how they follow each other."""

from collections.abc import Collection, Sequence
from itertools import pairwise

from assistant.prompts.repetition_words import RepetitionWords
from assistant.text.function_words import denies
from assistant.text.sentences import sentences
from assistant.text.stems import stem
from assistant.text.values import values_in
from assistant.text.words import content_stems, words

THRESHOLD = 0.7
"""From here on a sentence counts as said again."""

_FEWEST = 2
"""A sentence of fewer lemmas is too short to tell: "Your appointments:" begins something new."""

_LOOK = "(look)"
_TELLING = frozenset(("a", "an", "one", "some", "still", "ein", "eine", "einen", "einige", "noch"))


def repeated(told: Sequence[str], response: str, said: RepetitionWords, locale: str = "en") -> list[str]:
    """The sentences of a response that say again what was told in the same turn.

    What is said again is that something is looked up; what is looked up, a result may be about as well. Never among
    them: a question, a sentence with a number, a day, a time or a name, and one with a negation.

    Args:
        told: what the customer had been told, one text for each message.
        response: what they were told then.
        said: the locale's words for looking things up: they are all one lemma here.
        locale: the language of both.
    """
    return [
        sentence.strip()
        for sentence in sentences(response, locale)
        if _LOOK in _lemmas(sentence, said, locale)
        and not _is_new(told, sentence, locale)
        and overlap(told, sentence, said, locale) >= THRESHOLD
    ]


def overlap(told: Sequence[str], sentence: str, said: RepetitionWords, locale: str = "en") -> float:
    """The mean of two shares, 0 to 1: of the sentence's lemmas, and of its pairs of neighbours, that were told.

    >>> from assistant.prompts.shipped import shipped_book
    >>> said = shipped_book().words("en").repetition
    >>> overlap(["I'll check your billing."], "I've looked at your billing.", said)
    1.0
    >>> overlap(["I'll check your billing."], "Your billing is settled.", said)
    0.25
    """
    lemmas = _lemmas(sentence, said, locale)
    before = [_lemmas(text, said, locale) for text in told]
    if len(lemmas) < _FEWEST:
        return 0.0
    ones = _share(lemmas, {lemma for text in before for lemma in text})
    # Whichever comes first: a German sentence has its verb at the end when it tells of the past.
    pairs = _share(_pairs(lemmas), {pair for text in before for pair in _pairs(text)})
    return (ones + pairs) / 2


def _pairs(lemmas: Sequence[str]) -> list[frozenset[str]]:
    return [frozenset(pair) for pair in pairwise(lemmas)]


def _share(found: Sequence[object], before: Collection[object]) -> float:
    return sum(one in before for one in found) / len(found)


def _lemmas(text: str, said: RepetitionWords, locale: str) -> list[str]:
    looking = {stem(word, locale) for word in said.looking}
    nothing = {stem(word, locale) for phrase in (*said.neutral, *said.speaker) for word in words(phrase)}
    lemmas = [lemma for lemma in content_stems(text, locale) if lemma not in nothing]
    return [_LOOK if lemma in looking else lemma for lemma in lemmas]


def _is_new(told: Sequence[str], sentence: str, locale: str) -> bool:
    said = words(sentence)
    before = {word for text in told for word in words(text)}
    if sentence.rstrip().endswith("?") or any(denies(word) for word in said):
        return True
    # "I found an appointment" tells that there is one.
    return any(word in _TELLING - before for word in said) or bool(values_in(sentence, locale))

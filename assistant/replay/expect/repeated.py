"""Which sentences of a response say nothing but what the customer had been told."""

from collections.abc import Sequence

from assistant.prompts.repetition_words import RepetitionWords
from assistant.text.function_words import denies
from assistant.text.repetition import repetition
from assistant.text.sentences import sentences
from assistant.text.stems import stem
from assistant.text.values import values_in
from assistant.text.words import content_stems, words

_CUSTOMER = frozenset(("you", "sie", "du"))
_TELLING = frozenset(("a", "an", "one", "some", "still", "ein", "eine", "einen", "einige", "noch"))


def repeated(told: Sequence[str], response: str, said: RepetitionWords, locale: str = "en") -> list[str]:
    """The sentences that :func:`assistant.text.repetition.repetition` finds said again, and that hold no fact.

    What may be said again in vain is that something is looked up. "Your appointment is cancelled" is a fact,
    though "I'll cancel your appointment" came before; so is whatever has a number, a day, a name or a negation,
    and "I've tracked your order and it was shipped", for nobody had said "shipped".

    Args:
        told: what the customer had been told in this turn, one text for each message.
        response: what they were told then.
        said: the locale's words for looking things up.
        locale: the language of both.

    >>> from assistant.prompts.shipped import shipped_book
    >>> said = shipped_book().words("en").repetition
    >>> repeated(["Sure, I'll check your billing."], "I've checked your billing. You owe $150.", said)
    ["I've checked your billing."]
    """
    looking = {stem(word, locale) for word in said.looking}
    before = " ".join(told)
    old = looking | {*content_stems(before, locale)} | _empty(said, locale)
    return [
        sentence.strip()
        for sentence in sentences(response, locale)
        if old.issuperset(content_stems(sentence, locale))
        and any(stem(word, locale) in looking for word in words(sentence))
        and not _has_a_fact(before, sentence, locale)
        and repetition(before, sentence, locale).repeats
    ]


def _empty(said: RepetitionWords, locale: str) -> set[str]:
    """What adds nothing: to a repetition it is not new."""
    phrases = (*said.empty, *said.beside, *said.speaker, *said.neutral)
    return {stem(word, locale) for phrase in phrases for word in words(phrase)}


def _has_a_fact(before: str, sentence: str, locale: str) -> bool:
    said = words(sentence)
    if said and said[0] in _CUSTOMER:
        return True  # "You asked me to check" tells of the customer, and who looks things up is the assistant
    if sentence.rstrip().endswith("?") or any(denies(word) for word in said):
        return True
    # "I found an appointment" tells that there is one.
    return not _TELLING.isdisjoint({*said} - {*words(before)}) or bool(values_in(sentence, locale))

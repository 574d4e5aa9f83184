"""Which of several things an answer agrees to: "only the first", "yes, but not the second one"."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from assistant.prompts.words import ConsentWords, WordList, plain_words
from assistant.turn.confirm.question import Question, words_of

# An answer is written down with one sign for each thing that it says; it is understood when the signs make one of
# these forms. A thing that is named by its place is "a" to "h", by its own words "p" to "w".
_ONE = "[a-hp-w]"
_PLACED, _WORDED = "abcdefgh", "pqrstuvw"
_FORMS = tuple(
    re.compile(form.replace("1", _ONE))
    for form in (
        r"Y*A+Y*(?P<all>)",  # both of them
        r"Y*N?Y*O(?P<yes>1+)Y*",  # no, only the first
        r"Y*N?(?P<yes>1+)OY*",  # the first only
        r"Y+(?P<yes>1+)Y*",  # yes, the first
        r"[YO]*(?P<yes>1+)[YO]*[NE]+(?P<no>1+|R)",  # the first, not the other
        r"Y*(?P<yes>1+)Y+(?P<no>1+)[NE]+",  # the first yes, the second no
        r"[NE]+(?P<no>1+)[YO]+(?P<yes>1+)",  # not the second, just the first
        r"Y+[NE]*E(?P<no>1+)",  # yes, but not the parcel
        r"Y+[NE]+(?P<no>[a-h]+)",  # yes, and no to the second
        r"Y*A+E+(?P<no>1+)",  # all except the second
        r"E+(?P<no>[a-h]+)",  # not the second one
    )
)


def chosen(text: str, question: Question, words: ConsentWords) -> frozenset[int] | None:
    """The places of the calls that the answer agrees to, from 0; None where that is not beyond doubt.

    Every word of it must be understood. One that says no to some agrees to the others if it names those by
    their places ("not the second one"), or says yes to something.
    """
    if not 1 < len(question) <= len(_PLACED):
        return None
    signs = "".join(_signs(text, question, words))
    form = next(filter(None, (form.fullmatch(signs) for form in _FORMS)), None)
    if form is None:
        return None
    every = frozenset(range(len(question)))
    named = form.groupdict()
    no, yes = _places(named.get("no")), _places(named.get("yes"))
    agreed = yes or every - no
    return agreed if agreed and agreed <= every and no <= every and not agreed & no else None


def _places(signs: str | None) -> frozenset[int]:
    return frozenset(
        places.index(sign) for sign in signs or "" for places in (_PLACED, _WORDED) if sign in places
    )


def _signs(text: str, question: Question, words: ConsentWords) -> Iterator[str]:
    """What the answer says, in its order; "?" for what is not understood."""
    if "?" in text:
        yield "?"
    meanings = _meanings(words)
    for before, phrase in _phrases(words).split(text):
        yield from (_sign(word, question) for word in words_of(before))
        sign = meanings.get(phrase, "")
        yield _PLACED[len(question) - 1] if sign == "last" else sign


def _sign(word: str, question: Question) -> str:
    place = question.told_by(word)
    if place is not None:
        return _WORDED[place]
    return "" if question.names(word) else "?"


@cache
def _phrases(words: ConsentWords) -> WordList:
    return WordList(tuple(_meanings(words)))


@cache
def _meanings(words: ConsentWords) -> Mapping[str, str]:
    """The sign for each phrase; where a phrase stands in two lists, that of the last one here.

    One that ends with a comma ("no,") only tells a correction from a plain no.
    """
    signs = (
        ("", words.polite), ("Y", words.yes), ("N", words.no), ("?", words.hold), ("?", words.correction),
        ("", words.joins), ("A", words.all), ("E", words.except_), ("O", words.only), ("R", words.others),
        *zip(_PLACED, words.ordinals, strict=False), ("last", words.last),
    )  # fmt: skip
    return {plain_words(phrase): sign for sign, phrases in signs for phrase in phrases if phrase[-1] != ","}

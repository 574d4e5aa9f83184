"""Cuts an answer to a read-back into tokens, each with its role in the answer.

Values that are recognised by their form come first, then phrases of the locale's lists, the longest first.
The rest are numbers and words of the question. Any other word is ``UNKNOWN``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from assistant.prompts.consent_words import ConsentWords
from assistant.prompts.words import WordList, plain_words
from assistant.turn.consent.find_values import marked_values, spoken_address
from assistant.turn.consent.number_words import number_at, spelled_numbers
from assistant.turn.consent.question import AskedValue, Question
from assistant.turn.consent.roles import WORD, Role, Token
from assistant.turn.consent.settle_roles import settle_roles
from assistant.turn.consent.values import SaidValue, in_pieces, is_comparable, is_said

_MARK: Final = re.compile(r"[.!;\n]+|[,:–—()\"]+|\?+")
_SPELLED: Final = 4
"""The least number of digits of a number that is searched for digit by digit, with pauses."""
_RANGE: Final = re.compile(r"\b(\d{1,2})\.? ?[-–] ?(?=\d{1,2}\.)")
_AM: Final = re.compile(r" am ")
"""German "am", which is not the English half of the day."""
_ORDINAL_DOT: Final = re.compile(r"(?<![.\d])(\d{1,2})\.(?= [^\W\d])")
_TITLE: Final = re.compile(r"\b(dr|mr|mrs|ms|prof|st|hr|fr|ca|bzw|z\.b|(?<![.\w])[a-z](?=\. [a-z]{2}))\.")
_DRAWN_OUT: Final = re.compile(r"\b\w*?(\w)\1\w*\b")
_LONG_RUN: Final = re.compile(r"(\w)\1\1")
_RUN: Final = re.compile(r"(\w)\1+")


def tokens_of(text: str, question: Question, words: ConsentWords) -> tuple[Token, ...]:
    """The tokens of an answer, in order. No side effects."""
    plain = _TITLE.sub(r"\1", _drawn_in(plain_words(text), words, len(question.parts)))
    if words.verb_last:
        plain = _RANGE.sub(r"\1 bis ", plain)
        plain = _ORDINAL_DOT.sub(r"\1 ", plain)
        plain = _AM.sub(" an dem ", plain)
    tokens: list[Token] = []
    end = 0
    for value in _values(plain, question):
        tokens += _phrases_of(plain[end : value.start], question, words)
        tokens.append(_value_token(value, plain[value.start : value.end], question))
        end = value.end
    tokens += _phrases_of(plain[end:], question, words)
    return tuple(settle_roles(list(_said_once(tokens)), question, words))


def _said_once(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens without immediate repetitions: "no no", "to to Thursday". Digits are dictated one by one."""
    for place, token in enumerate(tokens):
        repeats = place > 0 and token == tokens[place - 1]
        if not repeats or token.role in (Role.NEW_VALUE, Role.OLD_VALUE, Role.OTHER_VALUE):
            yield token


def _values(plain: str, question: Question) -> list[SaidValue]:
    """The values that are recognised by their form.

    An address of the question is also found in its spoken form.
    """
    marked = marked_values(plain, question.locale)
    spoken: list[SaidValue] = []
    for asked in (asked.value for part in question.parts for asked in part.values):
        if asked.kind == "address" and all(one.form != asked.form for one in marked):
            found = re.search(rf"(?<!\w){spoken_address(asked.form)}(?!\w)", plain)
            spoken += [SaidValue("address", asked.form, *found.span())] if found is not None else []
        elif asked.kind == "number" and len(asked.form) >= _SPELLED:
            spoken += [one for one in spelled_numbers(plain) if one.form == asked.form]
    return sorted(
        (*spoken, *(one for one in marked if not _overlaps(one, spoken))), key=lambda one: one.start
    )


def _overlaps(one: SaidValue, others: Sequence[SaidValue]) -> bool:
    return any(one.start < other.end and other.start < one.end for other in others)


def _value_token(said: SaidValue, text: str, question: Question) -> Token:
    """The token of a value: a new or old value of the question, another one of its kind, or none of these."""
    matched = _matched(said, question)
    if not matched and len(said.pieces) > 1:
        # "The twenty sixth at two": each number in it must be one of the question's.
        each = [_matched(piece, question) for piece in in_pieces(said)]
        matched = [one for found in each for one in found] if all(each) else []
    new = [place for place, asked in matched if not asked.old]
    if new:
        return Token(Role.NEW_VALUE, text, frozenset(new))
    if matched:
        return Token(Role.OLD_VALUE, text, frozenset(place for place, _ in matched))
    every = (asked.value for part in question.parts for asked in part.values)
    return Token(
        Role.OTHER_VALUE if any(is_comparable(said, asked) for asked in every) else Role.UNKNOWN, text
    )


def _matched(said: SaidValue, question: Question) -> list[tuple[int, AskedValue]]:
    return [
        (place, asked)
        for place, part in enumerate(question.parts)
        for asked in part.values
        if is_said(said, asked.value)
    ]


def _phrases_of(text: str, question: Question, words: ConsentWords) -> Iterator[Token]:
    """The tokens of a text without marked values: phrases first, the longest first."""
    parts = len(question.parts)
    roles, places = _roles(words), _places(words, parts)
    for before, phrase in _phrases(words, parts).split(text):
        yield from _words_of(before, question)
        if phrase in places:
            yield Token(Role.THING, phrase, places[phrase])
        elif phrase in roles:
            yield Token(roles[phrase], phrase)
        elif phrase:
            yield _word_token(phrase, question)


def _words_of(text: str, question: Question) -> Iterator[Token]:
    place = 0
    while place < len(text):
        number = number_at(text, place) if place == 0 or not text[place - 1].isalnum() else None
        if number is not None:
            yield _value_token(number, text[number.start : number.end], question)
            place = number.end
        elif (word := WORD.match(text, place)) is not None:
            yield _word_token(word[0], question)
            place = word.end()
        elif (mark := _MARK.match(text, place)) is not None:
            yield Token(_role_of_mark(mark[0]), mark[0])
            place = mark.end()
        else:
            place += 1


def _role_of_mark(mark: str) -> Role:
    if "?" in mark:
        return Role.QUESTION_MARK
    return Role.SENTENCE_END if mark[0] in ".!;\n" else Role.COMMA


def _word_token(word: str, question: Question) -> Token:
    if acted := question.acted(word):
        return Token(Role.ACT, word, acted)
    if named := question.named(word):
        return Token(Role.THING, word, named)
    return Token(Role.UNKNOWN, word)


@lru_cache(maxsize=64)
def _phrases(words: ConsentWords, parts: int) -> WordList:
    """All phrases that are one token: those of the lists, of positions, and verbs of several words."""
    acts = [phrase for group in words.act_synonyms for phrase in group if " " in phrase]
    return WordList((*_roles(words), *_places(words, parts), *acts))


@lru_cache(maxsize=64)
def _roles(words: ConsentWords) -> Mapping[str, Role]:
    """The role of each phrase. If a phrase is in two lists, the later list here counts."""
    lists = (
        (Role.FILLER, words.polite), (Role.JOIN, words.joining), (Role.REASON, words.reasons),
        (Role.SOUND, words.sounds), (Role.GOODBYE, words.goodbye), (Role.CONTRAST, words.contrast),
        (Role.BEFORE_OLD, words.before_old), (Role.BEFORE_NEW, words.ranges), (Role.BEFORE_NEW, words.before_new),
        (Role.WISH, words.wish), (Role.REQUEST, words.requests), (Role.DOES, words.does),
        (Role.APPROVES, words.approval), (Role.AGREES, words.yes), (Role.NEGATES, words.negation),
        (Role.EXCEPT, words.except_), (Role.REFUSES, words.no), (Role.REFUSES, words.retraction),
        (Role.HOLDS, words.hold), (Role.CORRECTS, words.correction), (Role.RECONSIDERS, words.second_thoughts),
        (Role.EVERYTHING, words.all), (Role.BOTH, words.both), (Role.EACH, words.each), (Role.ONLY, words.only),
        (Role.OTHERS, words.others),
    )  # fmt: skip
    roles = {plain_words(phrase): role for role, phrases in lists for phrase in phrases}
    acts = {plain_words(phrase) for group in words.act_synonyms for phrase in group if " " in phrase}
    return {phrase: role for phrase, role in roles.items() if phrase not in acts}


@lru_cache(maxsize=64)
def _places(words: ConsentWords, parts: int) -> Mapping[str, frozenset[int]]:
    """The parts that "the first", "the second" and "the last" mean, if there are several."""
    if parts < 2:
        return {}
    lists = [*enumerate(words.ordinals[:parts]), (parts - 1, words.last)]
    return {plain_words(phrase): frozenset((place,)) for place, phrases in lists for phrase in phrases}


def _drawn_in(plain: str, words: ConsentWords, parts: int) -> str:
    """The text with "yes" and "no" in place of "yesss" and "noo"."""
    known = _phrases(words, parts)

    def short(match: re.Match[str]) -> str:
        drawn_in = _RUN.sub(r"\1", match[0])
        plain_answer = any(phrases.is_one(drawn_in) for phrases in (words.yes, words.no))
        may = plain_answer or (_LONG_RUN.search(match[0]) is not None and known.is_one(drawn_in))
        return drawn_in if may and not known.is_one(match[0]) else match[0]

    return _DRAWN_OUT.sub(short, plain)

"""Cuts an answer to a read-back into tokens, and gives each a sign for what it does in the answer.

Phrases of the locale's lists come first, the longest of them; what is left are values, and words of the question.
A word that is none of these is "#": it is not accounted for.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from assistant.prompts.words import ConsentWords, WordList, plain_words
from assistant.turn.consent_values import (
    SaidValue,
    in_pieces,
    is_comparable,
    is_said,
    marked_values,
    number_at,
    spelled_numbers,
    spoken_address,
)
from assistant.turn.question import AskedValue, Question

# What a token does in the answer:
#   Y agrees            y agrees or has only understood    N refuses          X turns round what follows
#   H holds or doubts   C asks for something instead       T does so where something follows
#   A everything        E all but what follows             O only             R the others
#   p names parts       V says what is done to them        v a new value      w an old value
#   d another value than the question's                    W asks for what follows      q requests by a question
#   S before an old state     G before a new one     D does what follows      B contrast     P goodbye
#   J joins             K gives a reason
#   F changes nothing   s a sound   , and . marks   ? a question mark   # not accounted for
_MARK: Final = re.compile(r"[.!;\n]+|[,:–—()\"]+|\?+")
WORD: Final = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_SPELLED: Final = 4
"""The least digits of a number that is looked for digit by digit, with pauses."""
_RANGE: Final = re.compile(r"\b(\d{1,2})\.? ?[-–] ?(?=\d{1,2}\.)")
_AM: Final = re.compile(r" am ")
"""Not the half of the day, as in English."""
_ORDINAL_DOT: Final = re.compile(r"(?<![.\d])(\d{1,2})\.(?= [^\W\d])")
_DRAWN_OUT: Final = re.compile(r"\b\w*?(\w)\1\w*\b")
_LONG_RUN: Final = re.compile(r"(\w)\1\1")
_RUN: Final = re.compile(r"(\w)\1+")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the answer; ``places`` are the parts of the question that it names."""

    sign: str
    text: str
    places: frozenset[int] = frozenset()


def tokens_of(text: str, question: Question, words: ConsentWords) -> tuple[Token, ...]:
    """The tokens of an answer, in its order; pure."""
    plain = _drawn_in(plain_words(text), words, len(question.parts))
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
    return tuple(_settled(tokens, question, words))


def _values(plain: str, question: Question) -> list[SaidValue]:
    """The values that their form gives away; an address of the question also as it is said."""
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
    """A new value of the question, an old one, another one of the same sort, or no value of the question."""
    matched = _matched(said, question)
    if not matched and len(said.pieces) > 1:
        # "The twenty sixth at two": every number of it has to be one of the question's.
        each = [_matched(piece, question) for piece in in_pieces(said)]
        matched = [one for found in each for one in found] if all(each) else []
    new = [place for place, asked in matched if not asked.old]
    if new:
        return Token("v", text, frozenset(new))
    if matched:
        return Token("w", text, frozenset(place for place, _ in matched))
    every = (asked.value for part in question.parts for asked in part.values)
    return Token("d" if any(is_comparable(said, asked) for asked in every) else "#", text)


def _matched(said: SaidValue, question: Question) -> list[tuple[int, AskedValue]]:
    return [
        (place, asked)
        for place, part in enumerate(question.parts)
        for asked in part.values
        if is_said(said, asked.value)
    ]


def _phrases_of(text: str, question: Question, words: ConsentWords) -> Iterator[Token]:
    """The tokens of a stretch of text without marked values: phrases first, the longest of them."""
    signs = _signs(words, len(question.parts))
    for before, phrase in _phrases(words, len(question.parts)).split(text):
        yield from _words_of(before, question)
        if phrase:
            sign = signs[phrase]
            if sign == "@":
                yield _word_token(phrase, question)
                continue
            if sign.isdigit():
                yield Token("p", phrase, frozenset((int(sign),)))
            else:
                yield Token(sign, phrase)


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
            yield Token("?" if "?" in mark[0] else "." if mark[0][0] in ".!;\n" else ",", mark[0])
            place = mark.end()
        else:
            place += 1


def _word_token(word: str, question: Question) -> Token:
    if acted := question.acted(word):
        return Token("V", word, acted)
    if named := question.named(word):
        return Token("p", word, named)
    return Token("#", word)


def _settled(tokens: Sequence[Token], question: Question, words: ConsentWords) -> Iterator[Token]:
    """The tokens with the signs that only their neighbours decide."""
    several = len(question.parts) > 1
    skip = False
    for place, token in enumerate(tokens):
        after = [one for one in tokens[place + 1 :] if one.sign not in "FsJK"]
        next_ = after[0].sign if after else ""
        if skip:
            skip = False
        elif token.sign == "A" and next_ == "p" and not several:
            yield replace(token, sign="#")  # "All my orders" is more than was asked.
        elif token.sign in "A&+":
            counted = number_at(after[0].text, 0) if token.sign == "A" and after else None
            skip = counted is not None and tokens[place + 1] is after[0]
            yield replace(
                token, sign="A" if _is_count(token.sign, counted if skip else None, question) else "#"
            )
        elif token.sign == "W":
            stretch = [one.sign for one in after]
            rest = stretch[
                : next((n for n, sign in enumerate(stretch) if sign not in "pvG"), len(stretch)) + 1
            ]
            keeps = bool({"E", "N"} & set(rest))
            yield replace(token, sign="F" if keeps else "Y" if "V" in rest else "#")
        elif token.sign == "G":
            to_part = next_ == "p" and (several or question.is_goal(after[0].text))
            yield replace(token, sign="F" if next_ in ("v", "V", "A", "E", "N") or to_part else "#")
        elif token.sign == "S":
            changes = next_ in ("v", "w") and any(one.sign == "v" for one in after)
            yield replace(token, sign="F" if changes else "#")
        elif token.sign == "w":
            from_here = [one.sign for one in tokens[:place] if one.sign not in "FsJK"][-1:] == ["S"]
            changes = from_here and any(one.sign == "v" for one in after)
            yield replace(token, sign="F") if changes or _continues_old(tokens, place) else token
        elif token.sign == "F" and words.settles.is_one(token.text) and [one.sign for one in tokens[:place]][-1:] == ["v"]:
            yield replace(token, sign="y")  # "Thursday it is."
        elif token.sign == "Y" and words.particle_yes.is_one(token.text) and _is_particle(tokens, place, words):
            yield replace(token, sign="s")
        elif token.sign == "O":
            before = [one.sign for one in tokens[:place] if one.sign not in "FsJK,"][-1:]
            chooses = several and (next_ in ("p", "v", "V") or before == ["p"])
            if place and words.articles.is_one(tokens[place - 1].text):
                yield replace(token, sign="F")  # "The only way".
                continue
            yield token if chooses or not words.polite.is_one(token.text) else replace(token, sign="F")
        elif token.sign == "N" and next_ in ("p", "v") and question.acted(token.text):
            yield replace(token, sign="V", places=question.acted(token.text))  # "Stop the order."
        elif token.sign == "N" and question.acted(token.text.split()[0]) and _is_after_a_yes(tokens, place):
            first = token.text.split()[0]
            yield replace(token, sign="V", places=question.acted(first))  # "Yes, cancel that."
        elif token.sign == "H" and several and words.negation.found_in(token.text):
            named = [one.sign for one in tokens[:place] if one.sign not in "FsJK"][-1:] in (["p"], ["v"])
            yield replace(token, sign="E") if named else token  # "The invoice not yet."
        elif token.sign == "Y" and next_ == "p" and words.pointing.is_one(token.text.split()[-1]):
            yield replace(token, sign="#") if " " in token.text else token  # "I want that appointment."
        elif token.sign == "D":
            named = [one.sign for one in tokens[:place] if one.sign not in "FsJK"][-1:] in (
                ["p"],
                ["v"],
                ["V"],
                ["A"],
            )
            ends = next_ in ("", ",", ".")
            chooses = several and (next_ in ("p", "A", "&", "+") or (named and ends))
            alone = _is_order_alone(tokens, place) and ends and not words.verb_last  # "Yes, do."
            stresses = next_ == "V"  # "Do cancel it."
            yield replace(token, sign="Y" if chooses or alone else "F" if stresses else "#")
        elif token.sign == "C" and words.better.is_one(token.text):
            values = {one.sign for one in tokens} & {"v", "w", "d"}
            yield replace(token, sign="y" if values == {"v"} else "C")
        else:
            yield token


def _is_after_a_yes(tokens: Sequence[Token], place: int) -> bool:
    return any(one.sign in "Yy" for one in tokens[:place])


def _is_order_alone(tokens: Sequence[Token], place: int) -> bool:
    before = [one.sign for one in tokens[:place]]
    while before and before[-1] in "Fs":
        before.pop()
    return not before or before[-1] in ",.Y"


def _is_particle(tokens: Sequence[Token], place: int, words: ConsentWords) -> bool:
    """Whether a German "ja" only colours its sentence: "das fällt ja aus"."""
    before = tokens[place - 1] if place else None
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if before is None or after is None or after.sign in ",.?":
        return False
    return before.sign == "#" or (before.sign == "F" and (words.asks.is_one(before.text) or words.pronouns.is_one(before.text)))


def _continues_old(tokens: Sequence[Token], place: int) -> bool:
    """Whether an old value goes on with one that was named as old: "from Tuesday, November 24, to Thursday"."""
    before = [one for one in tokens[:place] if one.sign not in "FsJK,"]
    if not before or before[-1].sign != "w":
        return False
    olds = [n for n, one in enumerate(before) if one.sign != "w"]
    return bool(olds) and before[olds[-1]].sign == "S" and any(one.sign == "v" for one in tokens[place:])


def _is_count(sign: str, counted: SaidValue | None, question: Question) -> bool:
    """Whether "both", "all of them" or "all three" is how many things were asked about."""
    counts = {len(question.parts), len(question.calls)}
    if counted is not None:
        return counted.form.isdecimal() and int(counted.form) in counts
    return 2 in counts if sign == "&" else max(counts) > 1 if sign == "+" else True


@cache
def _phrases(words: ConsentWords, parts: int) -> WordList:
    return WordList(tuple(_signs(words, parts)))


@cache
def _signs(words: ConsentWords, parts: int) -> Mapping[str, str]:
    """The sign of each phrase; of one that stands in two lists, that of the last one here."""
    several = parts > 1
    ordinals = [(str(n), phrases) for n, phrases in enumerate(words.ordinals[:parts])] if several else []
    last = [(str(parts - 1), words.last)] if several else []
    lists = (
        ("F", words.polite), ("J", words.joint), ("K", words.reasons),
        ("s", words.sounds), ("P", words.parting), ("B", words.contrast),
        ("S", words.source), ("G", words.ranges), ("G", words.goal),
        ("W", words.wish), ("q", words.requests), ("D", words.does),
        ("y", words.weak), ("Y", words.yes), ("X", words.negation), ("E", words.except_), ("N", words.no),
        ("N", words.retracted), ("H", words.hold), ("C", words.correction), ("T", words.turning),
        ("A", words.all), ("&", words.both), ("+", words.plural), ("O", words.only), ("R", words.others),
        *ordinals, *last,
        *(("@", WordList(tuple(one for one in group if " " in one))) for group in words.same_acts),
    )  # fmt: skip
    return {plain_words(phrase): sign for sign, phrases in lists for phrase in phrases}


def _drawn_in(plain: str, words: ConsentWords, parts: int) -> str:
    """The text with "yesss" and "noo" as "yes" and "no"."""
    known = _phrases(words, parts)

    def short(match: re.Match[str]) -> str:
        drawn_in = _RUN.sub(r"\1", match[0])
        plain_answer = any(phrases.is_one(drawn_in) for phrases in (words.yes, words.no))
        may = plain_answer or (_LONG_RUN.search(match[0]) is not None and known.is_one(drawn_in))
        return drawn_in if may and not known.is_one(match[0]) else match[0]

    return _DRAWN_OUT.sub(short, plain)

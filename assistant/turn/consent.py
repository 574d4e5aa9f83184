"""Reads a customer's answer to a read-back. It is a yes only if every word of it is accounted for.

The answer is cut into tokens, and each token gets a *sign* for what it does in the answer: it agrees, denies,
doubts, chooses, names a part or a value of the question, or changes nothing; see
:mod:`assistant.turn.consent_tokens`. A word that has no such sign is not accounted for. The signs of
the whole answer are then read by rules, and in doubt the answer is not a yes.

A yes may be followed by a reason ("yes, I can't make it") or by another matter ("yes, and when are you open?").
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, TypeAlias

from assistant.prompts.words import ConsentWords, WordList, plain_words
from assistant.turn.consent_tokens import WORD, Token, tokens_of
from assistant.turn.question import Question

_RULES: Final = 2
"""Counts the versions of the rules in this file; the words have a hash of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreedToAll:
    """Yes to everything that was asked. ``also``: another matter that stands in the answer, "" for none."""

    also: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreedTo:
    """Yes to these calls only, by their places from 0, at least one and not all of them."""

    calls: frozenset[int]
    also: str = ""


@dataclass(frozen=True, slots=True)
class Declined:
    """No, and nothing else."""


@dataclass(frozen=True, slots=True)
class Hold:
    """Neither yes nor no yet, and nothing that needs an answer: "hold on", "mm-hmm", "yes and no"."""


@dataclass(frozen=True, slots=True)
class Correction:
    """Something else instead of what was asked: "no, the other one"."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """Anything else; the decision model reads it, and the question stays open."""


Reading: TypeAlias = AgreedToAll | AgreedTo | Declined | Hold | Correction | Unclear


def rules_version(words: ConsentWords) -> str:
    """Names the rules and the words that a reading was made with, such as "2-0f3a9c51d2be"."""
    return f"{_RULES}-{words.content_hash()}"


def read_answer(text: str, question: Question, words: ConsentWords) -> Reading:
    """Read an answer in words; pure."""
    answer = _Answer(tokens_of(text, question, words), question, words)
    agreed = answer.agreement()
    if agreed is not None:
        return agreed
    for before, after in _parted(text, words):
        if _is_another_matter(after, question, words):
            agreed = _Answer(tokens_of(before, question, words), question, words).agreement()
            if agreed is not None:
                return replace(agreed, also=after)
    return answer.other_than_yes()


def takes_back(text: str, words: ConsentWords, question: Question | None = None) -> bool:
    """Whether a newer message takes back what was agreed to: it refuses, holds, corrects, limits, or names another
    value than the question did. "Thank you" and "what do I owe?" do not.
    """
    tokens = tokens_of(text, question or Question((), (), ()), words)
    return any(token.sign in "NXEHCTROdw" for token in tokens)


def is_retraction(text: str, words: ConsentWords) -> bool:
    """Whether a message says no more than that something is not wanted after all: "forget it", "never mind"."""
    plain = plain_words(text)
    rest = words.retracted.without(plain)
    for phrases in (words.polite, words.sounds, words.no, words.turning, words.contrast, words.weak):
        rest = phrases.without(rest)
    return plain in words.retracted and not re.search(r"\w|\?", rest)


_NEUTRAL: Final = frozenset("Fs,.")
_ASSENT: Final = _NEUTRAL | frozenset("YypvVAP")
_REFUSAL: Final = _NEUTRAL | frozenset("NXETBypvwVAYRDP")
_LEAST_STATEMENT: Final = 3
_NAMES_ONE: Final = re.compile(r"\d{3}|@")
"""A value that names a thing, not a time."""


# Which of several parts: a part that is chosen by its place or by its words is a letter from "a".
_ONE: Final = "[a-h]"
_FORMS: Final = tuple(
    re.compile(form.replace("1", _ONE))
    for form in (
        r"Y*N?Y*O(?P<yes>1+)Y*",  # no, only the first
        r"Y*N?(?P<yes>1+)OY*",  # the first only
        r"Y+(?P<yes>1+)Y*",  # yes, the first
        r"[YO]*(?P<yes>1+)[YO]*[NE]+(?P<no>1+|R)Y*",  # the first, not the other
        r"Y*(?P<yes>1+)Y+(?P<no>1+)[NE]+",  # the first yes, the second no
        r"[NE]+(?P<no>1+)[YO]+(?P<yes>1+)Y*",  # skip the first, do the second
        r"Y+[NE]*E(?P<no>1+)",  # yes, but not the parcel
        r"Y+[NE]+(?P<no>[a-h])",  # yes, and no to the second
        r"Y+(?P<no>1)E",  # ja, aber den zweiten nicht
        r"Y*A+E+(?P<no>1+)",  # all except the second
        r"E+(?P<no>1)",  # not the second one
    )
)


class _Answer:
    """An answer as its tokens."""

    def __init__(self, tokens: Sequence[Token], question: Question, words: ConsentWords) -> None:
        self._tokens, self._question, self._words = tuple(tokens), question, words
        self._signs = "".join(token.sign for token in tokens)

    def agreement(self) -> AgreedToAll | AgreedTo | None:
        """The yes that the answer is, if it is nothing else; a reason may follow or go before a clear one."""
        if "?" in self._signs or self._begins_a_question():
            return None
        agreed = self._agreement()
        if agreed is not None:
            return agreed
        for place in range(1, len(self._tokens)):
            before, after = self._split(place)
            if (
                before._may_be_reasoned()
                and (agreed := before._agreement()) is not None
                and after.is_reason()
            ):
                return agreed
        return None

    def is_clear(self) -> bool:
        """Whether it says yes, and not only that the customer has understood."""
        return "Y" in self._signs or "V" in self._signs

    def _may_be_reasoned(self) -> bool:
        """Whether a reason may follow: it says yes clearly, and after a mark or a plain yes."""
        if not self.is_clear():
            return False
        return self._signs[-1] in ",." or "y" not in self._signs.replace(",", ".").rpartition(".")[2]

    def is_reason(self, *, to_refuse: bool = False) -> bool:
        """Whether it is statements that ask for nothing, set no limit and name nothing else.

        A statement against something is a reason to end it; to change it only where it is about the old state.
        """
        statements = [one for one in self._statements() if not one._changes_nothing()]
        return bool(statements) and all(one._states(to_refuse=to_refuse) for one in statements)

    def other_than_yes(self) -> Declined | Hold | Correction | Unclear:
        """What an answer is that is no yes."""
        signs = self._signs
        if self._asks_to_repeat():
            return Hold()
        if "?" in signs:
            return Unclear()
        if self._refuses():
            return Declined()
        rest = [sign for sign in signs if sign in "#dpvwVWSG"]
        instead = any(sign in signs for sign in "CT") or ("O" in signs and "H" not in signs)
        if "R" in signs or (instead and rest):
            return Correction()
        if rest and signs.lstrip("s,.F").startswith("N"):
            return Correction()
        if self._chooses_within_a_call():
            return Correction()
        contradicts = any(sign in signs for sign in "NXE") and any(sign in signs for sign in "Yy")
        unsettled = any(sign in signs for sign in "HsTC") or contradicts
        return Hold() if unsettled and all(sign not in "#dq" for sign in signs) else Unclear()

    def _agreement(self) -> AgreedToAll | AgreedTo | None:
        if all(sign in _ASSENT or sign in "qT" for sign in self._signs):
            if ("P" in self._signs and not self.is_clear()) or not self._requests_after_a_yes():
                return None
            if self._says_yes() and self._named() in (frozenset(), self._question.everything):
                return AgreedToAll()
        return self._choice()

    def _requests_after_a_yes(self) -> bool:
        """Whether a request in the form of a question ("could you do that") has a yes of its own."""
        return "q" not in self._signs or any(
            "Y" in clause._signs and "q" not in clause._signs for clause in self._clauses()
        )

    def _says_yes(self) -> bool:
        """Whether it agrees; an order in the question's own words does, if it names the thing and its new state."""
        signs = self._signs
        if "Y" in signs or "y" in signs or ("A" in signs and len(self._question.parts) > 1):
            return True
        named = "v" in signs if self._question.changes else "p" in signs or "v" in signs
        return "V" in signs and named

    def _named(self) -> frozenset[int]:
        """The parts that it names, leaving out words that all parts have."""
        told = [token.places for token in self._tokens if token.sign in "pvV"]
        return frozenset[int]().union(*(places for places in told if places != self._question.everything))

    def _choice(self) -> AgreedToAll | AgreedTo | None:
        """The calls that it agrees to, where it names parts of the question."""
        parts = self._chosen()
        if parts is None:
            return None
        question = self._question
        calls = frozenset(part.call for place, part in enumerate(question.parts) if place in parts)
        whole = frozenset(place for place, part in enumerate(question.parts) if part.call in calls)
        if whole != parts:
            return None  # A call cannot run in part.
        return AgreedToAll() if calls == question.calls else AgreedTo(calls=calls)

    def _chosen(self) -> frozenset[int] | None:
        every = self._question.everything
        if not 1 < len(every) <= len("abcdefgh"):
            return None
        signs = self._choice_signs()
        form = next(filter(None, (form.fullmatch(signs) for form in _FORMS)), None)
        if form is None:
            return None
        named = form.groupdict()
        no, yes = _places(named.get("no")), _places(named.get("yes"))
        if not yes and "Y" not in signs and "A" not in signs and not self._by_place():
            return None  # "Not the parcel" does not say yes to the other.
        chosen = yes or every - no
        return chosen if chosen and chosen <= every and no <= every and not chosen & no else None

    def _choice_signs(self) -> str:
        """The answer as the forms have it. "Cancel the first" chooses it, "don't cancel the first" leaves it."""
        every = self._question.everything
        signs: list[str] = []
        for token in self._tokens:
            match token.sign:
                case "F" | "s" | "," | "." | "B" | "T":
                    pass
                case "y" | "Y" | "A" | "N" | "E" | "O" | "R":
                    signs.append(token.sign.upper())
                case "X":
                    signs.append("E")
                case "V":
                    signs += [] if signs[-1:] in (["E"], ["O"]) else ["Y"]
                    letters = _letters(token.places) if token.places != every else []
                    # "Den Termin absagen" names it twice.
                    said_before = signs[-1:] == ["Y"] and signs[-1 - len(letters) : -1] == letters
                    signs += [] if said_before else letters
                case "v" if signs[-1:] == ["E"] and not _NAMES_ONE.search(token.text):
                    return "?"  # "But not on Tuesday" limits, and chooses nothing.
                case "p" | "v":
                    signs += [] if token.places == every else _letters(token.places)
                case _:
                    return "?"
        return "".join(signs)

    def _by_place(self) -> bool:
        """Whether it names parts by their places only: "not the second one"."""
        phrases = [phrase for phrases in (*self._words.ordinals, self._words.last) for phrase in phrases]
        return all(token.text in phrases for token in self._tokens if token.sign == "p")

    def _chooses_within_a_call(self) -> bool:
        """Whether it wants a part of one call only: "yes, but leave the phone number"."""
        return any(sign in self._signs for sign in "OEX") and self._chosen() is not None

    def _refuses(self) -> bool:
        """Whether it is a no to everything, and every word of it is accounted for; a reason may follow."""
        if self._refuses_alone():
            return True
        return any(
            before._refuses_alone() and after.is_reason(to_refuse=True)
            for before, after in map(self._split, range(1, len(self._tokens)))
        )

    def _refuses_alone(self) -> bool:
        signs = self._signs
        denies = [sign for sign in signs if sign in "NXE"]
        if not denies or any(sign not in _REFUSAL for sign in signs):
            return False
        clauses = list(self._clauses())
        if any(_is_agreed(one._tokens, self._words) for one in clauses):
            return False
        if any("V" in one._signs and not set(one._signs) & set("NXE") for one in clauses):
            return False  # "Cancel the first, keep the second" refuses one of them.
        named = self._named()
        whole = named in (frozenset(), self._question.everything)
        # "Not both" refuses one of them, and does not say which.
        return whole and not ("A" in signs and "N" not in signs) and "R" not in signs

    def _asks_to_repeat(self) -> bool:
        said = " ".join(token.text for token in self._tokens if token.sign not in ",.?")
        polite = " ".join(token.text for token in self._tokens if token.sign not in "Fs,.?")
        return self._words.repeat.is_one(said) or self._words.repeat.is_one(polite)

    def _begins_a_question(self) -> bool:
        """Whether a clause of it begins as a question does, mark or not: "is that right"."""
        return any(
            clause._tokens[0].sign in "F#V" and self._words.asks.is_one(clause._tokens[0].text)
            for clause in self._clauses()
        )

    def _changes_nothing(self) -> bool:
        return all(sign in "FsYyP,." for sign in self._signs)

    def _states(self, *, to_refuse: bool) -> bool:
        tokens = list(self._tokens)
        while tokens and (tokens[0].sign in "s,.B" or self._words.because.is_one(tokens[0].text)):
            tokens.pop(0)
        text = " ".join(token.text for token in tokens)
        about_old = next((token.sign for token in tokens if token.sign != "F"), "") == "w"
        if not (self._words.subject.begins(text) or about_old) or any(
            token.sign in "NHCTAORd?qWD" for token in tokens
        ):
            return False
        said = WORD.findall(text)
        if len(text.replace("'", " ").split()) < _LEAST_STATEMENT or self._words.pointing.is_one(said[-1]):
            return False  # "I don't want that" is about what was asked.
        if _holds(said, self._words.bars) or any(self._question.is_elsewhere(word) for word in said):
            return False
        if not self._joins_statements(text):
            return False
        negated = any(token.sign in "XE" for token in tokens)
        against = negated or _holds(said, self._words.too_much)
        if _holds(said, self._words.needs) and not negated and not to_refuse:
            return False
        signs = {token.sign for token in tokens}
        if to_refuse:
            return not against and not signs & set("wV#") - {"#"}
        if signs & set("VYy"):
            return False
        if against:
            return self._question.only_ends if "w" not in signs else "v" not in signs
        return not signs & set("pw")

    def _joins_statements(self, text: str) -> bool:
        """Whether what follows each "and" is a statement of its own: no order may hide behind it."""
        parts = [text[end:].lstrip() for _, end in self._words.joint.places(text)]
        return all(self._words.subject.begins(part) or self._words.negation.begins(part) for part in parts)

    def _split(self, place: int) -> "tuple[_Answer, _Answer]":
        return self._of(self._tokens[:place]), self._of(self._tokens[place:])

    def _clauses(self) -> "Iterator[_Answer]":
        yield from self._cut(",.B")

    def _statements(self) -> "Iterator[_Answer]":
        yield from self._cut(".")

    def _cut(self, marks: str) -> "Iterator[_Answer]":
        begin = 0
        for place, token in enumerate((*self._tokens, Token(".", "."))):
            if token.sign in marks:
                if begin < place:
                    yield self._of(self._tokens[begin:place])
                begin = place + 1

    def _of(self, tokens: Sequence[Token]) -> "_Answer":
        return _Answer(tokens, self._question, self._words)


def _is_agreed(tokens: Sequence[Token], words: ConsentWords) -> bool:
    """Whether a clause agrees and nothing in it denies; "yeah, no" begins a refusal."""
    signs = [token.sign for token in tokens]
    if not any(sign in "Y" for sign in signs):
        return False
    if "X" in signs or "E" in signs:
        return False
    yeses = [token for token in tokens if token.sign == "Y"]
    opens = all(words.opening.is_one(token.text) for token in yeses)
    return not ("N" in signs and opens)


def _holds(said: Sequence[str], phrases: WordList) -> bool:
    """Whether one of the words is among the phrases; "can't" is not "can"."""
    return any(phrases.is_one(word) for word in said) or any(
        phrases.is_one(f"{one} {other}") for one, other in pairwise(said)
    )


def _letters(places: frozenset[int]) -> list[str]:
    return ["abcdefgh"[place] for place in sorted(places)]


def _places(letters: str | None) -> frozenset[int]:
    return frozenset("abcdefgh".index(letter) for letter in letters or "" if letter != "R")


_END: Final = re.compile(r"[.!;\n]+\s*")
_PAUSE: Final = re.compile(r",\s*|\s+")


def _parted(text: str, words: ConsentWords) -> Iterator[tuple[str, str]]:
    """Each way of parting the text into what may be a clear yes, and a matter of its own that follows it.

    That begins a new sentence, or with a word such as "and".
    """
    for end in _END.finditer(text):
        if text[: end.start()] in words.yes:
            yield text[: end.start()], text[end.end() :]
    for pause in _PAUSE.finditer(text):
        if words.also.begins(text[pause.end() :]) and text[: pause.start()] in words.yes:
            yield text[: pause.start()], text[pause.end() :]


def _is_another_matter(text: str, question: Question, words: ConsentWords) -> bool:
    """Whether it is about something else that there is to ask for, and holds nothing that denies, doubts, corrects,
    or points back to what was asked: "yes, and what does that cost?" is in one piece.
    """
    if not question.elsewhere:
        return False
    spoils = (
        words.no,
        words.negation,
        words.retracted,
        words.hold,
        words.correction,
        words.turning,
        words.back,
    )
    if any(text in phrases for phrases in (*spoils, words.except_, words.contrast)):
        return False
    topics = {word for phrase in words.elsewhere.found_in(text) for word in WORD.findall(phrase)}
    topics.update(word for word in WORD.findall(plain_words(text)) if word in question.elsewhere)
    return any(not question.named(word) for word in topics)

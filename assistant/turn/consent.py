"""Reads a customer's answer to a read-back. It is a yes only if every word of it is accounted for.

The answer is cut into tokens, and each token gets a *sign* for what it does in the answer: it agrees, denies,
doubts, chooses, names a part or a value of the question, or changes nothing; see
:mod:`assistant.turn.consent_tokens`. The tokens make clauses; each says what to do with the things it names, or is
a remark that asks for nothing; see :mod:`assistant.turn.consent_clauses`. A clause that is neither is not accounted
for, and in doubt the answer is not a yes.

A yes may also be followed by another matter ("yes, and when are you open?").
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from assistant.prompts.words import ConsentWords, plain_words
from assistant.turn.consent_clauses import (
    Saying,
    chosen_parts,
    clauses_of,
    saying_of,
)
from assistant.turn.consent_remarks import Remark, holds, remark_of
from assistant.turn.consent_tokens import WORD, Token, tokens_of
from assistant.turn.question import Question

_RULES: Final = 3
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
        yes = _Answer(tokens_of(before, question, words), question, words)
        if _is_another_matter(after, question, words, asks_freely=yes._agrees_firmly()):
            agreed = yes.agreement()
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


_NEUTRAL: Final = frozenset("FsJKL,.")
_REFUSAL: Final = _NEUTRAL | frozenset("NXETBypvwVAYRDP")


class _Answer:
    """An answer as its tokens."""

    def __init__(self, tokens: Sequence[Token], question: Question, words: ConsentWords) -> None:
        self._tokens, self._question, self._words = tuple(tokens), question, words
        self._signs = "".join(token.sign for token in tokens)

    def agreement(self) -> AgreedToAll | AgreedTo | None:
        """The yes that the answer is, if it is nothing else."""
        chosen = self._chosen()
        return self._run(chosen) if chosen is not None else None

    def _chosen(self) -> frozenset[int] | None:
        """The parts it agrees to: each clause agrees, denies, names something or is a remark."""
        if "?" in self._signs or self._begins_a_question() or self._breaks_off():
            return None
        sayings: list[Saying] = []
        remarks: list[Remark] = []
        for clause in clauses_of(self._tokens, self._words):
            said = saying_of(clause, self._question, self._words) if clause.is_accounted_for else None
            if said is not None:
                sayings.append(said)
            elif (remark := remark_of(clause.tokens, self._question, self._words)) is not None:
                remarks.append(remark)
            else:
                return None
        if not self._may_agree(sayings, remarks) or self._means_one_of_several(sayings):
            return None
        doubtful = "P" in self._signs or any(one.needs_firm_yes for one in remarks)
        if doubtful and not self._agrees_firmly():
            return None
        return chosen_parts(sayings, remarks, self._question)

    def _may_agree(self, sayings: Sequence[Saying], remarks: Sequence[Remark]) -> bool:
        """Whether it says yes: clearly, where it says anything else; an order has to name its object."""
        signs = self._signs
        several = len(self._question.parts) > 1
        if "Y" in signs or "q" in signs:
            # "Could you do that" has to have a yes of its own.
            return any("Y" in one._signs and "q" not in one._signs for one in self._clauses())
        if "P" in signs:
            return False
        if several:
            chooses = "A" in signs or any(one.named for one in sayings)
            approves = "y" in signs and (not remarks or not self._question.ends)
            return chooses or approves or ("V" in signs)
        orders = any(
            "V" in one._signs
            and one._is_accounted_for()
            and (one._names_object() or (self._words.verb_last and len(one._tokens) > 1))
            for one in self._clauses()
        )
        if not self._question.only_ends:
            orders = orders or any(one.plans and (one.new or "y" in signs) for one in remarks)
            orders = orders or any(
                "v" in one._signs
                and one._is_accounted_for()
                and any(self._words.plans.is_one(token.text) for token in one._tokens)
                for one in self._clauses()
            )
        return orders or ("y" in signs and (not remarks or not self._question.ends))

    def _agrees_firmly(self) -> bool:
        """Whether it says more than "yes", which may only mean "I have heard you"."""
        return any(
            "V" in one._signs
            or "A" in one._signs
            or any(token.sign == "Y" and not self._words.opening.is_one(token.text) for token in one._tokens)
            or ("Y" in one._signs and any(self._words.firm.is_one(token.text) for token in one._tokens))
            or ("Y" in one._signs and self._words.plans.is_one(one._tokens[0].text))  # "So yes."
            for one in self._clauses()
        )

    def _is_accounted_for(self) -> bool:
        return all(clause.is_accounted_for for clause in clauses_of(self._tokens, self._words))

    def _names_object(self) -> bool:
        if any(self._words.firm.is_one(token.text) for token in self._tokens):
            return True  # "Cancel, please."
        return any(sign in "pvA" for sign in self._signs) or any(
            self._words.pronouns.is_one(token.text) or (token.sign == "V" and " " in token.text)
            for token in self._tokens
        )

    def _means_one_of_several(self, sayings: Sequence[Saying]) -> bool:
        """Whether it names one thing by what several are: "cancel the room", of two rooms."""
        question = self._question
        if len(question.calls) < 2 or "A" in self._signs:
            return False
        named = frozenset[int]().union(*(each.places for one in sayings for each in one.named))
        if named:
            return False
        shared = [
            token
            for clause in clauses_of(self._tokens, self._words)
            for token in clause.tokens
            if clause.is_accounted_for and token.sign == "p" and token.places == question.everything
        ]
        if any(not question.is_plural(token.text) for token in shared):
            return True
        return any(
            phrases and ("V" in one._signs or any(" " in phrase for phrase in phrases))
            for one in self._clauses()
            for phrases in [self._words.singular.found_in(" ".join(token.text for token in one._tokens))]
        )

    def _run(self, parts: frozenset[int]) -> AgreedToAll | AgreedTo | None:
        """The calls of these parts; a call cannot run in part."""
        question = self._question
        calls = frozenset(part.call for place, part in enumerate(question.parts) if place in parts)
        whole = frozenset(place for place, part in enumerate(question.parts) if part.call in calls)
        if whole != parts or not parts:
            return None
        return AgreedToAll() if calls == question.calls else AgreedTo(calls=calls)

    def other_than_yes(self) -> Declined | Hold | Correction | Unclear:
        """What an answer is that is no yes."""
        signs = self._signs
        if self._asks_to_repeat():
            return Hold()
        if "?" in signs:
            return Correction() if self._refuses_beside_a_question() else Unclear()
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

    def _named(self) -> frozenset[int]:
        """The parts that it names, leaving out words that all parts have."""
        told = [token.places for token in self._tokens if token.sign in "pvV"]
        return frozenset[int]().union(*(places for places in told if places != self._question.everything))

    def _chooses_within_a_call(self) -> bool:
        """Whether it wants a part of one call only: "yes, but leave the phone number"."""
        return (
            any(sign in self._signs for sign in "OEX")
            and self._chosen() is not None
            and len(self._question.parts) > len(self._question.calls)
        )

    def _refuses(self) -> bool:
        """Whether it is a no to everything, and every word of it is accounted for; a reason may follow."""
        if self._refuses_alone():
            return True
        return any(
            before._refuses_alone() and after._explains_a_no()
            for before, after in map(self._split, range(1, len(self._tokens)))
        )

    def _refuses_beside_a_question(self) -> bool:
        """Whether a sentence of it is a plain no, and the others ask: "No, keep it. What do I owe?"."""
        sentences = list(self._cut(".?"))
        return any(one._refuses_alone() for one in sentences) and not any(
            "Y" in one._signs or "y" in one._signs for one in sentences
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

    def _opens_like_a_question(self) -> str:
        """The word that may ask: the first; of "können Sie" only before an order."""
        token = self._tokens[0]
        if token.sign == "Y" and "V" in self._signs:
            return token.text.partition(" ")[0]
        return token.text if token.sign in "F#V" else ""

    def _breaks_off(self) -> bool:
        """Whether there is nothing before or behind a contrast: "yes, but"."""
        rest = "".join(sign for sign in self._signs if sign not in "FsJK,.")
        return rest.startswith("B") or rest.endswith("B")

    def _begins_a_question(self) -> bool:
        """Whether a clause of it begins as a question does, mark or not: "is that right"."""
        return any(
            self._words.asks.is_one(clause._opens_like_a_question())
            and not self._leaves_out_i(clause)
            and not self._words.courtesies.begins(" ".join(token.text for token in clause._tokens))
            for clause in self._clauses()
        )

    def _leaves_out_i(self, clause: "_Answer") -> bool:
        """Whether it is a statement without its "I": "bin im Krankenhaus"."""
        texts, words = [token.text for token in clause._tokens], self._words
        asked = any(words.subject.begins(text) or words.pronouns.is_one(text) for text in texts[1:2])
        return any(words.first_person.is_one(text) for text in texts[:1]) and not asked

    def _explains_a_no(self) -> bool:
        """Whether it only says why not: it asks for nothing, and names no other thing or value."""
        for clause in self._clauses():
            signs = clause._signs
            if any(sign in "HCRq?dSG" for sign in signs) or ("v" in signs and self._question.changes):
                return False
            if (
                any(sign in "YVAp" for sign in signs)
                and not any(sign in "NXE" for sign in signs)
                and not holds(clause._said(), self._words.needs)
            ):
                return False
            words = self._words
            states = any(holds(clause._said(), each) for each in (words.subject, words.asks, words.finite))
            if "#" in signs and not states and not words.courtesies.begins(" ".join(clause._said())):
                return False
        return True

    def _said(self) -> list[str]:
        return WORD.findall(" ".join(token.text for token in self._tokens))

    def _split(self, place: int) -> "tuple[_Answer, _Answer]":
        return self._of(self._tokens[:place]), self._of(self._tokens[place:])

    def _clauses(self) -> "Iterator[_Answer]":
        yield from self._cut(",.BJ")

    def _cut(self, marks: str) -> "Iterator[_Answer]":
        begin = 0
        for place, token in enumerate((*self._tokens, Token(".", "."))):
            if token.sign in marks:
                if begin < place:
                    yield self._of(self._tokens[begin:place])
                begin = place + 1

    def _of(self, tokens: Sequence[Token]) -> "_Answer":
        return _Answer(tokens, self._question, self._words)


def _asks_something_new(text: str, question: Question, words: ConsentWords) -> bool:
    """Whether it is one question, and neither a condition nor about what was agreed to."""
    asked = words.also.without(text) if words.also.begins(text) else text
    if not text.rstrip().endswith("?") and not words.asks.begins(asked.lstrip()):
        return False
    spoils = (words.back, words.hold, words.correction, words.contrast, words.except_, words.no, words.retracted)
    return not any(phrases.found_in(asked) for phrases in spoils) and not any(
        token.sign == "V" for token in tokens_of(asked, question, words)
    )


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


def _is_another_matter(text: str, question: Question, words: ConsentWords, *, asks_freely: bool) -> bool:
    """Whether it is about something else that there is to ask for, and holds nothing that denies, doubts, corrects,
    or points back to what was asked: "yes, and what does that cost?" is in one piece.

    After a yes that is no mere "yes", any question that does not point back may follow.
    """
    if not question.elsewhere:
        return False
    if asks_freely and _asks_something_new(text, question, words):
        return True
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

"""Reads the clauses of an answer that are neither a yes nor a no: reasons, plans and small talk.

A *remark* is a statement that changes nothing about what was asked. It must begin as a statement does (an order
begins with its verb), and it must hold nothing that limits, doubts, postpones or asks for something else. What it
says for or against the things of the question must agree with a yes: "I don't need it any more" is a reason to end
something, and no reason to book it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from assistant.prompts.words import ConsentWords, WordList
from assistant.turn.consent_tokens import WORD, Token
from assistant.turn.question import Question

_LEAST_WORDS: Final = 3
_VERB_WITHIN: Final = 5
"""The verb of a statement is among its first words; ours for "our daughter's school closes"."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A statement that asks for nothing.

    ``keeps``: things that the customer says to want as they are. ``about``: things that only what is left alone
    may be among. ``plans``: it draws a conclusion ("then I can ..."), ``new``: with a new value. ``wants``: it is
    about wanting what went before. ``needs_firm_yes``: with a mere "yes" before it, it may say that the customer
    has understood: "yes, I go there on Tuesdays".
    """

    keeps: frozenset[int] = frozenset()
    about: frozenset[int] = frozenset()
    plans: bool = False
    new: bool = False
    wants: bool = False
    needs_firm_yes: bool = False


def remark_of(tokens: Sequence[Token], question: Question, words: ConsentWords) -> Remark | None:
    """The remark that a clause is; None if it may be a request, a limit, a doubt or another's yes."""
    statement = _Statement(tokens, question, words)
    if statement.is_courtesy:
        return Remark()
    if not statement.is_one or statement.may_change_the_question:
        return None
    return statement.remark_to_end() if question.only_ends else statement.remark_to_change()


class _Statement:
    """A clause without what leads into it: "because", "so", "well"."""

    def __init__(self, tokens: Sequence[Token], question: Question, words: ConsentWords) -> None:
        self.question, self.words = question, words
        rest = list(tokens)
        self.concludes = False
        while rest and self._leads_in(rest[0]):
            self.concludes = self.concludes or words.plans.is_one(rest[0].text)
            rest.pop(0)
        self.led_in = len(rest) < len(tokens)
        self.tokens = rest
        self.text = " ".join(token.text for token in rest)
        self.said = WORD.findall(self.text)
        self.signs = "".join(token.sign for token in rest)

    def _leads_in(self, token: Token) -> bool:
        if token.sign in "sLJK" or self.words.because.is_one(token.text):
            return True
        return token.sign == "F" and not any(
            phrases.begins(token.text)
            for phrases in (self.words.subject, self.words.opens, self.words.addressed)
        )

    @property
    def is_courtesy(self) -> bool:
        """Whether it is an exclamation or a greeting: "sorry for the trouble", "kind regards, A. Silva"."""
        if not self.tokens:
            return True
        return self.words.courtesies.begins(self.text) and set(self.signs) <= set("FsyL#")

    @property
    def is_one(self) -> bool:
        """Whether it is a statement: it begins with a subject or a place in time, and has a verb."""
        if len(self.text.replace("'", " ").split()) < _LEAST_WORDS:
            return False
        first, words = self.tokens[0], self.words
        if self.led_in and words.verb_last and words.starts.is_one(self.said[1]):
            return True  # "Dann krieg ich die Post."
        if words.subject.begins(self.text) or words.first_person.begins(self.text):
            return True
        if first.sign in "pvwdy" or words.opens.begins(self.text):
            return self._has_a_verb()
        if _is_past(self.said[0]) or words.asks.is_one(self.said[1]) or words.finite.is_one(self.said[1]):
            return True  # "Got a new number", "trip is off".
        return words.finite.is_one(self.said[0])

    def _has_a_verb(self) -> bool:
        near = self.said[1:_VERB_WITHIN]
        if any(self._is_verb(word) or self.words.subject.is_one(word) for word in near):
            return True
        # "My accountant needs it"; but "the lens fitting" and "my other glasses too" only name something.
        ends = self.words.verb_endings
        owned = self.words.others_begin.begins(self.text) and not self.words.articles.begins(self.text)
        inside = self.said[2:-1] if not self.words.too.ends(self.text) else []
        return owned and any(len(word) > 3 and word.endswith(ends) for word in inside[: _VERB_WITHIN - 2])

    def _is_verb(self, word: str) -> bool:
        known = self.words.asks.is_one(word) or self.words.finite.is_one(word)
        return known or _is_past(word) or word.endswith(("'s", "n't"))

    @property
    def may_change_the_question(self) -> bool:
        """Whether it holds something that limits, doubts, postpones, corrects, asks or reports."""
        signs = self.signs
        if any(sign in "?CRqWDBYT" for sign in signs) or holds(self.said, self.words.bars):
            return True
        if self.words.wish.begins(self.text):
            return True
        if any(sign in "OE" for sign in signs) and not self.is_of_others:
            return True
        if "A" in signs and not (self.is_of_others or self._negated):
            return True
        if "d" in signs and not (self.is_of_others or self.question.only_ends):
            return True
        if any(token.sign == "H" and not self._only_dates(token) for token in self.tokens):
            return True
        if any(self._orders(n) for n, token in enumerate(self.tokens) if token.sign == "V"):
            return True
        denials = [n for n, token in enumerate(self.tokens) if token.sign == "N"]
        return any(n in (0, len(self.tokens) - 1) for n in denials)

    @property
    def is_of_others(self) -> bool:
        """Whether its subject is another person or thing: "our train isn't until three"."""
        return self.words.others_begin.begins(self.text) and not any(
            token.sign in "pvwV" or self.words.pronouns.is_one(token.text) for token in self.tokens
        )

    def _only_dates(self, token: Token) -> bool:
        """Whether "until" or "before" says when something else is: "our train isn't until three"."""
        return (self.is_of_others or self._negated) and self.words.dates.is_one(token.text)

    def _orders(self, place: int) -> bool:
        """Whether the verb of the question is an order here, and not told of: "our flight got cancelled"."""
        token, before, after = self.tokens[place], self.tokens[:place], self.tokens[place + 1 :]
        if " " in token.text or not before or before[-1].sign not in "#sF":
            return True
        if self.words.verb_last and not after and not any(self._is_verb(one.text) for one in before):
            return True  # "Den Termin absagen."
        if self.words.goal.is_one(before[-1].text) or any(one.sign in "XNE" for one in before):
            return True
        return bool(after) and (after[0].sign in "pvVA" or self.words.pronouns.is_one(after[0].text))

    @property
    def _negated(self) -> bool:
        return "X" in self.signs or "N" in self.signs

    @property
    def _needs(self) -> bool:
        return holds(self.said, self.words.needs)

    @property
    def _against(self) -> bool:
        return self._negated or holds(self.said[:-1], self.words.too_much)

    @property
    def _places(self) -> frozenset[int]:
        named = (token.places for token in self.tokens if token.sign in "pv")
        return frozenset[int]().union(*(places for places in named if places != self.question.everything))

    @property
    def _may_only_hear(self) -> bool:
        """Whether it may say that the customer knows what they are asked about: "I go there on Tuesday"."""
        words = self.words
        if holds(self.said, words.heard) or words.addressed.is_one(self.said[0]):
            return True
        named = "pwd" if self.question.changes else "pvwd"
        points = any(token.sign in named for token in self.tokens) or any(
            words.pointing.is_one(word) or words.pronouns.is_one(word) for word in self.said[1:]
        )
        speaks = holds(self.said, words.speaker) or words.finite.is_one(self.said[0])
        return (points and speaks) or self._starts_pointing

    @property
    def _starts_pointing(self) -> bool:
        """Whether its subject is what was asked about: "it is on Tuesday", and not "the kids are ill"."""
        words, first = self.words, self.said[0].partition("'")[0]
        second = self.said[1] if len(self.said) > 1 else ""
        verb = "'" in self.said[0] or words.asks.is_one(second) or words.finite.is_one(second)
        return words.pronouns.is_one(first) and (verb or not words.opens.is_one(first))

    def remark_to_end(self) -> Remark | None:
        """The remark about a thing that is to be ended: against the thing, or about something else."""
        words, signs = self.words, self.signs
        several = len(self.question.parts) > 1
        if self._negated and words.pointing.is_one(self.said[-1]):
            return None  # "I don't want that" may be about the ending.
        if not self._against and (words.pointing.is_one(self.said[-1]) or holds(self.said, words.likes)):
            return None  # "I'm looking forward to it", "I'll be there".
        if "y" in signs:
            return None  # What it praises may be the thing.
        if self._against:
            return Remark()
        if self._needs:
            return Remark(keeps=self._places, wants=not self._places) if several else None
        if "p" in signs and several:
            return Remark(about=self._places) if self._places else None
        if "p" in signs:
            return None
        return Remark(needs_firm_yes=self._may_only_hear)

    def remark_to_change(self) -> Remark | None:
        """The remark about a new state: for it, against the old one, or about something else."""
        words, signs = self.words, self.signs
        several = len(self.question.parts) > 1
        if self._negated and words.pointing.is_one(self.said[-1]):
            return None  # "I don't want that" is about what was asked.
        if self._negated and "y" in signs and "w" not in signs:
            return None
        if "y" in signs and "v" not in signs and not self._against and not self._starts_pointing:
            return None  # What it approves of may be the old state.
        if self._against and self._places and several:
            return Remark(keeps=self._places) if self._needs else None
        if self._against:
            return (
                Remark(plans=self.concludes)
                if "v" not in signs and ("w" in signs or not self._needs)
                else None
            )
        if "w" in signs and (self._needs or "y" in signs or not self.question.changes):
            return None
        if self._needs and not self.concludes and not self.is_of_others:
            return Remark(needs_firm_yes=True) if "p" in signs else None
        first = any(words.subject.is_one(word) and not words.opens.is_one(word) for word in self.said[:2])
        new = "v" in signs
        if new and not (
            "y" in signs or (self.concludes and first) or holds(self.said, words.able) or several
        ):
            return None  # "Wednesday is bad."
        doubtful = "y" not in signs and self._may_only_hear  # "That is my sister's."
        return Remark(plans=self.concludes and first, new=new, needs_firm_yes=doubtful)


def _is_past(word: str) -> bool:
    return len(word) > 4 and word.endswith("ed")


def holds(said: Sequence[str], phrases: WordList) -> bool:
    """Whether one of the words is among the phrases; "can't" is not "can"."""
    return any(phrases.is_one(word) for word in said) or any(
        phrases.is_one(f"{one} {other}") for one, other in pairwise(said)
    )

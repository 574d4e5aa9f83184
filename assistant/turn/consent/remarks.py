"""Reads the clauses of an answer that are neither a yes nor a no: reasons, plans and small talk.

A *remark* is a statement that changes nothing about the question. It must begin like a statement (an order
begins with its verb), and must contain nothing that limits, doubts, postpones or requests something else.
What it says for or against the things in the question must fit a yes: "I don't need it any more" is a reason
to end something, but no reason to book it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from assistant.prompts.consent_words import ConsentWords
from assistant.turn.consent.clauses import Clause
from assistant.turn.consent.question import Question
from assistant.turn.consent.roles import DENYING, NAMING, Role, Stretch, Token, holds

_LEAST_WORDS: Final = 3
_NEVER: Final = (
    Role.QUESTION_MARK, Role.CORRECTS, Role.OTHERS, Role.REQUEST, Role.WISH, Role.DOES, Role.CONTRAST, Role.AGREES,
    Role.RECONSIDERS,
)  # fmt: skip
"""Roles that no token of a remark may have."""
_SMALL_TALK: Final = frozenset({Role.FILLER, Role.SOUND, Role.APPROVES, Role.UNKNOWN})
_VERB_WITHIN: Final = 5
"""The verb of a statement is among its first words, here the fourth: "our daughter's school closes"."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A statement that requests nothing.

    ``keeps``: things that the customer wants to keep unchanged. ``about``: if set, the statement fits only if
    these things are left unchanged. ``plans``: it draws a conclusion ("then I can ..."). ``new``: it contains
    a new value. ``wants``: it is about wanting the thing before it. ``against``: it denies something other
    than the old state. ``needs_firm_yes``: after a mere "yes", it may only mean that the customer has
    understood: "yes, I go there on Tuesdays". ``tells``: it is neither for nor against the question and has
    not the form of a reason, so that a mere "yes" may belong to it: "yes, I'm still here".
    """

    keeps: frozenset[int] = frozenset()
    about: frozenset[int] = frozenset()
    plans: bool = False
    new: bool = False
    wants: bool = False
    needs_firm_yes: bool = False
    against: bool = False
    tells: bool = False


def remark_of(clause: Clause, question: Question, words: ConsentWords) -> Remark | None:
    """The remark in a clause; None if the clause may be a request, a limit, a doubt or a yes to something else."""
    if _is_courtesy(clause, words):
        return Remark()
    statement = _statement_of(clause, question, words)
    if not statement.is_one or statement.may_change_the_question:
        return None
    if clause.contrasts and not statement.is_of_others:
        return None  # "But I was talking about the lens fitting."
    return statement.remark_to_end() if question.only_ends else statement.remark_to_change()


def _is_courtesy(clause: Stretch, words: ConsentWords) -> bool:
    """Whether a clause is an exclamation or a greeting: "sorry for the trouble", "thank goodness"."""
    after = _without_lead_ins(clause, words)
    exclaims = words.exclamations.begins(clause.text) or words.exclamations.begins(after.text)
    return not after.tokens or (exclaims and clause.has_only(_SMALL_TALK))


def _without_lead_ins(clause: Stretch, words: ConsentWords) -> Stretch:
    led_in = 0
    while led_in < len(clause.tokens) and _leads_in(clause.tokens[led_in], words):
        led_in += 1
    return Stretch(clause.tokens[led_in:])


def _statement_of(clause: Clause, question: Question, words: ConsentWords) -> "_Statement":
    """The clause without the words that lead into it: "because", "so", "well"."""
    after = _without_lead_ins(clause, words)
    led_in = len(clause.tokens) - len(after.tokens)
    lead_in = clause.tokens[:led_in]
    concludes = any(words.conclusions.is_one(token.text) for token in lead_in)
    reasons = clause.reasons or any(words.reason_lead_ins.is_one(token.text) for token in lead_in)
    return _Statement(after, question, words, led_in=led_in > 0, concludes=concludes, reasons=reasons)


def _leads_in(token: Token, words: ConsentWords) -> bool:
    if token.role is Role.SOUND or words.reason_lead_ins.is_one(token.text):
        return True
    return token.role is Role.FILLER and not any(
        phrases.begins(token.text) for phrases in (words.subjects, words.statement_starts, words.listener)
    )


@dataclass(frozen=True)
class _Statement:
    """A clause that may be a remark.

    ``led_in``: such words were removed; ``concludes``: one was "then" or "so"; ``reasons``: one was
    "because".
    """

    clause: Stretch
    question: Question
    words: ConsentWords
    led_in: bool
    concludes: bool
    reasons: bool

    @property
    def text(self) -> str:
        return self.clause.text

    @property
    def said(self) -> Sequence[str]:
        return self.clause.words

    @property
    def tokens(self) -> Sequence[Token]:
        return self.clause.tokens

    @property
    def several(self) -> bool:
        """Whether the question has several parts."""
        return len(self.question.parts) > 1

    @property
    def is_one(self) -> bool:
        """Whether a clause is a statement: it begins with a subject or a time, and has a verb."""
        if len(self.text.replace("'", " ").split()) < _LEAST_WORDS or len(self.said) < 2:
            return False
        words, named = self.words, {*NAMING, Role.OLD_VALUE, Role.OTHER_VALUE, Role.APPROVES}
        if self.led_in and words.verb_last and words.people.is_one(self.said[1]):
            return True  # "Dann krieg ich die Post."
        if words.subjects.begins(self.text) or words.verbs_without_subject.begins(self.text):
            return True
        if self.tokens[0].role in named or words.statement_starts.begins(self.text):
            return self._has_a_verb()
        if _is_past(self.said[0]) or words.verbs.is_one(self.said[0]):
            return True  # "Got a new number".
        return words.question_starts.is_one(self.said[1]) or words.verbs.is_one(
            self.said[1]
        )  # "Trip is off" has no article.

    def _has_a_verb(self) -> bool:
        near = self.said[1:_VERB_WITHIN]
        if any(self._is_verb(word) or self.words.subjects.is_one(word) for word in near):
            return True
        # "My accountant needs it" has a verb; "the lens fitting" and "my other glasses too" only name
        # something.
        owned = self.words.of_others.begins(self.text)
        inside = self.said[2:-1] if not self.words.too.ends(self.text) else ()
        return owned and any(
            len(word) > 3 and word.endswith(self.words.verb_endings) for word in inside[: _VERB_WITHIN - 2]
        )

    def _is_verb(self, word: str) -> bool:
        known = self.words.question_starts.is_one(word) or self.words.verbs.is_one(word)
        return known or _is_past(word) or word.endswith(("'s", "n't"))

    @property
    def may_change_the_question(self) -> bool:
        """Whether a clause contains something that limits, doubts, postpones, corrects, asks or reports."""
        has, of_others = self.clause.has, self.is_of_others
        if has(*_NEVER) or any(
            self._plain.has_word(each)
            for each in (self.words.never_in_remarks, self.words.doubtful_in_remarks)
        ):
            return True
        if self.words.wish.begins(self.text) or any(map(self.question.is_sibling, self.said)):
            return True
        if has(Role.ONLY, Role.EXCEPT) and not of_others:
            return True
        if has(Role.EVERYTHING) and not (of_others or self._negated):
            return True
        if has(Role.OTHER_VALUE) and not (of_others or self.question.only_ends):
            return True
        if has(Role.ACT) and has(Role.THING):
            return True  # "Your colleague changed the number yesterday."
        if self._is_tagged:
            return True
        if any(not self._only_dates(token) for token in self.clause.having(Role.HOLDS)):
            return True
        if any(self._orders(place) for place, role in enumerate(self.clause.roles) if role is Role.ACT):
            return True
        # A "no" at either end is an answer; "there's no point" is not.
        return Role.REFUSES in (self.clause.roles[0], self.clause.roles[-1])

    @property
    def _plain(self) -> Stretch:
        """The clause without the question's values: in "a week later", "later" is no doubt."""
        return self.clause.without(Role.NEW_VALUE, Role.OLD_VALUE)

    @property
    def is_of_others(self) -> bool:
        """Whether the subject is another person or thing: "our train isn't until three"."""
        means_it = self.clause.has(*NAMING, Role.OLD_VALUE, Role.ACT)
        means_it = means_it or self.clause.has_token(self.words.object_pronouns)
        begins = self.words.of_others.begins(self.text) or self.words.articles.begins(self.text)
        return begins and not means_it

    @property
    def _is_tagged(self) -> bool:
        """Whether a clause asks for agreement: "they're lovely, aren't they"."""
        return any(
            one.endswith("n't") and self.words.subjects.is_one(other)
            for one, other in pairwise(self.clause.words)
        )

    def _only_dates(self, token: Token) -> bool:
        """Whether "until" or "before" gives the time of something else: "our train isn't until three"."""
        return (self.is_of_others or self._negated) and self.words.time_relations.is_one(token.text)

    def _orders(self, place: int) -> bool:
        """Whether the question's verb is an order here, and not part of a report: "our flight got cancelled"."""
        token, before, after = self.tokens[place], self.tokens[:place], self.tokens[place + 1 :]
        if " " in token.text or not before or before[-1].role not in (Role.UNKNOWN, Role.SOUND, Role.FILLER):
            return True
        if self.words.verb_last and not after and not any(self._is_verb(one.text) for one in before):
            return True  # "Den Termin absagen."
        if self.words.before_new.is_one(before[-1].text) or Stretch(tuple(before)).has(*DENYING):
            return True
        objects = (*NAMING, Role.ACT, Role.EVERYTHING)
        return bool(after) and (after[0].role in objects or self.words.object_pronouns.is_one(after[0].text))

    @property
    def _has_a_subject(self) -> bool:
        return any(self.words.subjects.is_one(word.partition("'")[0]) for word in self.said)

    @property
    def _negated(self) -> bool:
        return self.clause.has(Role.NEGATES, Role.REFUSES)

    @property
    def _wants(self) -> bool:
        return self.clause.has_word(self.words.wanting)

    @property
    def _against(self) -> bool:
        return self._negated or holds(self.said[:-1], self.words.excess)

    @property
    def _places(self) -> frozenset[int]:
        named = (token.places for token in self.clause.having(*NAMING))
        return frozenset[int]().union(*(places for places in named if places != self.question.everything))

    @property
    def _may_only_hear(self) -> bool:
        """Whether a clause may only mean that the customer knows the thing: "I go there on Tuesday"."""
        words = self.words
        if self.clause.has_word(words.knowing) or words.listener.is_one(self.said[0]):
            return True
        named = [Role.THING, Role.OTHER_VALUE]
        named += [] if self.question.changes else [Role.NEW_VALUE, Role.OLD_VALUE]
        points = self.clause.has(*named) or any(
            words.pointing.is_one(word) or words.object_pronouns.is_one(word) for word in self.said[1:]
        )
        speaks = self.clause.has_word(words.speaker) or words.verbs.is_one(self.said[0])
        then = words.pointing.is_one(self.said[0])  # "Da sitzen wir schon im Zug."
        # "My wife made it" is about the past; "my wife works that day" is not.
        means_it = any(
            words.object_pronouns.is_one(one.text) and other.role is not Role.UNKNOWN
            for one, other in pairwise((*self.tokens[2:], Token(Role.SENTENCE_END, ".")))
        )
        return ((points or then) and speaks) or means_it or self._starts_pointing

    @property
    def _is_of_the_speaker(self) -> bool:
        """Whether a clause is about the customer, and may answer another question: "I'm still here"."""
        first = self.said[0].partition("'")[0]
        elliptic = self.words.verbs.is_one(first) or self.words.verbs_without_subject.is_one(first)
        return elliptic or any(self.words.speaker.is_one(word.partition("'")[0]) for word in self.said[:2])

    @property
    def _starts_pointing(self) -> bool:
        """Whether the subject is the thing in the question: "it is on Tuesday", but not "the kids are ill"."""
        words, first = self.words, self.said[0].partition("'")[0]
        second = self.said[1] if len(self.said) > 1 else ""
        verb = "'" in self.said[0] or words.question_starts.is_one(second) or words.verbs.is_one(second)
        return words.object_pronouns.is_one(first) and (verb or not words.statement_starts.is_one(first))

    def remark_to_end(self) -> Remark | None:
        """The remark about a thing that is to end: against the thing, or about something else.

        "I don't need it any more" is against it. "I'm looking forward to it" is for it, and so no remark.
        """
        words, has = self.words, self.clause.has
        points = words.pointing.is_one(self.said[-1])
        if self._negated and points:
            return None  # "I don't want that" may be about the ending.
        if not self._against and (points or self.clause.has_word(words.liking)):
            return None  # for the thing: "I'm looking forward to it", "I'll be there"
        if has(Role.APPROVES):
            return None  # It may praise the thing.
        if self._against and self.several and self._places and not (self._wants or self._has_a_subject):
            return None  # "The eye test, don't."
        if self._against:
            return Remark()
        if self._wants:
            return Remark(keeps=self._places, wants=not self._places) if self.several else None
        if has(Role.THING):
            return Remark(about=self._places) if self.several and self._places else None
        return Remark(needs_firm_yes=self._may_only_hear, tells=self._is_of_the_speaker and not self.reasons)

    def remark_to_change(self) -> Remark | None:
        """The remark about a new state: for it, against the old one, or about something else.

        Examples for a move to Thursday: "Thursday suits me", "I can't come on Tuesday", "I work late".
        """
        words, has, negated = self.words, self.clause.has, self._negated
        new, old, approves = has(Role.NEW_VALUE), has(Role.OLD_VALUE), has(Role.APPROVES)
        if negated and words.pointing.is_one(self.said[-1]):
            return None  # "I don't want that" is about what was asked.
        if negated and approves and not old:
            return None  # "Thursday is not good."
        if approves and not (new or self._against or self._starts_pointing):
            return None  # It may approve of the old state.
        if self._against and self._places and self.several:
            return Remark(keeps=self._places) if self._wants else None
        if self._against:
            plain = not new and (old or not self._wants)
            return Remark(plans=self.concludes, against=not (old or self.is_of_others)) if plain else None
        if old and (self._wants or approves or not self.question.changes):
            return None  # "I like Tuesday."
        if old and (self.clause.has_token(words.object_pronouns) or has(Role.THING)):
            return None  # "I'll bring it back on Tuesday."
        if self._wants and not self.concludes and not self.is_of_others:
            return Remark(needs_firm_yes=True) if has(Role.THING) else None
        plans = self.concludes and self._begins_with_a_subject
        if new and not (approves or plans or self.clause.has_word(words.ability) or self.several):
            return None  # "Wednesday is bad."
        doubtful = not approves and self._may_only_hear  # "That is my sister's."
        tells = self._is_of_the_speaker and not (approves or plans or new or self.reasons)
        return Remark(plans=plans, new=new, needs_firm_yes=doubtful, tells=tells)

    @property
    def _begins_with_a_subject(self) -> bool:
        """Whether a clause continues like a plan: "then I can drive", but not "then the Thursday"."""
        words = self.words
        return any(
            words.subjects.is_one(word) and not words.statement_starts.is_one(word) for word in self.said[:2]
        )


def _is_past(word: str) -> bool:
    return len(word) > 4 and word.endswith("ed")

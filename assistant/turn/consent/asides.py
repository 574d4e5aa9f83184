"""Reads the clauses next to a firm yes: a customer who says "yes, cancel it" may also tell a story.

A mere yes ("yeah") may only mean that the customer has heard, so :mod:`remarks` accepts few statements next
to it. Next to a firm yes, a clause matters only if it contains a wish. An *aside* contains none: it tells
about the customer's own life or about the past. It does not order, limit or doubt, it names no other value of
the question, and it does not object to what was agreed to.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from assistant.prompts.consent_words import ConsentWords
from assistant.turn.consent.clauses import Clause
from assistant.turn.consent.question import Question
from assistant.turn.consent.roles import DENYING, NAMING, Role, Stretch, Token

_NEVER: Final = (
    Role.QUESTION_MARK, Role.OTHERS, Role.REQUEST, Role.DOES, Role.CONTRAST, Role.AGREES, Role.RECONSIDERS,
    Role.REFUSES,
)  # fmt: skip
"""Roles that no token of an aside may have."""
_OF_ONES_OWN: Final = (
    Role.ONLY, Role.EXCEPT, Role.EVERYTHING, Role.OTHER_VALUE, Role.HOLDS, Role.ACT,
)  # fmt: skip
"""Roles that are about the question, unless the clause is about the customer's own life."""
_NAMED: Final = (*NAMING, Role.OTHER_VALUE, Role.OLD_VALUE)
_SUBJECT_WITHIN: Final = 5
_VERB_WITHIN: Final = 6
_VERB: Final = 3
"""The length that a word must exceed so that its ending shows that it is a verb."""


def is_aside(clause: Clause, question: Question, words: ConsentWords, *, whole: bool = False) -> bool:
    """Whether a clause next to a firm yes only tells something, and contains no wish.

    ``whole``: the yes is to "both" or "everything", so praise of one of the things does not limit it.
    """
    aside = _Aside(_without_lead_ins(clause, words), question, words, whole)
    return not clause.contrasts and aside.is_one


def _without_lead_ins(clause: Stretch, words: ConsentWords) -> Stretch:
    """The clause without "so", "well", "because", "please"."""
    for place, token in enumerate(clause.tokens):
        leads_in = token.role is Role.SOUND or words.reason_lead_ins.is_one(token.text)
        polite = token.role is Role.FILLER and not any(
            phrases.begins(token.text)
            for phrases in (words.subjects, words.statement_starts, words.listener, words.question_starts)
        )
        if not (leads_in or polite or words.conclusions.is_one(token.text)):
            return Stretch(clause.tokens[place:])
    return Stretch(())


@dataclass(frozen=True)
class _Aside:
    clause: Stretch
    question: Question
    words: ConsentWords
    whole: bool

    @property
    def is_one(self) -> bool:
        words, has = self.words, self.clause.has
        if not self.clause.tokens:
            return True
        if has(*_NEVER) or self.clause.without(Role.NEW_VALUE, Role.OLD_VALUE, Role.SOUND).has_word(
            words.never_in_remarks
        ):
            return False
        if words.exclamations.begins(self.clause.text) and not has(*NAMING, Role.ACT, Role.OTHER_VALUE):
            return True
        if not self._said or not self._tells or self._is_elsewhere or words.listener.is_one(self._said[0]):
            return False
        better = (
            has(*_NAMED)
            or self._has_a_subject
            or not all(map(self._prefers, self.clause.having(Role.CORRECTS)))
        )
        if has(Role.CORRECTS) and better:
            return False  # "I'd better come" is a preference; "that one suits me better" is a choice.
        places = frozenset[int]().union(*(token.places for token in self.clause.having(*NAMING)))
        in_favor = self.whole and not self.question.ends and not has(*DENYING, Role.ONLY, Role.HOLDS)
        if places and places != self.question.everything and not in_favor:
            return False  # It is about one thing of several.
        if has(*_OF_ONES_OWN) and not (self._is_of_ones_own_life or self._rules_out_another):
            return False
        if has(Role.EXCEPT) and len(self.question.parts) > 1:
            return False  # "The eye test I'll keep."
        if has(Role.APPROVES) and (self.question.ends or self.clause.has_word(words.wishful)):
            return False  # "A copy of my invoice would be nice."
        return not self._speaks_against_it

    def _prefers(self, token: Token) -> bool:
        return self.words.preference.is_one(token.text)

    @property
    def _said(self) -> Sequence[str]:
        return self.clause.words

    @property
    def _tells(self) -> bool:
        """Whether a clause is a statement, and not an order."""
        words, said = self.words, self._said
        elliptic = words.verbs_without_subject.begins(self.clause.text) or words.wanting.is_one(said[0])
        if len(said) > 1 and (elliptic or self._has_a_subject or self._wishes_for_it):
            return True
        if (
            not said
            or words.other_orders.is_one(said[0])
            or self.clause.tokens[0].role in (*DENYING, Role.HOLDS)
        ):
            return False
        near = said[1:_VERB_WITHIN]
        if any(words.question_starts.is_one(word) or words.verbs.is_one(word) for word in near):
            return True
        others = words.of_others.begins(self.clause.text) or words.verb_last
        begins = words.articles.begins(self.clause.text) or others
        endings = ("ed", *(words.verb_endings if others else ()))
        return begins and any(len(word) > _VERB and word.endswith(endings) for word in said[2:_VERB_WITHIN])

    @property
    def _wishes_for_it(self) -> bool:
        """Whether a clause praises the new value with an unknown word: "1 pm would be rad"."""
        return self.clause.tokens[0].role is Role.NEW_VALUE and self.clause.has_word(self.words.wishful)

    @property
    def _has_a_subject(self) -> bool:
        """Whether "I", "my mother" or similar is near the beginning: "completely forgot I had it"."""
        words = self.words
        orders = words.other_orders.is_one(self._said[0])
        near = self._said[:_SUBJECT_WITHIN]
        return not orders and any(words.speaker.is_one(word.partition("'")[0]) for word in near)

    @property
    def _is_elsewhere(self) -> bool:
        """Whether a clause names another thing that tools can do."""
        unknown = self.clause.having(Role.UNKNOWN)
        return any(
            self.question.is_elsewhere(one.text) or self.question.is_sibling(one.text) for one in unknown
        )

    @property
    def _is_of_ones_own_life(self) -> bool:
        """Whether the subject is a person, and the clause is not about the thing: "I can't leave my room"."""
        words = self.words
        means_it = self.clause.has(*NAMING, Role.OLD_VALUE) or self.clause.has_token(words.object_pronouns)
        if means_it or self.clause.tokens[0].role in _OF_ONES_OWN:
            return False
        if (
            words.articles.begins(self.clause.text)
            and Role.OTHER_VALUE in self.clause.roles[:_SUBJECT_WITHIN]
        ):
            return False  # "The 10482 one."
        praise = [one for one in self.clause.having(Role.APPROVES) if not words.verbs.is_one(one.text)]
        if self.clause.has(Role.OTHER_VALUE) and (praise or self._proposes):
            return False
        if words.verbs_without_subject.begins(self.clause.text):
            return True
        owned = words.of_others.begins(self.clause.text) or words.articles.begins(self.clause.text)
        return owned or any(
            words.speaker.is_one(word.partition("'")[0]) for word in self._said[:_SUBJECT_WITHIN]
        )

    @property
    def _rules_out_another(self) -> bool:
        """Whether a clause only excludes another time: "mornings never work for me"."""
        own = [role for role in _OF_ONES_OWN if role is not Role.OTHER_VALUE]
        return (
            self.clause.has(Role.OTHER_VALUE) and self.clause.has(Role.NEGATES) and not self.clause.has(*own)
        )

    @property
    def _proposes(self) -> bool:
        """Whether a clause says what would be possible: "I can come on Friday"."""
        return self.clause.has_word(self.words.ability) or self.clause.has_word(self.words.wanting)

    @property
    def _waits_for_something(self) -> bool:
        """Whether a clause names a condition that comes first: "before I know", but not "before noon"."""
        return any(
            one.role is Role.HOLDS and other.role not in (Role.OTHER_VALUE, Role.NEW_VALUE)
            for one, other in pairwise(self.clause.without(Role.FILLER).tokens)
        )

    @property
    def _speaks_against_it(self) -> bool:
        """Whether a clause wants or likes the thing that is to end, or refuses the new state."""
        words, has = self.words, self.clause.has
        negated = has(*DENYING)
        names = has(Role.THING, Role.NEW_VALUE) or self.clause.has_token(words.object_pronouns)
        points = words.pointing.is_one(self._said[-1]) or names
        if negated and words.pointing.is_one(self._said[-1]):
            return True
        if self.question.only_ends:
            if self.clause.has_word(words.liking):
                return not (
                    negated or self.clause.has_word(words.bygone) or self.clause.has_word(words.obligations)
                )
            return not negated and points and (self.clause.has_word(words.wanting) or has(Role.APPROVES))
        if negated:
            return (
                has(Role.NEW_VALUE)
                or self._waits_for_something
                or (has(Role.THING) and self.clause.has_word(words.wanting))
            )
        old = has(Role.OLD_VALUE) or not self.question.changes
        return has(Role.OLD_VALUE) and old and (self.clause.has_word(words.wanting) or has(Role.APPROVES))

"""Reads whether a clause next to a yes is a statement: it has a subject and a verb, or says what is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from assistant.prompts.consent_words import ConsentWords
from assistant.turn.consent.clauses import Clause
from assistant.turn.consent.question import Question
from assistant.turn.consent.roles import DENYING, NAMING, Role, Stretch

SUBJECT_WITHIN: Final = 5
_VERB_WITHIN: Final = 6
_VERB: Final = 3
"""The length that a word must exceed so that its ending shows that it is a verb."""


def finds_too_much(clause: Stretch, words: ConsentWords) -> bool:
    """Whether a clause finds something too early, too expensive and so on: "9 is too early", "zu teuer"."""
    return clause.has_word(words.costly) or any(
        words.excess.is_one(one.text) and other.role in (Role.UNKNOWN, Role.FILLER)
        for one, other in pairwise(clause.tokens)
    )


@dataclass(frozen=True)
class Statement:
    """A clause of any words. ``whole``: the clause with the words that lead in."""

    clause: Stretch
    question: Question
    words: ConsentWords
    whole: Clause

    @property
    def said(self) -> Sequence[str]:
        """Its words."""
        return self.clause.words

    @property
    def negated(self) -> bool:
        """Whether it has a no or a "not"."""
        return self.clause.has(*DENYING)

    def is_statement(self, *, sure: bool) -> bool:
        """Whether a clause has a subject and a verb, and begins with neither an order nor a denial."""
        words, said = self.words, self.said
        if self.whole.reasons:
            return True  # "Because of work".
        if self.whole.runs_into and not self._has_verb_of_its_own:
            return False  # "My car insurance yes cancel it."
        if self.question.only_ends and (self._is_fault or self._is_not_able):
            return True  # "Double booked", "not feeling well".
        if self._is_a_remark(sure=sure):
            return True
        elliptic = words.verbs_without_subject.is_one(said[0].partition("'")[0]) or (
            words.verbs_without_subject.begins(self.clause.text)
            or (words.wanting.is_one(said[0]) and not words.other_orders.is_one(said[0]))
        )
        if len(said) > 1 and (elliptic or self.has_a_subject or self._wishes_for_it):
            return True
        noun = len(said) > 1 and (words.verbs.is_one(said[1]) or words.question_starts.is_one(said[1]))
        orders = words.other_orders.is_one(said[0]) and not noun
        if orders or self.clause.tokens[0].role in (*DENYING, Role.HOLDS):
            return False
        details = any(words.prepositions.is_one(word) for word in said[:2]) and not self.has_a_subject
        if details and not self.clause.has(Role.OLD_VALUE, Role.NEW_VALUE):
            return False  # "Book it | for my wife."
        near = (
            said[1:_VERB_WITHIN]
            if not words.verbs.is_one(said[-1])
            else said[1 : min(_VERB_WITHIN, len(said) - 1)]
        )
        if any(words.question_starts.is_one(word) or words.verbs.is_one(word) for word in near):
            return True
        speaks = any(words.own.is_one(word) and not words.of_others.is_one(word) for word in said[1:])
        if (speaks and not self.question.counts) or (self.question.only_ends and self.describes_it):
            return True  # "Contacts give me infections", but not "the two of us and my mother".
        others = words.of_others.begins(self.clause.text) or words.verb_last
        endings = ("ed", *(words.verb_endings if others else ()))
        begins = words.articles.begins(self.clause.text) or others
        owned = words.of_others.begins(self.clause.text) and not self.whole.runs_on
        if owned and sure and self.question.only_ends and len(said) > _VERB:
            return True  # "Meine Brille lag unterm Sofa."
        if (
            words.verb_last
            and words.object_pronouns.is_one(said[0])
            and said[2:]
            and said[1].endswith(endings)
        ):
            return True  # "Das dauert zu lange."
        return begins and any(len(word) > _VERB and word.endswith(endings) for word in said[2:_VERB_WITHIN])

    @property
    def has_a_subject_or_verb(self) -> bool:
        """Whether it has a subject, or a verb that needs none: "had a meeting"."""
        return self.has_a_subject or self.words.verbs_without_subject.begins(self.clause.text)

    def _is_a_remark(self, *, sure: bool) -> bool:
        """Whether a clause after a sure yes to an end tells something: an end has no details that it could give."""
        words, (first, *after) = self.words, self.said
        apart = not (self.whole.runs_on or self.whole.runs_into or self.whole.joined)
        if not (sure and apart and self.question.only_ends) or len(after) < _VERB:
            return False
        if self.clause.has(*NAMING, Role.OLD_VALUE, Role.HOLDS):
            return False
        names = (words.articles, words.statement_starts, words.other_orders, words.negation)
        details = any(words.prepositions.is_one(word) for word in self.said[:_VERB])
        verbs = ("ed", *words.verb_endings)
        tells = any(len(word) > _VERB and word.endswith(verbs) for word in after)
        return tells and not details and not any(one.is_one(first) for one in names)

    @property
    def _has_verb_of_its_own(self) -> bool:
        """Whether a subject is followed by its verb, so that the clause names nothing: "my car broke down".

        "The order my wife made" and "my used car" are names.
        """
        words, said = self.words, (*self.said, "")
        if self.clause.has(Role.NEW_VALUE) and not self.question.ends and self.clause.has_word(words.ability):
            return not self.negated  # "Thursday at two I can | do that."
        if self.clause.has(Role.THING, Role.OTHER_VALUE) or self.clause.has_word(words.too):
            return False  # "I have another one on Friday yes cancel it."
        for place in range(1, min(_VERB_WITHIN, len(self.said))):
            word, after = said[place], said[place + 1]
            names = (words.speaker, words.of_others, words.listener, words.subordinate, words.asking)
            if any(phrases.is_one(word) for phrases in names):
                return False
            if words.verbs.is_one(word) or words.question_starts.is_one(word):
                return True
            if word.endswith("ed") and len(word) > _VERB and place > 1:
                objects = (words.object_pronouns, words.statement_starts, words.prepositions, words.own)
                return not after or any(phrases.is_one(after) for phrases in objects)
        return words.speaker.is_one(said[0].partition("'")[0]) and self.has_a_subject

    @property
    def _is_fault(self) -> bool:
        """Whether a clause without a verb only says what is wrong, and names nothing: "wrong day", "too tired"."""
        words, first = self.words, self.said[0]
        names = words.articles.begins(self.clause.text) or words.statement_starts.is_one(first)
        orders = words.other_orders.is_one(first) or (self.negated and not self.says_what_is_wrong)
        return self.says_what_is_wrong and not (self.whole.runs_on or names or orders)

    @property
    def _is_not_able(self) -> bool:
        """Whether a clause without a subject says what the customer is not doing: "not feeling well"."""
        said = self.said
        return self.words.negation.is_one(said[0]) and len(said) > 1 and said[1].endswith("ing")

    @property
    def says_what_is_wrong(self) -> bool:
        """Whether a clause says what is wrong, or what is too much."""
        return self.clause.has_word(self.words.drawbacks) or finds_too_much(self.clause, self.words)

    @property
    def has_a_subject(self) -> bool:
        """Whether "I" or "we" is near the beginning: "completely forgot I had it"."""
        words = self.words
        near = self.said[:SUBJECT_WITHIN]
        return not words.other_orders.is_one(self.said[0]) and any(
            words.speaker.is_one(word.partition("'")[0]) for word in near
        )

    @property
    def _wishes_for_it(self) -> bool:
        """Whether a clause praises the new value with an unknown word: "1 pm would be rad"."""
        return self.clause.tokens[0].role is Role.NEW_VALUE and self.clause.has_word(self.words.wishful)

    @property
    def describes_it(self) -> bool:
        """Whether the subject is the thing: "it's on Tuesday", but not "the kids are ill"."""
        first = self.clause.tokens[0].text.partition("'")[0]
        second = self.said[1] if len(self.said) > 1 else ""
        verb = self.words.question_starts.is_one(second) or self.words.verbs.is_one(second)
        verb = verb or (self.words.verb_last and len(self.said) > 2 and second.endswith("t"))
        names = (self.words.subject_pronouns, self.words.object_pronouns, self.words.one_thing)
        pronoun = any(phrases.is_one(first) for phrases in names)
        return pronoun and (verb or "'" in self.clause.tokens[0].text)

    @property
    def means_it(self) -> bool:
        """Whether a pronoun means the thing: "I read it", but not "I work that day" or "ich kann den Bus nicht"."""
        after = (*self.clause.tokens[1:], None)
        words = self.words
        return any(
            words.object_pronouns.is_one(one.text)
            and (
                other is None
                or not words.statement_starts.is_one(one.text)
                or other.role is not Role.UNKNOWN
                or words.last.is_one(other.text)
                or words.question_starts.is_one(other.text)
                or words.verbs.is_one(other.text)
            )
            for one, other in zip(self.clause.tokens, after, strict=True)
        )

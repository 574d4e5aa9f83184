"""Reads the clauses next to a yes that are not made of known words: "yes, cancel it, my son has the flu".

Reasons and stories are an open class, so no list can contain them. A clause next to a yes may therefore be
anything, except what could change the answer. :func:`is_reason` looks for exactly that:

* an order, a request, a question, or a turn to another person;
* a doubt, a condition, a delay, a contrast, a correction, a quotation;
* another value or another thing, or one thing of several;
* a word for or against the question that contradicts the yes ("I love it" next to "cancel it").

It must also be a statement, with a subject and a verb, because a mere name may be a detail: "yes, Dr. Lee".
After a mere "yes", which may only mean "I have heard you", it must not be a comment on the thing either: "yes,
it's on Tuesday".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from assistant.prompts.consent_words import ConsentWords
from assistant.turn.consent.clauses import Clause
from assistant.turn.consent.number_words import number_at
from assistant.turn.consent.question import LONGEST_COUNT, Question
from assistant.turn.consent.roles import DENYING, NAMING, Role, Stretch

_NEVER: Final = (
    Role.QUESTION_MARK, Role.REQUEST, Role.DOES, Role.CONTRAST, Role.AGREES, Role.RECONSIDERS,
)  # fmt: skip
"""Roles that no token of a reason may have."""
_ABOUT_THE_QUESTION: Final = (
    Role.ONLY, Role.EXCEPT, Role.EVERYTHING, Role.OTHERS, Role.OTHER_VALUE, Role.ACT, Role.CORRECTS,
)  # fmt: skip
"""Roles that may change the question, unless the clause is about the customer's own life."""
_SMALL_TALK: Final = frozenset({Role.FILLER, Role.SOUND, Role.APPROVES, Role.UNKNOWN})
_SUBJECT_WITHIN: Final = 5
_VERB_WITHIN: Final = 6
_WHO: Final = 3
"""The words of "that is us"; "that's us" has one fewer."""
_VERB: Final = 3
"""The length that a word must exceed so that its ending shows that it is a verb."""


def is_courtesy(clause: Stretch, words: ConsentWords) -> bool:
    """Whether a clause is an exclamation or a greeting: "sorry for the trouble", "thank goodness"."""
    rest = _without_lead_ins(clause, words)
    exclaims = words.exclamations.begins(clause.text) or words.exclamations.begins(rest.text)
    return not rest.tokens or (exclaims and clause.has_only(_SMALL_TALK))


def is_reason(clause: Clause, question: Question, words: ConsentWords, *, sure: bool, whole: bool) -> bool:
    """Whether a clause next to a yes cannot change it.

    ``sure``: the yes is more than "yes" or "yeah". ``whole``: it is to "both" or "everything". Otherwise a clause
    about one thing of several may only be about a thing that is left unchanged: see :func:`places_told`.
    """
    if is_courtesy(clause, words):
        return True
    told = _Told(_without_lead_ins(clause, words), question, words, clause)
    if told.may_change_the_answer or (clause.contrasts and not told.one_of_several):
        return False
    if told.one_of_several and not whole:
        return told.is_statement(sure=sure)
    if told.contradicts:
        return False
    if (not sure and told.names_another) or told.gives_a_detail:
        return False
    return told.is_statement(sure=sure) and (sure or not told.is_comment)


def supports(clause: Clause, question: Question, words: ConsentWords) -> bool:
    """Whether a clause is a reason for what was asked: against what ends, or in favor of what is new."""
    told = _Told(_without_lead_ins(clause, words), question, words, clause)
    against = clause.has(Role.NEGATES) or clause.has_word(words.drawbacks)
    if question.only_ends:
        return against and not told.contradicts
    in_favor = clause.has_word(words.wanting) or clause.has_word(words.liking) or clause.has(Role.APPROVES)
    return in_favor and not against and not question.ends


def says_who(clause: Stretch, words: ConsentWords) -> bool:
    """Whether a clause only says who the customer is: "that's us", "das bin ich"."""
    said = clause.words
    points = bool(said) and words.object_pronouns.is_one(said[0].partition("'")[0])
    verb = len(said) == _WHO and words.question_starts.is_one(said[1])
    joined = len(said) == _WHO - 1 and "'" in said[0]
    return points and (verb or joined) and (words.own.is_one(said[-1]) or words.speaker.is_one(said[-1]))


def places_told(clause: Stretch, question: Question) -> frozenset[int]:
    """The things of several that a clause is about; empty if it is about all or none of them."""
    places = frozenset[int]().union(*(token.places for token in clause.having(*NAMING)))
    return places if places != question.everything else frozenset()


def _without_lead_ins(clause: Stretch, words: ConsentWords) -> Stretch:
    """The clause without "so", "well", "because", "please"."""
    for place, token in enumerate(clause.tokens):
        leads_in = token.role is Role.SOUND or words.reason_lead_ins.is_one(token.text)
        after = clause.tokens[place + 1 : place + 2]
        verb = bool(after) and words.question_starts.is_one(after[0].text)
        polite = token.role is Role.FILLER and not (
            verb
            or any(
                phrases.begins(token.text)
                for phrases in (words.subjects, words.statement_starts, words.listener, words.question_starts)
            )
        )
        if not (leads_in or polite or words.conclusions.is_one(token.text)):
            return Stretch(clause.tokens[place:])
    return Stretch(())


@dataclass(frozen=True)
class _Told:
    """What a clause tells. ``whole``: the clause with the words that lead in."""

    clause: Stretch
    question: Question
    words: ConsentWords
    whole: Clause

    @property
    def _said(self) -> Sequence[str]:
        return self.clause.words

    @property
    def _negated(self) -> bool:
        return self.clause.has(*DENYING)

    @property
    def _plain(self) -> Stretch:
        """The clause without the question's values: in "a week later", "later" is no doubt."""
        return self.clause.without(Role.NEW_VALUE, Role.OLD_VALUE, Role.SOUND)

    # What could change the answer

    @property
    def may_change_the_answer(self) -> bool:
        """Whether a clause orders, asks, doubts, delays, corrects, quotes, or names something else."""
        words, clause = self.words, self.clause
        if not self._said or clause.has(*_NEVER) or self._plain.has_word(words.never_in_reasons):
            return True
        if words.listener.is_one(self._said[0]) or words.subordinate.is_one(self._said[0]):
            return True
        if any(
            not self._gives_a_time(place) for place, role in enumerate(clause.roles) if role is Role.HOLDS
        ):
            return True
        if self._begins_like_a_question or self._refuses:
            return True
        if any(map(self.question.is_sibling, self._said)) or words.too.ends(clause.text):
            return True
        if self.one_of_several:
            return clause.has(*[role for role in _ABOUT_THE_QUESTION if role is not Role.EXCEPT])
        return self._about_the_question and not (self._is_of_ones_own_life or self._rules_out_another)

    @property
    def names_another(self) -> bool:
        """Whether a clause names another thing that tools can do. Next to a sure yes it only tells of it."""
        return any(self.question.is_elsewhere(one.text) for one in self.clause.having(Role.UNKNOWN))

    @property
    def _about_the_question(self) -> bool:
        """Whether a clause has words that choose, limit or order; "flights are cancelled" has none."""
        several = len(self.question.parts) > 1
        return any(
            one.role in _ABOUT_THE_QUESTION
            and not (one.role is Role.EXCEPT and not several and self.words.excess.is_one(one.text))
            and not (one.role is Role.ACT and (self._is_reported(place) or self._is_noun(place)))
            for place, one in enumerate(self.clause.tokens)
        )

    def _is_noun(self, place: int) -> bool:
        """Whether the question's verb is a noun here: "it clashes with my shift"."""
        return place > 1 and self.words.of_others.is_one(self.clause.tokens[place - 1].text)

    def _is_reported(self, place: int) -> bool:
        """Whether the question's verb tells what happened to something else: "our flight was cancelled"."""
        before = self.clause.tokens[:place]
        auxiliary = bool(before) and any(
            phrases.is_one(before[-1].text) for phrases in (self.words.question_starts, self.words.verbs)
        )
        return auxiliary and any(one.role is Role.UNKNOWN for one in before[:-1])

    @property
    def _begins_like_a_question(self) -> bool:
        """Whether a clause begins with a word that asks: "why don't you"; "bin im Urlaub" does not."""
        words, first = self.words, self._said[0]
        elliptic = words.verbs_without_subject.is_one(first) and not words.subjects.is_one(
            self._said[1] if len(self._said) > 1 else ""
        )
        return words.question_starts.is_one(first) and not elliptic

    @property
    def _refuses(self) -> bool:
        """Whether "no" is at either end; "there's no point" and "the color is wrong" refuse nothing."""
        ends = (self.clause.tokens[0], self.clause.tokens[-1])
        return any(one.role is Role.REFUSES and not self.words.drawbacks.found_in(one.text) for one in ends)

    def _gives_a_time(self, place: int) -> bool:
        """Whether "until" or "before" gives a time: "our train isn't until three", "I'm away until spring"."""
        dates = (Role.OTHER_VALUE, Role.NEW_VALUE, Role.OLD_VALUE)
        after = [role for role in self.clause.roles[place + 1 :] if role is not Role.FILLER]
        if self._has_a_subject and self.clause.has_word(self.words.obligations):
            return True  # "I have to wait for the plumber."
        if not self.words.time_relations.is_one(self.clause.tokens[place].text) or not after:
            return False
        return after[0] in dates or (after[0] is Role.UNKNOWN and len(after) <= 2 and place > 1)

    @property
    def _is_of_ones_own_life(self) -> bool:
        """Whether the subject is a person, and the clause is not about the thing: "I can't leave my room"."""
        words, clause = self.words, self.clause
        if clause.has(*NAMING, Role.OLD_VALUE) or self._means_it or self._counts_otherwise:
            return False
        if clause.tokens[0].role in _ABOUT_THE_QUESTION or clause.roles[-1] is Role.OTHERS:
            return False
        definite = words.articles.begins(clause.text)
        if definite and Role.OTHER_VALUE in clause.roles[:_SUBJECT_WITHIN]:
            return False  # "The 10482 one."
        praise = [one for one in clause.having(Role.APPROVES) if not words.verbs.is_one(one.text)]
        if clause.has(Role.OTHER_VALUE, Role.CORRECTS) and (praise or self._proposes):
            return False
        if words.own.is_one(self._said[0]) and words.question_starts.is_one(self._said[1 % len(self._said)]):
            return False  # "Mine is on Friday."
        elliptic = words.verbs_without_subject.begins(clause.text)
        elliptic = elliptic or words.own.is_one(self._said[0])
        return elliptic or definite or words.of_others.begins(clause.text) or self._has_a_subject

    @property
    def _counts_otherwise(self) -> bool:
        """Whether a clause has another count than the question: "we are three now", for a table for two."""
        if not self.question.counts:
            return False
        counts = [number_at(one.text, 0) for one in self.clause.having(Role.OTHER_VALUE)]
        return any(one is not None and len(one.form) <= LONGEST_COUNT for one in counts)

    @property
    def _rules_out_another(self) -> bool:
        """Whether a clause only excludes another time: "mornings never work for me"."""
        own = [role for role in _ABOUT_THE_QUESTION if role is not Role.OTHER_VALUE]
        return (
            self.clause.has(Role.OTHER_VALUE) and self.clause.has(Role.NEGATES) and not self.clause.has(*own)
        )

    @property
    def _proposes(self) -> bool:
        """Whether a clause says what the customer could or wants to do: "I can come on Friday"."""
        if self.question.only_ends and self.words.of_others.begins(self.clause.text):
            return False  # "My insurance wants another clinic."
        return self.clause.has_word(self.words.ability) or self.clause.has_word(self.words.wanting)

    @property
    def one_of_several(self) -> bool:
        """Whether a clause is about one thing of several."""
        return bool(places_told(self.clause, self.question))

    @property
    def gives_a_detail(self) -> bool:
        """Whether a clause describes a new state, which has details: "it's for my son"; praise gives none."""
        if self.question.only_ends or says_who(self.clause, self.words) or self._wants_what_is_new:
            return False
        return self._describes_it and not self.clause.has(Role.APPROVES)

    @property
    def _wants_what_is_new(self) -> bool:
        """Whether a clause ends in a wish for the new state: "that's the weekend we want"."""
        wants = self.words.wanting.is_one(self._said[-1]) and not self.question.ends
        old = self.clause.has(Role.OLD_VALUE, Role.THING)
        return wants and not (old or self._negated) and any(map(self.words.speaker.is_one, self._said))

    # What contradicts a yes

    @property
    def contradicts(self) -> bool:
        """Whether a clause wants or likes the thing that is to end, or refuses the new state."""
        words, has, clause = self.words, self.clause.has, self.clause
        points = words.pointing.is_one(self._said[-1])
        named = has(Role.THING, Role.NEW_VALUE) or self._means_it or self._describes_it
        if self._negated and points:
            return True  # "I don't want that" may be about what was asked.
        if not self.question.only_ends and self._finds_it_too_much:
            return True  # "Thursday is good, 9 is too early."
        if has(Role.APPROVES) and clause.has_word(words.wishful) and not has(Role.NEW_VALUE):
            return True  # "A copy of my invoice would be nice."
        if self.question.only_ends:
            if clause.has_word(words.liking) and not words.subject_pronouns.is_one(self._said[0]):
                past = clause.has_word(words.bygone) or clause.has_word(words.obligations)
                return not (self._negated or past)
            wants = clause.has_word(words.wanting) or has(Role.APPROVES)
            return not self._negated and wants and (points or named)
        if self._negated:
            wanted = clause.has_word(words.wanting) and (named or not self.question.changes)
            return has(Role.NEW_VALUE) or wanted or self._waits_for_something
        wants = clause.has_word(words.wanting) and self._has_a_subject
        return has(Role.OLD_VALUE) and (wants or has(Role.APPROVES, Role.THING) or self._means_it)

    @property
    def _finds_it_too_much(self) -> bool:
        """Whether a clause objects to a new value: "9 is too early"; "Donnerstag bin ich zu Hause" does not."""
        words = self.words
        if not self.clause.has(Role.NEW_VALUE) or (words.verb_last and self._has_a_subject):
            return False
        return any(
            words.excess.is_one(one.text) and other.role is Role.UNKNOWN
            for one, other in pairwise(self.clause.tokens)
        )

    @property
    def _waits_for_something(self) -> bool:
        """Whether a clause names a condition that comes first: "before I know", but not "before noon"."""
        return any(
            one.role is Role.HOLDS and other.role not in (Role.OTHER_VALUE, Role.NEW_VALUE)
            for one, other in pairwise(self.clause.without(Role.FILLER).tokens)
        )

    # What a statement looks like

    def is_statement(self, *, sure: bool) -> bool:
        """Whether a clause has a subject and a verb, and begins with neither an order nor a denial."""
        words, said = self.words, self._said
        if self.whole.reasons:
            return True  # "Because of work".
        if self.whole.runs_into and not self._has_verb_of_its_own:
            return False  # "My car insurance yes cancel it."
        if self.question.only_ends and self._is_fault:
            return True  # "Double booked."
        elliptic = words.verbs_without_subject.begins(self.clause.text) or (
            words.wanting.is_one(said[0]) and not words.other_orders.is_one(said[0])
        )
        if len(said) > 1 and (elliptic or self._has_a_subject or self._wishes_for_it):
            return True
        if words.other_orders.is_one(said[0]) or self.clause.tokens[0].role in (*DENYING, Role.HOLDS):
            return False
        details = any(words.prepositions.is_one(word) for word in said[:2]) and not self._has_a_subject
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
        if (speaks and not self.question.counts) or (self.question.only_ends and self._describes_it):
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
    def _has_verb_of_its_own(self) -> bool:
        """Whether a subject is followed by its verb, so that the clause names nothing: "my car broke down".

        "The order my wife made" and "my used car" are names.
        """
        words, said = self.words, (*self._said, "")
        if self.clause.has(Role.NEW_VALUE) and not self.question.ends and self.clause.has_word(words.ability):
            return not self._negated  # "Thursday at two I can | do that."
        if self.clause.has(Role.THING, Role.OTHER_VALUE) or self.clause.has_word(words.too):
            return False  # "I have another one on Friday yes cancel it."
        for place in range(1, min(_VERB_WITHIN, len(self._said))):
            word, after = said[place], said[place + 1]
            names = (words.speaker, words.of_others, words.listener, words.subordinate, words.asking)
            if any(phrases.is_one(word) for phrases in names):
                return False
            if words.verbs.is_one(word) or words.question_starts.is_one(word):
                return True
            if word.endswith("ed") and len(word) > _VERB and place > 1:
                objects = (words.object_pronouns, words.statement_starts, words.prepositions, words.own)
                return not after or any(phrases.is_one(after) for phrases in objects)
        return words.speaker.is_one(said[0].partition("'")[0]) and self._has_a_subject

    @property
    def _is_fault(self) -> bool:
        """Whether a clause without a verb only says what is wrong, and names nothing: "wrong day"."""
        words, first = self.words, self._said[0]
        names = words.articles.begins(self.clause.text) or words.statement_starts.is_one(first)
        orders = words.other_orders.is_one(first) or self._negated
        return self.clause.has_word(words.drawbacks) and not (self.whole.runs_on or names or orders)

    @property
    def _has_a_subject(self) -> bool:
        """Whether "I" or "we" is near the beginning: "completely forgot I had it"."""
        words = self.words
        near = self._said[:_SUBJECT_WITHIN]
        return not words.other_orders.is_one(self._said[0]) and any(
            words.speaker.is_one(word.partition("'")[0]) for word in near
        )

    @property
    def _wishes_for_it(self) -> bool:
        """Whether a clause praises the new value with an unknown word: "1 pm would be rad"."""
        return self.clause.tokens[0].role is Role.NEW_VALUE and self.clause.has_word(self.words.wishful)

    # What only comments

    @property
    def is_comment(self) -> bool:
        """Whether a clause may only say that the customer is there, knows the thing, or describes it."""
        words, clause, ends = self.words, self.clause, bool(self.question.ends)
        if self.whole.reasons:
            return False
        if clause.has_word(words.knowing) or words.doubtful_in_reasons.found_in(clause.text):
            return True
        if self._introduces_oneself:
            return True
        if not ends and words.pointing.is_one(self._said[0]):
            # "Da muss ich arbeiten": what is new may not suit the customer; "da kann ich" says that it does.
            against = self._negated or clause.has_word(words.drawbacks) or clause.has_word(words.obligations)
            return against or not (clause.has_word(words.ability) or clause.has_word(words.wanting))
        if self._describes_it and not ends:
            return not self._wants_what_is_new  # "That's my old one."
        if self._negated or clause.has_word(words.drawbacks):
            return False
        praises = clause.has(Role.APPROVES) and not clause.has_word(words.wishful)
        if ends and (praises or clause.has_word(words.wanting) or clause.has_word(words.liking)):
            return True  # "I'm coming."
        named = [Role.THING]
        named += [] if self.question.changes else [Role.OLD_VALUE]
        named += [Role.NEW_VALUE] if ends and not self._has_a_subject else []
        named += [Role.EVERYTHING] if len(self.question.parts) > 1 else []
        return clause.has(*named) or self._describes_it or self._means_it

    @property
    def _introduces_oneself(self) -> bool:
        """Whether a clause says who the customer is: "I'm the patient", "ich bin die Patientin"."""
        words, said = self.words, self._said
        verb = words.question_starts.is_one(said[1]) if len(said) > 1 else False
        after = said[1:2] if "'" in said[0] else said[2:3] if verb else ()
        return words.speaker.is_one(said[0].partition("'")[0]) and any(map(words.articles.is_one, after))

    @property
    def _describes_it(self) -> bool:
        """Whether the subject is the thing: "it's on Tuesday", but not "the kids are ill"."""
        first = self.clause.tokens[0].text.partition("'")[0]
        second = self._said[1] if len(self._said) > 1 else ""
        verb = self.words.question_starts.is_one(second) or self.words.verbs.is_one(second)
        verb = verb or (self.words.verb_last and len(self._said) > 2 and second.endswith("t"))
        pronoun = self.words.subject_pronouns.is_one(first) or self.words.object_pronouns.is_one(first)
        return pronoun and (verb or "'" in self.clause.tokens[0].text)

    @property
    def _means_it(self) -> bool:
        """Whether a pronoun means the thing: "I read it", but not "I work that day" or "ich kann den Bus nicht"."""
        after = (*self.clause.tokens[1:], None)
        words = self.words
        return any(
            words.object_pronouns.is_one(one.text)
            and (
                other is None
                or not words.statement_starts.is_one(one.text)
                or other.role is not Role.UNKNOWN
                or words.question_starts.is_one(other.text)
                or words.verbs.is_one(other.text)
            )
            for one, other in zip(self.clause.tokens, after, strict=True)
        )

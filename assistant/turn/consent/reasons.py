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

from itertools import pairwise
from typing import Final

from assistant.prompts.consent_words import ConsentWords
from assistant.turn.consent.clauses import Clause
from assistant.turn.consent.number_words import number_at
from assistant.turn.consent.question import LONGEST_COUNT, Question
from assistant.turn.consent.roles import NAMING, Role, Stretch, Token
from assistant.turn.consent.statement import SUBJECT_WITHIN, Statement, finds_too_much

_NEVER: Final = (
    Role.QUESTION_MARK, Role.REQUEST, Role.DOES, Role.CONTRAST, Role.AGREES, Role.RECONSIDERS,
)  # fmt: skip
"""Roles that no token of a reason may have."""
_ABOUT_THE_QUESTION: Final = (
    Role.ONLY, Role.EXCEPT, Role.EVERYTHING, Role.OTHERS, Role.OTHER_VALUE, Role.ACT, Role.CORRECTS,
)  # fmt: skip
"""Roles that may change the question, unless the clause is about the customer's own life."""
_SMALL_TALK: Final = frozenset({Role.FILLER, Role.SOUND, Role.APPROVES, Role.UNKNOWN})
_WHO: Final = 3
"""The words of "that is us"; "that's us" has one fewer."""


def is_courtesy(clause: Stretch, words: ConsentWords) -> bool:
    """Whether a clause is an exclamation or a greeting: "sorry for the trouble", "thank goodness"."""
    rest = _without_lead_ins(clause, words)
    exclaims = words.exclamations.begins(clause.text) or words.exclamations.begins(rest.text)
    if words.exclamations.is_one(rest.text) or words.exclamations.is_one(rest.without(Role.FILLER).text):
        return True  # "It's nothing personal."
    praises = words.listener.begins(rest.text) and any(words.praise.is_one(one.text) for one in rest.tokens)
    exclaims = exclaims or (praises and not rest.has_word(words.never_in_reasons))  # "You've been great."
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


class _Told(Statement):
    """What a clause tells."""

    @property
    def _plain(self) -> Stretch:
        """The clause without the question's values: in "a week later", "later" is no doubt."""
        return self.clause.without(Role.NEW_VALUE, Role.OLD_VALUE, Role.SOUND)

    # What could change the answer

    @property
    def may_change_the_answer(self) -> bool:
        """Whether a clause orders, asks, doubts, delays, corrects, quotes, or names something else."""
        words, clause = self.words, self.clause
        if not self.said or clause.has(*_NEVER) or self._plain.has_word(words.never_in_reasons):
            return True
        if words.listener.is_one(self.said[0]) or words.subordinate.is_one(self.said[0]):
            return True
        if any(
            not self._gives_a_time(place) for place, role in enumerate(clause.roles) if role is Role.HOLDS
        ):
            return True
        if self._begins_like_a_question or self._refuses:
            return True
        if any(map(self.question.is_sibling, self.said)) or words.too.ends(clause.text):
            return True
        if self._belongs_to_another:
            return True
        if self.one_of_several:
            return clause.has(*[role for role in _ABOUT_THE_QUESTION if role is not Role.EXCEPT])
        return self._about_the_question and not (self._is_of_ones_own_life or self._rules_out_another)

    @property
    def _belongs_to_another(self) -> bool:
        """Whether a clause names the thing of another person: "my wife's card", "my wife's"."""
        tokens = self.clause.tokens
        owners = [
            place
            for place, (one, other) in enumerate(pairwise(tokens))
            if one.role is Role.UNKNOWN
            and other.text == "s"
            and not (
                self.words.verb_last or (place and self.words.prepositions.is_one(tokens[place - 1].text))
            )
        ]
        return any(
            Stretch(tokens[place + 2 :][:2]).has(Role.THING) or place + 2 == len(tokens) for place in owners
        )

    @property
    def names_another(self) -> bool:
        """Whether a clause names another thing that tools can do. Next to a sure yes it only tells of it.

        "I have an appointment then" does not.
        """
        own = self.clause.has_word(self.words.wanting) or not self.has_a_subject_or_verb
        return any(
            self.question.is_elsewhere(one.text) and (own or not self.words.indefinite.is_one(before.text))
            for before, one in pairwise((Token(Role.COMMA, ","), *self.clause.tokens))
            if one.role is Role.UNKNOWN
        )

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
        words, first = self.words, self.said[0]
        elliptic = words.verbs_without_subject.is_one(first) and not words.subjects.is_one(
            self.said[1] if len(self.said) > 1 else ""
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
        if self.has_a_subject and self.clause.has_word(self.words.obligations):
            return True  # "I have to wait for the plumber."
        if not self.words.time_relations.is_one(self.clause.tokens[place].text) or not after:
            return False
        return after[0] in dates or (after[0] is Role.UNKNOWN and len(after) <= 2 and place > 1)

    @property
    def _is_of_ones_own_life(self) -> bool:
        """Whether the subject is a person, and the clause is not about the thing: "I can't leave my room"."""
        words, clause = self.words, self.clause
        if clause.has(*NAMING, Role.OLD_VALUE) or self.means_it or self._counts_otherwise:
            return False
        if clause.tokens[0].role in _ABOUT_THE_QUESTION or clause.roles[-1] is Role.OTHERS:
            return False
        definite = words.articles.begins(clause.text)
        if definite and Role.OTHER_VALUE in clause.roles[:SUBJECT_WITHIN]:
            return False  # "The 10482 one."
        praise = [one for one in clause.having(Role.APPROVES) if not words.verbs.is_one(one.text)]
        if clause.has(Role.OTHER_VALUE, Role.CORRECTS) and (praise or self._proposes):
            return False
        if words.own.is_one(self.said[0]) and words.question_starts.is_one(self.said[1 % len(self.said)]):
            return False  # "Mine is on Friday."
        elliptic = words.verbs_without_subject.begins(clause.text)
        elliptic = elliptic or words.own.is_one(self.said[0])
        return elliptic or definite or words.of_others.begins(clause.text) or self.has_a_subject

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
        return self.describes_it and not self.clause.has(Role.APPROVES)

    @property
    def _wants_what_is_new(self) -> bool:
        """Whether a clause ends in a wish for the new state: "that's the weekend we want"."""
        wants = self.words.wanting.is_one(self.said[-1]) and not self.question.ends
        old = self.clause.has(Role.OLD_VALUE, Role.THING)
        return wants and not (old or self.negated) and any(map(self.words.speaker.is_one, self.said))

    # What contradicts a yes

    @property
    def contradicts(self) -> bool:
        """Whether a clause wants or likes the thing that is to end, or refuses the new state."""
        words, has, clause = self.words, self.clause.has, self.clause
        last = self.said[-1]
        points = words.pointing.is_one(last)
        if self.negated and self.question.only_ends and not words.object_pronouns.is_one(last):
            points = False  # "I won't be there."
        named = has(Role.THING, Role.NEW_VALUE) or self.means_it or self.describes_it
        if self.negated and points:
            return True  # "I don't want that" may be about what was asked.
        if not self.question.only_ends and self._finds_it_too_much:
            return True  # "Thursday is good, 9 is too early."
        if has(Role.APPROVES) and clause.has_word(words.wishful) and not has(Role.NEW_VALUE):
            return True  # "A copy of my invoice would be nice."
        if self.question.only_ends:
            if points and not self.negated and words.before_new.is_one(self.said[-2:][0]):
                return True  # "I'm going to that."
            if clause.has_word(words.liking) and not words.subject_pronouns.is_one(self.said[0]):
                past = clause.has_word(words.bygone) or clause.has_word(words.obligations)
                return not (self.negated or past)
            wants = clause.has_word(words.wanting) or has(Role.APPROVES)
            return not self.negated and wants and (points or named)
        if self.negated:
            wanted = clause.has_word(words.wanting) and (named or not self.question.changes)
            return has(Role.NEW_VALUE) or wanted or self._waits_for_something
        wants = clause.has_word(words.wanting) and self.has_a_subject
        return has(Role.OLD_VALUE) and (wants or has(Role.APPROVES, Role.THING) or self.means_it)

    @property
    def _finds_it_too_much(self) -> bool:
        """Whether a clause objects to a new value: "9 is too early"; "Donnerstag bin ich zu Hause" does not."""
        words = self.words
        if not self.clause.has(Role.NEW_VALUE) or (words.verb_last and self.has_a_subject):
            return False
        return finds_too_much(self.clause, words)

    @property
    def _waits_for_something(self) -> bool:
        """Whether a clause names a condition that comes first: "before I know", but not "before noon"."""
        return any(
            one.role is Role.HOLDS and other.role not in (Role.OTHER_VALUE, Role.NEW_VALUE)
            for one, other in pairwise(self.clause.without(Role.FILLER).tokens)
        )

    # What only comments

    @property
    def is_comment(self) -> bool:
        """Whether a clause may only say that the customer is there, knows the thing, or describes it."""
        words, clause, ends = self.words, self.clause, bool(self.question.ends)
        if self.whole.reasons:
            return False
        if self.question.only_ends and self.says_what_is_wrong and not clause.has_word(words.knowing):
            return False
        if not ends and clause.has_word(words.costly):
            return True  # "49 is too much", "the problem is the price".
        if clause.has_word(words.knowing) or words.doubtful_in_reasons.found_in(clause.text):
            return True
        if self._introduces_oneself:
            return True
        if not ends and words.pointing.is_one(self.said[0]):
            # "Da muss ich arbeiten": what is new may not suit the customer; "da kann ich" says that it does.
            against = self.negated or clause.has_word(words.drawbacks) or clause.has_word(words.obligations)
            return against or not (clause.has_word(words.ability) or clause.has_word(words.wanting))
        if self.describes_it and not ends:
            return not self._wants_what_is_new  # "That's my old one."
        if self.negated or clause.has_word(words.drawbacks):
            return False
        praises = clause.has(Role.APPROVES) and not clause.has_word(words.wishful)
        if ends and (praises or clause.has_word(words.wanting) or clause.has_word(words.liking)):
            return True  # "I'm coming."
        named = [Role.THING]
        named += [] if self.question.changes else [Role.OLD_VALUE]
        named += [Role.NEW_VALUE] if ends and not self.has_a_subject else []
        named += [Role.EVERYTHING] if len(self.question.parts) > 1 else []
        return clause.has(*named) or self.describes_it or self.means_it

    @property
    def _introduces_oneself(self) -> bool:
        """Whether a clause says who the customer is: "I'm the patient", "ich bin die Patientin"."""
        words, said = self.words, self.said
        verb = words.copulas.is_one(said[1]) if len(said) > 1 else False
        after = said[1:2] if "'" in said[0] else said[2:3] if verb else ()
        return words.speaker.is_one(said[0].partition("'")[0]) and any(map(words.articles.is_one, after))

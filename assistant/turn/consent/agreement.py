"""Decides whether an answer is a yes, and to which parts of the question.

A change runs only if the answer contains a yes, and if every other clause is of a kind that cannot weaken it. There
are no other kinds. Anything else leads to asking again.

**A yes** is made of known words only. It is one of

* a consent: "yes", "of course", "go ahead", "please do";
* an order with the verb of the question: "cancel it", "cancel the eye test, please";
* a choice: "both", "the first", "only the order", "the order yes, the test no";
* the new state, approved or concluded: "Thursday is perfect", "then Thursday";
* an approval as the whole answer: "fine", "that's right".

**Kinds that cannot weaken it**:

* an echo: the things of the question and its new values;
* politeness, address, exclamations, sounds, and the name under a letter;
* a reason or story, with any words but those that could change the answer (:mod:`reasons`).

**What makes it no yes**, wherever it is:

* a question, with or without a question mark, and a check: "Thursday, right";
* an answer that breaks off: "yes, but", "yes um the";
* another value, another thing, or a part of one call;
* a comment on the thing with a mere yes: "yes, that's my appointment".

A yes is *mere* if it may only mean "I have heard you" or "that is true" ("yes", "sure", "of course"). It is *sure*
if it can only be about doing what was asked: "yes please", "go ahead", "cancel it", "all of it".
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from assistant.prompts.words import ConsentWords
from assistant.turn.consent.choice import chosen_parts, is_open
from assistant.turn.consent.clauses import Clause, clauses_of, is_accounted_for
from assistant.turn.consent.question import Question
from assistant.turn.consent.readings import AgreedTo, AgreedToAll
from assistant.turn.consent.reasons import is_reason, places_told, says_who, supports
from assistant.turn.consent.roles import AGREEING, DENYING, LIGHT, NAMING, Role, Stretch
from assistant.turn.consent.sayings import Saying, saying_of

_NEVER_AGAINST: Final = (
    *AGREEING, Role.ACT, Role.REFUSES, Role.EXCEPT, Role.HOLDS, Role.CORRECTS, Role.OTHERS, Role.REQUEST,
    Role.QUESTION_MARK, Role.CONTRAST, Role.ONLY, Role.OTHER_VALUE,
)  # fmt: skip
_PAST: Final = re.compile(r"ed$|iert$|^(?:ab|an|auf|aus|ein|um|weg|zu)?ge\w+t$")
"""Participles: "cancelled", "abgesagt"."""
_INVERTED: Final = 3
"""The least words of a statement with its subject at the end: "das bin ich"."""
_SIGNATURE: Final = 3
"""The most words of a name under a letter."""


def agreement_in(answer: Stretch, question: Question, words: ConsentWords) -> AgreedToAll | AgreedTo | None:
    """The yes in an answer, None if there is none.

    A call cannot run partly, so a yes to a part of one is none.
    """
    parts = parts_agreed_to(answer, question, words)
    if not parts:
        return None
    calls = frozenset(part.call for place, part in enumerate(question.parts) if place in parts)
    whole = frozenset(place for place, part in enumerate(question.parts) if part.call in calls)
    if whole != parts:
        return None
    return AgreedToAll() if calls == question.calls else AgreedTo(calls=calls)


def parts_agreed_to(answer: Stretch, question: Question, words: ConsentWords) -> frozenset[int] | None:
    """The parts of the question that an answer agrees to; None if one of its clauses says anything else."""
    if _asks(answer, words) or _breaks_off(answer, words):
        return None
    if any(_believes(clause, words) for clause in answer.plain_clauses()):
        return None
    sayings: list[Saying] = []
    told: list[Clause] = []
    sure, closed = _urges(answer, words), False
    for clause in clauses_of(answer, words):
        if _contradicts_itself(clause, question):
            return None
        against = _is_against_what_ends(clause, question, words)
        said = saying_of(clause, question, words) if clause.is_accounted_for and not against else None
        if said is not None:
            sayings.append(said)
            sure = sure or is_sure(clause, words)
        elif not (against or _denies_the_old(clause, words) or _signs(clause, closed)):
            told.append(clause)
        closed = closed or words.closings.ends(clause.text)
    whole = answer.has(Role.EVERYTHING) and not any(one.only or one.others for one in sayings)
    if not all(is_reason(clause, question, words, sure=sure, whole=whole) for clause in told):
        return None
    if told and any(is_open(one) for one in sayings):
        return None  # The statement may be about that thing: "The test: I'll come".
    if not _says_yes(answer, sayings, bool(told), question, words):
        return None
    leaves = answer.has(Role.GOODBYE) and not answer.has(Role.NEW_VALUE)
    if not sure and (leaves or _only_identifies(answer, question, words)):
        return None
    if _means_one_of_several(answer, sayings, question, words):
        return None
    chosen = chosen_parts(sayings, question)
    about = frozenset[int]().union(
        *(
            places_told(clause, question)
            for clause in told
            if not (sure and supports(clause, question, words) and not any(one.named for one in sayings))
        )
    )
    if chosen is None or (chosen & about and not (whole and chosen == question.everything)):
        return None  # "Go ahead, the sunglasses I love."
    return chosen


def agrees_firmly(answer: Stretch, words: ConsentWords) -> bool:
    """Whether an answer contains a sure yes."""
    return _urges(answer, words) or any(
        clause.is_accounted_for and is_sure(clause, words) for clause in clauses_of(answer, words)
    )


def is_sure(clause: Clause, words: ConsentWords) -> bool:
    """Whether a clause of known words says more than "yes", which may only mean "I have heard you".

    "Go ahead", "cancel it", "all of it", "yes please" and "so yes" are sure.
    """
    if clause.has(*DENYING):
        return False
    if clause.has(Role.ACT):
        return clause.has(Role.AGREES) or _names_object(clause, words) or words.verb_last
    if clause.has(Role.EVERYTHING):
        return not _identifies(clause, words)
    if clause.has(Role.NEW_VALUE) and clause.has(Role.APPROVES):
        return True
    if any(one.role is Role.APPROVES and words.wishful.found_in(one.text) for one in clause.tokens):
        return not clause.has(Role.THING, Role.OLD_VALUE)  # "That would be great" is about doing it.
    yeses = clause.having(Role.AGREES)
    if yeses and (clause.has_token(words.urging) or words.conclusions.is_one(clause.tokens[0].text)):
        return True
    return any(not words.mere_yes.is_one(token.text) for token in yeses)


def _is_against_what_ends(clause: Clause, question: Question, words: ConsentWords) -> bool:
    """Whether a clause says that the thing that is to end is not wanted: "I don't want them any longer"."""
    inside = len(question.parts) == 1 and clause.is_accounted_for and Role.NEGATES in clause.roles[1:-1]
    denies = clause.has(Role.NEGATES) and (inside or clause.has_word(words.wanting))
    if not denies or clause.contrasts or words.pointing.is_one(clause.words[-1]):
        return False  # "I don't want that" may be about the ending.
    if any(clause.has_word(each) for each in (words.never_in_reasons, words.doubtful_in_reasons)):
        return False
    if any(
        words.articles.is_one(one.text) and other.role is Role.UNKNOWN
        for one, other in pairwise(clause.tokens)
    ):
        return False  # "The care kit I don't need."
    return question.only_ends and not clause.has(*_NEVER_AGAINST)


def _denies_the_old(clause: Clause, words: ConsentWords) -> bool:
    """Whether a clause only excludes the old value: "not the 8th"."""
    denies = clause.has(Role.NEGATES, Role.EXCEPT) and bool(words.negation.found_in(clause.text))
    known = (Role.NEGATES, Role.EXCEPT, Role.OLD_VALUE, *LIGHT)
    return denies and clause.has(Role.OLD_VALUE) and clause.has_only(known)


def _only_identifies(answer: Stretch, question: Question, words: ConsentWords) -> bool:
    """Whether a plain yes comes only with a description of the thing: "yes, that's my appointment"."""
    said = [part for clause in answer.plain_clauses() for part in clause.cut(Role.AGREES)]
    if any(_identifies(part, words) and says_who(part, words) for part in said):
        return True  # "Two guests, yes, that's us."
    names = any(
        (_identifies(clause, words) and (question.ends or clause.has(Role.THING)))
        or _only_names(clause, question, words)
        for clause in clauses_of(answer, words)
    )
    new = (answer.has(Role.NEW_VALUE) and not question.ends) or answer.has_word(words.new)
    return names and not new


def _identifies(clause: Stretch, words: ConsentWords) -> bool:
    """Whether a clause only says what a thing is: "that's mine", "both are my appointments", "an eye test"."""
    said = _without_yes(clause, words)
    if not said.words or said.has(*AGREEING, *DENYING, Role.ACT, Role.UNKNOWN):
        return False
    if said.has(Role.THING) and words.indefinite.begins(said.text):
        return True
    names = said.has(Role.THING, Role.EVERYTHING) or words.object_pronouns.is_one(
        said.words[0].partition("'")[0]
    )
    if any(" " in one.text for one in said.having(Role.FILLER)):
        return False  # "That's what I asked for."
    rest = said.of(said.tokens[1:]).words if said.roles[0] is Role.EVERYTHING else said.words[1:]
    verb = any(words.question_starts.is_one(word) or words.verbs.is_one(word) for word in rest[:-1])
    return names and (verb or "'" in said.words[0])


def _only_names(clause: Stretch, question: Question, words: ConsentWords) -> bool:
    """Whether a clause names the thing that changes, but not its new state: "the eye test"."""
    said = _without_yes(clause, words)
    known = (Role.THING, Role.FILLER, Role.OLD_VALUE)
    if said.words and words.prepositions.is_one(said.words[0]):
        return False  # "With Lena" is a detail that was asked.
    return not question.ends and len(question.parts) == 1 and said.has(Role.THING) and said.has_only(known)


def _without_yes(clause: Stretch, words: ConsentWords) -> Stretch:
    return clause.of([one for one in clause.tokens if not words.mere_yes.is_one(one.text)]).without(
        Role.SOUND
    )


def _believes(clause: Stretch, words: ConsentWords) -> bool:
    """Whether a mere yes is about the rest of its clause: "I'm sure you're right", "I agree that it's sad"."""
    return any(
        one.role is Role.AGREES
        and words.mere_yes.is_one(one.text)
        and words.speaker.is_one(one.text.partition(" ")[0])
        and (words.listener.begins(other.text) or words.subordinate.is_one(other.text) or "'" in other.text)
        for one, other in pairwise(clause.tokens)
    )


def _contradicts_itself(clause: Clause, question: Question) -> bool:
    """Whether a clause says "all" about something that is not all: "both appointments", of one and an order."""
    return any(
        before.role is Role.EVERYTHING and token.role is Role.THING and token.places != question.everything
        for before, token in pairwise(clause.tokens)
    )


def _signs(clause: Clause, closed: bool) -> bool:
    """Whether a clause is the name under a letter, after "kind regards"."""
    return closed and len(clause.tokens) <= _SIGNATURE and clause.has_only((Role.UNKNOWN, Role.FILLER))


def _urges(answer: Stretch, words: ConsentWords) -> bool:
    """Whether "please" or the order follows a yes: "yes, please", "yes, cancel"."""
    return any(
        yes.role is Role.AGREES
        and (
            words.urging.is_one(after.text)
            or (after.role is Role.ACT and not words.verb_last and not _PAST.search(after.text))
        )
        for yes, after in pairwise(answer.without(Role.COMMA).tokens)
    )


def _says_yes(
    answer: Stretch, sayings: Sequence[Saying], told: bool, question: Question, words: ConsentWords
) -> bool:
    """Whether one of the clauses says yes, or orders what was asked. ``told``: a reason is next to it."""
    if answer.has(Role.AGREES, Role.REQUEST):
        # "Could you do that" is no yes by itself.
        return any(
            clause.has(Role.AGREES) and not clause.has(Role.REQUEST) for clause in answer.plain_clauses()
        )
    if answer.has(Role.GOODBYE):
        # "Lovely, see you Saturday."
        return not question.ends and answer.has(Role.NEW_VALUE) and _approves(answer, told, question, words)
    named = len(question.parts) > 1 and (answer.has(Role.EVERYTHING) or any(one.named for one in sayings))
    return named or _orders(answer, question, words) or _approves(answer, told, question, words)


def _approves(answer: Stretch, told: bool, question: Question, words: ConsentWords) -> bool:
    """Whether an approval is the only yes: in a clause of its own, and of the new state if anything is told.

    "Great, I'll be there" may praise the thing that is to end; "great, I can't pay for dinner then" is irony.
    """
    clauses = list(clauses_of(answer, words))
    known = [clause for clause in clauses if clause.is_accounted_for]
    orders = [one for clause in known if not clause.has(*DENYING) for one in clause.having(Role.ACT)]
    if answer.has(Role.APPROVES) and any(not _PAST.search(one.text) for one in orders):
        return True  # "Fine, cancel."
    if orders:
        return False  # "Okay, cancelled."
    reasons = [clause for clause in clauses if not clause.is_accounted_for]
    confirms = any(words.tags.is_one(one.text) for one in answer.having(Role.APPROVES))
    if question.only_ends and told and confirms and all(supports(one, question, words) for one in reasons):
        return not any(clause.has(*NAMING) for clause in known)  # "Correct, I've found a cheaper one."
    if question.ends and (told or any(clause.has(*NAMING) for clause in known)):
        return False  # "Correct, Tuesday at two."
    if any(clause.has(Role.NEGATES) for clause in clauses if not clause.is_accounted_for):
        return False
    return any(
        clause.has(Role.APPROVES) and (clause.is_accounted_for or clause.has(Role.NEW_VALUE))
        for clause in clauses
        if not clause.has_word(words.bygone)
        and not (told and words.subject_pronouns.begins(clause.text))  # "It's fine, I'm in all day."
    )


def _orders(answer: Stretch, question: Question, words: ConsentWords) -> bool:
    """Whether an answer is an order with an object ("cancel it"), or concludes the new state ("then Thursday")."""
    clauses = [clause for clause in answer.plain_clauses() if is_accounted_for(clause, words)]
    polite = answer.has_token(words.urging)
    return any(
        any(not _PAST.search(one.text) for one in clause.having(Role.ACT))
        and (_names_object(clause, words) or (words.verb_last and (len(clause.tokens) > 1 or polite)))
        for clause in clauses_of(answer, words)
        if clause.is_accounted_for
    ) or (
        not question.only_ends
        and any(clause.has(Role.NEW_VALUE) and clause.has_token(words.conclusions) for clause in clauses)
    )


def _breaks_off(answer: Stretch, words: ConsentWords) -> bool:
    """Whether something is missing at an end: "yes, but", "yes, well", "yes um the thing is"."""
    rest = answer.without(*LIGHT, Role.COMMA, Role.SENTENCE_END).roles
    if rest and Role.CONTRAST in (rest[0], rest[-1]):
        return True
    last = answer.without(Role.COMMA, Role.SENTENCE_END).tokens[-1:]
    return bool(last) and words.trailing.is_one(last[0].text) and not _is_inverted(answer, words)


def _is_inverted(answer: Stretch, words: ConsentWords) -> bool:
    """Whether an answer ends in a statement whose subject comes last: "da kann ich", "Donnerstag schaffe ich"."""
    *_, clause = answer.plain_clauses()
    *_, said = clause.cut(Role.AGREES)
    if not words.verb_last or len(said.words) < _INVERTED or not words.speaker.is_one(said.words[-1]):
        return False
    able = words.ability.is_one(said.words[-2]) or words.wanting.is_one(said.words[-2])
    begins = said.tokens[0].role is Role.NEW_VALUE or words.pointing.is_one(said.words[0])
    return begins and (able or says_who(said, words))


def _asks(answer: Stretch, words: ConsentWords) -> bool:
    """Whether an answer asks, with or without a question mark: "yes is that right", "Thursday at two, right"."""
    if answer.has(Role.QUESTION_MARK):
        return True
    clauses = list(answer.plain_clauses())
    if any(
        one.endswith("n't") and words.subjects.is_one(other)
        for clause in clauses
        for one, other in pairwise(clause.words)
    ):
        return True  # "They're lovely, aren't they."
    if any(_begins_a_question(clause, words) for clause in clauses):
        return True
    said = answer.without(Role.COMMA, Role.SENTENCE_END, Role.SOUND).tokens
    tagged = len(said) > 1 and words.tags.is_one(said[-1].text) and said[-1].role is Role.APPROVES
    before = said[-2:][0].text if said else ""
    tagged = tagged and not words.question_starts.is_one(before)  # "49 is okay" checks nothing.
    names = any(token.role in (*NAMING, Role.OLD_VALUE) for token in said[:-1])
    return tagged and names and not answer.has(Role.AGREES, Role.ACT)


def _begins_a_question(clause: Stretch, words: ConsentWords) -> bool:
    """Whether a clause begins with a word that asks, perhaps after a yes or a sound."""
    if words.exclamations.begins(clause.text):
        return False
    first = clause.tokens[0]
    if words.does.is_one(first.text) and Role.ACT in clause.roles[1:3]:
        after = clause.tokens[1]
        if after.role is Role.ACT or words.articles.is_one(after.text):
            return False  # "Do send me the invoice", "do the transfer".
    if first.role is Role.AGREES and clause.has(Role.ACT) and len(clause.having(Role.AGREES)) == 1:
        return words.question_starts.is_one(first.text.partition(" ")[0])  # "Können Sie ihn absagen"
    begin = next((n for n, one in enumerate(clause.tokens) if one.role not in (Role.AGREES, Role.SOUND)), 0)
    asking, after = clause.tokens[begin], clause.tokens[begin + 1 : begin + 2]
    if asking.role is Role.APPROVES and words.verbs.is_one(asking.text):
        return bool(after) and words.object_pronouns.is_one(after[0].text)  # "Geht das".
    if asking.role not in (Role.FILLER, Role.UNKNOWN, Role.ACT) or not words.question_starts.is_one(
        asking.text
    ):
        return False
    subject = bool(after) and (
        words.subjects.begins(after[0].text) or words.object_pronouns.is_one(after[0].text)
    )
    if begin and not subject:
        return words.asking.is_one(asking.text)
    return not (words.verbs_without_subject.is_one(asking.text) and not subject)  # "Bin im Krankenhaus."


def _names_object(clause: Stretch, words: ConsentWords) -> bool:
    """Whether a clause has more than a verb: "cancel the test", "cancel it", "take it off", "cancel, please"."""
    return (
        clause.has(*NAMING, Role.EVERYTHING)
        or clause.has_token(words.urging)
        or clause.has_token(words.object_pronouns)
        or any(" " in token.text for token in clause.having(Role.ACT))
    )


def _means_one_of_several(
    answer: Stretch, sayings: Sequence[Saying], question: Question, words: ConsentWords
) -> bool:
    """Whether a clause names one thing with a word for several: "cancel the room", with two rooms."""
    if len(question.calls) < 2 or answer.has(Role.EVERYTHING):
        return False
    if any(each.places for one in sayings for each in one.named):
        return False
    shared = [
        token
        for clause in clauses_of(answer, words)
        if clause.is_accounted_for
        for token in clause.having(*NAMING)
        if token.places == question.everything
    ]
    if any(not question.is_plural(token.text) for token in shared):
        return True
    for clause in answer.plain_clauses():
        found = words.one_thing.found_in(clause.text)
        alone = all(
            words.one_thing.is_one(word) or words.urging.is_one(word)
            for word in _without_yes(clause, words).words
        )
        if found and (alone or clause.has(Role.ACT) or any(" " in phrase for phrase in found)):
            return True  # "Cancel it", "that one".
    return False

"""Decides what an answer is that is no yes: a no, not yet, a correction, or none of these."""

from typing import Final

from assistant.prompts.consent_words import ConsentWords
from assistant.turn.consent.agreement import parts_agreed_to
from assistant.turn.consent.clauses import clauses_of
from assistant.turn.consent.question import Question
from assistant.turn.consent.readings import Correction, Declined, Hold, Unclear
from assistant.turn.consent.roles import AGREEING, DENYING, NAMING, Role, Stretch

_MARKS: Final = (Role.COMMA, Role.SENTENCE_END, Role.QUESTION_MARK)
_IN_A_REFUSAL: Final = frozenset({
    *DENYING, *AGREEING, *NAMING, Role.OLD_VALUE, Role.ACT, Role.EVERYTHING, Role.OTHERS, Role.RECONSIDERS,
    Role.DOES, Role.CONTRAST, Role.JOIN, Role.REASON, Role.GOODBYE, Role.FILLER, Role.SOUND, Role.COMMA,
    Role.SENTENCE_END,
})  # fmt: skip
_SAYS_WHAT: Final = (
    *NAMING, Role.OLD_VALUE, Role.OTHER_VALUE, Role.ACT, Role.WISH, Role.BEFORE_OLD, Role.BEFORE_NEW, Role.UNKNOWN,
)  # fmt: skip
"""Roles of tokens that may say what is wanted instead."""
_NEVER_WITH_A_NO: Final = (
    Role.QUESTION_MARK, Role.CORRECTS, Role.OTHERS, Role.WISH, Role.ONLY, Role.EXCEPT, Role.REQUEST,
    Role.OTHER_VALUE, Role.BEFORE_OLD, Role.BEFORE_NEW,
)  # fmt: skip
_NEVER_IN_A_REASON: Final = (
    Role.HOLDS, Role.CORRECTS, Role.OTHERS, Role.REQUEST, Role.QUESTION_MARK, Role.OTHER_VALUE, Role.BEFORE_OLD,
    Role.BEFORE_NEW,
)  # fmt: skip


def other_than_yes(
    answer: Stretch, question: Question, words: ConsentWords
) -> Declined | Hold | Correction | Unclear:
    """What an answer is that is no yes."""
    if _asks_to_repeat(answer, words):
        return Hold()
    if answer.has(Role.QUESTION_MARK):
        return Correction() if _refuses_and_asks(answer, question, words) else Unclear()
    if _refuses(answer, question, words):
        return Declined()
    if _corrects(answer) or _chooses_within_a_call(answer, question, words):
        return Correction()
    contradicts = answer.has(*DENYING) and answer.has(*AGREEING)
    unsettled = contradicts or answer.has(Role.HOLDS, Role.SOUND, Role.RECONSIDERS, Role.CORRECTS)
    says_more = answer.has(Role.UNKNOWN, Role.OTHER_VALUE, Role.REQUEST)
    return Hold() if unsettled and not says_more else Unclear()


def _asks_to_repeat(answer: Stretch, words: ConsentWords) -> bool:
    """Whether the question was not understood: "sorry, what was that?"."""
    said = answer.without(*_MARKS)
    return words.ask_again.is_one(said.text) or words.ask_again.is_one(
        said.without(Role.FILLER, Role.SOUND).text
    )


def _corrects(answer: Stretch) -> bool:
    """Whether it wants something else: "the other one", "only on Thursday", "make it three", "no, the order"."""
    if answer.has(Role.OTHERS):
        return True
    if not answer.has(*_SAYS_WHAT):
        return False
    if answer.has(Role.CORRECTS, Role.RECONSIDERS) or (answer.has(Role.ONLY) and not answer.has(Role.HOLDS)):
        return True
    leads_in = (Role.SOUND, Role.FILLER, Role.COMMA, Role.SENTENCE_END)
    return next((role for role in answer.roles if role not in leads_in), None) is Role.REFUSES


def _chooses_within_a_call(answer: Stretch, question: Question, words: ConsentWords) -> bool:
    """Whether it wants a part of one call only: "yes, but leave the phone number"."""
    return (
        answer.has(Role.ONLY, Role.EXCEPT, Role.NEGATES)
        and len(question.parts) > len(question.calls)
        and parts_agreed_to(answer, question, words) is not None
    )


def _refuses(answer: Stretch, question: Question, words: ConsentWords) -> bool:
    """Whether it is a no to everything, and every word of it is accounted for; a reason may follow."""
    if not answer.has(*DENYING):
        return False
    if _refuses_alone(answer, question, words) or _turns_down(answer, question, words):
        return True
    return any(
        _refuses_alone(answer.of(answer.tokens[:place]), question, words)
        and _explains_a_no(answer.of(answer.tokens[place:]), question, words)
        for place in range(1, len(answer.tokens))
    )


def _refuses_alone(answer: Stretch, question: Question, words: ConsentWords) -> bool:
    """Whether it is a no to everything, and nothing else: "no", "leave them", "don't cancel it, thanks"."""
    if not answer.has(*DENYING) or not answer.has_only(_IN_A_REFUSAL) or answer.has(Role.OTHERS):
        return False
    clauses = list(answer.plain_clauses())
    if any(_agrees(clause, words) for clause in clauses):
        return False
    if any(clause.has(Role.ACT) and not clause.has(*DENYING) for clause in clauses):
        return False  # "Cancel the first, keep the second" refuses one of them.
    if answer.has(Role.EVERYTHING) and not answer.has(Role.REFUSES):
        return False  # "Not both" refuses one of them, and does not say which.
    named = {token.places for token in answer.having(*NAMING, Role.ACT)} - {question.everything}
    return frozenset[int]().union(*named) in (frozenset(), question.everything)


def _turns_down(answer: Stretch, question: Question, words: ConsentWords) -> bool:
    """Whether a clause is a no to everything, and no other agrees, orders or asks: "yes, I know, but leave it"."""
    if answer.has(*_NEVER_WITH_A_NO):
        return False
    named = {token.places for token in answer.having(*NAMING, Role.ACT)} - {question.everything}
    if (
        named
        or len(question.parts) > len(question.calls)
        or (question.changes and answer.has(Role.NEW_VALUE))
    ):
        return False
    clauses = list(clauses_of(answer, words))
    refusals = [place for place, clause in enumerate(clauses) if _is_refusal(clause, words)]
    if not refusals:
        return False
    for place, clause in enumerate(clauses):
        first = clause.without(Role.SOUND, Role.FILLER, Role.ONLY).words[:1]
        unknown = clause.having(Role.UNKNOWN)
        if any(question.is_elsewhere(one.text) or question.is_sibling(one.text) for one in unknown):
            return False
        if (
            place not in refusals
            and first
            and (words.other_orders.is_one(first[0]) or words.ending_verbs.is_one(first[0]))
        ):
            return False
        if place in refusals:
            continue
        mere = all(words.mere_yes.is_one(token.text) for token in clause.having(Role.AGREES))
        states = any(clause.has_word(each) for each in (words.subjects, words.question_starts, words.verbs))
        if unknown and not (states or words.exclamations.begins(clause.text)):
            return False
        if clause.has(Role.ACT) and not clause.is_accounted_for:
            continue  # "My wife would kill me."
        if clause.has(Role.ACT, Role.AGREES) and not (
            mere and place < refusals[0] and not clause.has(Role.ACT)
        ):
            return False
    return True


def _is_refusal(clause: Stretch, words: ConsentWords) -> bool:
    """Whether it says no: a no alone, before a statement or at the end of one, and not "no point in it"."""
    if clause.has(Role.AGREES, Role.HOLDS) or not clause.has(Role.REFUSES):
        return False
    if clause.has_only(_IN_A_REFUSAL) or clause.roles[-1] is Role.REFUSES:
        return True
    kept = clause.without(Role.SOUND)
    if len(kept.words) < 2:
        return False
    has_verb = any(words.question_starts.is_one(word) or words.verbs.is_one(word) for word in kept.words[2:])
    states = words.speaker.is_one(kept.words[1]) or (
        words.statement_starts.is_one(kept.words[1]) and has_verb
    )
    return kept.roles[0] is Role.REFUSES and states


def _agrees(clause: Stretch, words: ConsentWords) -> bool:
    """Whether a clause agrees and nothing in it denies; "yeah, no" begins a refusal."""
    yeses = clause.having(Role.AGREES)
    if not yeses or clause.has(Role.NEGATES, Role.EXCEPT):
        return False
    return not (clause.has(Role.REFUSES) and all(words.mere_yes.is_one(token.text) for token in yeses))


def _refuses_and_asks(answer: Stretch, question: Question, words: ConsentWords) -> bool:
    """Whether a sentence of it is a plain no, and the others ask: "No, keep it. What do I owe?"."""
    sentences = list(answer.cut(Role.SENTENCE_END, Role.QUESTION_MARK))
    return not answer.has(*AGREEING) and any(_refuses_alone(one, question, words) for one in sentences)


def _explains_a_no(reason: Stretch, question: Question, words: ConsentWords) -> bool:
    """Whether it only says why not: it asks for nothing, and names no other thing or value."""
    for clause in reason.plain_clauses():
        if clause.has(*_NEVER_IN_A_REASON) or (question.changes and clause.has(Role.NEW_VALUE)):
            return False
        orders = clause.has(Role.AGREES, Role.ACT, Role.EVERYTHING, Role.THING) and not clause.has(*DENYING)
        if orders and not clause.has_word(words.wanting):
            return False
        states = any(clause.has_word(each) for each in (words.subjects, words.question_starts, words.verbs))
        exclaims = words.exclamations.begins(" ".join(clause.words))
        if clause.has(Role.UNKNOWN) and not states and not exclaims:
            return False
    return True

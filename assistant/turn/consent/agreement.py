"""Decides whether an answer is a yes, and to what: each of its clauses has to agree, choose, or be a remark."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from assistant.prompts.words import ConsentWords
from assistant.turn.consent.asides import is_aside
from assistant.turn.consent.choice import chosen_parts, is_open
from assistant.turn.consent.clauses import Clause, clauses_of, is_accounted_for
from assistant.turn.consent.question import Question
from assistant.turn.consent.readings import AgreedTo, AgreedToAll
from assistant.turn.consent.remarks import Remark, remark_of
from assistant.turn.consent.roles import DENYING, LIGHT, NAMING, Role, Stretch
from assistant.turn.consent.sayings import Saying, saying_of

_SIGNATURE: Final = 3
"""The most words of a name below a letter."""


def agreement_in(answer: Stretch, question: Question, words: ConsentWords) -> AgreedToAll | AgreedTo | None:
    """The yes that an answer is, None if it is none. A call cannot run in part."""
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
    if answer.has(Role.QUESTION_MARK) or _begins_a_question(answer, words) or _breaks_off(answer):
        return None
    sayings: list[Saying] = []
    remarks: list[Remark] = []
    left: list[Clause] = []
    explicit, closed = _urges(answer, words), False
    for clause in clauses_of(answer, words):
        if _contradicts_itself(clause, question):
            return None
        said = saying_of(clause, question, words) if clause.is_accounted_for else None
        if said is not None:
            sayings.append(said)
            explicit = explicit or _is_explicit(clause, words)
        elif (remark := remark_of(clause, question, words)) is not None:
            remarks.append(remark)
        elif not _signs(clause, closed):
            left.append(clause)
        closed = closed or words.closings.ends(clause.text)
    whole = answer.has(Role.EVERYTHING)
    if left and not (explicit and all(is_aside(clause, question, words, whole=whole) for clause in left)):
        return None
    if left and any(is_open(one) for one in sayings):
        return None  # What is told may be about that thing: "The test: I'll come".
    if not _says_yes(answer, sayings, remarks, question, words):
        return None
    if _means_one_of_several(answer, sayings, question, words):
        return None
    only_told = answer.has(Role.AGREES) and any(one.tells for one in remarks)
    doubtful = only_told or answer.has(Role.GOODBYE) or any(one.needs_firm_yes for one in remarks)
    if doubtful and not agrees_firmly(answer, words):
        return None
    return chosen_parts(sayings, remarks, question)


def agrees_firmly(answer: Stretch, words: ConsentWords) -> bool:
    """Whether it says more than "yes", which may only mean "I have heard you".

    "Go ahead", "cancel it", "all of it", "yes please" and "so yes" are firm; "yes" and "yeah" are mere yeses.
    """
    orders = any(clause.has(Role.ACT) and clause.is_accounted_for for clause in clauses_of(answer, words))
    return (
        orders
        or _urges(answer, words)
        or any(
            clause.has(Role.EVERYTHING)
            or any(not words.mere_yes.is_one(token.text) for token in clause.having(Role.AGREES))
            or (clause.has(Role.AGREES) and clause.has_token(words.urging))
            or (clause.has(Role.AGREES) and words.conclusions.is_one(clause.tokens[0].text))
            or (clause.has(Role.APPROVES) and clause.has(Role.NEW_VALUE))
            for clause in answer.plain_clauses()
        )
    )


def _contradicts_itself(clause: Clause, question: Question) -> bool:
    """Whether it says "all" of things that are not all: "both appointments", of an appointment and an order."""
    return any(
        before.role is Role.EVERYTHING and token.role is Role.THING and token.places != question.everything
        for before, token in pairwise(clause.tokens)
    )


def _signs(clause: Clause, closed: bool) -> bool:
    """Whether it is the name below a letter, after "kind regards"."""
    return closed and len(clause.tokens) <= _SIGNATURE and clause.has_only((Role.UNKNOWN, Role.FILLER))


def _is_explicit(clause: Clause, words: ConsentWords) -> bool:
    """Whether a clause by itself orders what was asked, or allows it in more than a word: "go ahead"."""
    if clause.has(*DENYING):
        return False
    if clause.has(Role.ACT):
        return clause.has(Role.AGREES) or _names_object(clause, words) or words.verb_last
    if clause.has(Role.EVERYTHING):
        return True
    yeses = clause.having(Role.AGREES)
    if yeses and (clause.has_token(words.urging) or words.conclusions.is_one(clause.tokens[0].text)):
        return True
    if words.verb_last:
        # "Können Sie" may begin a question.
        yeses = [token for token in yeses if not words.question_starts.is_one(token.text.partition(" ")[0])]
    return any(" " in token.text for token in yeses)


def _urges(answer: Stretch, words: ConsentWords) -> bool:
    """Whether "please" follows a yes after a pause: "yes, please"."""
    return any(
        token.role is Role.COMMA and yes.role is Role.AGREES and words.urging.is_one(please.text)
        for yes, token, please in zip(answer.tokens, answer.tokens[1:], answer.tokens[2:], strict=False)
    )


def _says_yes(
    answer: Stretch,
    sayings: Sequence[Saying],
    remarks: Sequence[Remark],
    question: Question,
    words: ConsentWords,
) -> bool:
    """Whether one of its clauses says yes, or orders what was asked."""
    if answer.has(Role.AGREES, Role.REQUEST):
        # "Could you do that" has to have a yes of its own.
        return any(
            clause.has(Role.AGREES) and not clause.has(Role.REQUEST) for clause in answer.plain_clauses()
        )
    if answer.has(Role.GOODBYE):
        return False
    approves = _approves(answer, remarks, question, words)
    if len(question.parts) > 1:
        named = answer.has(Role.EVERYTHING) or any(one.named for one in sayings)
        named = named or (answer.has(Role.ACT) and answer.has(Role.APPROVES))
        return approves or named or _orders(answer, remarks, question, words)
    return approves or _orders(answer, remarks, question, words)


def _approves(answer: Stretch, remarks: Sequence[Remark], question: Question, words: ConsentWords) -> bool:
    """Whether praise alone is its yes: of what was asked, in a clause of its own, and not in irony.

    "Great, I'll be there" may praise what is to be ended, "great, I can't pay for dinner then" praises nothing.
    """
    if remarks and (question.ends or any(one.against for one in remarks)):
        return False
    return any(
        clause.has(Role.APPROVES) and (clause.is_accounted_for or clause.has(Role.NEW_VALUE))
        for clause in clauses_of(answer, words)
    )


def _orders(answer: Stretch, remarks: Sequence[Remark], question: Question, words: ConsentWords) -> bool:
    """Whether it is an order with an object ("cancel it"), or the plan of a new state ("then Thursday")."""
    clauses = [clause for clause in answer.plain_clauses() if is_accounted_for(clause, words)]
    if any(
        clause.has(Role.ACT)
        and (
            _names_object(clause, words)
            or (words.verb_last and (len(clause.tokens) > 1 or answer.has_token(words.urging)))
        )
        for clause in clauses
    ):
        return True
    if question.only_ends:
        return False
    if any(one.plans and (one.new or answer.has(Role.APPROVES)) for one in remarks):
        return True
    return any(clause.has(Role.NEW_VALUE) and clause.has_token(words.conclusions) for clause in clauses)


def _names_object(clause: Stretch, words: ConsentWords) -> bool:
    """Whether it is more than a verb: "cancel the test", "cancel it", "take it off", "cancel, please"."""
    return (
        clause.has(*NAMING, Role.EVERYTHING)
        or clause.has_token(words.urging)
        or clause.has_token(words.object_pronouns)
        or any(" " in token.text for token in clause.having(Role.ACT))
    )


def _means_one_of_several(
    answer: Stretch, sayings: Sequence[Saying], question: Question, words: ConsentWords
) -> bool:
    """Whether it names one thing by what several are: "cancel the room", of two rooms."""
    if len(question.calls) < 2 or answer.has(Role.EVERYTHING):
        return False
    if any(each.places for one in sayings for each in one.named):
        return False
    shared = [
        token
        for clause in clauses_of(answer, words)
        if clause.is_accounted_for
        for token in clause.having(Role.THING)
        if token.places == question.everything
    ]
    if any(not question.is_plural(token.text) for token in shared):
        return True
    for clause in answer.plain_clauses():
        found = words.one_thing.found_in(clause.text)
        if found and (clause.has(Role.ACT) or any(" " in phrase for phrase in found)):
            return True  # "Cancel it", "that one".
    return False


def _breaks_off(answer: Stretch) -> bool:
    """Whether there is nothing before or behind a contrast: "yes, but"."""
    rest = answer.without(*LIGHT, Role.COMMA, Role.SENTENCE_END).roles
    return bool(rest) and Role.CONTRAST in (rest[0], rest[-1])


def _begins_a_question(answer: Stretch, words: ConsentWords) -> bool:
    """Whether a clause of it begins as a question does, mark or not: "is that right"."""
    return any(
        words.question_starts.is_one(_word_that_may_ask(clause, words))
        and not _leaves_out_i(clause, words)
        and not words.exclamations.begins(clause.text)
        for clause in answer.plain_clauses()
    )


def _word_that_may_ask(clause: Stretch, words: ConsentWords) -> str:
    """The first word; of a yes such as "können Sie" only before an order."""
    first = clause.tokens[0]
    if words.does.is_one(first.text) and clause.roles[1:2] == (Role.ACT,):
        return ""  # "Do send me the invoice."
    if first.role is Role.AGREES and clause.has(Role.ACT):
        return first.text.partition(" ")[0]
    return first.text if first.role in (Role.FILLER, Role.UNKNOWN, Role.ACT) else ""


def _leaves_out_i(clause: Stretch, words: ConsentWords) -> bool:
    """Whether it is a statement without its "I": "bin im Krankenhaus"."""
    texts = [token.text for token in clause.tokens[:2]]
    asks = any(words.subjects.begins(text) or words.object_pronouns.is_one(text) for text in texts[1:])
    return words.verbs_without_subject.is_one(texts[0]) and not asks

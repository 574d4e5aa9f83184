"""Reads noes without "no": "I'll come after all", "that's too expensive", "Friday is fine", "I'll stay on basic".

Doing nothing is safe, so such an answer may have unknown words. It must not contain anything that could be
another wish: an order, a request, another value, another thing.
"""

from typing import Final

from assistant.prompts.consent_words import ConsentWords
from assistant.turn.consent.question import Question
from assistant.turn.consent.roles import DENYING, Role, Stretch
from assistant.turn.consent.settle_roles import HUM
from assistant.turn.consent.statement import finds_too_much

_WISHES: Final = (
    Role.AGREES, Role.ACT, Role.EVERYTHING, Role.ONLY, Role.OTHERS, Role.OTHER_VALUE, Role.CORRECTS, Role.REQUEST,
    Role.HOLDS, Role.CONTRAST, Role.DOES,
)  # fmt: skip


def is_against(answer: Stretch, question: Question, words: ConsentWords) -> bool:
    """Whether an answer has no word of a no or another wish, and is against what was asked."""
    if len(question.parts) > 1 or answer.of(
        [one for one in answer.tokens if not HUM.fullmatch(one.text)]
    ).has(*_WISHES):
        return False
    if words.too.ends(answer.text):
        return False  # "Friday is fine, Saturday too."
    clauses = list(answer.plain_clauses())
    if any(_may_be_another_wish(clause, question, words) for clause in clauses):
        return False
    return any(_is_against(clause, answer, question, words) for clause in clauses)


def _is_against(clause: Stretch, answer: Stretch, question: Question, words: ConsentWords) -> bool:
    speaks = any(words.speaker.is_one(word.partition("'")[0]) for word in clause.words)
    negated = clause.has(Role.NEGATES)
    reverses = clause.has_word(words.reversals) or answer.has(Role.RECONSIDERS)
    stays = clause.has_token(words.keeping) and not negated and not clause.has(Role.NEW_VALUE)
    if stays and speaks:
        return True  # "I'll stay on basic."
    if question.only_ends:
        wants = clause.has_word(words.wanting) and clause.has(Role.THING, Role.NEW_VALUE)
        wants = wants or (clause.has_word(words.wanting) and clause.has_token(words.object_pronouns))
        return speaks and not negated and (reverses or wants)
    if question.changes and clause.has(Role.OLD_VALUE) and not clause.has(Role.NEW_VALUE):
        suits = clause.has(Role.APPROVES) or (speaks and clause.has_word(words.ability))
        doubtful = clause.has_word(words.bygone) or clause.has_word(words.wishful)
        return suits and not negated and not doubtful and not answer.has(Role.NEW_VALUE)
    return clause.has_word(words.costly) and (negated or finds_too_much(clause, words))


def _may_be_another_wish(clause: Stretch, question: Question, words: ConsentWords) -> bool:
    """Whether a clause names something else, asks, or orders."""
    if any(
        question.is_elsewhere(one.text) or question.is_sibling(one.text)
        for one in clause.having(Role.UNKNOWN)
    ):
        return True
    if not question.only_ends and clause.has_word(words.wanting) and not clause.has(*DENYING, Role.OLD_VALUE):
        return True  # "Too expensive, I want the basic one."
    first = clause.without(Role.SOUND, Role.FILLER).words[:1]
    orders = bool(first) and (words.other_orders.is_one(first[0]) or words.asking.is_one(first[0]))
    return orders or clause.has_word(words.never_in_reasons)

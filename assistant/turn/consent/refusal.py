"""Decides the reading of an answer that is no yes: a no, not yet, a correction, or none of these."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from assistant.prompts.consent_words import ConsentWords
from assistant.prompts.words import WordList
from assistant.turn.consent.against import is_against
from assistant.turn.consent.agreement import parts_agreed_to
from assistant.turn.consent.question import Question
from assistant.turn.consent.readings import Correction, Declined, Hold, Unclear
from assistant.turn.consent.roles import AGREEING, CLAUSE_MARKS, DENYING, LIGHT, NAMING, Role, Stretch, Token

_MARKS: Final = (Role.COMMA, Role.SENTENCE_END, Role.QUESTION_MARK)
_IN_A_REFUSAL: Final = frozenset({
    *DENYING, *AGREEING, *NAMING, Role.OLD_VALUE, Role.ACT, Role.EVERYTHING, Role.OTHERS, Role.RECONSIDERS,
    Role.DOES, Role.CONTRAST, Role.JOIN, Role.REASON, Role.GOODBYE, Role.FILLER, Role.SOUND, Role.COMMA,
    Role.SENTENCE_END,
})  # fmt: skip
_SAYS_WHAT: Final = (
    *NAMING, Role.OLD_VALUE, Role.OTHER_VALUE, Role.ACT, Role.WISH, Role.BEFORE_OLD, Role.BEFORE_NEW, Role.UNKNOWN,
)  # fmt: skip
"""Roles of tokens that may say what the customer wants instead."""
_LAST: Final = 6
"""The number of denials at the end of an answer that are examined."""
_BARE: Final = frozenset({Role.NEGATES, Role.FILLER, Role.SOUND, Role.DOES})


def other_than_yes(
    answer: Stretch, question: Question, words: ConsentWords
) -> Declined | Hold | Correction | Unclear:
    """What an answer means that is not a yes: a no, a request to wait, a correction, or unclear."""
    if _asks_to_repeat(answer, words):
        return Hold()
    if _refuses(answer, question, words):
        return Declined()
    if answer.has(Role.QUESTION_MARK):
        return Correction() if _refuses_and_asks(answer, question, words) else Unclear()
    if _corrects(answer) or _chooses_within_a_call(answer, question, words):
        return Correction()
    contradicts = answer.has(*DENYING) and answer.has(*AGREEING)
    unsettled = contradicts or answer.has(Role.HOLDS, Role.SOUND, Role.RECONSIDERS, Role.CORRECTS)
    says_more = answer.has(Role.UNKNOWN, Role.OTHER_VALUE, Role.REQUEST)
    return Hold() if unsettled and not says_more else Unclear()


def _asks_to_repeat(answer: Stretch, words: ConsentWords) -> bool:
    """Whether the customer asks for a repetition of the question: "sorry, what was that?"."""
    said = answer.without(*_MARKS)
    return words.ask_again.is_one(said.text) or words.ask_again.is_one(
        said.without(Role.FILLER, Role.SOUND).text
    )


def _corrects(answer: Stretch) -> bool:
    """Whether the customer wants something else: "the other one", "make it three", "no, the order"."""
    if answer.has(Role.OTHERS):
        return True
    if not answer.has(*_SAYS_WHAT):
        return False
    if answer.has(Role.CORRECTS, Role.RECONSIDERS) or (answer.has(Role.ONLY) and not answer.has(Role.HOLDS)):
        return True
    leads_in = (Role.SOUND, Role.FILLER, Role.COMMA, Role.SENTENCE_END)
    return next((role for role in answer.roles if role not in leads_in), None) is Role.REFUSES


def _chooses_within_a_call(answer: Stretch, question: Question, words: ConsentWords) -> bool:
    """Whether the customer wants only a part of one call: "yes, but leave the phone number"."""
    return (
        answer.has(Role.ONLY, Role.EXCEPT, Role.NEGATES)
        and len(question.parts) > len(question.calls)
        and parts_agreed_to(answer, question, words) is not None
    )


def _refuses(answer: Stretch, question: Question, words: ConsentWords) -> bool:
    """Whether the last statement about the question is a no to everything, whatever else the answer tells.

    Doing nothing is safe, so the requirements are lower than for a yes: a plain denial, and no order or other
    wish that it does not take back. Questions before it ("Who said that?") do not count.
    """
    stays = question.changes and answer.has_token(words.keeping) and answer.has(Role.NEW_VALUE)
    if stays and not answer.has(Role.OLD_VALUE, Role.REFUSES):
        return False  # "I'll stick with Saturday", the new day.
    if answer.has(Role.QUESTION_MARK):
        if not answer.has(*DENYING) or answer.roles[-1] is Role.QUESTION_MARK:
            return False
    elif is_against(answer, question, words):
        return True
    if not answer.has(*DENYING):
        return False
    if _refuses_alone(answer, question, words):
        return True
    if any(_asks_to_repeat(one, words) for one in _sentences(answer)):
        return False  # "What? No!"
    told = tuple(
        token for one in _sentences(answer) if not one.has(Role.QUESTION_MARK) for token in one.tokens
    )
    return any(
        _is_last_word(Stretch(told[:begin]), Stretch(told[begin:end]), Stretch(told[end:]), question, words)
        for begin, end in islice(_denials(told, question, words), _LAST)
    )


def _is_last_word(
    before: Stretch, said: Stretch, after: Stretch, question: Question, words: ConsentWords
) -> bool:
    """Whether a denial is clear, fits the text before it, and is followed only by a reason."""
    return (
        _is_clear(said, before, after, question, words)
        and not any(
            _names_another(one, question, words) or _only_names(one, words) for one in before.plain_clauses()
        )
        and _explains_a_no(said, after, question, words)
    )


def _sentences(answer: Stretch) -> Iterator[Stretch]:
    """The sentences, each with its final punctuation."""
    begin = 0
    for place, role in enumerate(answer.roles):
        if role in (Role.SENTENCE_END, Role.QUESTION_MARK):
            yield Stretch(answer.tokens[begin : place + 1])
            begin = place + 1
    yield Stretch(answer.tokens[begin:])


def _denials(tokens: tuple[Token, ...], question: Question, words: ConsentWords) -> Iterator[tuple[int, int]]:
    """The positions of plain denials, the last one first: "no, leave it", "don't cancel it", "it stays"."""
    end = len(tokens)
    while end > 0:
        begin = end
        while begin and tokens[begin - 1].role in _IN_A_REFUSAL:
            begin -= 1
        stop = end
        while stop > begin and tokens[stop - 1].role in (*LIGHT, *CLAUSE_MARKS):
            stop -= 1
        starts = [n for n in range(begin, stop) if n == begin or tokens[n].role in (*DENYING, *CLAUSE_MARKS)]
        start = next((n for n in starts if _refuses_alone(Stretch(tokens[n:stop]), question, words)), None)
        if start is not None:
            yield start, stop
        end = begin - 1


def _is_clear(
    said: Stretch, before: Stretch, after: Stretch, question: Question, words: ConsentWords
) -> bool:
    """Whether a denial is about the question: "no", "leave it", but not "I can't" or "there's no need"."""
    clause = Stretch(tuple(list(before.plain_clauses())[-1].tokens if _runs_on(before) else ()))
    whole = Stretch((*clause.tokens, *said.tokens))
    if question.only_ends and before.has(*AGREEING, Role.ACT) and said.has_word(words.wanting):
        return False  # "Yes, there's no need for it."
    if before.has(Role.HOLDS) and not before.has(Role.UNKNOWN) and said.has_only((Role.REFUSES,)):
        return False  # "Yes, wait, no."
    if said.roles[-1] is Role.REFUSES:
        return True
    begins = not clause.without(*LIGHT, *AGREEING).tokens
    for part in said.plain_clauses():
        alone = not after.tokens or after.roles[0] in CLAUSE_MARKS
        forbids = part.has_token(words.forbidding) and not _begins_with(after, words.wanting)
        orders = part.has(Role.ACT) or (begins and (alone or forbids) and part.has_only(_BARE))
        if part.has(Role.NEGATES, Role.REFUSES) and orders:
            return True
        picks = words.negation.found_in(part.text) and part.has(*NAMING)
        if (
            part.has(Role.REFUSES)
            and not picks
            and (begins or any(" " in one.text for one in part.having(Role.REFUSES)))
        ):
            return True
        if part.has_token(words.keeping) and not whole.has(Role.NEGATES):
            means = whole.has(*NAMING, Role.OLD_VALUE, Role.EVERYTHING) or begins
            if means or whole.has_token(words.object_pronouns) or whole.has_token(words.subject_pronouns):
                return True
        begins = True
    return False


def _begins_with(stretch: Stretch, phrases: WordList) -> bool:
    return bool(stretch.words) and phrases.is_one(stretch.words[0])


def _runs_on(before: Stretch) -> bool:
    """Whether there is no punctuation between this and the next token."""
    return bool(before.tokens) and before.roles[-1] not in CLAUSE_MARKS


def _names_another(clause: Stretch, question: Question, words: ConsentWords) -> bool:
    """Whether a clause names another thing or value, or one of several: "the other one", "Friday instead"."""
    if clause.has(Role.CORRECTS, Role.OTHERS, Role.BEFORE_OLD):
        return True
    if clause.has(Role.OTHER_VALUE) and not _tells_of_ones_own(clause, words):
        return True
    if (
        question.changes
        and clause.has(Role.NEW_VALUE)
        and clause.has(Role.APPROVES)
        and clause.has(Role.UNKNOWN)
    ):
        return True  # "Thursday is fine for the lens fitting."
    named = {token.places for token in clause.having(*NAMING, Role.ACT)} - {question.everything, frozenset()}
    bears_out = clause.has_word(words.wanting) and clause.has(Role.NEGATES) != question.only_ends
    return bool(named and not bears_out) or (
        clause.has(Role.ONLY) and len(question.parts) > 1 and not _states(clause, words)
    )


def _asks_for_another(clause: Stretch, question: Question, words: ConsentWords) -> bool:
    """Whether a clause is another wish: "I want the other one", "send me the invoice"."""
    if _names_another(clause, question, words) or clause.has(Role.REQUEST):
        return True
    keeps = question.only_ends and (clause.has(*NAMING) or clause.has_token(words.object_pronouns))
    wishes = clause.has_token(words.wish) and not clause.has(Role.NEGATES)
    if wishes and not keeps and not clause.has_token(words.keeping):
        return True
    if question.changes and clause.has(Role.NEW_VALUE) and clause.has_word(words.wanting):
        return True
    if any(
        question.is_elsewhere(one.text) or question.is_sibling(one.text)
        for one in clause.having(Role.UNKNOWN)
    ):
        return True
    first = clause.without(Role.SOUND, Role.FILLER, Role.AGREES).words[:1]
    return bool(first) and words.other_orders.is_one(first[0]) and not clause.has(Role.ACT, Role.NEGATES)


def _tells_of_ones_own(clause: Stretch, words: ConsentWords) -> bool:
    """Whether a clause tells the customer's own plans: "I'll call in January", but not "I said January"."""
    proposing = (words.ability, words.wanting, words.wish, words.never_in_reasons)
    proposes = any(clause.has_word(each) for each in proposing)
    told = words.speaker.is_one(clause.words[0].partition("'")[0]) or words.of_others.begins(clause.text)
    return told and not proposes and not clause.has(Role.APPROVES)


def _states(clause: Stretch, words: ConsentWords) -> bool:
    """Whether a clause is a statement: it has a subject or a verb."""
    return any(clause.has_word(each) for each in (words.subjects, words.question_starts, words.verbs))


def _only_names(clause: Stretch, words: ConsentWords) -> bool:
    """Whether a clause may name another thing: "the lens fitting"."""
    return clause.has(Role.UNKNOWN) and not _states(clause, words) and words.articles.begins(clause.text)


def _refuses_alone(answer: Stretch, question: Question, words: ConsentWords) -> bool:
    """Whether an answer is a no to everything, and nothing else: "no", "leave them", "don't cancel it, thanks"."""
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


def _agrees(clause: Stretch, words: ConsentWords) -> bool:
    """Whether a clause agrees and contains no denial; "yeah, no" begins a refusal."""
    yeses = clause.having(Role.AGREES)
    if not yeses or clause.has(Role.NEGATES, Role.EXCEPT):
        return False
    return not (clause.has(Role.REFUSES) and all(words.mere_yes.is_one(token.text) for token in yeses))


def _refuses_and_asks(answer: Stretch, question: Question, words: ConsentWords) -> bool:
    """Whether one sentence is a plain no, and the others are questions: "No, keep it. What do I owe?"."""
    sentences = list(answer.cut(Role.SENTENCE_END, Role.QUESTION_MARK))
    return not answer.has(*AGREEING) and any(_refuses_alone(one, question, words) for one in sentences)


def _explains_a_no(said: Stretch, after: Stretch, question: Question, words: ConsentWords) -> bool:
    """Whether the text after a denial only gives a reason: it is a statement, and requests nothing else."""
    free = bool(after.tokens) and not {said.roles[-1], after.roles[0]} & {Role.REFUSES, *CLAUSE_MARKS}
    for place, clause in enumerate(after.plain_clauses()):
        conditions = clause.has(Role.HOLDS) and clause.has_word(words.conditions)
        if (
            conditions
            or clause.roles[0] is Role.HOLDS
            or words.waits.is_one(clause.without(Role.SOUND, Role.FILLER).text)
        ):
            return False
        if clause.has_token(words.keeping) and not clause.has(
            Role.OTHERS, Role.OTHER_VALUE, Role.ACT, Role.AGREES
        ):
            continue  # "The original dates stay."
        if _asks_for_another(clause, question, words):
            return False
        agrees = clause.has(Role.ACT, Role.AGREES, Role.EVERYTHING) and not clause.has(*DENYING)
        if agrees and (clause.has_only(_IN_A_REFUSAL) or not _states(clause, words)):
            return False
        tells = _states(clause, words) or words.exclamations.begins(" ".join(clause.words))
        if clause.has(Role.UNKNOWN, Role.NEW_VALUE) and not (tells or (free and not place)):
            return False
    return True

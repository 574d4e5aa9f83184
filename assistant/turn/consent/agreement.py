"""Decides whether an answer is a yes, and to which parts. Each clause must agree, choose, or be a remark."""

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
from assistant.turn.consent.roles import AGREEING, DENYING, LIGHT, NAMING, Role, Stretch, Token
from assistant.turn.consent.sayings import Saying, saying_of

_NEVER_AGAINST: Final = (
    *AGREEING, Role.ACT, Role.REFUSES, Role.EXCEPT, Role.HOLDS, Role.CORRECTS, Role.OTHERS, Role.REQUEST,
    Role.QUESTION_MARK, Role.CONTRAST, Role.ONLY, Role.OTHER_VALUE,
)  # fmt: skip
_NEVER_BEFORE_AN_ORDER: Final = (
    Role.QUESTION_MARK, Role.HOLDS, Role.CORRECTS, Role.OTHERS, Role.REQUEST, Role.WISH, Role.ONLY, Role.EXCEPT,
    Role.OTHER_VALUE,
)  # fmt: skip
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
    if whole != parts or _only_identifies(answer, question, words):
        return None
    return AgreedToAll() if calls == question.calls else AgreedTo(calls=calls)


def parts_agreed_to(answer: Stretch, question: Question, words: ConsentWords) -> frozenset[int] | None:
    """The parts of the question that an answer agrees to; None if one of its clauses says anything else."""
    if answer.has(Role.QUESTION_MARK) or _begins_a_question(answer, words) or _breaks_off(answer):
        return None
    if (conclusion := _conclusion(answer, question, words)) is not None:
        return parts_agreed_to(conclusion, question, words)
    sayings: list[Saying] = []
    remarks: list[Remark] = []
    left: list[Clause] = []
    explicit, closed = _urges(answer, words), False
    for clause in clauses_of(answer, words):
        if _contradicts_itself(clause, question):
            return None
        against = _is_against_what_ends(clause, question, words)
        said = saying_of(clause, question, words) if clause.is_accounted_for and not against else None
        if said is not None:
            sayings.append(said)
            explicit = explicit or _is_explicit(clause, words)
        elif against or _denies_the_old(clause, words):
            remarks.append(Remark())
        elif (remark := remark_of(clause, question, words)) is not None:
            remarks.append(remark)
        elif not _signs(clause, closed):
            left.append(clause)
        closed = closed or words.closings.ends(clause.text)
    whole = answer.has(Role.EVERYTHING)
    if left and not (explicit and all(is_aside(clause, question, words, whole=whole) for clause in left)):
        return None
    if left and any(is_open(one) for one in sayings):
        return None  # The statement may be about that thing: "The test: I'll come".
    if not _says_yes(answer, sayings, remarks, question, words):
        return None
    if _means_one_of_several(answer, sayings, question, words):
        return None
    praises = not question.ends and any(words.praise.is_one(one.text) for one in answer.having(Role.APPROVES))
    only_told = answer.has(Role.AGREES) and any(one.tells for one in remarks)
    doubtful = (
        only_told or answer.has(Role.GOODBYE) or (not praises and any(one.needs_firm_yes for one in remarks))
    )
    if doubtful and not agrees_firmly(answer, words):
        return None
    return chosen_parts(sayings, remarks, question)


def _conclusion(answer: Stretch, question: Question, words: ConsentWords) -> Stretch | None:
    """The order after a reason against the thing that is to end: "I can't make it, so please cancel"."""
    if not question.only_ends:
        return None
    for place in range(len(answer.tokens) - 2, 0, -1):
        if not words.conclusions.is_one(answer.tokens[place].text.partition(" ")[0]):
            continue
        before, after = Stretch(answer.tokens[:place]), Stretch(answer.tokens[place + 1 :])
        if " " in answer.tokens[place].text:  # "also ja"
            after = Stretch((Token(Role.AGREES, "go ahead"), *after.tokens))
        orders = is_accounted_for(after, words) and after.has(Role.ACT) and not after.has(*DENYING)
        return after if orders and _only_speaks_against(before, question, words) else None
    return None


def _only_speaks_against(before: Stretch, question: Question, words: ConsentWords) -> bool:
    """Whether a stretch only says why the thing should end, without another wish, a doubt or a condition."""
    if not before.has(Role.NEGATES, Role.REFUSES) or before.has(*_NEVER_BEFORE_AN_ORDER):
        return False
    unknown = before.having(Role.UNKNOWN)
    others = any(question.is_elsewhere(one.text) or question.is_sibling(one.text) for one in unknown)
    return not others and not any(
        clause.has_word(words.never_in_remarks)
        or (
            words.articles.begins(clause.text)
            and clause.has(Role.UNKNOWN)
            and not clause.has_word(words.question_starts)
            and not clause.has_word(words.verbs)
        )
        for clause in before.plain_clauses()
    )


def agrees_firmly(answer: Stretch, words: ConsentWords) -> bool:
    """Whether an answer says more than "yes", which may only mean "I have heard you".

    "Go ahead", "cancel it", "all of it", "yes please" and "so yes" are firm; "yes" and "yeah" are mere yeses.
    """
    orders = any(
        clause.is_accounted_for
        and (clause.has(Role.ACT) or (clause.has(Role.EVERYTHING) and not _identifies(clause, words)))
        for clause in clauses_of(answer, words)
    )
    return (
        orders
        or _urges(answer, words)
        or any(
            any(not words.mere_yes.is_one(token.text) for token in clause.having(Role.AGREES))
            or (clause.has(Role.AGREES) and clause.has_token(words.urging))
            or (clause.has(Role.AGREES) and words.conclusions.is_one(clause.tokens[0].text))
            or (clause.has(Role.APPROVES) and clause.has(Role.NEW_VALUE))
            for clause in answer.plain_clauses()
        )
    )


def _is_against_what_ends(clause: Clause, question: Question, words: ConsentWords) -> bool:
    """Whether a clause says that the thing that is to end is not wanted: "I don't want them any longer"."""
    denies = clause.has(Role.NEGATES) and clause.has_word(words.wanting)
    if not denies or words.pointing.is_one(clause.words[-1]):
        return False  # "I don't want that" may be about the ending.
    if any(clause.has_word(each) for each in (words.never_in_remarks, words.doubtful_in_remarks)):
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
    names = any(
        (_identifies(clause, words) and (question.ends or clause.has(Role.THING)))
        or _only_names(clause, question, words)
        for clause in clauses_of(answer, words)
    )
    new = answer.has(Role.NEW_VALUE) or answer.has_word(words.new)
    return names and not new and not agrees_firmly(answer, words)


def _identifies(clause: Stretch, words: ConsentWords) -> bool:
    """Whether a clause only says what a thing is: "that's mine", "both are my appointments", "an eye test"."""
    said = _without_yes(clause, words)
    if not said.words or said.has(*AGREEING, *DENYING, Role.ACT, Role.NEW_VALUE, Role.UNKNOWN):
        return False
    if said.has(Role.THING) and words.indefinite.begins(said.text):
        return True
    names = said.has(Role.THING, Role.EVERYTHING) or words.object_pronouns.is_one(
        said.words[0].partition("'")[0]
    )
    if any(" " in one.text for one in said.having(Role.FILLER)):
        return False  # "That's what I asked for."
    verb = any(words.question_starts.is_one(word) or words.verbs.is_one(word) for word in said.words[1:-1])
    return names and (verb or "'" in said.words[0])


def _only_names(clause: Stretch, question: Question, words: ConsentWords) -> bool:
    """Whether a clause names the thing that changes, but not its new state: "the eye test"."""
    said = _without_yes(clause, words)
    known = (Role.THING, Role.FILLER, Role.OLD_VALUE)
    return not question.ends and len(question.parts) == 1 and said.has(Role.THING) and said.has_only(known)


def _without_yes(clause: Stretch, words: ConsentWords) -> Stretch:
    return clause.of([one for one in clause.tokens if not words.mere_yes.is_one(one.text)]).without(
        Role.SOUND
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


def _is_explicit(clause: Clause, words: ConsentWords) -> bool:
    """Whether a clause alone orders what was asked, or allows it with more than one word: "go ahead"."""
    if clause.has(*DENYING):
        return False
    if clause.has(Role.ACT):
        return clause.has(Role.AGREES) or _names_object(clause, words) or words.verb_last
    if clause.has(Role.EVERYTHING) or (clause.has(Role.NEW_VALUE) and clause.has(Role.APPROVES)):
        return True
    yeses = clause.having(Role.AGREES)
    if yeses and (clause.has_token(words.urging) or words.conclusions.is_one(clause.tokens[0].text)):
        return True
    if words.verb_last:
        # "Können Sie" may begin a question.
        yeses = [token for token in yeses if not words.question_starts.is_one(token.text.partition(" ")[0])]
    return any(" " in token.text for token in yeses)


def _urges(answer: Stretch, words: ConsentWords) -> bool:
    """Whether "please" follows a yes: "yes, please"."""
    return any(
        yes.role is Role.AGREES and words.urging.is_one(please.text)
        for yes, please in pairwise(answer.without(Role.COMMA).tokens)
    )


def _says_yes(
    answer: Stretch,
    sayings: Sequence[Saying],
    remarks: Sequence[Remark],
    question: Question,
    words: ConsentWords,
) -> bool:
    """Whether one of the clauses says yes, or orders what was asked."""
    if answer.has(Role.AGREES, Role.REQUEST):
        # "Could you do that" is no yes by itself.
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
    """Whether praise is the only yes of an answer: it must praise what was asked, in a separate clause,
    without irony.

    "Great, I'll be there" may praise the thing that is to end; "great, I can't pay for dinner then" is irony.
    """
    if _has_an_order(answer, words) and answer.has(Role.APPROVES):
        return True  # "Fine, cancel."
    if question.only_ends and any(
        clause.has(*NAMING) and not clause.has(Role.ACT) for clause in answer.plain_clauses()
    ):
        return False  # "Correct, Tuesday at two."
    if remarks and (question.ends or any(one.against for one in remarks)):
        return False
    return any(
        clause.has(Role.APPROVES) and (clause.is_accounted_for or clause.has(Role.NEW_VALUE))
        for clause in clauses_of(answer, words)
    )


def _has_an_order(answer: Stretch, words: ConsentWords) -> bool:
    """Whether a clause that is accounted for contains the verb of the question."""
    return any(
        clause.has(Role.ACT) and not clause.has(*DENYING) and clause.is_accounted_for
        for clause in clauses_of(answer, words)
    )


def _orders(answer: Stretch, remarks: Sequence[Remark], question: Question, words: ConsentWords) -> bool:
    """Whether an answer is an order with an object ("cancel it"), or a plan for a new state ("then Thursday")."""
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


def _breaks_off(answer: Stretch) -> bool:
    """Whether there is nothing before or after a contrast: "yes, but"."""
    rest = answer.without(*LIGHT, Role.COMMA, Role.SENTENCE_END).roles
    return bool(rest) and Role.CONTRAST in (rest[0], rest[-1])


def _begins_a_question(answer: Stretch, words: ConsentWords) -> bool:
    """Whether one of its clauses begins like a question, with or without a question mark: "is that right"."""
    return any(
        words.question_starts.is_one(_word_that_may_ask(clause, words))
        and not _leaves_out_i(clause, words)
        and not words.exclamations.begins(clause.text)
        for clause in answer.plain_clauses()
    )


def _word_that_may_ask(clause: Stretch, words: ConsentWords) -> str:
    """The first word, if it may begin a question; a yes such as "können Sie" only before an order."""
    first = clause.tokens[0]
    if words.does.is_one(first.text) and clause.roles[1:2] == (Role.ACT,):
        return ""  # "Do send me the invoice."
    if first.role is Role.AGREES and clause.has(Role.ACT):
        return first.text.partition(" ")[0]
    return first.text if first.role in (Role.FILLER, Role.UNKNOWN, Role.ACT) else ""


def _leaves_out_i(clause: Stretch, words: ConsentWords) -> bool:
    """Whether a clause is a statement without its "I": "bin im Krankenhaus"."""
    texts = [token.text for token in clause.tokens[:2]]
    asks = any(words.subjects.begins(text) or words.object_pronouns.is_one(text) for text in texts[1:])
    return words.verbs_without_subject.is_one(texts[0]) and not asks

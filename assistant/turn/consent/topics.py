"""Reads an answer to several calls piece by piece: "the eye test yes; the sunglasses I'll decide on later".

The text about one call, up to the name of the next one, is its *topic*. Each topic is read as if it were the
answer to a question about only that call. A call is agreed to if its topic is a yes in which each word is
accounted for. A call is left unchanged if its topic is certainly no yes: it denies, postpones, or tells
something and neither agrees nor orders. If a topic is neither, or if something applies to several topics (a
condition, "both", a question), the customer is asked again.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from assistant.prompts.consent_words import ConsentWords
from assistant.turn.consent.agreement import parts_agreed_to
from assistant.turn.consent.clauses import clauses_of
from assistant.turn.consent.question import Question
from assistant.turn.consent.readings import AgreedTo, AgreedToAll
from assistant.turn.consent.roles import CLAUSE_MARKS, DENYING, LIGHT, NAMING, Role, Stretch, Token

_REACHES_OVER: Final = (
    Role.QUESTION_MARK, Role.EVERYTHING, Role.REQUEST, Role.OTHER_VALUE, Role.RECONSIDERS, Role.CORRECTS,
)  # fmt: skip
"""Roles of tokens that may apply to more than their topic, or that request something else."""
_BEFORE_A_THING: Final = frozenset({
    Role.FILLER, Role.SOUND, Role.ONLY, Role.EXCEPT, Role.BEFORE_NEW,
})  # fmt: skip
"""Roles of tokens that come before a thing and apply to it: "only the order"."""
_YES: Final = Token(Role.AGREES, "go ahead")
"""The token that "only" becomes in "only the order"."""


def agreed_by_topic(
    answer: Stretch, question: Question, words: ConsentWords
) -> AgreedToAll | AgreedTo | None:
    """The yes of an answer that takes the calls one by one. None if it does not, or if a topic is unclear."""
    calls = question.calls
    if len(calls) < 2 or len(question.parts) != len(calls) or answer.has(*_REACHES_OVER):
        return None
    if answer.has_word(words.conditions) or any(
        words.waits.is_one(clause.without(Role.SOUND, Role.FILLER).text) for clause in answer.plain_clauses()
    ):
        return None
    topics: dict[int, list[Token]] = {}
    for call, piece in _pieces(answer, question, words):
        topics.setdefault(call, []).extend((*_about(piece, question, call), Token(Role.SENTENCE_END, ".")))
    only = any(token.role is Role.ONLY for tokens in topics.values() for token in tokens)
    if len(topics) < 2 and not only:
        return None
    do: set[int] = set()
    for call, tokens in topics.items():
        alone, topic = _alone(question, call), _chosen(Stretch(tuple(tokens)), words)
        if parts_agreed_to(topic, alone, words):
            do.add(call)
        elif not _is_left_alone(topic, alone, words):
            return None
    if not do:
        return None
    agreed = frozenset(do)
    return AgreedToAll() if agreed == calls else AgreedTo(calls=agreed)


def _alone(question: Question, call: int) -> Question:
    """The question with only one of its calls."""
    return replace(
        question,
        parts=tuple(replace(part, call=0) for part in question.parts if part.call == call),
        acts=(question.acts[call],),
        shared=(question.shared[call],),
        ends=frozenset({0}) if call in question.ends else frozenset(),
    )


def _about(piece: Stretch, question: Question, call: int) -> Iterator[Token]:
    """The tokens of a piece, as in an answer to a question about only this call."""
    own = {place for place, part in enumerate(question.parts) if part.call == call}
    for token in piece.tokens:
        yield replace(token, places=frozenset({0} if own & token.places else ()))


def _chosen(topic: Stretch, words: ConsentWords) -> Stretch:
    """The topic, in which the tokens that choose it become a yes: "only the order", "okay for the order"."""
    if topic.has(*DENYING):
        return topic
    if topic.has(Role.ONLY):
        return topic.of((_YES, *topic.without(Role.ONLY).tokens))
    first = next((place for place, role in enumerate(topic.roles) if role not in LIGHT), 0)
    token = topic.tokens[first]
    if token.role is not Role.APPROVES or words.praise.is_one(token.text):
        return topic
    return topic.of((*topic.tokens[:first], token.as_(Role.AGREES), *topic.tokens[first + 1 :]))


def _pieces(answer: Stretch, question: Question, words: ConsentWords) -> Iterator[tuple[int, Stretch]]:
    """The answer, cut before each name of a call other than the one before."""
    tokens = answer.tokens
    now, begin, named = -1, 0, 0
    for place, token in enumerate(tokens):
        call = _call_named(token, now, question)
        if call is None:
            continue
        if call != now and now >= 0:
            cut = _begin_of_phrase(tokens, place, named + 1, words)
            yield now, Stretch(tokens[begin:cut])
            begin = cut
        now, named = call, place
    if now >= 0:
        yield now, Stretch(tokens[begin:])


def _call_named(token: Token, now: int, question: Question) -> int | None:
    """The only call that a token names; "the other" is the other one of two."""
    if token.role is Role.OTHERS and now >= 0 and len(question.calls) == 2:
        return 1 - now
    if token.role not in (*NAMING, Role.OLD_VALUE, Role.ACT):
        return None
    calls = {question.parts[place].call for place in token.places}
    return calls.pop() if len(calls) == 1 else None


def _begin_of_phrase(tokens: tuple[Token, ...], place: int, least: int, words: ConsentWords) -> int:
    """The beginning of the text about a thing: after the last punctuation, or at its article, verb or "no"."""
    marks = [cut for cut in range(least, place) if tokens[cut].role in CLAUSE_MARKS]
    if marks:
        return marks[-1]
    cut = place
    before = _BEFORE_A_THING if words.verb_last else _BEFORE_A_THING | {Role.ACT}
    while cut > least and tokens[cut - 1].role in before:
        cut -= 1
    denies = cut == place and cut > least and tokens[cut - 1].role in (Role.REFUSES, Role.NEGATES)
    return cut - 1 if denies else cut


def _is_left_alone(topic: Stretch, alone: Question, words: ConsentWords) -> bool:
    """Whether a topic is certainly no yes: it denies, postpones or tells, and does not order or agree."""
    if topic.has(Role.EVERYTHING, Role.OTHER_VALUE) or topic.has_word(words.too):
        return False
    if topic.has(*DENYING, Role.HOLDS):
        orders = any(
            clause.has(Role.ACT) and not clause.has(*DENYING) and clause.is_accounted_for
            for clause in clauses_of(topic, words)
        )
        return not orders and (not topic.has(Role.AGREES) or _is_mere_before(topic, words))
    orders = any(clause.has(Role.ACT) and clause.is_accounted_for for clause in clauses_of(topic, words))
    if topic.has(Role.AGREES) or orders or (topic.has(Role.APPROVES) and not alone.ends):
        return False
    if alone.ends and topic.has(Role.UNKNOWN):
        return True
    tells = any(
        words.speaker.is_one(word.partition("'")[0]) or words.people.is_one(word) for word in topic.words
    )
    wants = topic.has_word(words.wanting) or topic.has_word(words.liking)
    return tells and (bool(alone.ends) or not wants)


def _is_mere_before(topic: Stretch, words: ConsentWords) -> bool:
    """Whether the only yes of a topic comes before everything else: "yes, but not the order"."""
    yeses = topic.having(Role.AGREES)
    first = next((token for token in topic.tokens if token.role not in (Role.FILLER, Role.SOUND)), None)
    return first is not None and yeses == [first] and words.mere_yes.is_one(first.text)

"""Cuts an answer into clauses: "yes, cancel it, I lost my job" has three."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from assistant.prompts.consent_words import ConsentWords
from assistant.turn.consent.roles import AGREEING, CLAUSE_MARKS, DENYING, NAMING, Role, Stretch, Token

_ACCOUNTED: Final = frozenset({
    *AGREEING, *DENYING, *NAMING, Role.ACT, Role.EVERYTHING, Role.ONLY, Role.OTHERS, Role.REQUEST, Role.RECONSIDERS,
    Role.GOODBYE, Role.JOIN, Role.FILLER, Role.SOUND,
})  # fmt: skip
_BEFORE_A_YES: Final = frozenset({Role.FILLER, Role.SOUND, Role.JOIN, Role.RECONSIDERS, Role.GOODBYE})
_IN_AN_ORDER: Final = frozenset({
    *AGREEING, *NAMING, Role.ACT, Role.EVERYTHING, Role.FILLER, Role.SOUND,
})  # fmt: skip

_NOUN: Final = 4
"""The most words between an article and the verb of its statement."""


@dataclass(frozen=True)
class Clause(Stretch):
    """A clause of an answer.

    ``ends_sentence``: a full stop follows. ``joined``: "and" comes before it. ``contrasts``: "but" comes
    before it. ``reasons``: "because" comes before it.
    """

    ends_sentence: bool = False
    joined: bool = False
    contrasts: bool = False
    reasons: bool = False

    @property
    def is_accounted_for(self) -> bool:
        """Whether each word is in the question, or in a list of words for answers."""
        return self.has_only(_ACCOUNTED)


def clauses_of(answer: Stretch, words: ConsentWords) -> Iterator[Clause]:
    """The clauses of an answer, divided by punctuation and conjunctions.

    If an answer contains unknown words, punctuation is often missing: "yes cancel it I lost my job". Then a
    yes, an order, a conclusion and a statement also begin a clause.
    """
    stretch: list[Token] = []
    joined = contrasts = reasons = False
    for token in (*answer.tokens, Token(Role.SENTENCE_END, ".")):
        until = words.deadline.is_one(token.text) and _orders_it(stretch)
        if token.role not in CLAUSE_MARKS and token.role is not Role.REASON and not until:
            stretch.append(token)
            continue
        ends = token.role is Role.SENTENCE_END
        pieces = list(_pieces(stretch, words)) if stretch else []
        for n, piece in enumerate(pieces):
            yield Clause(
                tuple(piece),
                ends_sentence=ends and n == len(pieces) - 1,
                joined=joined and n == 0,
                contrasts=contrasts and n == 0,
                reasons=reasons and n == 0,
            )
        joined, contrasts = token.role is Role.JOIN, token.role is Role.CONTRAST or (contrasts and not pieces)
        reasons = until or token.role is Role.REASON
        stretch = []


def _orders_it(stretch: Sequence[Token]) -> bool:
    """Whether a stretch is an order, so that "before it ships" after it is only a time limit."""
    before = Clause(tuple(stretch))
    orders = before.has(Role.ACT) or any(" " in one.text for one in before.having(Role.AGREES))
    return orders and before.is_accounted_for and not before.has(*DENYING)


def is_accounted_for(stretch: Stretch, words: ConsentWords) -> bool:
    """Whether each clause of a stretch is accounted for."""
    return all(clause.is_accounted_for for clause in clauses_of(stretch, words))


def _pieces(stretch: list[Token], words: ConsentWords) -> Iterator[list[Token]]:
    """The clauses of a stretch without punctuation."""
    if Clause(tuple(stretch)).is_accounted_for:
        yield from _apart_from_a_yes(stretch)
        return
    piece: list[Token] = []
    for place, token in enumerate(stretch):
        agrees = token.role is Role.AGREES and not (place and stretch[place - 1].role in DENYING)
        begins = (
            agrees
            or _begins_an_order(stretch, place, words)
            or _begins_a_conclusion(stretch, place, words)
            or _begins_a_statement(piece, stretch, place, words)
        )
        if begins and piece:
            yield piece
            piece = []
        if agrees:
            yield [token]
        else:
            piece.append(token)  # this is no yes yet
    if piece:
        yield piece


def _apart_from_a_yes(stretch: list[Token]) -> Iterator[list[Token]]:
    """Separate a yes from a denial after it: "yes not the second"."""
    first = next((n for n, token in enumerate(stretch) if token.role not in _BEFORE_A_YES), 0)
    roles = [token.role for token in stretch[first : first + 2]]
    if roles[0] is Role.AGREES and roles[-1] in DENYING:
        yield stretch[: first + 1]
        yield stretch[first + 1 :]
    else:
        yield stretch


def _begins_a_conclusion(stretch: Sequence[Token], place: int, words: ConsentWords) -> bool:
    """Whether "so" or "then" leads to an answer: "I have the flu so cancel it"."""
    rest = Clause(tuple(stretch[place + 1 :]))
    if not place or not words.conclusions.is_one(stretch[place].text):
        return False
    return rest.has(*AGREEING, Role.ACT, Role.NEW_VALUE) and rest.is_accounted_for


def _begins_a_statement(
    before: Sequence[Token], stretch: Sequence[Token], place: int, words: ConsentWords
) -> bool:
    """Whether a reason follows an answer without punctuation: "cancel both I lost my job"."""
    if not before or before[-1].role not in _ACCOUNTED:
        return False
    if not words.people.begins(stretch[place].text) and not _begins_with_a_noun(stretch, place, words):
        return False
    answer = Clause(tuple(before))
    if not answer.is_accounted_for:
        return False
    speaks = words.speaker.is_one(stretch[place].text.partition("'")[0])
    if answer.has(Role.EVERYTHING) or (
        speaks and answer.has(Role.NEW_VALUE) and answer.roles[-1] is Role.APPROVES
    ):
        return True
    polite = answer.has_token(words.urging) or answer.has_token(words.object_pronouns)
    return answer.has(Role.ACT) and (polite or words.verb_last or speaks)


def _begins_with_a_noun(stretch: Sequence[Token], place: int, words: ConsentWords) -> bool:
    """Whether a noun and its verb follow: "the doctor won't let me"."""
    near = [token.text for token in stretch[place + 1 : place + 1 + _NOUN]]
    after = stretch[place + 1 : place + 3]
    unknown = any(token.role is Role.UNKNOWN for token in after) and not words.speaker.is_one(after[0].text)
    verb = any(
        words.verbs.is_one(text) or words.question_starts.is_one(text) or text.endswith("ed")
        for text in near[1:]
    )
    return words.articles.is_one(stretch[place].text) and unknown and verb


def _begins_an_order(stretch: Sequence[Token], place: int, words: ConsentWords) -> bool:
    """Whether an order such as "cancel it" is the rest of the stretch, and not part of a statement."""
    if words.urging.is_one(stretch[place].text) and place + 1 < len(stretch):
        return bool(place) and _begins_an_order(stretch, place + 1, words)
    rest = stretch[place:]
    if stretch[place].role is not Role.ACT or len(rest) < 2 or not place:
        return False
    if words.verb_last and not words.formal_you.is_one(rest[1].text):
        return False
    if not Stretch(tuple(rest)).has_only(_IN_AN_ORDER):
        return False
    before = stretch[place - 1]
    last = before.text.split()[-1] if before.text.split() else ""
    binds = any(phrases.is_one(last) for phrases in (words.subjects, words.question_starts, words.before_new))
    return not binds and before.role not in {*DENYING, Role.HOLDS, Role.CORRECTS, Role.WISH}

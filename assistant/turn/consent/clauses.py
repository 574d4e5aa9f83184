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


@dataclass(frozen=True)
class Clause(Stretch):
    """A clause of an answer.

    ``ends_sentence``: a full stop follows. ``joined``: "and" comes before it. ``contrasts``: "but" comes
    before it. ``reasons``: "because" comes before it. ``runs_on``: the clause before it is not divided from it
    by punctuation. ``runs_into``: the next one is divided from it neither by punctuation nor by "so".
    """

    ends_sentence: bool = False
    joined: bool = False
    contrasts: bool = False
    reasons: bool = False
    runs_on: bool = False
    runs_into: bool = False

    @property
    def is_accounted_for(self) -> bool:
        """Whether each word is in the question, or in a list of words for answers."""
        return self.has_only(_ACCOUNTED)


def clauses_of(answer: Stretch, words: ConsentWords) -> Iterator[Clause]:
    """The clauses of an answer, divided by punctuation and conjunctions.

    Punctuation is often missing: "yes cancel it I lost my job", "I have the flu so cancel it". Then known words
    at the beginning or at the end, which may be a yes, are clauses of their own.
    """
    stretch: list[Token] = []
    joined = contrasts = reasons = False
    for token in (*answer.tokens, Token(Role.SENTENCE_END, ".")):
        until = words.deadline.is_one(token.text) and _orders_it(stretch)
        if token.role not in CLAUSE_MARKS and token.role is not Role.REASON and not until:
            stretch.append(token)
            continue
        if token.role is Role.JOIN and _goes_on_telling(stretch, words):
            stretch.append(token)  # "I got married and changed provider."
            continue
        ends = token.role is Role.SENTENCE_END
        pieces = [piece for piece in _pieces(stretch, words) if piece]
        for n, piece in enumerate(pieces):
            yield Clause(
                tuple(piece),
                ends_sentence=ends and n == len(pieces) - 1,
                joined=joined and n == 0,
                contrasts=contrasts and n == 0,
                reasons=reasons and n == 0,
                runs_on=n > 0,
                runs_into=n + 1 < len(pieces) and not words.conclusions.begins(pieces[n + 1][0].text),
            )
        joined, contrasts = token.role is Role.JOIN, token.role is Role.CONTRAST or (contrasts and not pieces)
        reasons = until or token.role is Role.REASON
        stretch = []


def _goes_on_telling(stretch: list[Token], words: ConsentWords) -> bool:
    """Whether a stretch before "and" ends in a statement, which may have a second verb."""
    if Clause(tuple(stretch)).is_accounted_for:
        return False
    before = Clause(tuple(stretch[_end_of_the_yes(stretch, words) :]))
    return not before.is_accounted_for and not before.has(*AGREEING, *NAMING, Role.ACT, Role.EVERYTHING)


def is_accounted_for(stretch: Stretch, words: ConsentWords) -> bool:
    """Whether each clause of a stretch is accounted for."""
    return all(clause.is_accounted_for for clause in clauses_of(stretch, words))


def _orders_it(stretch: Sequence[Token]) -> bool:
    """Whether a stretch is an order, so that "before it ships" after it is only a time limit."""
    before = Clause(tuple(stretch))
    orders = before.has(Role.ACT) or any(" " in one.text for one in before.having(Role.AGREES))
    return orders and before.is_accounted_for and not before.has(*DENYING)


def _pieces(stretch: list[Token], words: ConsentWords) -> Iterator[list[Token]]:
    """The clauses of a stretch without punctuation: known words, a statement, known words."""
    if Clause(tuple(stretch)).is_accounted_for:
        yield from _apart_from_a_yes(stretch, words)
        return
    end = _end_of_the_yes(stretch, words)
    begin = _begin_of_the_conclusion(stretch, end, words)
    if end:
        yield from _apart_from_a_yes(stretch[:end], words)
    yield stretch[end:begin]
    yield stretch[begin:]


def _apart_from_a_yes(stretch: list[Token], words: ConsentWords) -> Iterator[list[Token]]:
    """Separate a yes from a denial or a negative statement: "yes | not the second", "yes | it isn't mine"."""
    first = next((n for n, token in enumerate(stretch) if token.role not in _BEFORE_A_YES), len(stretch))
    end = first + 1
    if stretch[end:] and words.urging.is_one(stretch[end].text):
        end += 1
    rest = stretch[end:]
    agrees = bool(rest) and stretch[first].role is Role.AGREES
    denied = next((n for n, token in enumerate(rest) if token.role is Role.NEGATES), 0)
    verb = any(
        phrases.is_one(one.text)
        for one in rest[: denied + 1]
        for phrases in (words.question_starts, words.verbs)
    )
    corrects = bool(rest) and stretch[first].role is Role.REFUSES and rest[0].role is Role.ONLY
    if corrects or (agrees and (rest[0].role in DENYING or (denied and verb))):
        yield stretch[:end]
        yield rest
    else:
        yield stretch


def _end_of_the_yes(stretch: list[Token], words: ConsentWords) -> int:
    """The number of tokens at the beginning that are a yes, an order or a choice: "yes cancel it | I'm ill"."""
    known = next(n for n in range(len(stretch)) if not Clause((stretch[n],)).is_accounted_for)
    for end in range(known, 0, -1):
        last, after = stretch[end - 1], stretch[end]
        if last.role is Role.FILLER and end > 1 and stretch[end - 2].role is Role.EVERYTHING:
            last = stretch[end - 2]  # "Both things."
        if (
            not words.verb_last
            and end > 1
            and words.object_pronouns.is_one(last.text)
            and stretch[end - 2].role in (Role.ACT, Role.AGREES)
        ):
            return end
        if last.role in (*NAMING, Role.EVERYTHING):
            # "Cancel the test I'm ill", but "yes | the test is too long".
            complete = last.role is Role.EVERYTHING or any(
                one.role in (Role.ACT, Role.AGREES, Role.ONLY) for one in stretch[: end - 1]
            )
            if any(one.role is Role.THING and one.places != last.places for one in stretch[: end - 1]):
                continue  # "Only the test please | the sunglasses I still want".
            if complete and _may_begin_a_statement(after, words):
                return end
        elif last.role in (*AGREEING, Role.ACT) or words.urging.is_one(last.text):
            return end
    return 0


def _may_begin_a_statement(token: Token, words: ConsentWords) -> bool:
    begins = (words.people, words.subjects, words.statement_starts, words.of_others, words.conclusions)
    return any(phrases.begins(token.text) for phrases in begins)


def _begin_of_the_conclusion(stretch: list[Token], least: int, words: ConsentWords) -> int:
    """Where a yes or an order begins at the end: "I have the flu | so cancel it", "... | yes, please cancel it"."""
    for place in range(max(least, 1), len(stretch)):
        leads = words.conclusions.is_one(stretch[place].text.partition(" ")[0])
        urges = words.urging.is_one(stretch[place].text)
        rest = Clause(tuple(stretch[place + (" " not in stretch[place].text) :]))
        agrees = stretch[place].role is Role.AGREES and words.mere_yes.is_one(stretch[place].text)
        answers = rest.has(Role.ACT) or ((leads or agrees) and rest.has(Role.AGREES))
        reported = words.prepositions.is_one(stretch[place - 1].text)  # "He wants me to go ahead."
        goes_ahead = stretch[place].role is Role.AGREES and " " in stretch[place].text and not reported
        if (
            (((leads or urges or agrees) and answers) or goes_ahead)
            and rest.is_accounted_for
            and not rest.has(*DENYING)
        ):
            return place
    return len(stretch)

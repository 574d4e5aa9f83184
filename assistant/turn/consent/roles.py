"""The role of a token in an answer, and stretches of tokens: the answer, a sentence, a clause.

>>> answer = Stretch((Token(Role.AGREES, "yes"), Token(Role.COMMA, ","), Token(Role.ACT, "cancel")))
>>> answer.has(Role.ACT), answer.has_only(AGREEING), answer.text
(True, False, 'yes , cancel')
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cached_property
from itertools import pairwise
from typing import Final, Self

from assistant.prompts.words import WordList

WORD: Final = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")


class Role(Enum):
    """The role of a token in an answer."""

    AGREES = auto()
    """Says yes: "yes", "go ahead"."""
    APPROVES = auto()
    """Says yes, or only that the customer has understood: "fine", "great"."""
    REFUSES = auto()
    """Says no, or takes back what was wanted: "no", "keep it", "never mind"."""
    NEGATES = auto()
    """Negates what follows or comes before: "don't", "not"."""
    HOLDS = auto()
    """Postpones, doubts, or sets a condition: "wait", "maybe", "if"."""
    CORRECTS = auto()
    """Asks for something instead: "instead", "I meant"."""
    RECONSIDERS = auto()
    """May begin a correction: "actually"."""
    EVERYTHING = auto()
    """All parts of the question: "everything", "both" of two."""
    BOTH = auto()
    """Two things: "both". Becomes EVERYTHING or UNKNOWN when the role is settled."""
    EACH = auto()
    """More than one thing: "all of them". Becomes EVERYTHING or UNKNOWN when the role is settled."""
    EXCEPT = auto()
    """Excludes what follows or comes before: "except", "keep the"."""
    ONLY = auto()
    """Limits the answer to what follows or comes before: "only"."""
    OTHERS = auto()
    """The parts that no other clause names: "the rest"."""
    THING = auto()
    """Names parts of the question: "the eye test", "the first"."""
    ACT = auto()
    """The question's verb, or one with the same meaning: "cancel", "call off"."""
    NEW_VALUE = auto()
    """A value of the new state: "to Thursday"."""
    OLD_VALUE = auto()
    """A value of the old state: "from Tuesday"."""
    OTHER_VALUE = auto()
    """A value of the same kind that is not in the question: "Friday"."""
    WISH = auto()
    """Asks for what follows: "I'd like"."""
    REQUEST = auto()
    """Requests in the form of a question: "could you"."""
    DOES = auto()
    """Replaces the verb: "do the first"."""
    BEFORE_OLD = auto()
    """Comes before an old state: "from"."""
    BEFORE_NEW = auto()
    """Comes before a new state, or between two values: "to"."""
    CONTRAST = auto()
    """Begins a limiting clause: "but"."""
    JOIN = auto()
    """Begins a clause that continues: "and"."""
    REASON = auto()
    """Begins a clause with a reason: "because"."""
    GOODBYE = auto()
    """Ends the conversation: "bye"."""
    FILLER = auto()
    """Changes nothing: "please", "the", "it"."""
    SOUND = auto()
    """A sound that is no word of the sentence: "um", "well"."""
    COMMA = auto()
    """A comma, a colon, a dash, a bracket or a quotation mark."""
    SENTENCE_END = auto()
    """A full stop, an exclamation mark, a semicolon or a new line."""
    QUESTION_MARK = auto()
    """A question mark."""
    UNKNOWN = auto()
    """A word in no list and not in the question. A clause with such a word is not accounted for."""


DENYING: Final = frozenset({Role.REFUSES, Role.NEGATES, Role.EXCEPT})
"""Each of these roles means that the things of its clause are to be left unchanged."""
AGREEING: Final = frozenset({Role.AGREES, Role.APPROVES})
NAMING: Final = frozenset({Role.THING, Role.NEW_VALUE})
LIGHT: Final = frozenset({Role.FILLER, Role.SOUND, Role.JOIN, Role.REASON})
"""Roles that are skipped when a token looks for its neighbours."""
CLAUSE_MARKS: Final = frozenset({Role.COMMA, Role.SENTENCE_END, Role.CONTRAST, Role.JOIN})


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the answer. ``places`` are the positions of the parts that it names."""

    role: Role
    text: str
    places: frozenset[int] = frozenset()

    def as_(self, role: Role) -> Self:
        """The same token with another role."""
        return replace(self, role=role)


@dataclass(frozen=True)
class Stretch:
    """Consecutive tokens: an answer, a sentence of it, or a clause."""

    tokens: tuple[Token, ...]

    @cached_property
    def roles(self) -> tuple[Role, ...]:
        """The role of each token."""
        return tuple(token.role for token in self.tokens)

    @cached_property
    def text(self) -> str:
        """The text of its tokens, separated by single spaces."""
        return " ".join(token.text for token in self.tokens)

    @cached_property
    def words(self) -> Sequence[str]:
        """Its words, without punctuation; a token such as "go ahead" has two."""
        return WORD.findall(self.text)

    def has(self, *roles: Role) -> bool:
        """Whether any token has one of the roles."""
        return any(role in roles for role in self.roles)

    def has_only(self, roles: Collection[Role]) -> bool:
        """Whether all tokens have one of the roles; True for no tokens."""
        return all(role in roles for role in self.roles)

    def having(self, *roles: Role) -> Sequence[Token]:
        """The tokens with one of the roles."""
        return [token for token in self.tokens if token.role in roles]

    def without(self, *roles: Role) -> Self:
        """The stretch without the tokens of these roles."""
        return self.of([token for token in self.tokens if token.role not in roles])

    def has_token(self, phrases: WordList) -> bool:
        """Whether a whole token is one of the phrases: "can't" is not "can"."""
        return any(phrases.is_one(token.text) for token in self.tokens)

    def has_word(self, phrases: WordList) -> bool:
        """Whether a word, or two consecutive words, are one of the phrases, even across tokens."""
        return holds(self.words, phrases)

    def cut(self, *marks: Role) -> Iterator["Stretch"]:
        """The stretches between tokens with these roles."""
        begin = 0
        for place, role in enumerate((*self.roles, marks[0])):
            if role in marks:
                if begin < place:
                    yield Stretch(self.tokens[begin:place])
                begin = place + 1

    def plain_clauses(self) -> Iterator["Stretch"]:
        """The stretches between punctuation, "and" and "but". :func:`clauses.clauses_of` is more precise."""
        return self.cut(*CLAUSE_MARKS)

    def of(self, tokens: Sequence[Token]) -> Self:
        """A stretch of the same kind with these tokens."""
        return replace(self, tokens=tuple(tokens))


def holds(words: Sequence[str], phrases: WordList) -> bool:
    """Whether a word, or two consecutive words, are one of the phrases.

    >>> holds(["i", "have", "to", "ask"], WordList(("have to",))), holds(["can't"], WordList(("can",)))
    (True, False)
    """
    return any(phrases.is_one(word) for word in words) or any(
        phrases.is_one(f"{one} {other}") for one, other in pairwise(words)
    )

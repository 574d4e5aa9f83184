"""What was asked: the words that its calls go by, and those that tell one of them from another."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from assistant.prompts.words import plain_words

_WORD = re.compile(r"\w+")
_STEM = 6
"""Words that begin with so many equal letters count as one: "cancel" and "cancellation"."""
_TELLING = 4
"""A shorter word tells nothing from anything, unless it is a number: "to"."""


@dataclass(frozen=True, slots=True)
class Question:
    """A read-back as its answers refer to it.

    Args:
        about: for each call, in the order of the read-back, the text that it goes by: its clause, its hint.
        elsewhere: words of what else there is to ask for.
    """

    about: tuple[str, ...]
    elsewhere: Collection[str] = ()
    _words: tuple[frozenset[str], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_words", tuple(frozenset(words_of(text)) for text in self.about))

    def names(self, word: str) -> bool:
        """Whether the word is one of those that the calls go by.

        >>> question = Question(("cancel your eye test",))
        >>> question.names("cancellation"), question.names("test"), question.names("lens")
        (True, True, False)
        """
        return any(_is_one_of(word, words) for words in self._words)

    def told_by(self, word: str) -> int | None:
        """The place of the one call that the word tells from the others.

        >>> question = Question(("cancel order 10455", "cancel your eye test"))
        >>> question.told_by("10455"), question.told_by("tests"), question.told_by("cancel")
        (0, 1, None)
        """
        if len(word) < _TELLING and not word.isdigit():
            return None
        places = [place for place, words in enumerate(self._words) if _is_one_of(word, words)]
        return places[0] if len(places) == 1 and len(self.about) > 1 else None

    def __len__(self) -> int:
        return len(self.about)


def words_of(text: str) -> Sequence[str]:
    """The words of a text, in lower case.

    >>> words_of("Order 10455, please")
    ['order', '10455', 'please']
    """
    return _WORD.findall(plain_words(text))


def _is_one_of(word: str, words: Collection[str]) -> bool:
    return word in words or any(_akin(word, other) for other in words)


def _akin(word: str, other: str) -> bool:
    if not (word.isalpha() and other.isalpha()):
        return False
    return word.rstrip("s") == other.rstrip("s") or (
        len(word) >= _STEM and len(other) >= _STEM and word[:_STEM] == other[:_STEM]
    )

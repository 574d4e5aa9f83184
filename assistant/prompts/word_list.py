"""A list of phrases that a rule searches for in a text: whole words, in any case."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, cast

from pydantic import AfterValidator, GetCoreSchemaHandler, StringConstraints, ValidatorFunctionWrapHandler
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

Phrase = Annotated[str, StringConstraints(min_length=1, max_length=80)]


@dataclass(frozen=True, slots=True)
class WordList:
    """Phrases that are found as whole words, in any case, with any kind of apostrophe.

    As a field of a pydantic model, it is read from a list of phrases.

    >>> "Please HOLD  on a second" in WordList(("hold on",))
    True
    >>> "a household" in WordList(("hold",))
    False
    """

    phrases: tuple[str, ...]
    _pattern: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        longest_first = sorted({plain_words(phrase) for phrase in self.phrases}, key=len, reverse=True)
        either = "|".join(map(re.escape, longest_first)) or r"(?!)"
        object.__setattr__(self, "_pattern", re.compile(rf"(?<!\w)(?:{either})(?!\w)"))

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        def read(value: object, phrases: ValidatorFunctionWrapHandler) -> WordList:
            return value if isinstance(value, WordList) else cls(cast("tuple[str, ...]", phrases(value)))

        return core_schema.no_info_wrap_validator_function(read, handler.generate_schema(tuple[Phrase, ...]))

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and self._pattern.search(plain_words(text)) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.phrases)

    def begins(self, text: str) -> bool:
        """Whether the text begins with one of the phrases.

        >>> WordList(("can you",)).begins("Can you check my bill?")
        True
        """
        return self._pattern.match(plain_words(text)) is not None

    def ends(self, text: str) -> bool:
        """Whether the text ends with one of the phrases, before any punctuation.

        >>> WordList(("my", "the")).ends("I'd like to cancel my...")
        True
        """
        return re.search(rf"{self._pattern.pattern}\W*\Z", plain_words(text)) is not None

    def is_one(self, text: str) -> bool:
        """Whether the text is one of the phrases and nothing else."""
        return self._pattern.fullmatch(plain_words(text)) is not None

    def found_in(self, text: str) -> tuple[str, ...]:
        """Returns the phrases in the text, in order, in lower case.

        >>> WordList(("no", "wait")).found_in("Wait. No!")
        ('wait', 'no')
        """
        return tuple(self._pattern.findall(plain_words(text)))

    def places(self, text: str) -> list[tuple[int, int]]:
        """Returns the start and end of each phrase in a lower-case text.

        >>> WordList(("from",)).places("from nine")
        [(0, 4)]
        """
        return [match.span() for match in self._pattern.finditer(text)]

    def split(self, text: str) -> Iterator[tuple[str, str]]:
        """Yields the lower-case text in pairs: the text before each phrase, and the phrase.

        The last phrase is "".

        >>> list(WordList(("no", "wait")).split("Wait, the other"))
        [('', 'wait'), (', the other', '')]
        """
        plain, end = plain_words(text), 0
        for match in self._pattern.finditer(plain):
            yield plain[end : match.start()], match[0]
            end = match.end()
        yield plain[end:], ""

    def without(self, text: str) -> str:
        """Returns the lower-case text without the phrases.

        >>> WordList(("yes", "please")).without("Yes, please: the first")
        ', : the first'
        """
        return self._pattern.sub("", plain_words(text)).strip()


def _with_a_phrase(words: WordList) -> WordList:
    if not words.phrases:
        raise PydanticKnownError("too_short", {"field_type": "Tuple", "min_length": 1, "actual_length": 0})
    return words


NO_WORDS = WordList(())
NeededWords = Annotated[WordList, AfterValidator(_with_a_phrase)]
"""A list with at least one phrase."""


def plain_words(text: str) -> str:
    """Returns the text in lower case, with straight apostrophes and single spaces.

    >>> plain_words("Don’t   do it")
    "don't do it"
    """
    # "İ" in lower case is an "i" and a combining dot, which no list contains.
    return " ".join(text.casefold().replace("i\u0307", "i").replace("’", "'").replace("‘", "'").split())

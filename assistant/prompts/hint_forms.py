"""What a waiting hint's two forms look like in a locale, so that wrong ones are found when a tool is declared."""

import re
from typing import Annotated

from pydantic import Field, StringConstraints, field_validator

from assistant.prompts.toml_files import Section

_Word = Annotated[str, StringConstraints(min_length=1, max_length=60, to_lower=True)]


class HintForm(Section):
    """One form's rule. ``pattern`` is matched against the whole phrase; ``should`` is the cure, with an example."""

    pattern: str
    should: Annotated[str, StringConstraints(min_length=1, max_length=200)]

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"{pattern!r} is no regular expression: {error}") from error
        return pattern

    def problem(self, phrase: str) -> str | None:
        """The cure for a phrase that is not of this form; None: it is."""
        return None if re.fullmatch(self.pattern, phrase) else self.should


class Never(Section):
    """Words that a hint must not hold, in either form, and why; whole words, in any case."""

    words: Annotated[tuple[_Word, ...], Field(min_length=1)]
    because: Annotated[str, StringConstraints(min_length=1, max_length=200)]

    def found(self, phrase: str) -> str | None:
        """The first of the words that stands in the phrase; None: none of them does."""
        plain = " ".join(phrase.casefold().replace("’", "'").split())
        return next(
            (word for word in self.words if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", plain)), None
        )


class HintForms(Section):
    """The rules for the phrase on the chip (``doing``) and for the one in the acknowledgement (``will``).

    ``never``: what neither may hold.
    """

    doing: HintForm | None = Field(default=None)
    will: HintForm | None = Field(default=None)
    never: tuple[Never, ...] = ()

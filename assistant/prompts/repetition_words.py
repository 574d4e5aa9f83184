"""The words in which something is told again: the section ``[repetition]`` of a locale's file."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import StringConstraints

from assistant.prompts.toml_files import Section

_Phrases = tuple[Annotated[str, StringConstraints(min_length=1, max_length=60)], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepetitionWords:
    """What a sentence may consist of, beside what was told before, and still say nothing new.

    A negation, a number, an article and whatever else may carry a fact belong in none of these lists.
    All empty: nothing is ever taken for a repetition.

    Attributes:
        empty: phrases that say nothing, alone or beside others ("one moment please").
        beside: phrases that say nothing beside a repetition ("here's what I found").
        speaker: words for who tells of their own doing ("I've").
        looking: words for looking something up, in any of their forms ("check").
        neutral: words that add nothing ("your").
    """

    empty: tuple[str, ...]
    beside: tuple[str, ...]
    speaker: tuple[str, ...]
    looking: tuple[str, ...]
    neutral: tuple[str, ...]


class RepetitionSection(Section):
    """The section as it stands in the file."""

    empty: _Phrases = ()
    beside: _Phrases = ()
    speaker: _Phrases = ()
    looking: _Phrases = ()
    neutral: _Phrases = ()

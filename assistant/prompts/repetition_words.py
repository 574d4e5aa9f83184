"""The words in which something is told again: the section ``[repetition]`` of a locale's file."""

from typing import Annotated

from pydantic import Field, StringConstraints

from assistant.prompts.toml_files import Section

_Phrases = tuple[Annotated[str, StringConstraints(min_length=1, max_length=60)], ...]


class RepetitionWords(Section):
    """What a sentence may consist of, beside what was told before, and still say nothing new.

    A negation, a number, an article and whatever else may carry a fact belong in none of these lists.
    Empty: nothing is ever taken for a repetition.

    Attributes:
        empty: phrases that say nothing, alone or beside others ("one moment please").
        beside: phrases that say nothing beside a repetition ("here's what I found").
        speaker: words for who tells of their own doing ("I've").
        looking: words for looking something up, in any of their forms ("check").
        neutral: words that add nothing ("your").
    """

    empty: _Phrases = Field(default=())
    beside: _Phrases = Field(default=())
    speaker: _Phrases = Field(default=())
    looking: _Phrases = Field(default=())
    neutral: _Phrases = Field(default=())

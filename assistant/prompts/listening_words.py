"""How customers speak, where that tells what they are about to do: `[listening]` of a locale's file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated

from pydantic import Field, StringConstraints

from assistant.prompts.folder import Section
from assistant.prompts.word_list import WordList

_NOTHING = WordList(())


@dataclass(frozen=True, slots=True, kw_only=True)
class ListeningWords:
    """What the ears go by, besides the sound. All empty: only the marks at the end of a text count.

    Attributes:
        open_ends: at the end of a text, something must follow ("my"), whatever mark stands there.
        open_statements: the same, but for a question ("Where is it from?", "What is that?").
        conditions: at the beginning of a text without a comma, half a sentence ("If the frame is broken").
        openers: whole sentences after which somebody comes to the point ("I have a question").
        brief: whole answers ("yes please").
        backchannels: they show that somebody is listening ("mhm").
        asks: the assistant asks for something ("what is", "please").
        digits: things that are asked for and consist of digits ("order number").
        names: the same for names.
        emails: the same for e-mail addresses.
        numerals: words for digits and small numbers, and what they are ("seven": "7").
        signs: words for what stands in addresses, and what they are ("dot": ".").
        repeats: words that say what follows more than once, and how often ("double": 2).
        as_in: stands between a letter and a word with it ("as in").
        months: a date is no number to be put together.
    """

    open_ends: WordList = _NOTHING
    open_statements: WordList = _NOTHING
    conditions: WordList = _NOTHING
    openers: WordList = _NOTHING
    brief: WordList = _NOTHING
    backchannels: WordList = _NOTHING
    asks: WordList = _NOTHING
    digits: WordList = _NOTHING
    names: WordList = _NOTHING
    emails: WordList = _NOTHING
    as_in: WordList = _NOTHING
    months: WordList = _NOTHING
    numerals: Mapping[str, str] = field(default_factory=dict[str, str])
    signs: Mapping[str, str] = field(default_factory=dict[str, str])
    repeats: Mapping[str, int] = field(default_factory=dict[str, int])


NO_LISTENING_WORDS = ListeningWords()

_Phrase = Annotated[str, StringConstraints(min_length=1, max_length=60)]
_Word = Annotated[str, StringConstraints(pattern=r"^[^\W\d_]+$", to_lower=True)]
_Number = Annotated[str, StringConstraints(pattern=r"^\d{1,2}$")]
_Sign = Annotated[str, StringConstraints(pattern=r"^[@.+_-]$")]
_Times = Annotated[int, Field(ge=2, le=4)]
_TABLES = ("numerals", "signs", "repeats")


class ListeningSection(Section):
    """The section as it stands in the file; its attributes are those of :class:`ListeningWords`."""

    open_ends: tuple[_Phrase, ...] = ()
    open_statements: tuple[_Phrase, ...] = ()
    conditions: tuple[_Phrase, ...] = ()
    openers: tuple[_Phrase, ...] = ()
    brief: tuple[_Phrase, ...] = ()
    backchannels: tuple[_Phrase, ...] = ()
    asks: tuple[_Phrase, ...] = ()
    digits: tuple[_Phrase, ...] = ()
    names: tuple[_Phrase, ...] = ()
    emails: tuple[_Phrase, ...] = ()
    as_in: tuple[_Phrase, ...] = ()
    months: tuple[_Phrase, ...] = ()
    numerals: Mapping[_Word, _Number] = Field(default_factory=dict)
    signs: Mapping[_Word, _Sign] = Field(default_factory=dict)
    repeats: Mapping[_Word, _Times] = Field(default_factory=dict)

    def words(self) -> ListeningWords:
        """What it says."""
        lists = {name: WordList(phrases) for name, phrases in self if name not in _TABLES}
        return ListeningWords(
            **lists,
            numerals=MappingProxyType(dict(self.numerals)),
            signs=MappingProxyType(dict(self.signs)),
            repeats=MappingProxyType(dict(self.repeats)),
        )

"""The words that rules look for in what customers say, and how values read: ``locales/<locale>.toml``.

Consent, deeds and listening have modules of their own.
"""

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, StringConstraints, field_validator

from assistant.conversation.tool_spec import NO_HINT, Hint
from assistant.prompts.consent_words import ConsentSection, ConsentWords
from assistant.prompts.deed_words import DeedWords
from assistant.prompts.folder import Section, read_toml
from assistant.prompts.listening_words import ListeningSection, ListeningWords
from assistant.prompts.locale import LanguageWords
from assistant.prompts.word_list import WordList, plain_words

_Phrase = Annotated[str, StringConstraints(min_length=1, max_length=80)]
_Phrases = Annotated[tuple[_Phrase, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffPhrases:
    """``hint``: what the assistant does when it asks for a person. ``examples``: things that customers say then.

    ``asks``: words that stand in such a wish. ``back``: all that somebody says who wants the assistant again.
    """

    hint: Hint = NO_HINT
    examples: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    back: tuple[str, ...] = ()


class HandoffSection(Section):
    """The section as it is written; a locale without one is served in English."""

    doing: _Phrase | None = None
    will: _Phrase | None = None
    examples: tuple[_Phrase, ...] = ()
    asks: tuple[_Phrase, ...] = ()
    back: tuple[_Phrase, ...] = ()

    def phrases(self) -> HandoffPhrases:
        """What it says."""
        hint = Hint(doing=self.doing, will=self.will) if self.doing and self.will else NO_HINT
        return HandoffPhrases(hint=hint, examples=self.examples, asks=self.asks, back=self.back)


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupPhrases:
    """The hints of the two tools that look into documents: ``searching`` them, ``reading`` one of them."""

    searching: Hint = NO_HINT
    reading: Hint = NO_HINT


class _HintPair(Section):
    doing: _Phrase
    will: _Phrase

    def hint(self) -> Hint:
        return Hint(doing=self.doing, will=self.will)


class LookupSection(Section):
    """The section as it is written; a locale without one is served in English."""

    searching: _HintPair | None = None
    reading: _HintPair | None = None

    def phrases(self) -> LookupPhrases:
        """What it says."""
        return LookupPhrases(
            searching=self.searching.hint() if self.searching else NO_HINT,
            reading=self.reading.hint() if self.reading else NO_HINT,
        )


_RepetitionPhrases = tuple[Annotated[str, StringConstraints(min_length=1, max_length=60)], ...]


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

    empty: _RepetitionPhrases = ()
    beside: _RepetitionPhrases = ()
    speaker: _RepetitionPhrases = ()
    looking: _RepetitionPhrases = ()
    neutral: _RepetitionPhrases = ()


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


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterWords:
    """What tells a complaint, an action and a question from a plain request.

    ``complaint`` and ``action`` count anywhere, ``question`` at the beginning of a sentence.
    """

    complaint: WordList
    action: WordList
    question: WordList
    polite: WordList


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderWords:
    """How a customer orders something in their own words.

    ``wish`` may stand before the verb ("I'd like to"). ``reserve``, anywhere in a message, says that it is no plain
    order ("if", "but").
    """

    wish: WordList
    reserve: WordList


@dataclass(frozen=True, slots=True, kw_only=True)
class Formats:
    """How values read: patterns of the Unicode locale data, and the locale whose lists are used."""

    locale: str
    lists: str
    day: str
    hour: str
    minute: str
    when: str
    lowered: WordList
    yes: str = "yes"
    no: str = "no"


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Everything that one locale's file says.

    ``promise``: a model is about to look something up; ``condition``: that it depends on the customer.
    ``hints``: what CRM teams' waiting hints look like in it. ``deeds``: how deeds are claimed and promised.
    ``repetition``: what may stand beside a repetition. ``handoff``: how a person is asked for.
    ``lookup``: what is said while documents are read. ``listening``: what the ears go by, besides the sound.
    """

    language: LanguageWords
    consent: ConsentWords
    register: RegisterWords
    orders: OrderWords
    promise: WordList
    condition: WordList
    formats: Formats
    hints: HintForms
    deeds: DeedWords
    repetition: RepetitionWords
    handoff: HandoffPhrases
    lookup: LookupPhrases
    listening: ListeningWords


class _Language(Section):
    words: _Phrases
    endings: tuple[_Phrase, ...] = ()
    letters: str = ""


class _Register(Section):
    complaint: _Phrases
    action: _Phrases
    question: _Phrases
    polite: _Phrases


class _Orders(Section):
    wish: tuple[_Phrase, ...] = ()
    reserve: tuple[_Phrase, ...] = ()


class _Promise(Section):
    phrases: _Phrases
    unless: tuple[_Phrase, ...] = ()


class _Formats(Section):
    locale: _Phrase
    lists: _Phrase
    day: _Phrase
    hour: _Phrase
    minute: _Phrase
    when: Annotated[str, StringConstraints(pattern=r"\{day\}.*\{time\}|\{time\}.*\{day\}")]
    lowered: tuple[_Phrase, ...] = ()
    yes: _Phrase = "yes"
    no: _Phrase = "no"


class _WordsFile(Section):
    language: _Language
    consent: ConsentSection
    register_: _Register = Field(alias="register")
    orders: _Orders = Field(default_factory=_Orders)
    promise: _Promise
    formats: _Formats
    hints: HintForms = Field(default_factory=HintForms)
    deeds: DeedWords = Field(default_factory=DeedWords)
    repetition: RepetitionSection = Field(default_factory=RepetitionSection)
    handoff: HandoffSection = Field(default_factory=HandoffSection)
    lookup: LookupSection = Field(default_factory=LookupSection)
    listening: ListeningSection = Field(default_factory=ListeningSection)


def read_words(source: str, where: str) -> Words:
    """Read a locale's file; ``where`` names it in errors. Raises ``DeclarationError``."""
    file = read_toml(source, _WordsFile, where)
    formats = {name: value for name, value in file.formats if name != "lowered"}
    return Words(
        language=LanguageWords(
            words=frozenset(map(plain_words, file.language.words)),
            endings=file.language.endings,
            letters=frozenset(file.language.letters),
        ),
        consent=file.consent.words(),
        register=RegisterWords(**{name: WordList(phrases) for name, phrases in file.register_}),
        orders=OrderWords(wish=WordList(file.orders.wish), reserve=WordList(file.orders.reserve)),
        promise=WordList(file.promise.phrases),
        condition=WordList(file.promise.unless),
        formats=Formats(**formats, lowered=WordList(file.formats.lowered)),
        hints=file.hints,
        deeds=file.deeds,
        repetition=RepetitionWords(**dict(file.repetition)),
        handoff=file.handoff.phrases(),
        lookup=file.lookup.phrases(),
        listening=file.listening.words(),
    )

"""The words that rules look for in what customers say, and how values read: ``locales/<locale>.toml``."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field, StringConstraints

from assistant.prompts.deed_words import DeedWords
from assistant.prompts.handoff_words import HandoffPhrases, HandoffSection
from assistant.prompts.hint_forms import HintForms
from assistant.prompts.language import LanguageWords
from assistant.prompts.lookup_words import LookupPhrases, LookupSection
from assistant.prompts.repetition_words import RepetitionSection, RepetitionWords
from assistant.prompts.toml_files import Section, read_toml

_Phrase = Annotated[str, StringConstraints(min_length=1, max_length=80)]
_Phrases = Annotated[tuple[_Phrase, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class WordList:
    """Phrases that count as whole words, in any case, with either kind of apostrophe.

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

    def is_one(self, text: str) -> bool:
        """Whether the text is one of the phrases and nothing else."""
        return self._pattern.fullmatch(plain_words(text)) is not None

    def found_in(self, text: str) -> tuple[str, ...]:
        """The phrases that stand in the text, in its order, in lower case.

        >>> WordList(("no", "wait")).found_in("Wait. No!")
        ('wait', 'no')
        """
        return tuple(self._pattern.findall(plain_words(text)))

    def split(self, text: str) -> Iterator[tuple[str, str]]:
        """The text in lower case in pieces: what stands before each phrase and the phrase, "" at the end.

        >>> list(WordList(("no", "wait")).split("Wait, the other"))
        [('', 'wait'), (', the other', '')]
        """
        plain, end = plain_words(text), 0
        for match in self._pattern.finditer(plain):
            yield plain[end : match.start()], match[0]
            end = match.end()
        yield plain[end:], ""

    def without(self, text: str) -> str:
        """The text in lower case with the phrases taken out: what else was said.

        >>> WordList(("yes", "please")).without("Yes, please: the first")
        ', : the first'
        """
        return self._pattern.sub("", plain_words(text)).strip()


def plain_words(text: str) -> str:
    """Lower case, straight apostrophes, single spaces.

    >>> plain_words("Don’t   do it")
    "don't do it"
    """
    return " ".join(text.casefold().replace("’", "'").replace("‘", "'").split())


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentWords:
    """What an answer to a read-back is made of. ``polite`` words change nothing about it.

    Of several things: ``ordinals`` has the ways of saying "the first", "the second" and so on; ``all``, ``only``,
    ``except_`` and ``others`` say which, and ``joins`` stand between them. ``also`` begins what stands beside
    a ``clear`` yes, ``elsewhere`` are its matters, and ``back`` shows that it is about what was asked after all.
    ``too`` asks for something on top.
    """

    yes: WordList
    no: WordList
    hold: WordList
    correction: WordList
    polite: WordList
    ordinals: tuple[WordList, ...]
    last: WordList
    all: WordList
    only: WordList
    except_: WordList
    others: WordList
    joins: WordList
    clear: WordList
    also: WordList
    elsewhere: WordList
    back: WordList
    too: WordList


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
    ``lookup``: what is said while documents are read.
    """

    language: LanguageWords
    consent: ConsentWords
    register: RegisterWords
    promise: WordList
    condition: WordList
    formats: Formats
    hints: HintForms
    deeds: DeedWords
    repetition: RepetitionWords
    handoff: HandoffPhrases
    lookup: LookupPhrases


class _Language(Section):
    words: _Phrases
    endings: tuple[_Phrase, ...] = ()
    letters: str = ""


class _Consent(Section):
    yes: _Phrases
    no: _Phrases
    hold: _Phrases
    correction: _Phrases
    polite: _Phrases
    ordinals: tuple[_Phrases, ...] = ()
    last: tuple[_Phrase, ...] = ()
    all: tuple[_Phrase, ...] = ()
    only: tuple[_Phrase, ...] = ()
    except_: tuple[_Phrase, ...] = Field(default=(), alias="except")
    others: tuple[_Phrase, ...] = ()
    joins: tuple[_Phrase, ...] = ()
    clear: tuple[_Phrase, ...] = ()
    also: tuple[_Phrase, ...] = ()
    elsewhere: tuple[_Phrase, ...] = ()
    back: tuple[_Phrase, ...] = ()
    too: tuple[_Phrase, ...] = ()


class _Register(Section):
    complaint: _Phrases
    action: _Phrases
    question: _Phrases
    polite: _Phrases


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
    consent: _Consent
    register_: _Register = Field(alias="register")
    promise: _Promise
    formats: _Formats
    hints: HintForms = Field(default_factory=HintForms)
    deeds: DeedWords = Field(default_factory=DeedWords)
    repetition: RepetitionSection = Field(default_factory=RepetitionSection)
    handoff: HandoffSection = Field(default_factory=HandoffSection)
    lookup: LookupSection = Field(default_factory=LookupSection)


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
        consent=_consent(file.consent),
        register=RegisterWords(**{name: WordList(phrases) for name, phrases in file.register_}),
        promise=WordList(file.promise.phrases),
        condition=WordList(file.promise.unless),
        formats=Formats(**formats, lowered=WordList(file.formats.lowered)),
        hints=file.hints,
        deeds=file.deeds,
        repetition=RepetitionWords(**dict(file.repetition)),
        handoff=file.handoff.phrases(),
        lookup=file.lookup.phrases(),
    )


def _consent(section: _Consent) -> ConsentWords:
    lists = {name: WordList(phrases) for name, phrases in section if name != "ordinals"}
    return ConsentWords(**lists, ordinals=tuple(map(WordList, section.ordinals)))

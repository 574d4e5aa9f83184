"""The words that rules look for in what customers say, and how values read: ``locales/<locale>.toml``."""

from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Annotated

from pydantic import Field, StringConstraints

from assistant.prompts.deed_words import DeedWords
from assistant.prompts.handoff_words import HandoffPhrases, HandoffSection
from assistant.prompts.hint_forms import HintForms
from assistant.prompts.language import LanguageWords
from assistant.prompts.listening_words import ListeningSection, ListeningWords
from assistant.prompts.lookup_words import LookupPhrases, LookupSection
from assistant.prompts.repetition_words import RepetitionSection, RepetitionWords
from assistant.prompts.toml_files import Section, read_toml
from assistant.prompts.word_list import WordList, plain_words

_Phrase = Annotated[str, StringConstraints(min_length=1, max_length=80)]
_Phrases = Annotated[tuple[_Phrase, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentWords:
    """What an answer to a read-back is made of, by what each word does in it; ``turn/consent.py`` reads with it.

    An answer: ``yes`` agrees, ``weak`` agrees or only says that the customer has understood ("fine"), ``no``
    refuses, ``negation`` turns round what follows, ``retracted`` takes back, ``hold`` puts off or doubts,
    ``correction`` asks for something instead, ``turning`` does so where something follows ("actually"). ``sounds``
    and ``polite`` words change nothing. ``opening`` are yeses that may only begin a refusal ("yeah, no").

    Of several things: ``ordinals`` has the ways of saying "the first", "the second" and so on, ``last`` the last
    one. ``all`` is everything, ``both`` two things, ``plural`` more than one; ``only``, ``except_`` and ``others``
    choose, and ``does`` is said of what is chosen.

    In a clause: ``wish`` asks for what follows it, ``source`` stands before an old state and ``goal`` before a new
    one, ``contrast`` and ``joint`` join. ``ends`` are verbs that end something, ``same_acts`` groups of verbs that
    do the same, ``particles`` what parts from a verb; ``verb_last``: "Soll ich den Termin absagen". ``asks`` begins
    a question, ``requests`` a request in the form of one, ``repeat`` asks to say it again.

    Remarks beside a yes: ``subject``, ``opens``, ``first_person`` begin a statement, ``finite`` are its verbs,
    ``because`` and ``plans`` ("then") may stand before it and ``reasons`` between clauses; ``courtesies`` are
    exclamations. ``bars`` are never part of a remark; ``needs`` want the thing, ``likes`` praise it, ``able`` can
    do it; ``too_much`` speaks against something, ``pointing`` means what was asked. ``also`` begins another matter,
    which is named by words of ``elsewhere`` and has none of ``back``; ``parting`` says goodbye. ``too`` asks for
    something on top.

    In place of a name: ``pronouns`` are objects, ``singular`` means one thing; ``same_things`` are groups of names
    of the same kind of value. ``when`` stands before a time, ``ranges`` between two; ``better`` prefers a value.
    """

    yes: WordList
    no: WordList
    hold: WordList
    correction: WordList
    polite: WordList
    weak: WordList
    negation: WordList
    retracted: WordList
    turning: WordList
    sounds: WordList
    opening: WordList
    ordinals: tuple[WordList, ...]
    last: WordList
    all: WordList
    both: WordList
    plural: WordList
    only: WordList
    except_: WordList
    others: WordList
    wish: WordList
    source: WordList
    goal: WordList
    contrast: WordList
    joint: WordList
    ends: WordList
    particles: WordList
    does: WordList
    requests: WordList
    needs: WordList
    too_much: WordList
    pointing: WordList
    same_acts: tuple[WordList, ...]
    asks: WordList
    repeat: WordList
    subject: WordList
    because: WordList
    bars: WordList
    also: WordList
    elsewhere: WordList
    back: WordList
    parting: WordList
    too: WordList
    pronouns: WordList
    singular: WordList
    courtesies: WordList
    plans: WordList
    opens: WordList
    finite: WordList
    reasons: WordList
    better: WordList
    ranges: WordList
    first_person: WordList
    when: WordList
    likes: WordList
    able: WordList
    dates: WordList
    others_begin: WordList
    firm: WordList
    suits: WordList
    thing_pronouns: WordList
    praise: WordList
    addressed: WordList
    formal_you: WordList
    settles: WordList
    speaker: WordList
    heard: WordList
    articles: WordList
    particle_yes: WordList
    starts: WordList
    same_things: tuple[WordList, ...]
    verb_endings: tuple[str, ...] = ()
    verb_last: bool = False

    def content_hash(self) -> str:
        """A short hash of all of them: readings with equal hashes, by one version of the code, are equal."""
        lists = {field.name: str(getattr(self, field.name)) for field in fields(self)}
        return sha256(repr(sorted(lists.items())).encode()).hexdigest()[:12]


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


class _Consent(Section):
    yes: _Phrases
    no: _Phrases
    hold: _Phrases
    correction: _Phrases
    polite: _Phrases
    ordinals: tuple[_Phrases, ...] = ()
    except_: tuple[_Phrase, ...] = Field(default=(), alias="except")
    verb_last: bool = False
    weak: tuple[_Phrase, ...] = ()
    negation: tuple[_Phrase, ...] = ()
    retracted: tuple[_Phrase, ...] = ()
    turning: tuple[_Phrase, ...] = ()
    sounds: tuple[_Phrase, ...] = ()
    opening: tuple[_Phrase, ...] = ()
    last: tuple[_Phrase, ...] = ()
    all: tuple[_Phrase, ...] = ()
    both: tuple[_Phrase, ...] = ()
    plural: tuple[_Phrase, ...] = ()
    only: tuple[_Phrase, ...] = ()
    others: tuple[_Phrase, ...] = ()
    wish: tuple[_Phrase, ...] = ()
    source: tuple[_Phrase, ...] = ()
    goal: tuple[_Phrase, ...] = ()
    contrast: tuple[_Phrase, ...] = ()
    joint: tuple[_Phrase, ...] = ()
    ends: tuple[_Phrase, ...] = ()
    particles: tuple[_Phrase, ...] = ()
    does: tuple[_Phrase, ...] = ()
    requests: tuple[_Phrase, ...] = ()
    needs: tuple[_Phrase, ...] = ()
    too_much: tuple[_Phrase, ...] = ()
    pointing: tuple[_Phrase, ...] = ()
    same_acts: tuple[_Phrases, ...] = ()
    asks: tuple[_Phrase, ...] = ()
    repeat: tuple[_Phrase, ...] = ()
    subject: tuple[_Phrase, ...] = ()
    because: tuple[_Phrase, ...] = ()
    bars: tuple[_Phrase, ...] = ()
    also: tuple[_Phrase, ...] = ()
    elsewhere: tuple[_Phrase, ...] = ()
    back: tuple[_Phrase, ...] = ()
    parting: tuple[_Phrase, ...] = ()
    too: tuple[_Phrase, ...] = ()
    pronouns: tuple[_Phrase, ...] = ()
    singular: tuple[_Phrase, ...] = ()
    courtesies: tuple[_Phrase, ...] = ()
    plans: tuple[_Phrase, ...] = ()
    opens: tuple[_Phrase, ...] = ()
    finite: tuple[_Phrase, ...] = ()
    reasons: tuple[_Phrase, ...] = ()
    better: tuple[_Phrase, ...] = ()
    ranges: tuple[_Phrase, ...] = ()
    first_person: tuple[_Phrase, ...] = ()
    when: tuple[_Phrase, ...] = ()
    likes: tuple[_Phrase, ...] = ()
    able: tuple[_Phrase, ...] = ()
    dates: tuple[_Phrase, ...] = ()
    others_begin: tuple[_Phrase, ...] = ()
    firm: tuple[_Phrase, ...] = ()
    suits: tuple[_Phrase, ...] = ()
    thing_pronouns: tuple[_Phrase, ...] = ()
    praise: tuple[_Phrase, ...] = ()
    addressed: tuple[_Phrase, ...] = ()
    formal_you: tuple[_Phrase, ...] = ()
    settles: tuple[_Phrase, ...] = ()
    speaker: tuple[_Phrase, ...] = ()
    heard: tuple[_Phrase, ...] = ()
    articles: tuple[_Phrase, ...] = ()
    particle_yes: tuple[_Phrase, ...] = ()
    starts: tuple[_Phrase, ...] = ()
    same_things: tuple[_Phrases, ...] = ()
    verb_endings: tuple[_Phrase, ...] = ()


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
    consent: _Consent
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
        consent=_consent(file.consent),
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


def _consent(section: _Consent) -> ConsentWords:
    lists = {name: WordList(value) for name, value in section if name not in _NO_LISTS}
    return ConsentWords(
        **lists,
        ordinals=tuple(map(WordList, section.ordinals)),
        same_acts=tuple(map(WordList, section.same_acts)),
        same_things=tuple(map(WordList, section.same_things)),
        verb_endings=section.verb_endings,
        verb_last=section.verb_last,
    )


_NO_LISTS = frozenset(("ordinals", "same_acts", "same_things", "verb_endings", "verb_last"))

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
    approval: WordList
    negation: WordList
    retraction: WordList
    second_thoughts: WordList
    sounds: WordList
    mere_yes: WordList
    ordinals: tuple[WordList, ...]
    last: WordList
    all: WordList
    both: WordList
    each: WordList
    only: WordList
    except_: WordList
    others: WordList
    wish: WordList
    before_old: WordList
    before_new: WordList
    contrast: WordList
    joining: WordList
    ending_verbs: WordList
    verb_particles: WordList
    does: WordList
    requests: WordList
    wanting: WordList
    excess: WordList
    pointing: WordList
    act_synonyms: tuple[WordList, ...]
    question_starts: WordList
    ask_again: WordList
    subjects: WordList
    reason_lead_ins: WordList
    never_in_remarks: WordList
    another_matter: WordList
    other_topics: WordList
    points_back: WordList
    goodbye: WordList
    too: WordList
    object_pronouns: WordList
    one_thing: WordList
    exclamations: WordList
    conclusions: WordList
    statement_starts: WordList
    verbs: WordList
    reasons: WordList
    preference: WordList
    ranges: WordList
    verbs_without_subject: WordList
    before_times: WordList
    liking: WordList
    ability: WordList
    time_relations: WordList
    of_others: WordList
    urging: WordList
    suits: WordList
    subject_pronouns: WordList
    praise: WordList
    listener: WordList
    formal_you: WordList
    settling: WordList
    speaker: WordList
    knowing: WordList
    articles: WordList
    yes_particles: WordList
    reason_subjects: WordList
    thing_synonyms: tuple[WordList, ...]
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
    approval: tuple[_Phrase, ...] = ()
    negation: tuple[_Phrase, ...] = ()
    retraction: tuple[_Phrase, ...] = ()
    second_thoughts: tuple[_Phrase, ...] = ()
    sounds: tuple[_Phrase, ...] = ()
    mere_yes: tuple[_Phrase, ...] = ()
    last: tuple[_Phrase, ...] = ()
    all: tuple[_Phrase, ...] = ()
    both: tuple[_Phrase, ...] = ()
    each: tuple[_Phrase, ...] = ()
    only: tuple[_Phrase, ...] = ()
    others: tuple[_Phrase, ...] = ()
    wish: tuple[_Phrase, ...] = ()
    before_old: tuple[_Phrase, ...] = ()
    before_new: tuple[_Phrase, ...] = ()
    contrast: tuple[_Phrase, ...] = ()
    joining: tuple[_Phrase, ...] = ()
    ending_verbs: tuple[_Phrase, ...] = ()
    verb_particles: tuple[_Phrase, ...] = ()
    does: tuple[_Phrase, ...] = ()
    requests: tuple[_Phrase, ...] = ()
    wanting: tuple[_Phrase, ...] = ()
    excess: tuple[_Phrase, ...] = ()
    pointing: tuple[_Phrase, ...] = ()
    act_synonyms: tuple[_Phrases, ...] = ()
    question_starts: tuple[_Phrase, ...] = ()
    ask_again: tuple[_Phrase, ...] = ()
    subjects: tuple[_Phrase, ...] = ()
    reason_lead_ins: tuple[_Phrase, ...] = ()
    never_in_remarks: tuple[_Phrase, ...] = ()
    another_matter: tuple[_Phrase, ...] = ()
    other_topics: tuple[_Phrase, ...] = ()
    points_back: tuple[_Phrase, ...] = ()
    goodbye: tuple[_Phrase, ...] = ()
    too: tuple[_Phrase, ...] = ()
    object_pronouns: tuple[_Phrase, ...] = ()
    one_thing: tuple[_Phrase, ...] = ()
    exclamations: tuple[_Phrase, ...] = ()
    conclusions: tuple[_Phrase, ...] = ()
    statement_starts: tuple[_Phrase, ...] = ()
    verbs: tuple[_Phrase, ...] = ()
    reasons: tuple[_Phrase, ...] = ()
    preference: tuple[_Phrase, ...] = ()
    ranges: tuple[_Phrase, ...] = ()
    verbs_without_subject: tuple[_Phrase, ...] = ()
    before_times: tuple[_Phrase, ...] = ()
    liking: tuple[_Phrase, ...] = ()
    ability: tuple[_Phrase, ...] = ()
    time_relations: tuple[_Phrase, ...] = ()
    of_others: tuple[_Phrase, ...] = ()
    urging: tuple[_Phrase, ...] = ()
    suits: tuple[_Phrase, ...] = ()
    subject_pronouns: tuple[_Phrase, ...] = ()
    praise: tuple[_Phrase, ...] = ()
    listener: tuple[_Phrase, ...] = ()
    formal_you: tuple[_Phrase, ...] = ()
    settling: tuple[_Phrase, ...] = ()
    speaker: tuple[_Phrase, ...] = ()
    knowing: tuple[_Phrase, ...] = ()
    articles: tuple[_Phrase, ...] = ()
    yes_particles: tuple[_Phrase, ...] = ()
    reason_subjects: tuple[_Phrase, ...] = ()
    thing_synonyms: tuple[_Phrases, ...] = ()
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
        act_synonyms=tuple(map(WordList, section.act_synonyms)),
        thing_synonyms=tuple(map(WordList, section.thing_synonyms)),
        verb_endings=section.verb_endings,
        verb_last=section.verb_last,
    )


_NO_LISTS = frozenset(("ordinals", "act_synonyms", "thing_synonyms", "verb_endings", "verb_last"))

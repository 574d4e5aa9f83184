"""The words of which an answer to a read-back is made: the section ``[consent]`` of a locale's file."""

from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Annotated

from pydantic import Field, StringConstraints

from assistant.prompts.folder import Section
from assistant.prompts.word_list import WordList

_Phrase = Annotated[str, StringConstraints(min_length=1, max_length=80)]
_Phrases = Annotated[tuple[_Phrase, ...], Field(min_length=1)]

_NO_LISTS = frozenset(
    ("ordinals", "act_synonyms", "thing_synonyms", "verb_endings", "verb_last", "people", "other_subjects")
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConsentWords:
    """What an answer to a read-back is made of, by what each word does in it; ``turn/consent`` reads with it.

    Yes: ``yes`` agrees; ``approval`` agrees or only says that the customer has understood ("fine").
    ``mere_yes`` are yeses that may mean no more than "I have heard you" or begin a refusal ("yeah, no"); a word
    of ``urging`` with one makes it firm ("yes please"). ``yes_particles`` may only colour a sentence ("das
    fällt ja aus"). ``settling`` after a value chooses it ("Thursday it is"). ``praise`` and ``suits`` say that
    the thing is good ("Tuesday is lovely", "it suits me"), which is no order to end it.

    No: ``no`` refuses, ``negation`` turns round what is next to it, ``retraction`` takes back, ``hold`` puts
    off or doubts, ``correction`` asks for something instead, ``second_thoughts`` does so where something
    follows ("actually"), ``preference`` prefers a value ("better").

    Nothing: ``polite`` words, ``sounds``, ``exclamations`` ("thank goodness") and ``goodbye`` change nothing.

    Of several things: ``ordinals`` has the ways of saying "the first", "the second" and so on, ``last`` the
    last one. ``all`` is everything, ``both`` two things, ``each`` more than one; ``only``, ``except_`` and
    ``others`` choose, ``does`` is said of what is chosen ("do the first"), ``one_thing`` can mean only one
    ("cancel it").

    Orders: ``wish`` asks for what follows it, ``requests`` does so in the form of a question. ``ending_verbs``
    end something, ``act_synonyms`` groups verbs that do the same, ``thing_synonyms`` names of the same thing.
    ``verb_particles`` part from a verb ("absagen", "sagen ... ab"), longer ones before their beginnings;
    ``verb_last``: "Soll ich den Termin absagen"; ``formal_you`` follows an order ("stornieren Sie").

    Values: ``before_old`` is before an old state ("from"), ``before_new`` before a new one ("to"), ``ranges``
    between two ("until"), ``before_times`` before a time ("on"); ``time_relations`` may say when another thing
    is ("our train isn't until three").

    Pronouns: ``object_pronouns`` are what an order is about ("cancel it"), ``subject_pronouns`` what praise is
    about ("it is lovely"), ``pointing`` means what was asked ("I don't want that"). ``articles`` are definite
    ones.

    Clauses: ``contrast`` ("but"), ``joining`` ("and") and ``reasons`` ("because") begin one;
    ``reason_lead_ins`` and ``conclusions`` ("so") may lead into one. ``question_starts`` begin a question,
    verbs and pronouns; ``ask_again`` asks to say it again.

    Statements: ``speaker`` is the customer ("I"), ``people`` those and other people, ``subjects`` all of these
    and more ("there"), ``of_others`` begins what is said of others ("my son"), ``listener`` is the assistant
    ("you"), ``statement_starts`` may begin one, too ("the", "on"). ``verbs`` are finite ones besides
    ``question_starts``, ``verbs_without_subject`` may leave out the "I", ``verb_endings`` end most. ``wanting``
    wants the thing, ``liking`` likes it, ``knowing`` knows of it ("I remember"), ``ability`` can do it ("I can
    come"), ``excess`` speaks against it ("too late"). A statement with a word of ``never_in_remarks`` may ask
    for something; one with a word of ``doubtful_in_remarks`` may do so unless the yes is firm. What is ``bygone``
    ("were") or an ``obligation`` ("have to") is not liked. ``other_orders`` are verbs of any other order.

    Another matter: words of ``another_matter`` begin it ("and"), it is about one of ``other_topics``, and has
    none of ``points_back`` ("what does that cost?"). ``too`` asks for something on top.
    """

    yes: WordList
    approval: WordList
    mere_yes: WordList
    urging: WordList
    yes_particles: WordList
    permissions: WordList
    settling: WordList
    praise: WordList
    suits: WordList
    no: WordList
    negation: WordList
    retraction: WordList
    hold: WordList
    conditions: WordList
    waits: WordList
    correction: WordList
    second_thoughts: WordList
    preference: WordList
    polite: WordList
    sounds: WordList
    exclamations: WordList
    closings: WordList
    goodbye: WordList
    ordinals: tuple[WordList, ...]
    last: WordList
    address_names: WordList
    all: WordList
    both: WordList
    each: WordList
    only: WordList
    except_: WordList
    others: WordList
    does: WordList
    one_thing: WordList
    wish: WordList
    requests: WordList
    ending_verbs: WordList
    act_synonyms: tuple[WordList, ...]
    thing_synonyms: tuple[WordList, ...]
    verb_particles: WordList
    formal_you: WordList
    before_old: WordList
    before_new: WordList
    ranges: WordList
    before_times: WordList
    time_relations: WordList
    object_pronouns: WordList
    subject_pronouns: WordList
    pointing: WordList
    articles: WordList
    contrast: WordList
    joining: WordList
    reasons: WordList
    reason_lead_ins: WordList
    conclusions: WordList
    question_starts: WordList
    ask_again: WordList
    speaker: WordList
    people: WordList
    subjects: WordList
    of_others: WordList
    listener: WordList
    statement_starts: WordList
    verbs: WordList
    verbs_without_subject: WordList
    wanting: WordList
    liking: WordList
    bygone: WordList
    obligations: WordList
    knowing: WordList
    ability: WordList
    excess: WordList
    never_in_remarks: WordList
    doubtful_in_remarks: WordList
    other_orders: WordList
    another_matter: WordList
    other_topics: WordList
    points_back: WordList
    returns: WordList
    moments: WordList
    too: WordList
    verb_endings: tuple[str, ...] = ()
    verb_last: bool = False

    def content_hash(self) -> str:
        """A short hash of all of them: readings with equal hashes, by one version of the code, are equal."""
        lists = {field.name: str(getattr(self, field.name)) for field in fields(self)}
        return sha256(repr(sorted(lists.items())).encode()).hexdigest()[:12]


class ConsentSection(Section):
    """The section ``[consent]`` as it is written."""

    yes: _Phrases
    no: _Phrases
    hold: _Phrases
    conditions: tuple[_Phrase, ...] = ()
    waits: tuple[_Phrase, ...] = ()
    correction: _Phrases
    polite: _Phrases
    approval: tuple[_Phrase, ...] = ()
    mere_yes: tuple[_Phrase, ...] = ()
    urging: tuple[_Phrase, ...] = ()
    yes_particles: tuple[_Phrase, ...] = ()
    permissions: tuple[_Phrase, ...] = ()
    settling: tuple[_Phrase, ...] = ()
    praise: tuple[_Phrase, ...] = ()
    suits: tuple[_Phrase, ...] = ()
    negation: tuple[_Phrase, ...] = ()
    retraction: tuple[_Phrase, ...] = ()
    second_thoughts: tuple[_Phrase, ...] = ()
    preference: tuple[_Phrase, ...] = ()
    sounds: tuple[_Phrase, ...] = ()
    exclamations: tuple[_Phrase, ...] = ()
    closings: tuple[_Phrase, ...] = ()
    goodbye: tuple[_Phrase, ...] = ()
    ordinals: tuple[_Phrases, ...] = ()
    last: tuple[_Phrase, ...] = ()
    address_names: tuple[_Phrase, ...] = ()
    all: tuple[_Phrase, ...] = ()
    both: tuple[_Phrase, ...] = ()
    each: tuple[_Phrase, ...] = ()
    only: tuple[_Phrase, ...] = ()
    except_: tuple[_Phrase, ...] = Field(default=(), alias="except")
    others: tuple[_Phrase, ...] = ()
    does: tuple[_Phrase, ...] = ()
    one_thing: tuple[_Phrase, ...] = ()
    wish: tuple[_Phrase, ...] = ()
    requests: tuple[_Phrase, ...] = ()
    ending_verbs: tuple[_Phrase, ...] = ()
    act_synonyms: tuple[_Phrases, ...] = ()
    thing_synonyms: tuple[_Phrases, ...] = ()
    verb_particles: tuple[_Phrase, ...] = ()
    verb_last: bool = False
    formal_you: tuple[_Phrase, ...] = ()
    before_old: tuple[_Phrase, ...] = ()
    before_new: tuple[_Phrase, ...] = ()
    ranges: tuple[_Phrase, ...] = ()
    before_times: tuple[_Phrase, ...] = ()
    time_relations: tuple[_Phrase, ...] = ()
    object_pronouns: tuple[_Phrase, ...] = ()
    subject_pronouns: tuple[_Phrase, ...] = ()
    pointing: tuple[_Phrase, ...] = ()
    articles: tuple[_Phrase, ...] = ()
    contrast: tuple[_Phrase, ...] = ()
    joining: tuple[_Phrase, ...] = ()
    reasons: tuple[_Phrase, ...] = ()
    reason_lead_ins: tuple[_Phrase, ...] = ()
    conclusions: tuple[_Phrase, ...] = ()
    question_starts: tuple[_Phrase, ...] = ()
    ask_again: tuple[_Phrase, ...] = ()
    speaker: tuple[_Phrase, ...] = ()
    people: tuple[_Phrase, ...] = ()
    other_subjects: tuple[_Phrase, ...] = ()
    of_others: tuple[_Phrase, ...] = ()
    listener: tuple[_Phrase, ...] = ()
    statement_starts: tuple[_Phrase, ...] = ()
    verbs: tuple[_Phrase, ...] = ()
    verbs_without_subject: tuple[_Phrase, ...] = ()
    verb_endings: tuple[_Phrase, ...] = ()
    wanting: tuple[_Phrase, ...] = ()
    liking: tuple[_Phrase, ...] = ()
    bygone: tuple[_Phrase, ...] = ()
    obligations: tuple[_Phrase, ...] = ()
    knowing: tuple[_Phrase, ...] = ()
    ability: tuple[_Phrase, ...] = ()
    excess: tuple[_Phrase, ...] = ()
    never_in_remarks: tuple[_Phrase, ...] = ()
    doubtful_in_remarks: tuple[_Phrase, ...] = ()
    other_orders: tuple[_Phrase, ...] = ()
    another_matter: tuple[_Phrase, ...] = ()
    other_topics: tuple[_Phrase, ...] = ()
    points_back: tuple[_Phrase, ...] = ()
    returns: tuple[_Phrase, ...] = ()
    moments: tuple[_Phrase, ...] = ()
    too: tuple[_Phrase, ...] = ()

    def words(self) -> ConsentWords:
        """What it says."""
        lists = {name: WordList(value) for name, value in self if name not in _NO_LISTS}
        return ConsentWords(
            **lists,
            people=WordList((*self.speaker, *self.people)),
            subjects=WordList((*self.speaker, *self.people, *self.other_subjects)),
            ordinals=tuple(map(WordList, self.ordinals)),
            act_synonyms=tuple(map(WordList, self.act_synonyms)),
            thing_synonyms=tuple(map(WordList, self.thing_synonyms)),
            verb_endings=self.verb_endings,
            verb_last=self.verb_last,
        )

"""The words of which an answer to a read-back is made: the section ``[consent]`` of a locale's file."""

from functools import cached_property
from hashlib import sha256
from typing import Literal, Self

from pydantic import Field, model_validator

from assistant.prompts.folder import Section
from assistant.prompts.word_list import NO_WORDS, NeededWords, Phrase, WordList


class ConsentWords(Section):
    """What an answer to a read-back is made of, by what each word does in it; ``turn/consent`` reads with it.

    Yes: ``yes`` agrees; ``approval`` agrees or only says that the customer has understood ("fine").
    ``mere_yes`` are yeses that may mean no more than "I have heard you" or begin a refusal ("yeah, no"); a word
    of ``urging`` with one makes it firm ("yes please"). ``yes_particles`` may only colour a sentence ("das
    fällt ja aus"). ``settling`` after a value chooses it ("Thursday it is"). ``praise`` and ``suits`` say that
    the thing is good ("Tuesday is lovely", "it suits me"), which is no order to end it.

    No: ``no`` refuses, ``negation`` turns round what is next to it (``forbidding``
    begins an order: "don't touch it"), ``retraction`` takes back, ``hold`` puts
    off or doubts, ``correction`` asks for something instead, ``second_thoughts`` does so where something
    follows ("actually"), ``preference`` prefers a value ("better").

    Nothing: ``polite`` words, ``sounds``, ``exclamations`` ("thank goodness") and ``goodbye`` change nothing.

    Of several things: ``ordinals`` has the ways of saying "the first", "the second" and so on, ``last`` the
    last one. ``all`` is everything, ``both`` two things, ``each`` more than one; ``only``, ``except_`` and
    ``others`` choose, ``keeping`` are verbs of ``except_`` that refuse alone, too ("it stays"), ``does`` is said
    of what is chosen ("do the first"), ``one_thing`` can mean only one ("cancel it").

    Orders: ``wish`` asks for what follows it, ``requests`` does so in the form of a question,
    ``wishful`` with praise ("an invoice would be nice"). ``ending_verbs``
    end something, ``act_synonyms`` groups verbs that do the same, ``thing_synonyms`` names of the same thing.
    ``verb_particles`` part from a verb ("absagen", "sagen ... ab"), longer ones before their beginnings;
    ``verb_last``: "Soll ich den Termin absagen"; ``formal_you`` follows an order ("stornieren Sie").

    Values: ``before_old`` is before an old state ("from"), ``before_new`` before a new one ("to"), ``ranges``
    between two ("until"), ``before_times`` before a time ("on"); ``new`` says that a thing is the
    new one, ``time_relations`` may say when another thing
    is ("our train isn't until three").

    Pronouns: ``object_pronouns`` are what an order is about ("cancel it"), ``subject_pronouns`` what praise is
    about ("it is lovely"), ``pointing`` means what was asked ("I don't want that"). ``articles`` are definite
    ones, ``indefinite`` the others.

    Clauses: ``contrast`` ("but"), ``joining`` ("and") and ``reasons`` ("because") begin one, ``deadline`` one that
    says by when ("cancel it before it ships");
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

    # By identity, without reading a hundred lists: it is a key of caches.
    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    grammar: Literal["words", "whole", "none"] = "words"
    """How answers are read: word by word; only as a whole, made of ``yes`` or ``no`` and ``polite``; or not at
    all, so that only a button or a key answers."""

    @model_validator(mode="after")
    def _has_what_it_needs(self) -> Self:
        needed = {
            "words": ("yes", "no", "hold", "correction", "polite"), "whole": ("yes", "no", "polite"), "none": ()
        }[self.grammar]  # fmt: skip
        for name in needed:
            if not getattr(self, name).phrases:
                raise ValueError(f"{name} needs at least one phrase where grammar is {self.grammar!r}")
        return self

    yes: WordList = NO_WORDS
    approval: WordList = NO_WORDS
    mere_yes: WordList = NO_WORDS
    urging: WordList = NO_WORDS
    yes_particles: WordList = NO_WORDS
    permissions: WordList = NO_WORDS
    settling: WordList = NO_WORDS
    praise: WordList = NO_WORDS
    suits: WordList = NO_WORDS
    no: WordList = NO_WORDS
    negation: WordList = NO_WORDS
    forbidding: WordList = NO_WORDS
    retraction: WordList = NO_WORDS
    hold: WordList = NO_WORDS
    conditions: WordList = NO_WORDS
    waits: WordList = NO_WORDS
    correction: WordList = NO_WORDS
    second_thoughts: WordList = NO_WORDS
    preference: WordList = NO_WORDS
    polite: WordList = NO_WORDS
    sounds: WordList = NO_WORDS
    exclamations: WordList = NO_WORDS
    closings: WordList = NO_WORDS
    goodbye: WordList = NO_WORDS
    ordinals: tuple[NeededWords, ...] = ()
    last: WordList = NO_WORDS
    address_names: WordList = NO_WORDS
    all: WordList = NO_WORDS
    both: WordList = NO_WORDS
    each: WordList = NO_WORDS
    only: WordList = NO_WORDS
    except_: WordList = Field(default=NO_WORDS, alias="except")
    keeping: WordList = NO_WORDS
    others: WordList = NO_WORDS
    does: WordList = NO_WORDS
    one_thing: WordList = NO_WORDS
    wish: WordList = NO_WORDS
    wishful: WordList = NO_WORDS
    requests: WordList = NO_WORDS
    ending_verbs: WordList = NO_WORDS
    act_synonyms: tuple[NeededWords, ...] = ()
    thing_synonyms: tuple[NeededWords, ...] = ()
    verb_particles: WordList = NO_WORDS
    formal_you: WordList = NO_WORDS
    before_old: WordList = NO_WORDS
    before_new: WordList = NO_WORDS
    ranges: WordList = NO_WORDS
    before_times: WordList = NO_WORDS
    time_relations: WordList = NO_WORDS
    new: WordList = NO_WORDS
    object_pronouns: WordList = NO_WORDS
    subject_pronouns: WordList = NO_WORDS
    pointing: WordList = NO_WORDS
    articles: WordList = NO_WORDS
    indefinite: WordList = NO_WORDS
    contrast: WordList = NO_WORDS
    deadline: WordList = NO_WORDS
    joining: WordList = NO_WORDS
    reasons: WordList = NO_WORDS
    reason_lead_ins: WordList = NO_WORDS
    conclusions: WordList = NO_WORDS
    question_starts: WordList = NO_WORDS
    ask_again: WordList = NO_WORDS
    speaker: WordList = NO_WORDS
    other_people: WordList = Field(default=NO_WORDS, alias="people")
    other_subjects: WordList = NO_WORDS
    of_others: WordList = NO_WORDS
    listener: WordList = NO_WORDS
    statement_starts: WordList = NO_WORDS
    verbs: WordList = NO_WORDS
    verbs_without_subject: WordList = NO_WORDS
    wanting: WordList = NO_WORDS
    liking: WordList = NO_WORDS
    bygone: WordList = NO_WORDS
    obligations: WordList = NO_WORDS
    knowing: WordList = NO_WORDS
    ability: WordList = NO_WORDS
    excess: WordList = NO_WORDS
    never_in_remarks: WordList = NO_WORDS
    doubtful_in_remarks: WordList = NO_WORDS
    other_orders: WordList = NO_WORDS
    another_matter: WordList = NO_WORDS
    other_topics: WordList = NO_WORDS
    points_back: WordList = NO_WORDS
    returns: WordList = NO_WORDS
    moments: WordList = NO_WORDS
    too: WordList = NO_WORDS
    verb_endings: tuple[Phrase, ...] = ()
    verb_last: bool = False

    @cached_property
    def people(self) -> WordList:
        """The customer and other people."""
        return WordList((*self.speaker, *self.other_people))

    @cached_property
    def subjects(self) -> WordList:
        """All words that can be the subject of a statement."""
        return WordList((*self.people, *self.other_subjects))

    @cached_property
    def content_hash(self) -> str:
        """A short hash of all of them: readings with equal hashes, by one version of the code, are equal."""
        names = {*type(self).model_fields, "people", "subjects"} - {"other_people", "other_subjects"}
        if self.grammar == "words":
            names.discard("grammar")
        lists = {name: str(getattr(self, name)) for name in sorted(names)}
        return sha256(repr(list(lists.items())).encode()).hexdigest()[:12]

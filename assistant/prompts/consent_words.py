"""The words for understanding an answer to a read-back: the section ``[consent]`` of a locale's file."""

from functools import cached_property
from hashlib import sha256
from typing import Literal, Self

from pydantic import Field, model_validator

from assistant.prompts.folder import Section
from assistant.prompts.word_list import NO_WORDS, NeededWords, Phrase, WordList


class ConsentWords(Section):
    """The words of answers to a read-back, grouped by their function. The package ``turn/consent`` uses them.

    Yes: ``yes`` agrees. ``approval`` agrees, or only says that the customer has understood ("fine").
    ``mere_yes`` are yeses that may only mean "I heard you" or "that is true", or that begin a refusal ("yeah,
    no"); together with a word of ``urging`` they are sure ("yes please"). ``yes_particles`` may also be
    particles without meaning ("das fällt ja aus"). ``permissions`` allow what follows. ``settling`` after a
    value chooses it ("Thursday it is"). ``praise`` and ``suits`` say that the thing is good
    ("Tuesday is lovely", "it suits me"), which is no order to cancel it.

    No: ``no`` refuses. ``negation`` negates the words next to it (``forbidding`` begins a negative order:
    "don't touch it"). ``retraction`` takes an earlier answer back, ``hold`` postpones or doubts (``temporary``
    does not, next to "only"), ``correction`` asks for something else. ``second_thoughts`` does so if more text
    follows ("actually"). ``reversals`` do so after a yes to the opposite ("I'll come **after all**").
    ``preference`` prefers a value ("better"). ``meant`` chooses one of several things, if another is denied
    ("keep the test, I meant the order"); its words are in ``correction``, too.

    No meaning: ``polite`` words, ``sounds``, ``exclamations`` ("thank goodness") and ``goodbye`` change
    nothing.

    Several things: ``ordinals`` are the ways of saying "the first", "the second" and so on, ``last`` means
    the last one. ``all`` means everything, ``both`` two things, ``each`` more than one. ``only``, ``except_``
    and ``others`` choose. ``keeping`` are verbs for exceptions that also refuse when they stand alone ("it
    stays"). ``does`` is the verb for a chosen thing ("do the first"). ``one_thing`` can only mean a single
    thing ("cancel it").

    Orders: ``wish`` asks for what follows it; ``requests`` does the same as a question; ``wishful`` does it
    together with praise ("an invoice would be nice"). ``ending_verbs`` end something. ``act_synonyms`` groups
    verbs with the same meaning, ``thing_synonyms`` nouns with the same meaning; ``any_thing`` may mean the only
    thing in question ("the booking"). ``verb_particles`` are separable from a verb ("absagen", "sagen ... ab"),
    longer ones first. ``verb_last`` is a verb at the end ("Soll ich den Termin absagen").

    Values: ``before_old`` comes before an old value ("from"), ``before_new`` before a new one ("to"),
    ``ranges`` between two values ("until"), ``before_times`` before a time ("on"). ``new`` marks a thing as
    the new one. ``time_relations`` may give the time of another thing ("our train isn't until three").

    Pronouns: ``object_pronouns`` are the object of an order ("cancel it"), ``subject_pronouns`` the subject
    of praise ("it is lovely"). ``pointing`` means the thing in question ("I don't want that"). ``articles``
    are definite, ``indefinite`` are the other articles.

    Clauses: ``contrast`` ("but"), ``joining`` ("and") and ``reasons`` ("because") begin a clause;
    ``deadline`` begins one with a limit in time ("cancel it before it ships"). ``reason_lead_ins`` and
    ``conclusions`` ("so") may come before one. ``question_starts`` are verbs and pronouns that begin a
    question; those of ``asking`` need no subject after them. ``ask_again`` asks for a repetition. ``trailing``
    ends an answer that breaks off ("yes, well"), ``tags`` one that only checks ("Thursday, right").
    ``prepositions`` may begin a detail ("for my son"), ``subordinate`` what a yes is about ("that it's sad").

    Statements: ``speaker`` is the customer ("I"), ``people`` are the customer and other people, ``subjects``
    are all these and more ("there"). ``of_others`` begins a statement about other people ("my son"). ``own``
    are "me" and "my". ``drawbacks`` say what is wrong ("mistake"). ``listener`` is the assistant ("you").
    ``statement_starts`` may begin a statement, too ("the", "on"). ``verbs`` are finite verbs other than
    ``question_starts``; with ``verbs_without_subject`` the "I" may be missing; ``verb_endings`` are the usual
    endings. ``wanting`` wants the thing, ``liking`` likes it, ``knowing`` knows it ("I remember"), ``ability``
    is able to do it ("I can come"), ``excess`` is an objection ("too late"), and so is ``costly``
    ("expensive"). ``copulas`` are "am" and "is". A statement with a word of ``never_in_reasons`` may be a
    request. One with a word of ``doubtful_in_reasons`` may be one unless the yes is sure. ``bygone`` ("were")
    and ``obligation`` ("have to") show that the customer does not express a liking. ``other_orders`` are verbs
    of any other order.

    Another matter: it begins with a word of ``another_matter`` ("and"), is about one of ``other_topics``, and
    contains no word of ``points_back`` ("what does that cost?"). ``too`` asks for something in addition.
    """

    # Hashed by identity: it is a key of caches, and its hundred lists would take long to hash.
    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    grammar: Literal["words", "whole", "none"] = "words"
    """How answers are read: word by word ("words"); only complete answers made of ``yes`` or ``no`` and
    ``polite`` ("whole"); or not at all, so that only a button or a key is an answer ("none")."""

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
    temporary: WordList = NO_WORDS
    correction: WordList = NO_WORDS
    second_thoughts: WordList = NO_WORDS
    reversals: WordList = NO_WORDS
    preference: WordList = NO_WORDS
    meant: WordList = NO_WORDS
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
    any_thing: WordList = NO_WORDS
    verb_particles: WordList = NO_WORDS
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
    copulas: WordList = NO_WORDS
    obligations: WordList = NO_WORDS
    knowing: WordList = NO_WORDS
    ability: WordList = NO_WORDS
    excess: WordList = NO_WORDS
    never_in_reasons: WordList = NO_WORDS
    doubtful_in_reasons: WordList = NO_WORDS
    other_orders: WordList = NO_WORDS
    another_matter: WordList = NO_WORDS
    other_topics: WordList = NO_WORDS
    points_back: WordList = NO_WORDS
    returns: WordList = NO_WORDS
    trailing: WordList = NO_WORDS
    tags: WordList = NO_WORDS
    asking: WordList = NO_WORDS
    subordinate: WordList = NO_WORDS
    prepositions: WordList = NO_WORDS
    own: WordList = NO_WORDS
    drawbacks: WordList = NO_WORDS
    costly: WordList = NO_WORDS
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
        """All words that may be the subject of a statement."""
        return WordList((*self.people, *self.other_subjects))

    @cached_property
    def content_hash(self) -> str:
        """A short hash of all lists. Equal hashes, with the same version of the code, give equal readings."""
        names = {*type(self).model_fields, "people", "subjects"} - {"other_people", "other_subjects"}
        if self.grammar == "words":
            names.discard("grammar")
        lists = {name: str(getattr(self, name)) for name in sorted(names)}
        return sha256(repr(list(lists.items())).encode()).hexdigest()[:12]

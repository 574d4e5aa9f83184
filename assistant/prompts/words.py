"""The word lists and formats of ``locales/<locale>.toml``: words that rules search for in texts, and the
notation of values.
"""

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, StringConstraints, field_validator

from assistant.conversation.tool_spec import NO_HINT, Hint
from assistant.prompts.consent_words import ConsentWords
from assistant.prompts.folder import Section, read_toml
from assistant.prompts.locale import LanguageWords
from assistant.prompts.sentences import HintPair, Sentences
from assistant.prompts.word_list import NO_WORDS, NeededWords, Phrase, WordList, plain_words

_Phrase = Annotated[str, StringConstraints(min_length=1, max_length=60)]
_Phrases = tuple[_Phrase, ...]


class Act(Section):
    """One kind of action. Acts with the same name are the same action in all locales.

    Attributes:
        do: the verb in promises ("call ... off": a few words may come between).
        done: the verb in claims ("called off").
        doing: its present participle ("calling off").
        seen: other words with which a result says that it was done ("in transit").
        things: the sentence must also contain one of these words, because the verb has other meanings. Empty:
            none.
        by: names of other acts that include this one.
        exists: for a lookup that found the thing, this word proves that the action was done ("booked").
        yours: a verb with the customer as the subject ("you'll receive").
    """

    name: _Phrase
    do: _Phrases = ()
    done: _Phrases = ()
    doing: _Phrases = ()
    seen: _Phrases = ()
    things: _Phrases = ()
    by: _Phrases = ()
    exists: bool = False
    yours: bool = False


class Frames(Section):
    """The words before the verb of an action.

    Attributes:
        did: claims with the verb as in ``done``, of a person who did it ("I've").
        could: claims with the verb as in ``do`` ("I was able to").
        was: claims that it was done to something ("has been").
        became: claims of a new value without a verb ("is now").
        will: promises ("I'll"). ``doing``: promises for now ("I'm"). ``will_be``: promises in the passive.
    """

    did: _Phrases = ()
    could: _Phrases = ()
    was: _Phrases = ()
    became: _Phrases = ()
    will: _Phrases = ()
    doing: _Phrases = ()
    will_be: _Phrases = ()


class DeedWords(Section):
    """The words with which claims and promises of actions are found. If they are empty, no sentence is a
    claim.

    Attributes:
        span: the most words between a frame and its verb. German puts verbs last.
        adverbs: words that may always be between them.
        openers: words that may come before a claim without being part of it ("Sure,").
        conjunctions: words that join another clause to a sentence, in addition to "and".
        subjects: words with which the subject of a claim begins ("your", "it", "someone").
        alone: those of them that are complete without a noun ("it").
        at_once: words that are not held back although a claim may begin with them, because too many sentences
            do ("you").
        all_of_it: words that claim an action for everything that was requested ("both", "everything").
        ours: subjects about which an action may be claimed. "our hours were changed" is no claim of an
            action.
        customer: the customer as a subject. The customer's own actions are no claims.
        things: nouns for the things on which tools act, in addition to those in the tools' own words.
        after: words that continue a subject ("on Tuesday").
        negations: with one of them before its verb, a sentence is no claim.
        no_longer: negations that still tell a change ("will no longer be charged").
        modals: with one of them, a sentence is no claim ("could be cancelled").
        conditions: with one of them before it, a claim is no claim; with one of them anywhere in the
            sentence, a promise is none.
        reported: with one of them, a sentence is no claim, because it repeats what the customer said.
        usually: with one of them, a sentence is no claim, because it says how things are usually done.
        harmless: verbs that change nothing and involve no other person. A verb that is in neither
            ``harmless`` nor ``acts`` counts as an unknown action. In English, the base form covers all
            regular forms.
        past: irregular participles and past forms of such verbs.
        people: words for employees of the company: sentences about their actions are promises of ours.
        messages: words for what is forwarded to them.
        media: words for a picture or a file that came with a result.
        to_you: how the customer is addressed.
        near: words for a time so soon that the sentence is no general rule from a document.
        invites: first words of a sentence that asks the customer for something; what follows depends on them.
        unchanged: with one of them, nothing was done to the thing.
        lately: it was done just now, so an old record is no proof.
        free: if a lookup's name has one of these words, its result says what is possible, not what was done.
        not_free: words for a time or place that another person has ("taken"). They claim no action of ours.
    """

    span: Annotated[int, Field(ge=0, le=20)] = 0
    frames: Frames = Field(default_factory=Frames)
    adverbs: _Phrases = ()
    openers: _Phrases = ()
    conjunctions: _Phrases = ()
    subjects: _Phrases = ()
    alone: _Phrases = ()
    at_once: _Phrases = ()
    all_of_it: _Phrases = ()
    ours: _Phrases = ()
    customer: _Phrases = ()
    things: _Phrases = ()
    after: _Phrases = ()
    negations: _Phrases = ()
    no_longer: _Phrases = ()
    modals: _Phrases = ()
    conditions: _Phrases = ()
    reported: _Phrases = ()
    usually: _Phrases = ()
    harmless: _Phrases = ()
    past: _Phrases = ()
    people: _Phrases = ()
    messages: _Phrases = ()
    media: _Phrases = ()
    to_you: _Phrases = ()
    near: _Phrases = ()
    invites: _Phrases = ()
    unchanged: _Phrases = ()
    lately: _Phrases = ()
    free: _Phrases = ()
    not_free: _Phrases = ()
    acts: tuple[Act, ...] = ()


_SpokenWord = Annotated[str, StringConstraints(pattern=r"^[^\W\d_]+$", to_lower=True)]
_Number = Annotated[str, StringConstraints(pattern=r"^\d{1,2}$")]
_Sign = Annotated[str, StringConstraints(pattern=r"^[@.+_-]$")]
_Times = Annotated[int, Field(ge=2, le=4)]


class ListeningWords(Section):
    """The words with which the end of an utterance is found. If they are empty, only punctuation counts.

    Attributes:
        open_ends: words after which more must follow ("my"), whatever the punctuation.
        open_statements: the same, except in a question ("Where is it from?", "What is that?").
        conditions: at the beginning of a text without a comma, they show half a sentence ("If the frame is
            broken").
        openers: complete sentences that only introduce the real message ("I have a question").
        brief: complete answers ("yes please").
        backchannels: words that only show that the customer is listening ("mhm").
        asks: words with which the assistant asks for something ("what is", "please").
        digits: nouns for things that consist of digits ("order number").
        names: the same for names.
        emails: the same for e-mail addresses.
        numerals: words for digits and small numbers, with their values ("seven": "7").
        signs: the spoken names of characters in addresses ("dot": ".").
        repeats: words that repeat the next character, with the number ("double": 2).
        as_in: between a letter and a word that begins with it ("as in").
        months: names of months. A date is not joined to one number.
    """

    open_ends: WordList = NO_WORDS
    open_statements: WordList = NO_WORDS
    conditions: WordList = NO_WORDS
    openers: WordList = NO_WORDS
    brief: WordList = NO_WORDS
    backchannels: WordList = NO_WORDS
    asks: WordList = NO_WORDS
    digits: WordList = NO_WORDS
    names: WordList = NO_WORDS
    emails: WordList = NO_WORDS
    as_in: WordList = NO_WORDS
    months: WordList = NO_WORDS
    numerals: Mapping[_SpokenWord, _Number] = Field(default_factory=dict)
    signs: Mapping[_SpokenWord, _Sign] = Field(default_factory=dict)
    repeats: Mapping[_SpokenWord, _Times] = Field(default_factory=dict)


NO_LISTENING_WORDS = ListeningWords()


class HandoffPhrases(Section):
    """``hint`` says what the assistant does when it asks for a human agent. ``examples`` are messages of
    customers who want an agent.

    ``asks`` are words that occur in such a request. ``back`` are complete messages of a customer who wants
    the assistant again. ``angry`` are words of an angry message, for the rules that bring a conversation to
    people. A locale without this section uses English.
    """

    doing: Phrase | None = None
    will: Phrase | None = None
    examples: tuple[Phrase, ...] = ()
    asks: tuple[Phrase, ...] = ()
    back: tuple[Phrase, ...] = ()
    angry: tuple[Phrase, ...] = ()

    @property
    def hint(self) -> Hint:
        """Both forms of the hint; empty unless the locale has both."""
        return Hint(doing=self.doing, will=self.will) if self.doing and self.will else NO_HINT


class LongCallPhrases(Section):
    """``hint`` says what the assistant does when it stops a long task. ``examples`` are messages of customers
    who want this.

    A locale without this section uses English.
    """

    doing: Phrase | None = None
    will: Phrase | None = None
    examples: tuple[Phrase, ...] = ()

    @property
    def hint(self) -> Hint:
        """Both forms of the hint; empty unless the locale has both."""
        return Hint(doing=self.doing, will=self.will) if self.doing and self.will else NO_HINT


class LookupPhrases(Section):
    """The hints of the two tools that read documents. A locale without this section uses English."""

    searching_hint: HintPair | None = Field(default=None, alias="searching")
    reading_hint: HintPair | None = Field(default=None, alias="reading")

    @property
    def searching(self) -> Hint:
        """The hint while documents are searched."""
        return _hint_of(self.searching_hint)

    @property
    def reading(self) -> Hint:
        """The hint while one document is read."""
        return _hint_of(self.reading_hint)


def _hint_of(pair: HintPair | None) -> Hint:
    return NO_HINT if pair is None else Hint(doing=pair.doing, will=pair.will)


_RepetitionPhrases = tuple[Annotated[str, StringConstraints(min_length=1, max_length=60)], ...]


class SpokenPhrases(Section):
    """What is spoken in place of content that only a screen can show.

    ``more`` is for the rows of a table that are not read, with ``{}`` for their number. ``link`` and ``code``
    replace links and code; an empty one leaves them out.
    """

    more: Annotated[str, StringConstraints(pattern=r"\{\}")] = "+ {}."
    link: str = ""
    code: str = ""


class RepetitionWords(Section):
    """Words that a sentence may contain, next to repeated content, without saying anything new.

    Negations, numbers, articles and other words that may carry a fact must not be in these lists. If they are
    empty, nothing counts as a repetition.

    Attributes:
        empty: phrases without content, alone or next to others ("one moment please").
        beside: phrases without content next to a repetition ("here's what I found").
        speaker: words with which the assistant speaks about its own work ("I've").
        looking: words for looking something up, in any form ("check").
        neutral: words that add nothing ("your").
    """

    if TYPE_CHECKING:  # pydantic adds it, because the class is frozen

        def __hash__(self) -> int: ...

    empty: _RepetitionPhrases = ()
    beside: _RepetitionPhrases = ()
    speaker: _RepetitionPhrases = ()
    looking: _RepetitionPhrases = ()
    neutral: _RepetitionPhrases = ()


_Word = Annotated[str, StringConstraints(min_length=1, max_length=60, to_lower=True)]


def _regular(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is not a regular expression: {error}") from error
    return pattern


class HintForm(Section):
    """The rule for one form of a hint. ``pattern`` must match the whole phrase; ``should`` says what is
    right, with
    an example.
    """

    pattern: str
    should: Annotated[str, StringConstraints(min_length=1, max_length=200)]

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        return _regular(pattern)

    def problem(self, phrase: str) -> str | None:
        """Returns what is right, for a phrase that does not have this form, or None if the phrase has it."""
        return None if re.fullmatch(self.pattern, phrase) else self.should


class Never(Section):
    """Words that a hint must not contain, with the reason; whole words, in any case."""

    words: Annotated[tuple[_Word, ...], Field(min_length=1)]
    because: Annotated[str, StringConstraints(min_length=1, max_length=200)]

    def found(self, phrase: str) -> str | None:
        """Returns the first of these words in the phrase, or None if it contains none."""
        plain = " ".join(phrase.casefold().replace("’", "'").split())
        return next(
            (word for word in self.words if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", plain)), None
        )


class HintForms(Section):
    """The rules for the two forms of a hint: ``doing`` for labels, and ``will`` for acknowledgements.

    ``never`` are the words that neither form may contain.
    """

    doing: HintForm | None = Field(default=None)
    will: HintForm | None = Field(default=None)
    never: tuple[Never, ...] = ()


class RegisterWords(Section):
    """The words that distinguish a complaint, an action and a question from a plain request.

    ``complaint`` and ``action`` count anywhere, ``question`` at the beginning of a sentence.
    """

    complaint: NeededWords
    action: NeededWords
    question: NeededWords
    polite: NeededWords


class OrderWords(Section):
    """How customers phrase an order.

    ``wish`` may come before the verb ("I'd like to"). A ``reserve`` anywhere in a message shows that it is no
    plain order ("if", "but").
    """

    wish: WordList = NO_WORDS
    reserve: WordList = NO_WORDS


class Elision(Section):
    """A change where two words meet: text that matches the regular expression ``pattern`` becomes ``written``."""

    pattern: str
    written: str

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        return _regular(pattern)


class Formats(Section):
    """How values are written: patterns of the Unicode locale data, and the locale whose names are used.

    ``elisions`` change words where parts are joined ("y investigar" to "e investigar"). ``field_names`` is
    True if the names of a result's fields are shown, because they are in this language.
    """

    locale: Phrase
    lists: Phrase
    day: Phrase
    hour: Phrase
    minute: Phrase
    when: Annotated[str, StringConstraints(pattern=r"\{day\}.*\{time\}|\{time\}.*\{day\}")]
    lowered: WordList = NO_WORDS
    yes: Phrase = "yes"
    no: Phrase = "no"
    elisions: tuple[Elision, ...] = ()
    field_names: bool = True


class _Language(Section):
    words: tuple[Phrase, ...] = ()
    endings: tuple[Phrase, ...] = ()
    letters: str = ""
    guessed: bool = False


class _Promise(Section):
    phrases: WordList = NO_WORDS
    unless: WordList = NO_WORDS


class Words(Section):
    """The content of one locale's file.

    ``promise``: phrases that promise a lookup; ``condition``: phrases that make the promise depend on the
    customer. ``hints``: the form of tools' waiting hints. ``deeds``: how actions are claimed and promised.
    ``repetition``: words next to a repetition. ``handoff``: how customers ask for a human agent.
    ``long_call``: how they stop a long task. ``lookup``: texts while documents are read. ``listening``: signs
    of the end of an utterance. ``sentences``: texts for customers, for a language without templates of its
    own. ``hint_examples``: hints in their two forms, for tables and tests.
    """

    language_words: _Language = Field(default_factory=_Language, alias="language")
    consent: ConsentWords = Field(default_factory=lambda: ConsentWords(grammar="none"))
    register_words: RegisterWords = Field(alias="register")
    orders: OrderWords = Field(default_factory=OrderWords)
    promise_words: _Promise = Field(default_factory=_Promise, alias="promise")
    formats: Formats
    hints: HintForms = Field(default_factory=HintForms)
    deeds: DeedWords = Field(default_factory=DeedWords)
    repetition: RepetitionWords = Field(default_factory=RepetitionWords)
    handoff: HandoffPhrases = Field(default_factory=HandoffPhrases)
    long_call: LongCallPhrases = Field(default_factory=LongCallPhrases)
    lookup: LookupPhrases = Field(default_factory=LookupPhrases)
    listening: ListeningWords = Field(default_factory=ListeningWords)
    spoken: SpokenPhrases = Field(default_factory=SpokenPhrases)
    sentences: Sentences | None = None
    hint_examples: Mapping[str, HintPair] = Field(default_factory=dict)

    @cached_property
    def language(self) -> LanguageWords:
        """The words that show that a text is in this language."""
        told = self.language_words
        return LanguageWords(
            words=frozenset(map(plain_words, told.words)),
            endings=told.endings,
            letters=frozenset(told.letters),
            guessed=told.guessed,
        )

    @property
    def register(self) -> RegisterWords:
        """The words that show the register of a customer's message."""
        return self.register_words

    @property
    def promise(self) -> WordList:
        """Phrases that promise a lookup."""
        return self.promise_words.phrases

    @property
    def condition(self) -> WordList:
        """Phrases that make such a promise depend on the customer."""
        return self.promise_words.unless


@lru_cache(maxsize=16)
def read_words(source: str, where: str) -> Words:
    """Read a locale's file; ``where`` names it in errors. Raises ``DeclarationError``."""
    return read_toml(source, Words, where)

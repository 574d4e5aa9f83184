"""The word lists and formats of ``locales/<locale>.toml``: what rules look for in customers' text, and how
values read.
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
    """One kind of deed. Acts with the same name, in any locale, are the same deed.

    Attributes:
        do: how it is promised ("call ... off": a few words may come between).
        done: how it is claimed ("called off").
        doing: its present participle ("calling off").
        seen: more words with which a result says that it was done ("in transit").
        things: the sentence must contain one of these words, because the verb has other meanings. Empty: none.
        by: names of other acts that include this one.
        exists: if a lookup found the thing, that proves that the deed was done to it ("booked").
        yours: said with the customer as the subject ("you'll receive").
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
    """The words before a deed's verb.

    Attributes:
        did: claims, with the verb as in ``done``, of a person who did it ("I've").
        could: claims with the verb as in ``do`` ("I was able to").
        was: claims that it was done to something ("has been").
        will: promises ("I'll"). ``doing``: promises for this moment ("I'm"). ``will_be``: of what will be done.
    """

    did: _Phrases = ()
    could: _Phrases = ()
    was: _Phrases = ()
    will: _Phrases = ()
    doing: _Phrases = ()
    will_be: _Phrases = ()


class DeedWords(Section):
    """The words by which claims and promises of deeds are found. If empty, nothing is a claim.

    Attributes:
        span: how many words may come between a frame and its verb; German puts verbs last.
        adverbs: words that may always come between.
        openers: what may come before a claim without being part of it ("Sure,").
        conjunctions: words that join another clause to a sentence, in addition to "and".
        subjects: words with which the subject of a claim begins ("your", "it", "someone").
        alone: those of them that no noun follows ("it").
        at_once: words that never wait, though a claim may begin with them: too many sentences do ("you").
        all_of_it: words that claim it of everything that was to be done ("both", "everything").
        ours: subjects of which it may be said that something was done to them; "our hours were changed" is none.
        customer: the customer as a subject: what they did or will do is no deed of ours.
        things: nouns for the things of deeds, in addition to those in the tools' own words.
        after: words that continue a subject ("on Tuesday").
        negations: with one of them before its verb a claim is none.
        no_longer: negations that tell a change ("will no longer be charged").
        modals: so with these ("could be cancelled").
        conditions: so with these, anywhere before it for a claim, anywhere at all for a promise.
        reported: so with these: it is what the customer said.
        usually: so with these: it is how things are done, not what was done.
        harmless: verbs that change nothing and reach no one else. A verb that stands neither here nor in ``acts``
            is a deed all the same, one that no list knows. In English the base form stands for all regular ones.
        past: participles and pasts of such verbs that have no regular ending.
        people: words for those who work for the company: what they are said to do is a promise of ours.
        messages: words for what is passed on to them.
        media: words for a picture or a file that came with a result.
        to_you: how the customer is spoken to.
        near: what begins so soon is no rule of a document.
        invites: first words of a sentence that asks the customer for something; what follows depends on them.
        unchanged: so with these: nothing was done to it.
        lately: it was done just now, so an old record of it is no proof.
        free: a look-up whose words have one of these tells what could be done, not what was.
        not_free: words for a time or place that another person has: "taken". They are no deed of ours.
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
    """The words by which the end of an utterance is found. If empty, only punctuation counts.

    Attributes:
        open_ends: words after which something must follow ("my"), whatever the punctuation.
        open_statements: the same, but for a question ("Where is it from?", "What is that?").
        conditions: at the beginning of a text without a comma, half a sentence ("If the frame is broken").
        openers: whole sentences that come before the point ("I have a question").
        brief: whole answers ("yes please").
        backchannels: they show that the customer is listening ("mhm").
        asks: the assistant asks for something ("what is", "please").
        digits: things that are asked for and consist of digits ("order number").
        names: the same for names.
        emails: the same for e-mail addresses.
        numerals: words for digits and small numbers, and what they are ("seven": "7").
        signs: the spoken names of characters in addresses ("dot": ".").
        repeats: words that say what follows more than once, and how often ("double": 2).
        as_in: between a letter and a word that begins with it ("as in").
        months: names of months: a date is not joined into one number.
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
    """``hint``: what the assistant does when it asks for a person. ``examples``: what customers say then.

    ``asks``: words that occur in such a request. ``back``: everything that a customer says who wants the
    assistant again. For a locale without this section, English is used.
    """

    doing: Phrase | None = None
    will: Phrase | None = None
    examples: tuple[Phrase, ...] = ()
    asks: tuple[Phrase, ...] = ()
    back: tuple[Phrase, ...] = ()

    @property
    def hint(self) -> Hint:
        """Both forms of the hint; empty unless the locale has both."""
        return Hint(doing=self.doing, will=self.will) if self.doing and self.will else NO_HINT


class LongCallPhrases(Section):
    """``hint``: what the assistant does when it stops a long task. ``examples``: what customers say then.

    For a locale without this section, English is used.
    """

    doing: Phrase | None = None
    will: Phrase | None = None
    examples: tuple[Phrase, ...] = ()

    @property
    def hint(self) -> Hint:
        """Both forms of the hint; empty unless the locale has both."""
        return Hint(doing=self.doing, will=self.will) if self.doing and self.will else NO_HINT


class LookupPhrases(Section):
    """The hints of the two tools that read documents. For a locale without this section, English is used."""

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
    """What is said aloud instead of what only a screen can show.

    ``more`` is for rows of a table that are not read, with ``{}`` for their number; ``link`` and ``code``
    replace links and code; an empty one leaves them out.
    """

    more: Annotated[str, StringConstraints(pattern=r"\{\}")] = "+ {}."
    link: str = ""
    code: str = ""


class RepetitionWords(Section):
    """Words that a sentence may contain, besides what was told before, without saying anything new.

    Negations, numbers, articles and other words that may carry a fact must not be in these lists. If they are
    empty, nothing counts as a repetition.

    Attributes:
        empty: phrases that say nothing, alone or next to others ("one moment please").
        beside: phrases without content next to a repetition ("here's what I found").
        speaker: words for who tells of their own doing ("I've").
        looking: words for looking something up, in any of their forms ("check").
        neutral: words that add nothing ("your").
    """

    if TYPE_CHECKING:  # pydantic makes it, since the class is frozen

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
    """The rule for one form of a hint. ``pattern`` must match the whole phrase; ``should`` is the cure, with
    an example.
    """

    pattern: str
    should: Annotated[str, StringConstraints(min_length=1, max_length=200)]

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        return _regular(pattern)

    def problem(self, phrase: str) -> str | None:
        """The cure for a phrase that does not have this form; None if it does."""
        return None if re.fullmatch(self.pattern, phrase) else self.should


class Never(Section):
    """Words that a hint must not contain, in either form, and why; whole words, in any case."""

    words: Annotated[tuple[_Word, ...], Field(min_length=1)]
    because: Annotated[str, StringConstraints(min_length=1, max_length=200)]

    def found(self, phrase: str) -> str | None:
        """The first of these words in the phrase; None if there is none."""
        plain = " ".join(phrase.casefold().replace("’", "'").split())
        return next(
            (word for word in self.words if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", plain)), None
        )


class HintForms(Section):
    """The rules for the phrase on the label (``doing``) and for the one in the acknowledgement (``will``).

    ``never``: words that neither may contain.
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
    """Where two words meet: what ``pattern``, a regular expression, finds is written as ``written``."""

    pattern: str
    written: str

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        return _regular(pattern)


class Formats(Section):
    """How values are written: patterns of the Unicode locale data, and the locale whose lists are used.

    ``elisions`` change words where parts are joined ("y investigar" to "e investigar"). ``field_names``: the
    names of a result's fields are said, because they are in this language.
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

    ``promise``: a model promises a lookup; ``condition``: the promise depends on the customer. ``hints``: the
    form of tools' waiting hints. ``deeds``: how deeds are claimed and promised. ``repetition``: words next to
    a repetition. ``handoff``: how a person is asked for. ``long_call``: how a task that takes long is
    stopped. ``lookup``: what is said while documents are read.
    ``listening``: what shows the end of an utterance. ``sentences``: what is said, for a language without
    templates of its own. ``hint_examples``: hints in their two forms, for tables and tests.
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
        """The words that show a customer's register."""
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

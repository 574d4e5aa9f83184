"""The words in which a deed is claimed or promised: the section ``[deeds]`` of a locale's file."""

from typing import Annotated

from pydantic import Field, StringConstraints

from assistant.prompts.folder import Section

_Phrase = Annotated[str, StringConstraints(min_length=1, max_length=60)]
_Phrases = tuple[_Phrase, ...]


class Act(Section):
    """One kind of deed. Acts of one name, in any locale, are the same deed.

    Attributes:
        do: how it is promised ("call ... off": there, a few words may stand between).
        done: how it is claimed ("called off").
        doing: how it is told while it is done ("calling off").
        seen: more words by which a looked-up result says that it was done ("in transit").
        things: words of which one must stand in the sentence, for verbs that mean much else. Empty: none.
        by: names of other acts that bring this about.
        exists: a thing that was looked up is proof enough that this was done to it ("booked").
        yours: said of the customer, to whom it will happen ("you'll receive").
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
        did: claims, with the verb as in ``done``, of somebody who did it ("I've").
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
    """What tells claims and promises of deeds from everything else. Empty: nothing is one.

    Attributes:
        span: how many words may stand between a frame and its verb; German puts verbs last.
        adverbs: words that may always stand there.
        openers: what may come before a claim without being part of it ("Sure,").
        conjunctions: what joins a further clause to a sentence, besides "and".
        subjects: words with which the subject of a claim begins ("your", "it", "someone").
        alone: those of them that no noun follows ("it").
        at_once: words that never wait, though a claim may begin with them: too many sentences do ("you").
        all_of_it: words that claim it of everything that was to be done ("both", "everything").
        ours: subjects of which it may be said that something was done to them; "our hours were changed" is none.
        customer: the customer as a subject: what they did or will do is no deed of ours.
        things: nouns that deeds are done to, beside those in the tools' own words.
        after: words that go on with a subject ("on Tuesday").
        negations: with one of them before its verb a claim is none.
        no_longer: negations that tell a change ("will no longer be charged").
        modals: so with these ("could be cancelled").
        conditions: so with these, anywhere before it for a claim, anywhere at all for a promise.
        reported: so with these: it is what the customer said.
        usually: so with these: it is how things are done, not what was done.
        harmless: verbs that change nothing and reach nobody else. A verb that stands neither here nor in ``acts``
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
        not_free: what is said of a time or a place that another has: "taken". It is no deed of ours.
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

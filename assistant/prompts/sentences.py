"""The sentences of a language without templates of its own: the section ``[sentences]`` of its file.

The templates in ``customers/shared/`` choose a sentence and fill in its values. Each field declares the
values that its sentence may contain, in braces, so that mistakes are found when the file is read.
"""

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from assistant.prompts.folder import Section

_PLACE = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Places:
    """Checks the names in braces: each of ``needed`` must occur; for "doing|will", at least one of the two."""

    needed: tuple[str, ...]

    def __call__(self, sentence: str) -> str:
        """Return the sentence. Raises ``ValueError`` for a missing name, or a name without a value."""
        found = set(_PLACE.findall(sentence))
        known = {name for each in self.needed for name in each.split("|")}
        if unknown := sorted(found - known):
            raise ValueError(
                f"{{{unknown[0]}}} has no value here; known: {', '.join(sorted(known)) or 'none'}"
            )
        for each in self.needed:
            if found.isdisjoint(each.split("|")):
                raise ValueError(f"{{{each}}} is missing")
        return sentence


def fill(sentence: str, **values: object) -> str:
    """Returns the sentence with its values. Braces in a value are not replaced.

    >>> fill("C'est fait : {found}.", found="facture {1042}")
    "C'est fait : facture {1042}."
    """
    return _PLACE.sub(lambda place: str(values[place[1]]), sentence)


_Line = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Plain = Annotated[_Line, AfterValidator(Places(()))]
_Leads = Annotated[tuple[Plain, ...], Field(min_length=2, max_length=12)]
_WithHint = Annotated[_Line, AfterValidator(Places(("doing|will",)))]
_WithReason = Annotated[_Line, AfterValidator(Places(("doing|will", "because")))]
_WithFound = Annotated[_Line, AfterValidator(Places(("found",)))]
_WithName = Annotated[_Line, AfterValidator(Places(("name",)))]
_WithNumber = Annotated[_Line, AfterValidator(Places(("number",)))]
_WithDone = Annotated[_Line, AfterValidator(Places(("done",)))]


class HintPair(Section):
    """The two forms of a hint."""

    doing: Plain
    will: Plain


class AcknowledgementSentences(Section):
    """Lead-ins for each register, and connecting words. ``numbers`` are the words for two to nine."""

    request: _Leads
    question: _Leads
    complaint: _Leads
    later: _Leads
    effect: _Leads
    and_word: Annotated[Plain, Field(alias="and")]
    more: _WithNumber
    neutral: Plain
    numbers: Annotated[tuple[Plain, ...], Field(min_length=8, max_length=8)]


class ApologySentences(Section):
    """The apologies for cases in which no other answer is possible."""

    decision_failed: Plain
    unreachable: Plain
    cut: Plain
    turn_budget: Plain
    conversation_budget: Plain
    day_budget: Plain
    begun_again: Plain
    not_possible: Plain
    offer_person: Plain


class AsideSentences(Section):
    """Short remarks outside of the conversation, for customers who speak."""

    moment: Plain
    not_understood: Plain
    busy: Plain


class QuestionSentences(Section):
    """The question before a side effect. ``press`` follows it if only a button or a key is an answer."""

    ask: Annotated[_Line, AfterValidator(Places(("clauses",)))]
    ask_plain: Plain
    clear: Plain
    press: Plain
    clause: _WithHint
    clause_plain: Plain
    no: Plain
    dropped: Plain
    late: _WithDone
    left_one: Plain
    left_more: Plain
    person: Plain


class HandoffSentences(Section):
    """What the assistant says about a requested human agent.

    ``one_day``, ``days`` and ``span`` form opening hours.
    """

    queued: Plain
    again: Plain
    there: Plain
    back: _WithName
    closed: Plain
    no_one: Plain
    hours: Annotated[_Line, AfterValidator(Places(("hours",)))]
    one_day: Annotated[_Line, AfterValidator(Places(("day",)))]
    days: Annotated[_Line, AfterValidator(Places(("first", "last")))]
    span: Annotated[_Line, AfterValidator(Places(("opens", "closes")))]
    left_word: Plain
    left_word_ticket: Annotated[_Line, AfterValidator(Places(("ticket",)))]


class PausedSentences(Section):
    """What customers are told while staff have paused the assistant. ``tool`` is a clause about one tool."""

    stopped: Plain
    asked: Plain
    waiting: Plain
    ticket: Annotated[_Line, AfterValidator(Places(("ticket",)))]
    tool: Plain


class SupervisedSentences(Section):
    """What customers are told while staff supervise the assistant."""

    asked: Plain
    waiting: Plain
    ticket: Annotated[_Line, AfterValidator(Places(("ticket",)))]
    stopped: Plain
    checking: Plain
    instead: Plain


class OutcomeSentences(Section):
    """The sentences for the outcome of one call. ``read_hint`` and ``write_hint`` are used for a tool without
    a hint.

    ``questions`` are the first words of a reason that is a question; ``question_mark`` ends it.
    """

    identified: Plain
    identified_name: _WithName
    done: Plain
    done_found: _WithFound
    found: _WithFound
    able: _WithHint
    nothing: _WithHint
    failed: _WithHint
    failed_because: _WithReason
    try_again: Plain
    no_answer: _WithHint
    too_slow: _WithHint
    pending: _WithHint
    cancelled: _WithHint
    awaiting_confirmation: _WithHint
    denied: _WithHint
    denied_because: _WithReason
    ask_again: _WithHint
    unclear: _WithHint
    read_hint: HintPair
    write_hint: HintPair
    questions: tuple[Plain, ...]
    question_mark: Plain = "?"


class LongCallSentences(Section):
    """The state of a call that takes minutes to days. ``so_far`` is added if its progress is known."""

    started: _WithHint
    starting: _WithHint
    approval: _WithHint
    stopped: _WithHint
    stopping: _WithHint
    so_far: Annotated[_Line, AfterValidator(Places(("progress",)))]
    over: Plain
    none: Plain


class PhoneSentences(Section):
    """Sentences that only callers on the phone hear."""

    keys: Plain
    transfer: Plain


class RejectedSentences(Section):
    """Why a message, an answer or a rating was not accepted."""

    empty: Plain
    too_long: Annotated[_Line, AfterValidator(Places(("length", "most")))]
    busy: Plain
    files_busy: Plain
    rate_limited: Plain
    confirmation_closed: Plain
    unknown_message: Annotated[_Line, AfterValidator(Places(("message_id",)))]
    unknown_file: Plain


class WaitingSentences(Section):
    """The texts while a model is silent (``model``) or calls take long (``tools``).

    ``done`` comes first if lookups have ended. ``more_doing`` and ``more_will`` give the number of unnamed
    calls.
    """

    model: Annotated[tuple[Plain, ...], Field(min_length=3, max_length=12)]
    tools: Annotated[tuple[_WithHint, ...], Field(min_length=3, max_length=12)]
    done: _WithHint
    more_doing: _WithNumber
    more_will: _WithNumber


class DocumentSentences(Section):
    """The texts about passages of documents, if no model words them."""

    stands: Annotated[_Line, AfterValidator(Places(("source", "text")))]
    yours: Annotated[_Line, AfterValidator(Places(("source", "text")))]
    earlier: Annotated[_Line, AfterValidator(Places(("text",)))]
    nothing: Plain


class GreetingSentences(Section):
    """The first words, if the company has none of its own in this language."""

    greeting: Annotated[_Line, AfterValidator(Places(("name", "company")))]
    disclosure: Plain


class DemoSentences(Section):
    """What the demo model says about itself."""

    foreign: Plain
    note: Plain


class Sentences(Section):
    """All fixed sentences that customers and models get in one language. None may be missing."""

    acknowledgement: AcknowledgementSentences
    apology: ApologySentences
    aside: AsideSentences
    question: QuestionSentences
    handoff: HandoffSentences
    paused: PausedSentences
    supervised: SupervisedSentences
    outcome: OutcomeSentences
    long_call: LongCallSentences
    phone: PhoneSentences
    rejected: RejectedSentences
    waiting: WaitingSentences
    documents: DocumentSentences
    greeting: GreetingSentences
    demo_model: DemoSentences

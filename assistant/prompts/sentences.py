"""The sentences of a language that has no templates of its own: ``[sentences]`` in its file.

The templates in ``customers/shared/`` decide which sentence is said, and fill in its values. Each field says
which values its sentence may contain, in braces, so a mistake in a file is found when it is read.
"""

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from assistant.prompts.folder import Section

_PLACE = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Places:
    """Checks the names in braces: each of ``needed`` must be there ("doing|will": at least one of the two)."""

    needed: tuple[str, ...]

    def __call__(self, sentence: str) -> str:
        """The sentence. Raises ``ValueError`` for a name that is missing or that has no value."""
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
    """The sentence with its values; a value is never read as a sentence.

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
    """Both forms of a hint."""

    doing: Plain
    will: Plain


class AcknowledgementSentences(Section):
    """Lead-ins for each register, and what follows them. ``numbers`` are the words for two to nine."""

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
    """What is said when nothing else can be."""

    decision_failed: Plain
    unreachable: Plain
    cut: Plain
    begun_again: Plain
    not_possible: Plain
    offer_person: Plain


class AsideSentences(Section):
    """A few words to customers who speak."""

    moment: Plain
    not_understood: Plain
    busy: Plain


class QuestionSentences(Section):
    """The question before a side effect. ``press`` follows it where only a button or a key answers it."""

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
    """What is said about the person that was asked for. ``one_day``, ``days`` and ``span`` make the hours."""

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


class OutcomeSentences(Section):
    """How one call ended. ``read_hint`` and ``write_hint`` stand in for a tool without a hint.

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
    """How something stands that takes minutes to days. ``so_far`` follows where its progress is known."""

    started: _WithHint
    starting: _WithHint
    stopped: _WithHint
    stopping: _WithHint
    so_far: Annotated[_Line, AfterValidator(Places(("progress",)))]
    over: Plain
    none: Plain


class PhoneSentences(Section):
    """What callers hear because they are on the phone."""

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
    """What is said while a model is silent (``model``) or calls take long (``tools``).

    ``done`` comes first when lookups have ended; ``more_doing`` and ``more_will`` count what is not named.
    """

    model: Annotated[tuple[Plain, ...], Field(min_length=3, max_length=12)]
    tools: Annotated[tuple[_WithHint, ...], Field(min_length=3, max_length=12)]
    done: _WithHint
    more_doing: _WithNumber
    more_will: _WithNumber


class DocumentSentences(Section):
    """What documents say, where no model tells it."""

    stands: Annotated[_Line, AfterValidator(Places(("source", "text")))]
    yours: Annotated[_Line, AfterValidator(Places(("source", "text")))]
    earlier: Annotated[_Line, AfterValidator(Places(("text",)))]
    nothing: Plain


class GreetingSentences(Section):
    """The first words, where the company has not written its own in this language."""

    greeting: Annotated[_Line, AfterValidator(Places(("name", "company")))]
    disclosure: Plain


class DemoSentences(Section):
    """What the demo model says of itself."""

    foreign: Plain
    note: Plain


class Sentences(Section):
    """All sentences of one language; a language has all of them."""

    acknowledgement: AcknowledgementSentences
    apology: ApologySentences
    aside: AsideSentences
    question: QuestionSentences
    handoff: HandoffSentences
    outcome: OutcomeSentences
    long_call: LongCallSentences
    phone: PhoneSentences
    rejected: RejectedSentences
    waiting: WaitingSentences
    documents: DocumentSentences
    greeting: GreetingSentences
    demo_model: DemoSentences

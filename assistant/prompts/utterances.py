"""Texts for customers when no model writes them: one typed input for each template.

First the texts of all conversations, then those of voice and phone, then the embedded demo model's own.
"""

from dataclasses import dataclass
from datetime import date, time
from typing import ClassVar, Literal, TypeAlias

from assistant.conversation.outcomes import CallProgress, CallStatusName
from assistant.conversation.tool_spec import NO_HINT, Hint
from assistant.conversation.values import Effect
from assistant.prompts.prompt import Utterance


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultClause(Utterance):
    """What a call would do, from its hint and arguments: "cancel your order (order number 4711)".

    Both forms of ``hint`` are "" for a tool without one in the language. ``arguments`` are names and values
    as text, in the call's order.
    """

    template: ClassVar[str] = "customers/en/default_clause.j2"
    hint: Hint
    arguments: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBack(Utterance):
    """Asks whether the calls behind ``clauses`` may run. Each clause fits after "Shall I ".

    ``first_time`` is False when the first answer was neither yes nor no.
    """

    template: ClassVar[str] = "customers/en/read_back.j2"
    clauses: tuple[str, ...]
    first_time: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation(Utterance):
    """The text after a read-back that was not answered with yes.

    ``no``: declined. ``dropped``: the last question had no clear answer.
    """

    template: ClassVar[str] = "customers/en/confirmation.j2"
    answer: Literal["no", "dropped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmationLate(Utterance):
    """The answer to "never mind" when the agreed call has already run; ``done`` are sentences about the
    result.
    """

    template: ClassVar[str] = "customers/en/confirmation_late.j2"
    done: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmationPerson(Utterance):
    """Offers a person, if available, after the last question had no clear answer."""

    template: ClassVar[str] = "customers/en/confirmation_person.j2"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmationLeft(Utterance):
    """Says that ``left`` of the things in question will not be done."""

    template: ClassVar[str] = "customers/en/confirmation_left.j2"
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeTold(Utterance):
    """One call's outcome as a sentence, for tools without their own narration.

    ``pending``: it has no outcome yet. ``hint`` is the tool's, both forms "" if it has none in the language.
    ``say`` is the outcome's clause for the customer and ``found`` the value as readable text; "" if there is
    none. ``identified``: the call has identified the customer, and ``found`` is their name.
    """

    template: ClassVar[str] = "customers/en/outcome.j2"
    outcome: CallStatusName
    effect: Effect
    hint: Hint
    say: str
    found: str
    identified: bool = False


LongCallMoment: TypeAlias = Literal["started", "starting", "stopped", "stopping", "over", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LongCallTold(Utterance):
    """How a long call stands: it has started, will start, or is stopped.

    ``stopping``: it has not ended yet. ``over``: it ended before it could be stopped. ``none``: no call runs.
    ``done`` of ``total`` (0: not known) of ``unit`` is what its tool has ``reported``, if it has.
    """

    template: ClassVar[str] = "customers/en/long_call.j2"
    what: LongCallMoment
    hint: Hint
    reported: bool = False
    done: int = 0
    total: int = 0
    unit: str = ""

    @classmethod
    def of(
        cls, what: LongCallMoment, hint: Hint | None, progress: CallProgress | None = None
    ) -> "LongCallTold":
        """With what a tool has reported, or nothing."""
        if progress is None:
            return cls(what=what, hint=hint or NO_HINT)
        told = {"done": progress.done, "total": progress.total}
        return cls(what=what, hint=hint or NO_HINT, reported=True, unit=progress.unit, **told)


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrated(Utterance):
    """Several outcomes' sentences as one answer: first ``told``, then ``missed``."""

    template: ClassVar[str] = "customers/en/narration.j2"
    told: tuple[str, ...]
    missed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneMoment(Utterance):
    """The text while a model is silent: the wording with this ``number``, from 1; after the last, the first
    again.
    """

    template: ClassVar[str] = "customers/en/waiting.j2"
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StillWaiting(Utterance):
    """The text while calls take long: the wording with this ``number``, from 1; after the last, the first
    again.

    ``pending`` are the hints of running calls, at least one, and ``more`` is the number of further ones;
    ``done`` are those of lookups that have ended.
    """

    template: ClassVar[str] = "customers/en/waiting_tools.j2"
    number: int
    done: tuple[Hint, ...]
    pending: tuple[Hint, ...]
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Apology(Utterance):
    """The text when no other answer is possible."""

    template: ClassVar[str] = "customers/en/apology.j2"
    reason: Literal["decision_failed", "unreachable", "cut"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotPossible(Utterance):
    """The text when a model only speaks of deeds that no tool does. ``person``: a person can be offered."""

    template: ClassVar[str] = "customers/en/not_possible.j2"
    person: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffTold(Utterance):
    """What the assistant says about a requested person.

    ``queued``: a person was asked; ``again``: that had been done before; ``there``: an agent already has the
    conversation; ``closed``: outside opening hours; ``nobody``: no agent came; ``back``: the assistant speaks
    again. ``ticket`` is the number for the customer, "" for none. ``hours``: opening hours, from which day to
    which, from when to when; the days are example dates.
    """

    template: ClassVar[str] = "customers/en/handoff.j2"
    what: Literal["queued", "again", "there", "closed", "nobody", "back"]
    ticket: str = ""
    hours: tuple[tuple[date, date, time, time], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside(Utterance):
    """A few words outside the conversation.

    ``moment``: the answer is not ready, and nothing has been said. ``not_understood``: the speech could not
    be transcribed. ``busy``: too many messages are waiting.
    """

    template: ClassVar[str] = "customers/en/aside.j2"
    what: Literal["moment", "not_understood", "busy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BegunAgain(Utterance):
    """Joins the beginning of a sentence whose value had no source to the sentence that replaces it."""

    template: ClassVar[str] = "customers/en/begun_again.j2"


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneTold(Utterance):
    """What the assistant says on the phone in addition to its answers.

    ``greeting``: the first words, which say that a machine speaks. ``keys``: after a read-back, that keys can
    answer it. ``transfer``: just before the call is transferred to a person.
    """

    template: ClassVar[str] = "customers/en/phone.j2"
    what: Literal["greeting", "keys", "transfer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected(Utterance):
    """Says why a message, an answer or a rating was not accepted.

    ``length`` and ``most`` count characters, for ``too_long``; ``message_id`` is the one of ``unknown_message``.
    """

    template: ClassVar[str] = "customers/en/rejected.j2"
    reason: Literal[
        "empty",
        "too_long",
        "busy",
        "files_busy",
        "rate_limited",
        "confirmation_closed",
        "unknown_message",
        "unknown_file",
    ]
    length: int = 0
    most: int = 0
    message_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineHelp(Utterance):
    """What the assistant can do, from the tools' ``will`` hints; used when no tool fits.

    ``unmatched`` is False if the customer asked what it can do. ``person`` is the ``will`` hint of the tool
    that asks for a person, if it is offered.
    """

    template: ClassVar[str] = "demo_model/en/help.j2"
    abilities: tuple[str, ...]
    person: str = ""
    unmatched: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineAsk(Utterance):
    """Asks for a missing argument.

    ``argument`` and ``description`` are the parameter's own, ``choices`` its values if they are known,
    ``will`` the tool's hint.
    """

    template: ClassVar[str] = "demo_model/en/ask.j2"
    will: str
    argument: str
    description: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineProve(Utterance):
    """Asks for what identifies the customer: the parameters' names; all (``first``), or the missing ones."""

    template: ClassVar[str] = "demo_model/en/prove.j2"
    arguments: tuple[str, ...]
    first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineUnsure(Utterance):
    """Asks which of several requests was meant, as ``will`` hints."""

    template: ClassVar[str] = "demo_model/en/unsure.j2"
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineRemembered(Utterance):
    """Tells one thing of a result.

    ``place`` is its number in the list, 0 if it was not asked for by place; ``name`` is its name, "" if
    unknown or if the name was asked for. ``fields`` are key, value and kind: "amount", "moment" (ISO),
    "name", "place", "state" (which may have changed) or "other". ``past``: the customer asked what it was.
    """

    template: ClassVar[str] = "demo_model/en/remembered.j2"
    place: int
    name: str
    fields: tuple[tuple[str, str, str], ...]
    past: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineSmalltalk(Utterance):
    """Answers a message that is no request."""

    template: ClassVar[str] = "demo_model/en/smalltalk.j2"
    about: Literal["greeting", "thanks", "goodbye"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineForeign(Utterance):
    """Says that only English is understood, in the customer's language and in English.

    ``language`` is the customer's probable language ("German"), "" if unknown.
    """

    template: ClassVar[str] = "demo_model/en/foreign.j2"
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineNote(Utterance):
    """The small note that says what the demo model is."""

    template: ClassVar[str] = "demo_model/en/note.j2"


ENGLISH_ONLY = (OfflineHelp, OfflineAsk, OfflineProve, OfflineRemembered, OfflineUnsure, OfflineSmalltalk)
"""What is only ever said in reply to English, since the demo model understands nothing else."""

"""Texts for customers when no model writes them: one typed input for each template.

First come the texts for all conversations, then those for voice and phone, then those of the embedded demo
model.
"""

from dataclasses import dataclass
from datetime import date, time
from typing import ClassVar, Literal, TypeAlias

from assistant.conversation.entries import BudgetName
from assistant.conversation.outcomes import CallProgress, CallStatusName
from assistant.conversation.tool_spec import NO_HINT, Hint
from assistant.conversation.values import Effect
from assistant.prompts.prompt import Utterance


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultClause(Utterance):
    """What a call would do, made from its hint and arguments: "cancel your order (order number 4711)".

    Both forms of ``hint`` are "" if the tool has no hint in the language. ``arguments`` are names and values
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

    ``no``: the customer declined. ``dropped``: the last question had no clear answer.
    """

    template: ClassVar[str] = "customers/en/confirmation.j2"
    answer: Literal["no", "dropped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmationLate(Utterance):
    """The answer to "never mind" if the confirmed call has already run; ``done`` are sentences about the
    result.
    """

    template: ClassVar[str] = "customers/en/confirmation_late.j2"
    done: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmationPerson(Utterance):
    """Offers a human agent, if available, after the last question had no clear answer."""

    template: ClassVar[str] = "customers/en/confirmation_person.j2"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmationLeft(Utterance):
    """Says that ``left`` of the things in question will not be done."""

    template: ClassVar[str] = "customers/en/confirmation_left.j2"
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeTold(Utterance):
    """One call's outcome as a sentence, for a tool without a narration.

    ``pending``: there is no outcome yet. ``hint`` is the tool's; both forms are "" if it has none in the
    language. ``say`` is the outcome's clause for the customer, and ``found`` the value as readable text; ""
    if there is none. ``identified`` is True if the call has identified the customer, and ``found`` is their
    name.
    """

    template: ClassVar[str] = "customers/en/outcome.j2"
    outcome: CallStatusName
    effect: Effect
    hint: Hint
    say: str
    found: str
    identified: bool = False


LongCallMoment: TypeAlias = Literal["started", "starting", "approval", "stopped", "stopping", "over", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LongCallTold(Utterance):
    """The state of a long call: it has started, will start, waits for a colleague's approval, or is being stopped.

    ``stopping``: the call has not ended yet. ``over``: the call ended before it could be stopped. ``none``:
    no call is running. ``reported`` is True if its tool has reported progress: ``done`` of ``total`` (0:
    unknown) in ``unit``.
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
        """Add the progress that a tool has reported, if any."""
        if progress is None:
            return cls(what=what, hint=hint or NO_HINT)
        told = {"done": progress.done, "total": progress.total}
        return cls(what=what, hint=hint or NO_HINT, reported=True, unit=progress.unit, **told)


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrated(Utterance):
    """The sentences for several outcomes as one answer: first ``told``, then ``missed``."""

    template: ClassVar[str] = "customers/en/narration.j2"
    told: tuple[str, ...]
    missed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneMoment(Utterance):
    """The text while a model is silent. ``number`` chooses the wording, from 1; after the last wording comes
    the first again.
    """

    template: ClassVar[str] = "customers/en/waiting.j2"
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StillWaiting(Utterance):
    """The text while calls take long. ``number`` chooses the wording, from 1; after the last wording comes
    the first again.

    ``pending`` are the hints of running calls, at least one, and ``more`` is the number of other running
    calls. ``done`` are the hints of lookups that have ended.
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
    reason: Literal["decision_failed", "unreachable", "cut", BudgetName]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotPossible(Utterance):
    """The text if a model only claims actions that no tool can do.

    ``person`` is True if a human agent can be offered.
    """

    template: ClassVar[str] = "customers/en/not_possible.j2"
    person: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffTold(Utterance):
    """What the assistant says about a requested human agent.

    ``queued``: an agent was requested. ``escalated``: a rule of the company requested one. ``again``: one had
    been requested before. ``there``: an agent already has the conversation. ``closed``: outside opening hours.
    ``nobody``: no agent came. ``back``: the assistant has the conversation again. ``ticket`` is the number for
    the customer, "" for none. ``hours``: opening hours, as first and last day and first and last time; the days
    are example dates.
    """

    template: ClassVar[str] = "customers/en/handoff.j2"
    what: Literal["queued", "escalated", "again", "there", "closed", "nobody", "back"]
    ticket: str = ""
    hours: tuple[tuple[date, date, time, time], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PausedTold(Utterance):
    """What a customer is told while staff have paused the assistant, its channel or a tool.

    ``stopped``: no one answers here. ``asked``: an agent was asked just now. ``waiting``: one had been asked
    before. ``ticket``: none came, and ``ticket`` is the number for the customer. ``tool``: the reason why a tool
    did not run, as a clause.
    """

    template: ClassVar[str] = "customers/en/paused.j2"
    what: Literal["stopped", "asked", "waiting", "ticket", "tool"]
    ticket: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisedTold(Utterance):
    """What a customer is told while staff supervise the assistant.

    ``asked``: a person was asked just now. ``waiting``: one had been asked before. ``ticket``: none came, and
    ``ticket`` is the number for the customer. ``stopped``: no one answers here. ``checking``: a colleague reads the
    reply before it is sent. ``instead``: a person answers in place of that reply.
    """

    template: ClassVar[str] = "customers/en/supervised.j2"
    what: Literal["asked", "waiting", "ticket", "stopped", "checking", "instead"]
    ticket: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside(Utterance):
    """A short remark outside of the conversation.

    ``moment``: the answer is not ready, and nothing has been said yet. ``not_understood``: the speech could
    not be transcribed. ``busy``: too many messages are waiting.
    """

    template: ClassVar[str] = "customers/en/aside.j2"
    what: Literal["moment", "not_understood", "busy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BegunAgain(Utterance):
    """Joins the beginning of a sentence that contained a value without a source to the new sentence."""

    template: ClassVar[str] = "customers/en/begun_again.j2"


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneTold(Utterance):
    """What the assistant says on the phone in addition to its answers.

    ``greeting``: the first words, which say that a machine speaks. ``keys``: after a read-back, that the
    customer can answer with keys. ``transfer``: right before the call is transferred to a human agent.
    """

    template: ClassVar[str] = "customers/en/phone.j2"
    what: Literal["greeting", "keys", "transfer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected(Utterance):
    """Says why a message, an answer or a rating was not accepted.

    ``length`` and ``most`` are numbers of characters, for ``too_long``. ``message_id`` is for
    ``unknown_message``.
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
    that asks for a human agent, if it is offered.
    """

    template: ClassVar[str] = "demo_model/en/help.j2"
    abilities: tuple[str, ...]
    person: str = ""
    unmatched: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineAsk(Utterance):
    """Asks for a missing argument of a tool.

    ``argument`` is the parameter's name, ``description`` its description, and ``choices`` contains its possible
    values, if they are known. ``will`` is the tool's waiting hint in the form that follows "I will", such as
    "cancel your order".
    """

    template: ClassVar[str] = "demo_model/en/ask.j2"
    will: str
    argument: str
    description: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineProve(Utterance):
    """Asks for identification. It lists the names of the parameters: all (``first``), or the missing ones."""

    template: ClassVar[str] = "demo_model/en/prove.j2"
    arguments: tuple[str, ...]
    first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineUnsure(Utterance):
    """Asks which of several requests the customer means. They are ``will`` hints."""

    template: ClassVar[str] = "demo_model/en/unsure.j2"
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineRemembered(Utterance):
    """Tells values of one thing in a result.

    ``place`` is its position in the list, 0 if the customer did not ask by position. ``name`` is its name, ""
    if it is unknown or was asked for. ``fields`` are triples of key, value and kind: "amount", "moment"
    (ISO), "name", "place", "state" (which may have changed) or "other". ``past`` is True if the customer
    asked for the past.
    """

    template: ClassVar[str] = "demo_model/en/remembered.j2"
    place: int
    name: str
    fields: tuple[tuple[str, str, str], ...]
    past: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineSmalltalk(Utterance):
    """Answers a message without a request."""

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
"""Texts that only follow messages in English, because the demo model understands nothing else."""

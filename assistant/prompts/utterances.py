"""What customers are told when no model finds the words: one typed input for each template.

First come the texts of every conversation, then those of voice and phone, then the embedded demo model's own.
"""

from dataclasses import dataclass
from datetime import date, time
from typing import ClassVar, Literal

from assistant.conversation.outcomes import CallStatusName
from assistant.conversation.tool_spec import Hint
from assistant.conversation.values import Effect
from assistant.prompts.prompt import Utterance


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultClause(Utterance):
    """What a call would do, from its hint and arguments: "cancel your order (order number 4711)".

    Both forms of ``hint`` are "" for a tool that has none in the language. ``arguments`` are names and values
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
    """What is said once a read-back was answered, other than with yes.

    ``no``: declined. ``dropped``: asked in vain for the last time.
    """

    template: ClassVar[str] = "customers/en/confirmation.j2"
    answer: Literal["no", "dropped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmationLate(Utterance):
    """What is said to "never mind" after what was agreed to has been done; ``done`` are sentences that tell it."""

    template: ClassVar[str] = "customers/en/confirmation_late.j2"
    done: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmationPerson(Utterance):
    """Offers a person, where there is one, to whom a read-back was answered in vain for the last time."""

    template: ClassVar[str] = "customers/en/confirmation_person.j2"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmationLeft(Utterance):
    """Says of so many (``left``) of the things that were asked about that they will not be done."""

    template: ClassVar[str] = "customers/en/confirmation_left.j2"
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeTold(Utterance):
    """One call's outcome as a sentence, for calls whose tool has no narration of its own.

    ``pending``: it has none yet. ``hint`` is the tool's, both forms "" where it has none in the language; ``say``
    a clause for the customer where the outcome has one, ``found`` the value as readable text where there is one;
    otherwise both are "". ``identified``: the call has found out who the customer is, and ``found`` is their name.
    """

    template: ClassVar[str] = "customers/en/outcome.j2"
    outcome: CallStatusName
    effect: Effect
    hint: Hint
    say: str
    found: str
    identified: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrated(Utterance):
    """Several outcomes' sentences as one answer: first what was ``told``, then what ``missed``."""

    template: ClassVar[str] = "customers/en/narration.j2"
    told: tuple[str, ...]
    missed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneMoment(Utterance):
    """What is said while a model is silent: the wording of this ``number``, counted from 1 and round again."""

    template: ClassVar[str] = "customers/en/waiting.j2"
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StillWaiting(Utterance):
    """What is said while calls take their time: the wording of this ``number``, counted from 1 and round again.

    ``pending`` are the hints of what runs, one at least, and ``more`` counts further ones; ``done`` are those of
    lookups that are through, whatever they found.
    """

    template: ClassVar[str] = "customers/en/waiting_tools.j2"
    number: int
    done: tuple[Hint, ...]
    pending: tuple[Hint, ...]
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Apology(Utterance):
    """What is said when nothing else can be."""

    template: ClassVar[str] = "customers/en/apology.j2"
    reason: Literal["decision_failed", "unreachable", "cut"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotPossible(Utterance):
    """What is said when a model speaks of nothing but deeds that no tool does. ``person``: one can be offered."""

    template: ClassVar[str] = "customers/en/not_possible.j2"
    person: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffTold(Utterance):
    """What the assistant says about the person that was asked for.

    ``queued``: somebody was asked; ``again``: that had been done before; ``there``: one has the conversation
    already; ``closed``: nobody is there at this hour; ``nobody``: nobody came; ``back``: the assistant speaks
    again. ``ticket`` is the number that the customer can refer to, "" for none. ``hours``: from which day to
    which, from when to when, people can be reached; the days are dates that fall on them.
    """

    template: ClassVar[str] = "customers/en/handoff.j2"
    what: Literal["queued", "again", "there", "closed", "nobody", "back"]
    ticket: str = ""
    hours: tuple[tuple[date, date, time, time], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside(Utterance):
    """A few words that are no message of the conversation.

    ``moment``: the answer is not there yet, and nothing has been said. ``not_understood``: what the customer said
    could not be written down. ``busy``: too many messages wait already.
    """

    template: ClassVar[str] = "customers/en/aside.j2"
    what: Literal["moment", "not_understood", "busy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BegunAgain(Utterance):
    """What joins the beginning of a sentence whose value did not prove to the sentence that takes its place."""

    template: ClassVar[str] = "customers/en/begun_again.j2"


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneTold(Utterance):
    """What the assistant says on the phone beside its answers.

    ``greeting``: the first words, which say that a machine speaks. ``keys``: after a read-back, that a key answers
    it. ``transfer``: right before the call is passed on to a person.
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
    """What the assistant can do, from the tools' ``will`` hints; said when nothing fits.

    ``unmatched`` is False when the customer asked what it can do. ``person`` is the ``will`` hint of the tool that
    asks for a person, where that is offered.
    """

    template: ClassVar[str] = "demo_model/en/help.j2"
    abilities: tuple[str, ...]
    person: str = ""
    unmatched: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineAsk(Utterance):
    """Asks for an argument that is missing.

    ``argument`` and ``description`` are the parameter's own, ``choices`` its values where they are known,
    ``will`` the tool's hint.
    """

    template: ClassVar[str] = "demo_model/en/ask.j2"
    will: str
    argument: str
    description: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineProve(Utterance):
    """Asks for what shows who the customer is: the parameters' names; all of them (``first``), or what lacks."""

    template: ClassVar[str] = "demo_model/en/prove.j2"
    arguments: tuple[str, ...]
    first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineUnsure(Utterance):
    """Asks back between the things that the request may have meant, as ``will`` hints."""

    template: ClassVar[str] = "demo_model/en/unsure.j2"
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineRemembered(Utterance):
    """Tells one thing of a result by itself.

    ``place`` is its number in the list, 0 where nobody asked by that; ``name`` what it is called, "" where that is
    not known, or is what was asked. ``fields`` are a key, its value and its kind each: "amount", "moment" (ISO),
    "name", "place", "state" (which may be another by now) or "other". ``past``: it was asked what it was.
    """

    template: ClassVar[str] = "demo_model/en/remembered.j2"
    place: int
    name: str
    fields: tuple[tuple[str, str, str], ...]
    past: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineSmalltalk(Utterance):
    """Answers what is no request."""

    template: ClassVar[str] = "demo_model/en/smalltalk.j2"
    about: Literal["greeting", "thanks", "goodbye"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineForeign(Utterance):
    """Says that nothing but English is understood, in the customer's language and in English.

    ``language`` is what the customer seems to write in ("German"), "" where that is not known.
    """

    template: ClassVar[str] = "demo_model/en/foreign.j2"
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineNote(Utterance):
    """The fine print that says what the demo model is."""

    template: ClassVar[str] = "demo_model/en/note.j2"


ENGLISH_ONLY = (OfflineHelp, OfflineAsk, OfflineProve, OfflineRemembered, OfflineUnsure, OfflineSmalltalk)
"""What is only ever said in reply to English, since the demo model understands nothing else."""

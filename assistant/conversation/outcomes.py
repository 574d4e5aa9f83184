"""The outcome of a call: one of eight kinds, as data. Code that shows an outcome turns it into text."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from assistant.conversation.calls import Call
from assistant.conversation.media import Media
from assistant.conversation.values import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSucceeded:
    """A call's result as data. Code that shows it to a model or a customer formats it.

    ``omitted`` has a clause for each file that could not be stored, such as "photo.png: it cannot be read".
    ``full_ref`` is the reference of the full value if the value is shortened, or "" if the value is complete.
    Shortened values are only in views, never in the log.
    """

    call: Call
    value: Json
    media: tuple[Media, ...] = ()
    omitted: tuple[str, ...] = ()
    full_ref: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEmpty:
    """A successful call that found nothing: an empty list, mapping or text, or None."""

    call: Call
    value: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFailed:
    """A failed call, with a text for the customer and one for the model. The log has the exception."""

    call: Call
    say: str
    for_model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTimedOut:
    """A call that was still running at its own timeout or the turn's."""

    call: Call
    after_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCancelled:
    """A call that did not run, or did not finish. It must never be told as "found nothing".

    ``duplicate_of`` is the call of this turn (``c1.1``) that already does the same, or "" if there is none.
    """

    call: Call
    why: str
    duplicate_of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallDenied:
    """A call that may not run: the customer's identification is not sufficient, or a rule forbids it."""

    call: Call
    say: str
    for_model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallAwaitingConfirmation:
    """A call that did not run, because the customer must agree first. After a yes, it runs as a new call."""

    call: Call


@dataclass(frozen=True, slots=True, kw_only=True)
class CallUnknown:
    """A side effect that started before a crash and whose outcome is unknown."""

    call: Call


Outcome: TypeAlias = (
    CallSucceeded
    | CallEmpty
    | CallFailed
    | CallTimedOut
    | CallCancelled
    | CallDenied
    | CallAwaitingConfirmation
    | CallUnknown
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallProgress:
    """The last report of a long call's tool: ``done`` of ``total`` (0: unknown) in ``unit``, such as "pages".

    >>> str(CallProgress(done=3, total=10, unit="pages"))
    '3 of 10 pages'
    """

    done: int
    total: int
    unit: str = ""

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers that may be told: the done part, the total, the remaining part, and the percentage.

        >>> CallProgress(done=3, total=10).numbers
        (3, 10, 7, 30)
        """
        if not self.total:
            return (self.done,)
        return self.done, self.total, self.total - self.done, round(100 * self.done / self.total)

    def __str__(self) -> str:
        """Returns the progress as text for models and logs."""
        count = f"{self.done} of {self.total}" if self.total else str(self.done)
        return f"{count} {self.unit}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class LongCallStatus:
    """The state of a long call. ``ref`` is its reference in the conversation, ``t1/c1.1``.

    ``starting``: the system that runs it has not accepted it yet. ``approval``: it waits for the approval of staff,
    and nothing was done. ``progress`` is None if its tool has
    reported nothing.
    """

    ref: str
    state: Literal["starting", "running", "stopping", "approval"] = "running"
    progress: CallProgress | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPending:
    """There is no outcome yet: the turn does not wait for the call, which continues.

    ``long``: it may take days.
    """

    call: Call
    long: LongCallStatus | None = None


CallStatus: TypeAlias = Outcome | CallPending
"""The status of a call: its outcome, or that it has none yet."""

OutcomeName: TypeAlias = Literal[
    "ok", "empty", "failed", "timed_out", "cancelled", "denied", "awaiting_confirmation", "unknown"
]

CallStatusName: TypeAlias = Literal[OutcomeName, "pending"]

_NAMES: dict[type, OutcomeName] = {
    CallSucceeded: "ok",
    CallEmpty: "empty",
    CallFailed: "failed",
    CallTimedOut: "timed_out",
    CallCancelled: "cancelled",
    CallDenied: "denied",
    CallAwaitingConfirmation: "awaiting_confirmation",
    CallUnknown: "unknown",
}


def outcome_name(outcome: Outcome) -> OutcomeName:
    """Returns the outcome's name in frames, logs and metrics."""
    return _NAMES[type(outcome)]


def call_status_name(standing: CallStatus) -> CallStatusName:
    """Returns the outcome's name, or "pending"."""
    return "pending" if isinstance(standing, CallPending) else outcome_name(standing)


_STOPPED = "the customer asked to stop it"


def stopped_outcome(call: Call, progress: CallProgress | None) -> CallCancelled:
    """Returns the outcome of a long call that the customer stopped, with the last progress that its tool
    reported.
    """
    so_far = f"its tool had reported: {progress}" if progress else "how far it had come is not known"
    return CallCancelled(call=call, why=f"{_STOPPED} after it had started; {so_far}")


def withdrawn_outcome(call: Call) -> CallCancelled:
    """Returns the outcome of a call that the customer withdrew while it waited for the approval of staff."""
    return CallCancelled(call=call, why=f"{_STOPPED} before a colleague had approved it; nothing was done")


def was_stopped(outcome: CallStatus) -> bool:
    """Whether the customer stopped this call after it had started, so that a part of it may have been done."""
    return isinstance(outcome, CallCancelled) and outcome.why.startswith(_STOPPED)


_SAY = "I don't know yet who you are"


def denied_as_unknown(call: Call, for_model: str) -> CallDenied:
    """Returns the outcome of a call that needs an identified customer. ``for_model`` says what would help.

    >>> is_denied_as_unknown(denied_as_unknown(Call(id="c1.1", tool="get_open_invoices"), ""))
    True
    """
    return CallDenied(call=call, say=_SAY, for_model=for_model)


def is_denied_as_unknown(outcome: CallStatus) -> bool:
    """Whether a call was denied only because the customer is not identified yet."""
    return isinstance(outcome, CallDenied) and outcome.say == _SAY

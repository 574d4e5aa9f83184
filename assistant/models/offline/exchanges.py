"""A view as a row of exchanges: what the customer said, and what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import assert_never

from assistant.conversation.attached import files_in
from assistant.conversation.calls import Call
from assistant.conversation.documents import LOAD_IN_FULL
from assistant.conversation.outcomes import CallAwaitingConfirmation, CallPending, CallSucceeded, Outcome
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, View


@dataclass(frozen=True, slots=True)
class Exchange:
    """One message of the customer's, every outcome after it in order, and the assistant's words after it.

    ``proved`` holds the outcome that showed who the customer is, where one did: ``outcomes`` are those after it,
    and where it was ``wished`` for something, ``said`` is the message that had to wait for it. ``files`` are the
    names of those that came with the message; then ``said`` may be empty.
    """

    said: str
    outcomes: tuple[Outcome, ...] = ()
    told: str = ""
    proved: tuple[Outcome, ...] = ()
    wished: bool = False
    files: tuple[str, ...] = ()

    @property
    def waiting(self) -> tuple[CallAwaitingConfirmation, ...]:
        """The side effects that were read back and still wait for a yes."""
        return tuple(one for one in self.outcomes if isinstance(one, CallAwaitingConfirmation))

    @property
    def found(self) -> tuple[CallSucceeded, ...]:
        """What was looked up or done."""
        return tuple(one for one in self.outcomes if isinstance(one, CallSucceeded))


def exchanges_of(view: View) -> tuple[Exchange, ...]:
    """Read a view, oldest first. What stands before the first message of a customer's is left out.

    An earlier result that was loaded in full stands there as the call that brought it.
    """
    row: list[Exchange] = []
    shortened: dict[str, Call] = {}
    for message in view.messages:
        match message:
            case FromCustomer(text=text):
                words, files = files_in(text)
                row.append(Exchange(words, files=tuple(one.name for one in files)))
            case FromAssistant(text=text) if row and text:
                row[-1] = replace(row[-1], told=f"{row[-1].told} {text}".strip())
            case FromTools(outcomes=outcomes) if row:
                ended = [_loaded(each, shortened) for each in outcomes if not isinstance(each, CallPending)]
                shortened |= {
                    one.full_ref: one.call for one in ended if isinstance(one, CallSucceeded) and one.full_ref
                }
                row[-1] = replace(row[-1], outcomes=(*row[-1].outcomes, *ended))
            case FromAssistant() | FromTools():
                continue
            case _:
                assert_never(message)
    return tuple(row)


def _loaded(outcome: Outcome, shortened: Mapping[str, Call]) -> Outcome:
    """The result that was loaded, whole, where that is what the outcome is; else the outcome itself."""
    if not isinstance(outcome, CallSucceeded) or outcome.call.tool != LOAD_IN_FULL:
        return outcome
    match outcome.value:
        case {"source": str(tool), "ref": str(ref), "value": value}:
            # A narrator is not given the earlier call.
            call = shortened.get(ref, Call(id=outcome.call.id, tool=tool))
            return CallSucceeded(call=call, value=value, full_ref=ref if outcome.full_ref else "")
        case _:
            return outcome

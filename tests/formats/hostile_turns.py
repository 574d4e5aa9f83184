"""Turns with an untrusted text in each place where a third party can put one."""

from collections.abc import Callable

from assistant.conversation.calls import Call
from assistant.conversation.media import Media
from assistant.conversation.outcomes import (
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
)
from assistant.conversation.views import (
    FromAssistant,
    FromCustomer,
    FromTools,
    HandoffMessage,
    TurnView,
    handoff_view,
)

Talk = Callable[[str], TurnView]


def customer(text: str) -> TurnView:
    return TurnView((FromCustomer(text), FromAssistant("Let me see."), FromCustomer(f"And {text}?")))


def person(text: str) -> TurnView:
    remarks = [
        HandoffMessage(message_id="m1", name="Sam", text=text),
        HandoffMessage(message_id="m2", name=f"S{text}", text="Hi"),
    ]
    return TurnView((FromCustomer("A person, please."), *handoff_view(remarks)))


def assistant(text: str) -> TurnView:
    return TurnView((FromCustomer("What does the note say?"), FromAssistant(f"It says: {text}.")))


def _calls(text: str) -> tuple[Call, ...]:
    return tuple(
        Call(id=f"c1.{number}", tool="read_note", arguments={"about": text, f"k{text}": [text]})
        for number in range(1, 9)
    )


def arguments(text: str) -> TurnView:
    calls = _calls(text)[:2]
    return TurnView(
        (
            FromCustomer("Read it."),
            FromAssistant("", calls),
            FromTools(tuple(CallSucceeded(call=call, value={"ok": True}) for call in calls)),
        )
    )


def results(text: str) -> TurnView:
    calls = _calls("it")
    outcomes = (
        CallSucceeded(
            call=calls[0], value={"note": text, f"k{text}": [{"deep": text}]}, omitted=(f"a.png{text}",)
        ),
        CallSucceeded(
            call=calls[1], value=text, media=(Media(mime="text/plain", data="b2s=", name=f"n{text}"),)
        ),
        CallEmpty(call=calls[2], value=""),
        CallFailed(call=calls[3], say="no", for_model=text),
        CallDenied(call=calls[4], say="no", for_model=text),
        CallCancelled(call=calls[5], why=text),
        CallTimedOut(call=calls[6], after_s=2),
        CallUnknown(call=calls[7]),
    )
    return TurnView(
        (FromCustomer("Read it."), FromAssistant("", calls), FromTools(outcomes), FromAssistant("Done."))
    )


PLACES: tuple[Talk, ...] = (customer, person, assistant, arguments, results)

"""Who said what, as both summarisers are given it: the words of a turn, and what its calls brought."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from assistant.conversation.outcomes import CallSucceeded, Standing, standing_name
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView
from assistant.formats.json_text import json_text
from assistant.memory.summaries.room import Room

CUSTOMER, ASSISTANT = "Customer", "Assistant"

_RESULT = Room(most=400)
"""So many characters of a result stand in a summary: the rest of it is kept to be looked up."""


@dataclass(frozen=True, slots=True)
class Said:
    """Some words, and whose they are: "Customer", "Assistant", or a tool's, by its name; "" where nobody knows.

    >>> str(Said("Customer", "My order is late."))
    'Customer: My order is late.'
    """

    who: str
    text: str

    def __str__(self) -> str:
        return f"{self.who}: {self.text}" if self.who else self.text


def said_in(turns: Sequence[TurnView]) -> tuple[Said, ...]:
    """What these turns hold, in order, as the decision model was given them; pure."""
    return tuple(said for turn in turns for message in turn.messages for said in _said(message))


def _said(message: FromCustomer | FromAssistant | FromTools) -> Iterator[Said]:
    match message:
        case FromCustomer(text=text):
            yield from _worded(CUSTOMER, text)
        case FromAssistant(text=text):
            yield from _worded(ASSISTANT, text)
        case FromTools(outcomes=outcomes):
            for outcome in outcomes:
                yield Said(outcome.call.tool, _brought(outcome))
        case _:
            assert_never(message)


def _worded(who: str, text: str) -> Iterator[Said]:
    if text.strip():
        yield Said(who, text.strip())


def _brought(outcome: Standing) -> str:
    """A call and what came of it, in one line."""
    asked = json_text(outcome.call.arguments) if outcome.call.arguments else ""
    match outcome:
        case CallSucceeded(value=value, full_ref=ref):
            text = value if isinstance(value, str) else json_text(value)
            whole = f" [{ref}]" if ref else ""
            came = f"{_RESULT.beginning(' '.join(text.split()))}{whole}"
        case _:
            came = standing_name(outcome)
    return f"{asked} -> {came}".strip()

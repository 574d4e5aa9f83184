"""Grok's old form, in which calls and results stand in the conversation as text.

Such a text must never be taken for a call that is to be made, whoever reads it: every line begins with a bar,
and no character is left in it from which JSON, XML, or a block of code could be made.
"""

from typing import assert_never

from assistant.conversation.outcomes import Standing
from assistant.conversation.values import Json
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView
from assistant.formats.blank import is_blank
from assistant.formats.call_ids import CallIds
from assistant.formats.json_text import json_bytes, json_text
from assistant.formats.names import wire_name
from assistant.formats.results import result_text

_HARMLESS = str.maketrans({"{": "(", "}": ")", "<": "‹", ">": "›", "`": "'"})


def write_turn_as_text(turn: TurnView, ids: CallIds) -> bytes:  # noqa: ARG001 - text needs no ids
    """The turn's messages as JSON text, joined by commas; what the tools were asked and told is the user's."""
    messages: list[Json] = []
    for message in turn.messages:
        match message:
            case FromCustomer(text=text):
                role = "user"
            case FromAssistant(text=text):
                role = "assistant"
            case FromTools(outcomes=outcomes):
                # Not the assistant's words: a model that has written such text would write it again.
                role, text = "user", "\n".join(_record(outcome) for outcome in outcomes)
            case _:
                assert_never(message)
        if not is_blank(text):
            messages.append({"role": role, "content": text})
    return json_bytes(messages)[1:-1]


def _record(outcome: Standing) -> str:
    call = outcome.call
    asked = f"Please call {wire_name(call.tool)} with {json_text(call.arguments)}"
    return _barred(f"{asked}\nDone: {result_text(outcome)}")


def _barred(text: str) -> str:
    return "\n".join(f"| {line}" for line in text.translate(_HARMLESS).splitlines())

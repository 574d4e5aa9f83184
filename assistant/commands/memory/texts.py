"""Shows the very text of requests: instructions, and what each message says."""

from collections.abc import Iterator
from typing import assert_never

from rich.console import Console

from assistant.commands.memory.remembered import Remembered
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, View, ViewMessage
from assistant.formats.json_text import json_text
from assistant.formats.results import PICTURES, text_with_captions
from assistant.ports import ModelRequest


def print_texts(console: Console, found: Remembered) -> None:
    """Print each model's, as it stands in the request: nothing is folded or cut."""
    for role, request in requests_of(found):
        console.print(f"\nWhat the {role} would be given", style="bold")
        for who, text in messages_of(request.view):
            console.print(f"--- {who}", style="dim")
            console.out(text)


def requests_of(found: Remembered) -> Iterator[tuple[str, ModelRequest]]:
    """All requests that there would be, by role."""
    yield from ((given.role, given.request) for given in found.given)
    if found.summariser is not None and found.summariser.next is not None:
        yield "summariser", found.summariser.next.request


def messages_of(view: View) -> Iterator[tuple[str, str]]:
    """Who says what, in order."""
    yield "instructions", view.system
    for message in view.messages:
        yield from _said(message)
    if view.late:
        yield "instructions, last of all", view.late


def _said(message: ViewMessage) -> Iterator[tuple[str, str]]:
    match message:
        case FromCustomer(text=text):
            yield "customer", text
        case FromAssistant(text=text, calls=calls):
            if text:
                yield "assistant", text
            for call in calls:
                yield f"call {call.id}", f"{call.tool} {json_text(call.arguments)}"
        case FromTools(outcomes=outcomes):
            for outcome in outcomes:
                yield f"result of {outcome.call.id}", text_with_captions(outcome, PICTURES)
        case _:
            assert_never(message)

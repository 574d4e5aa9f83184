"""A conversation in the terminal: the same sessions as behind the page."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from rich.console import Console

from assistant.app import DEMO_CUSTOMER, Assistant, open_assistant
from assistant.commands.logging import set_up_logging
from assistant.conversation.entries import (
    CallEnded,
    CallStarted,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
)
from assistant.conversation.outcomes import outcome_name
from assistant.conversation.people import ConversationKey
from assistant.sessions.session import Session
from assistant.settings import load_settings


def chat(*, new: bool) -> None:
    """Talk until the end of the input; goes on with the last conversation unless a ``new`` one is asked for."""
    set_up_logging("ERROR")
    with suppress(KeyboardInterrupt):
        asyncio.run(_chat(new=new))


async def _chat(*, new: bool) -> None:
    console = Console(highlight=False)
    async with open_assistant(load_settings()) as assistant:
        session = await _open(assistant, new=new)
        _greet(console, assistant)
        session.listen(Screen(console, assistant).show)
        number = len(session.state.said)
        while (line := await asyncio.to_thread(_read_line)) is not None:
            if not line.strip():
                continue
            number += 1
            await session.say(client_message_id=f"terminal-{number}", text=line, locale="en")
            await session.answered()


async def _open(assistant: Assistant, *, new: bool) -> Session:
    customer = DEMO_CUSTOMER
    known = [] if new else await assistant.log.conversations(customer.tenant, customer.id)
    # Conversations begun on the page belong to whoever holds their token.
    own = [conversation for conversation in known if conversation.startswith("terminal-")]
    conversation = own[-1] if own else f"terminal-{assistant.ids.new()}"
    key = ConversationKey(tenant=customer.tenant, customer=customer.id, conversation=conversation)
    return await assistant.sessions.open(key, customer)


def _greet(console: Console, assistant: Assistant) -> None:
    voice = assistant.parts.book.voice
    console.print(f"[bold]{voice.name}:[/] {voice.greeting}")
    console.print(f"[dim]{voice.disclosure}{_fine_print(assistant)} Ctrl-D ends the conversation.[/]")


def _fine_print(assistant: Assistant) -> str:
    return f" ({assistant.note})" if assistant.note else ""


def _read_line() -> str | None:
    try:
        return input("You: ")
    except EOFError:
        return None


class Screen:
    """Shows entries as they become durable: messages as they stream, calls as they start and end."""

    def __init__(self, console: Console, assistant: Assistant) -> None:
        self._console, self._assistant = console, assistant
        self._started: dict[str, str] = {}
        self._pending: list[str] = []
        self._speaking = False

    def show(self, batch: Sequence[Logged]) -> None:
        """Show what came; a listener for the session."""
        for logged in batch:
            match logged.entry:
                case MessageOpened():
                    self._speaking = True
                    self._console.print(f"[bold]{self._assistant.parts.book.voice.name}:[/] ", end="")
                case MessageText(text=text):
                    self._console.print(text, end="", markup=False)
                case MessageClosed():
                    self._speaking = False
                    self._console.print()
                    self._print_pending()
                case CallStarted(call_id=call_id, tool=tool):
                    self._started[call_id] = tool
                    self._say(f"  {self._assistant.doing(tool, 'en')} ...")
                case CallEnded(outcome=outcome) if outcome.call.id in self._started:
                    tool = self._started.pop(outcome.call.id)
                    self._say(f"  {self._assistant.doing(tool, 'en')}: {outcome_name(outcome)}")
                case _:
                    pass

    def _say(self, line: str) -> None:
        # A call may start in the middle of the sentence that announces it.
        self._pending.append(line)
        if not self._speaking:
            self._print_pending()

    def _print_pending(self) -> None:
        for line in self._pending:
            self._console.print(f"[dim]{line}[/]")
        self._pending.clear()

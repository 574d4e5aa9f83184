"""``assistant chat``: a conversation in the terminal, with the same sessions as on the page."""

import asyncio
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import cast

from rich.console import Console

from assistant.app import DEMO_CUSTOMER, Assistant, open_assistant
from assistant.commands.logging import set_up_logging
from assistant.commands.stop_signal import run_until, stop_requested
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    AgentMessage,
    CallEnded,
    CallStarted,
    Handoff,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
)
from assistant.conversation.outcomes import outcome_name
from assistant.sessions.session import Session
from assistant.tenants import load_settings


def chat(*, new: bool) -> None:
    """Talk until the end of the input. Continues the last conversation unless ``new`` is set."""
    set_up_logging("ERROR")
    asyncio.run(_chat(new=new))


async def read_line(read: "Callable[[], bytes] | None" = None) -> str | None:
    """The next line of standard input, without its end; None at the end of the input.

    If it is cancelled, a thread still waits for the line, but does not keep the process alive.

    Args:
        read: blocks until there is a line, and returns it with its line end.
    """
    loop = asyncio.get_running_loop()
    typed: asyncio.Future[bytes] = loop.create_future()

    def give(line: bytes) -> None:
        if not typed.done():
            typed.set_result(line)

    def wait() -> None:
        line = (read or _read)()
        with suppress(RuntimeError):  # the loop is closed: no task waits for the line
            loop.call_soon_threadsafe(give, line)

    threading.Thread(target=wait, name="keyboard", daemon=True).start()
    line = await typed
    return line.decode(errors="replace").rstrip("\r\n") if line else None


def _read() -> bytes:
    # Unbuffered: a thread in a buffered read holds its lock, which the end of the process needs.
    raw = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
    return cast("bytes", raw.readline())


class TerminalView:
    """Shows entries as they become durable: messages as they stream, calls as they start and end.

    Args:
        console: prints text unchanged: without markup and emoji codes.
        name: the assistant's name, before each message.
        doing: the label of a tool's call in a locale: "looking up your appointments".
    """

    def __init__(self, console: Console, name: str, doing: Callable[[str, str], str]) -> None:
        self._console, self._name, self._doing = console, name, doing
        self._started: dict[str, str] = {}
        self._pending: list[str] = []
        self._speaking = False

    def show(self, batch: Sequence[Logged]) -> None:
        """Show the entries; a listener for the session."""
        for logged in batch:
            match logged.entry:
                case MessageOpened():
                    self._speaking = True
                    self._console.print(f"{self._name}: ", style="bold", end="")
                case MessageText(text=text):
                    self._console.print(text, end="")
                case MessageClosed():
                    self._speaking = False
                    self._console.print()
                    self._print_pending()
                case CallStarted(call_id=call_id, tool=tool):
                    self._started[call_id] = tool
                    self._say(f"  {self._doing(tool, 'en')} ...")
                case CallEnded(outcome=outcome) if outcome.call.id in self._started:
                    tool = self._started.pop(outcome.call.id)
                    self._say(f"  {self._doing(tool, 'en')}: {outcome_name(outcome)}")
                case Handoff(state=state, name=person, ticket=ticket):
                    self._say("  " + " ".join(filter(None, ("person:", state, person, ticket))))
                case AgentMessage(name=person, text=text):
                    self._console.print(f"{person}: ", style="bold", end="")
                    self._console.print(text)
                case _:
                    pass

    def _say(self, line: str) -> None:
        # A call may start in the middle of the sentence that announces it.
        self._pending.append(line)
        if not self._speaking:
            self._print_pending()

    def _print_pending(self) -> None:
        for line in self._pending:
            self._console.print(line, style="dim")
        self._pending.clear()


async def _chat(*, new: bool) -> None:
    console = Console(highlight=False, markup=False, emoji=False)
    with stop_requested() as told:
        # No one is served here, so no one in the console could see a request for a person.
        async with open_assistant(load_settings().model_copy(update={"console": False})) as assistant:
            session = await _open(assistant, new=new)
            _greet(console, assistant)
            session.listen(TerminalView(console, assistant.deps.book.voice.name, session.doing).show)
            await run_until(told, _talk(session, console))
            console.print()


async def _talk(session: Session, console: Console) -> None:
    number = len(session.state.said)
    console.print("You: ", end="")
    while (line := await read_line()) is not None:
        if line.strip():
            number += 1
            await session.say(client_message_id=f"terminal-{number}", text=line, locale="en")
            await session.answered()
        console.print("You: ", end="")


async def _open(assistant: Assistant, *, new: bool) -> Session:
    customer = DEMO_CUSTOMER
    known = [] if new else await assistant.storage.log.conversations(customer.tenant, customer.id)
    # A conversation from the page belongs to the visitor who has its token.
    own = [conversation for conversation in known if conversation.startswith("terminal-")]
    conversation = own[-1] if own else f"terminal-{assistant.ids.new()}"
    key = ConversationKey(tenant=customer.tenant, customer=customer.id, conversation=conversation)
    return await assistant.sessions.open(key, customer)


def _greet(console: Console, assistant: Assistant) -> None:
    voice = assistant.deps.book.voice
    console.print(f"{voice.name}: ", style="bold", end="")
    console.print(voice.greeting)
    console.print(f"{voice.disclosure}{_note(assistant)} Ctrl-D ends the conversation.", style="dim")


def _note(assistant: Assistant) -> str:
    return f" ({assistant.note})" if assistant.note else ""

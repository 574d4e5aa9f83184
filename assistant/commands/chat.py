"""A conversation in the terminal: the same sessions as behind the page."""

import asyncio

from rich.console import Console

from assistant.app import DEMO_CUSTOMER, Assistant, open_assistant
from assistant.commands.logging import set_up_logging
from assistant.commands.screen import Screen
from assistant.commands.stopping import told_to_stop, unless
from assistant.commands.typed_line import typed_line
from assistant.conversation.customer import ConversationKey
from assistant.sessions.session import Session
from assistant.settings import load_settings


def chat(*, new: bool) -> None:
    """Talk until the end of the input; goes on with the last conversation unless a ``new`` one is asked for."""
    set_up_logging("ERROR")
    asyncio.run(_chat(new=new))


async def _chat(*, new: bool) -> None:
    console = Console(highlight=False, markup=False, emoji=False)
    with told_to_stop() as told:
        async with open_assistant(load_settings()) as assistant:
            session = await _open(assistant, new=new)
            _greet(console, assistant)
            session.listen(Screen(console, assistant.parts.book.voice.name, session.doing).show)
            await unless(told, _talk(session, console))
            console.print()


async def _talk(session: Session, console: Console) -> None:
    number = len(session.state.said)
    console.print("You: ", end="")
    while (line := await typed_line()) is not None:
        if line.strip():
            number += 1
            await session.say(client_message_id=f"terminal-{number}", text=line, locale="en")
            await session.answered()
        console.print("You: ", end="")


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
    console.print(f"{voice.name}: ", style="bold", end="")
    console.print(voice.greeting)
    console.print(f"{voice.disclosure}{_fine_print(assistant)} Ctrl-D ends the conversation.", style="dim")


def _fine_print(assistant: Assistant) -> str:
    return f" ({assistant.note})" if assistant.note else ""

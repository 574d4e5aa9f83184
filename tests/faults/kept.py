"""What must be true of an installation after any fault of its servers."""

from collections import Counter
from collections.abc import Sequence

from assistant.assembly.storage import open_conversations
from assistant.conversation.entries import CallEnded, CustomerMessage, Logged, TurnEnded, TurnStarted
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.state import ConversationState
from assistant.settings import Settings
from tests.faults.client import Client
from tests.faults.servers import Effect, Installation


async def conversations(installation: Installation) -> dict[str, list[Logged]]:
    """The entries of all conversations, by id."""
    settings = Settings(
        data_dir=installation.folder / "data",
        database=installation.settings.get("ASSISTANT_DATABASE"),  # pyright: ignore[reportArgumentType]
    )
    async with open_conversations(settings) as stored:
        return {one.key.conversation: await stored.read(one.key) for one in await stored.listed()}


def faults(client: Client, entries: Sequence[Logged], effects: Sequence[Effect]) -> list[str]:
    """What is wrong with a conversation, in words; empty if nothing was lost and nothing was done twice."""
    found = [*client.faults]
    numbers = [one.seq for one in entries]
    if numbers != [*range(1, len(entries) + 1)]:
        found.append(f"{client.name}: the numbers are {numbers}")
    state = ConversationState(entries)
    for message_id, shown in client.shown.items():
        message = state.message(message_id)
        text = message.text if message is not None else ""
        if text != shown.text if shown.complete else not text.startswith(shown.text):
            found.append(f"{client.name}: shown {shown}, and the log has {text!r}")
    found += _messages(client, entries)
    begun = [one.entry.turn_id for one in entries if isinstance(one.entry, TurnStarted)]
    ended = [one.entry.turn_id for one in entries if isinstance(one.entry, TurnEnded)]
    if begun != ended:
        found.append(f"{client.name}: turns {begun} began and {ended} ended")
    fences = [one.fence for one in entries]
    if fences != sorted(fences):
        found.append(f"{client.name}: a server wrote after another had taken over: {fences}")
    return found + _effects(client, entries, effects)


def _messages(client: Client, entries: Sequence[Logged]) -> list[str]:
    kept = Counter(one.entry.client_message_id for one in entries if isinstance(one.entry, CustomerMessage))
    repeated = [message for message, times in kept.items() if times > 1]
    lost = [message for message in client.accepted if not kept[message]]
    return [f"{client.name}: {one} is in the log twice" for one in repeated] + [
        f"{client.name}: {one} was accepted and is lost" for one in lost
    ]


def _effects(client: Client, entries: Sequence[Logged], effects: Sequence[Effect]) -> list[str]:
    done = Counter(one.item for one in effects if one.item in client.sent)
    twice = [f"{client.name}: {item} was ordered {times} times" for item, times in done.items() if times > 1]
    told = Counter(
        str(one.entry.outcome.value)
        for one in entries
        if isinstance(one.entry, CallEnded) and isinstance(one.entry.outcome, CallSucceeded)
    )
    missing = [f"{client.name}: {item} was told as ordered, and was not" for item in told if not done[item]]
    return twice + missing

"""Finds out what the summary model would be asked next of a conversation."""

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.assembly.onlooker import Overheard
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged
from assistant.conversation.state import ConversationState
from assistant.ports import ModelRequest
from assistant.sessions.summaries import due
from assistant.turn.parts import Parts
from assistant.turn.views import Views


@dataclass(frozen=True, slots=True)
class NextSummary:
    """What is to be put into fewer words, "conversation" or "result", and the request for it."""

    of: str
    request: ModelRequest


async def next_summary(key: ConversationKey, entries: Sequence[Logged], parts: Parts) -> NextSummary | None:
    """What an onlooker in the summary model's place is asked first; None where nothing has to be summarised."""
    job = due(key, ConversationState(entries), Views(key.conversation).ended, parts)
    if job is None:
        return None
    try:
        await job.make()
    except Overheard as overheard:
        return NextSummary(job.of, overheard.request)
    return None

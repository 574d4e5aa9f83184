"""Reading one conversation for staff."""

import json

from fastapi.responses import Response

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged
from assistant.server.console.access import ConsoleRefused, Person
from assistant.server.console.console_context import Console


async def read_conversation(
    console: Console, conversation_id: str, person: Person
) -> tuple[ConversationKey, list[Logged]]:
    """A conversation's log; its customer is noted in the record. Raises ``ConsoleRefused`` if there is none."""
    key = await console.conversations.index.locate(console.staff.tenant, conversation_id)
    entries = await console.conversations.read(key) if key is not None else []
    if key is None or not entries:
        raise ConsoleRefused(
            404, "unknown_conversation", "there is no such conversation, or it was erased with its customer"
        )
    person.note(customer=key.customer)
    return key, entries


def as_json(value: object) -> Response:
    """An answer that may contain half a character, which only an escape can carry."""
    return Response(json.dumps(value, default=dict), media_type="application/json")

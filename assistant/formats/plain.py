"""The messages of a view as they stand, for a gateway that translates them itself.

A customer's message is ``{"role": "user", "content"}``, the assistant's ``{"role": "assistant", "content"}``
with its ``calls`` (``id``, ``tool``, ``arguments``) when it made any; the message after those is
``{"role": "tool"}`` with their ``outcomes`` (``id``, ``outcome``, ``content``). Nothing is left out, merged
or renamed. Providers refuse calls in this form; messages without calls they take.
"""

from typing import assert_never

from assistant.conversation.outcomes import standing_name
from assistant.conversation.values import Json
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, View, ViewMessage
from assistant.formats.call_ids import CallIds, ids_by_place
from assistant.formats.results import result_text


def plain_messages(view: View) -> list[Json]:
    """All turns' messages, without the instructions."""
    return [
        _plain(message, ids)
        for place, turn in enumerate(view.turns)
        for ids in (ids_by_place(turn, place),)
        for message in turn.messages
    ]


def _plain(message: ViewMessage, ids: CallIds) -> Json:
    match message:
        case FromCustomer(text=text):
            return {"role": "user", "content": text}
        case FromAssistant(text=text, calls=()):
            return {"role": "assistant", "content": text}
        case FromAssistant(text=text, calls=calls):
            asked: Json = [
                {"id": ids[call.id], "tool": call.tool, "arguments": call.arguments} for call in calls
            ]
            return {"role": "assistant", "content": text, "calls": asked}
        case FromTools(outcomes=outcomes):
            ended: Json = [
                {"id": ids[each.call.id], "outcome": standing_name(each), "content": result_text(each)}
                for each in outcomes
            ]
            return {"role": "tool", "outcomes": ended}
        case _:
            assert_never(message)

"""The messages of a view as they stand, for a gateway that translates them itself.

A customer's message is ``{"role": "user", "content"}``, the assistant's ``{"role": "assistant", "content"}``
with its ``calls`` (``id``, ``tool``, ``arguments``) when it made any; the message after those is
``{"role": "tool"}`` with their ``outcomes`` (``id``, ``outcome``, ``content``, and ``media`` where there are
any: ``mime``, ``data``, ``name``). Nothing is left out, merged or renamed. Providers refuse calls in this form;
messages without calls they take.
"""

from collections.abc import Sequence
from typing import assert_never

from assistant.conversation.media import Media
from assistant.conversation.outcomes import Standing, standing_name
from assistant.conversation.values import Json
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, View, ViewMessage
from assistant.formats.call_ids import CallIds, ids_by_place
from assistant.formats.media import media_of, text_with_captions
from assistant.formats.reader import Reader
from assistant.formats.results import result_text


def plain_messages(view: View, reader: Reader) -> list[Json]:
    """All turns' messages, without the instructions; media are described to a reader that cannot see."""
    return [
        _plain(message, ids, reader)
        for place, turn in enumerate(view.turns)
        for ids in (ids_by_place(turn, place),)
        for message in turn.messages
    ]


def _plain(message: ViewMessage, ids: CallIds, reader: Reader) -> Json:
    match message:
        case FromCustomer(text=text, media=media) if media and reader.images:
            return {"role": "user", "content": text, "media": _given(media)}
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
            return {"role": "tool", "outcomes": [_ended(each, ids, reader) for each in outcomes]}
        case _:
            assert_never(message)


def _ended(outcome: Standing, ids: CallIds, reader: Reader) -> Json:
    content = result_text(outcome) if reader.images else text_with_captions(outcome, seen=())
    ended: dict[str, Json] = {
        "id": ids[outcome.call.id],
        "outcome": standing_name(outcome),
        "content": content,
    }
    if reader.images and (media := media_of(outcome)):
        ended["media"] = _given(media)
    return ended


def _given(media: Sequence[Media]) -> Json:
    return [{"mime": one.mime, "data": one.data, "name": one.name} for one in media]

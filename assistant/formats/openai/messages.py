"""One turn's messages, as chat completions have them, each call linked to its result by an id."""

from collections.abc import Iterator, Sequence
from typing import assert_never

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import Standing
from assistant.conversation.values import Json
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, ViewMessage
from assistant.formats.blank import is_blank
from assistant.formats.call_ids import CallIds
from assistant.formats.json_text import json_bytes, json_text
from assistant.formats.media import text_with_captions
from assistant.formats.names import wire_name
from assistant.formats.openai.dialect import OPENAI, Dialect
from assistant.formats.openai.join import UNSPOKEN
from assistant.formats.openai.opaque import OF_CALLS, OF_MESSAGES, only
from assistant.formats.openai.pictures import pictures, with_pictures
from assistant.formats.openai.placeholders import with_placeholders
from assistant.formats.reader import Reader


def write_turn(turn: TurnView, ids: CallIds, reader: Reader, *, dialect: Dialect = OPENAI) -> bytes:
    """The messages as JSON text, joined by commas; empty when the turn has none to send.

    Args:
        turn: the turn.
        ids: what its calls are called.
        reader: who reads it.
        dialect: how the server wants it.
    """
    messages = [wire for message in turn.messages for wire in _wire(message, ids, reader, dialect)]
    return json_bytes(messages)[1:-1]


def _wire(message: ViewMessage, ids: CallIds, reader: Reader, dialect: Dialect) -> Iterator[Json]:
    match message:
        case FromCustomer(text=text):
            if not is_blank(text):  # A message with nothing in it is refused, by some always.
                yield {
                    "role": "user",
                    "content": with_pictures(message, reader.sees(dialect.pictures))
                    if message.media
                    else text,
                }
        case FromAssistant(text=text, calls=()):
            if not is_blank(text):
                yield {"role": "assistant", "content": text}
        case FromAssistant():
            yield _asked(message, ids, reader, dialect)
        case FromTools(outcomes=outcomes):
            yield from _results(outcomes, ids, reader, dialect)
        case _:
            assert_never(message)


def _asked(message: FromAssistant, ids: CallIds, reader: Reader, dialect: Dialect) -> Json:
    spoken = dialect.silence if is_blank(message.text) else message.text
    asked: dict[str, Json] = {
        "role": "assistant",
        "content": spoken,
        "tool_calls": [_call(call, ids, reader) for call in message.calls],
    }
    for value in reader.own(message.opaque):
        asked |= only(OF_MESSAGES, value)
    return with_placeholders(asked, dialect) if dialect.insists and reader.provider else asked


def _call(call: Call, ids: CallIds, reader: Reader) -> Json:
    asked: dict[str, Json] = {
        "id": ids[call.id],
        "type": "function",
        "function": {"name": wire_name(call.tool), "arguments": json_text(call.arguments)},
    }
    return {**asked, **only(OF_CALLS, reader.own_of(call))} if call.opaque else asked


def _results(outcomes: Sequence[Standing], ids: CallIds, reader: Reader, dialect: Dialect) -> Iterator[Json]:
    seen = reader.sees(dialect.pictures)
    for outcome in outcomes:
        content = text_with_captions(outcome, seen)
        yield {"role": "tool", "tool_call_id": ids[outcome.call.id], "content": content}
    # Behind the last of them: nothing may stand between the results of one message's calls.
    if shown := pictures(outcomes, ids, seen):
        if dialect.answers:
            yield UNSPOKEN
        yield {"role": "user", "content": shown}

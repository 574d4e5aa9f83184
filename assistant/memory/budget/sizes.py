"""What the parts of a request take, in tokens: a little more than they do on any provider's wire."""

from collections.abc import Sequence
from typing import assert_never

from assistant.conversation.calls import Call
from assistant.conversation.media import Media
from assistant.conversation.outcomes import Standing
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, ViewMessage
from assistant.formats.json_text import json_text
from assistant.formats.results import PICTURES, media_of, text_with_captions
from assistant.formats.tools import schema
from assistant.ports import Counter

PER_REQUEST = 32
"""What begins a request and its reply."""

PER_MESSAGE = 8
"""A message's role, and the signs around it."""

PER_CALL = 40
"""The signs around a call and around its result, and the id of our own that both bear."""

PER_TOOL = 16
"""The signs around a tool's declaration."""

TOOL_USE = 400
"""What a provider says itself, before our instructions, about how tools are called: Anthropic's are the longest."""

PER_PICTURE = 2_100
"""A picture of one and a half million pixels where each 750 are a token, with the line that introduces it."""

PER_CAPTION = 64
"""A line that says what came with a customer's message."""

MOST_COUNTED = 200_000
"""A text with more characters is not counted: every byte of it is taken for a token, which none can exceed."""


def text_tokens(text: str, counter: Counter) -> int:
    """What a text takes, in at most about 50 ms however long it is."""
    if len(text) > MOST_COUNTED:
        return len(text.encode(errors="replace"))
    return counter.count(text) if text else 0


def turn_tokens(turn: TurnView, counter: Counter) -> int:
    """What a turn takes: its messages with their calls, results and pictures. Pure."""
    return sum(message_tokens(message, counter) for message in turn.messages)


def message_tokens(message: ViewMessage, counter: Counter) -> int:
    """What one message takes."""
    match message:
        case FromCustomer(text=text, media=media):
            captions = PER_CAPTION * len(media)
            return PER_MESSAGE + text_tokens(text, counter) + captions + _pictures(media)
        case FromAssistant(text=text, calls=calls, opaque=opaque):
            returned = sum(text_tokens(json_text(one.value), counter) for one in opaque)
            asked = sum(_call_tokens(call, counter) for call in calls)
            return PER_MESSAGE + text_tokens(text, counter) + returned + asked
        case FromTools(outcomes=outcomes):
            return sum(PER_MESSAGE + result_tokens(outcome, counter) for outcome in outcomes)
        case _:
            assert_never(message)


def result_tokens(outcome: Standing, counter: Counter) -> int:
    """What a call's result takes, as a model reads it, with the pictures beside it."""
    return text_tokens(text_with_captions(outcome, PICTURES), counter) + _pictures(media_of(outcome))


def tools_tokens(tools: Sequence[ToolSpec], counter: Counter) -> int:
    """What the list of tools takes; nothing when none is on offer."""
    return sum(_tool_tokens(spec, counter) for spec in tools) + (TOOL_USE if tools else 0)


def _call_tokens(call: Call, counter: Counter) -> int:
    """A call's, and that of the id that its result repeats."""
    returned = json_text(call.opaque) if call.opaque else ""
    own_id = 2 * text_tokens(call.provider_id or "", counter)
    texts = (call.tool, json_text(call.arguments), returned)
    return PER_CALL + own_id + sum(text_tokens(text, counter) for text in texts)


def _tool_tokens(spec: ToolSpec, counter: Counter) -> int:
    texts = (spec.name, spec.description, json_text(schema(spec)))
    return PER_TOOL + sum(text_tokens(text, counter) for text in texts)


def _pictures(media: Sequence[Media]) -> int:
    return PER_PICTURE * sum(each.mime in PICTURES for each in media)

"""A line of a script is sent in its provider's format, and opaque data only by its own provider."""

import orjson
import pytest

from assistant.conversation.chunks import CallArguments, CallNamed, Opaque, StreamEnded, TextDelta
from assistant.conversation.values import JsonObject
from assistant.testing.script import Line
from tests.support.bodies import HIDDEN, THOUGHT
from tests.support.fake_model.replies import Provider, Streams
from tests.support.fake_model.scripted_replies import on_the_wire

SIGNED: JsonObject = {"extra_content": {"google": {"thought_signature": "c2ln"}}}
LINE = Line(
    (
        Opaque("anthropic", HIDDEN),
        Opaque("anthropic", THOUGHT),
        Opaque("deepseek", {"reasoning_content": "Hm."}),
        TextDelta("One "),
        TextDelta("moment."),
        CallNamed(0, "find", "call_a"),
        Opaque("gemini", SIGNED, 0),
        CallArguments(0, "{}"),
        TextDelta("Well."),
        StreamEnded("tool_calls"),
    )
)


def data(line: Line, provider: Provider) -> list[JsonObject]:
    reply = on_the_wire(line, provider)
    assert isinstance(reply, Streams)
    lines = [part for step in reply.steps if isinstance(step, bytes) for part in step.splitlines()]
    told = [part.removeprefix(b"data: ") for part in lines if part.startswith(b"data: {")]
    return [orjson.loads(part) for part in told]


def test_anthropics_blocks_follow_each_other_and_are_closed_one_by_one() -> None:
    events = [event for event in data(LINE, "anthropic") if str(event["type"]).startswith("content_block")]
    blocks = [event["content_block"] for event in events if event["type"] == "content_block_start"]

    assert [block["type"] for block in blocks if isinstance(block, dict)] == [
        "redacted_thinking",
        "thinking",
        "text",
        "tool_use",
        "text",
    ]
    places = [(event["index"], str(event["type"]).rpartition("_")[2]) for event in events]
    order = [place for place, _ in places if isinstance(place, int)]
    assert order == sorted(order)
    for place in range(5):
        own = [what for at, what in places if at == place]
        assert (own[0], own[-1], own.count("start"), own.count("stop")) == ("start", "stop", 1, 1)


@pytest.mark.parametrize(
    ("provider", "own"),
    [("deepseek", '"reasoning_content":"Hm."'), ("gemini", '"index":0,"extra_content":{"google"')],
)
def test_chat_completion_servers_send_their_own_fields(provider: Provider, own: str) -> None:
    assert own in orjson.dumps(data(LINE, provider)).decode()
    said = orjson.dumps(data(LINE, "openai")).decode()
    assert "reasoning" not in said
    assert "extra_content" not in said
    assert '"id":"call_a"' in said


def test_opaque_data_must_consist_of_fields() -> None:
    with pytest.raises(TypeError, match="a mapping of fields, not 'Hm'"):
        on_the_wire(Line((Opaque("gemini", "Hm"),)), "gemini")

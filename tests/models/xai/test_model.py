"""The client for xAI and a server that is as strict as the real one, over a real socket."""

from contextlib import aclosing

import pytest

from assistant.conversation.chunks import Chunk, StreamEnded, TextDelta
from assistant.conversation.values import Json
from assistant.conversation.views import FromCustomer, TurnView, View
from assistant.errors import ModelRefused
from assistant.formats.registry import formatter
from assistant.models.http_client import Connections
from assistant.models.openai import XaiModel
from assistant.ports import ModelRequest
from assistant.testing.virtual_time import VirtualClock
from tests.support.fake_model import openai_events
from tests.support.fake_model.model_server import FakeModelServer
from tests.support.fake_model.replies import Reply, refuses, streams

ASKED = ModelRequest(role="decider", view=View("", (TurnView((FromCustomer("Hello"),)),)))


async def asked(reply: Reply, api_key: str | None = "xai-secret") -> tuple[list[Chunk], FakeModelServer]:
    """What one request brings, and the server that it went to."""
    clock = VirtualClock()
    async with FakeModelServer(reply, clock=clock, wire="xai") as server:
        model = XaiModel(
            "xai/grok-small",
            base_url=server.url,
            api_key=api_key,
            formatter=formatter("grok"),
            connections=Connections(clock),
            clock=clock,
        )
        try:
            async with aclosing(model.stream(ASKED)) as stream:
                return [chunk async for chunk in stream], server
        finally:
            await model.close()


async def test_the_request_is_the_formatters_with_the_key() -> None:
    chunks, server = await asked(streams(openai_events.answer("Hi")))

    assert chunks == [TextDelta("Hi"), StreamEnded("stop", 100, 20)]
    (request,) = server.received
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer xai-secret"
    assert request.body["model"] == "grok-small"


async def test_thinking_is_counted_and_not_shown_and_the_cost_is_reported() -> None:
    usage: Json = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "total_tokens": 420,
        "prompt_tokens_details": {"cached_tokens": 64},
        "completion_tokens_details": {"reasoning_tokens": 300},
        "cost_in_usd_ticks": 37_756_000,
    }
    counted = openai_events.event({"choices": [], "usage": usage})
    thought = openai_events.delta({"reasoning_content": "Hm.", "content": ""})

    chunks, _ = await asked(
        streams(
            thought, openai_events.text("Hi"), openai_events.delta({}, "stop"), counted, openai_events.DONE
        )
    )

    assert chunks == [TextDelta("Hi"), StreamEnded("stop", 100, 320, 64, 0.0037756)]


async def test_a_refusal_of_xai_is_reported_in_its_own_words() -> None:
    with pytest.raises(ModelRefused, match=r"^the provider answered 400: no such model$"):
        await asked(refuses(400, "no such model", provider="xai"))
    with pytest.raises(ModelRefused, match=r"^the provider answered 401: No API key provided"):
        await asked(streams(openai_events.answer("Hi")), api_key=None)

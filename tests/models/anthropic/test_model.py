"""The client for Anthropic with a fake server that is as strict as the real one, over a real socket."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace

import pytest

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, StreamEnded, TextDelta
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import FromCustomer, TurnView, View
from assistant.errors import ModelError, ModelRefused, ModelTimeout
from assistant.formats.registry import formatter
from assistant.models.anthropic import AnthropicModel
from assistant.models.http_client import Connections
from assistant.ports import ModelOptions, ModelRequest
from assistant.testing.virtual_time import VirtualClock
from tests.support.fake_model import anthropic_events
from tests.support.fake_model.model_server import FakeModelServer
from tests.support.fake_model.replies import Reply, Streams, Wait, refuses, streams

ASKED = ModelRequest(
    role="decider",
    view=View("Be brief.", (TurnView((FromCustomer("Hello"),)),)),
    tools=(ToolSpec(name="crm.find", description="Find a customer.", parameters={}),),
)


@asynccontextmanager
async def connected(
    *replies: Reply, api_key: str | None = "sk-ant-secret", base: str = ""
) -> AsyncGenerator[tuple[AnthropicModel, FakeModelServer]]:
    clock = VirtualClock()
    async with FakeModelServer(*replies, clock=clock, wire="anthropic") as server:
        model = AnthropicModel(
            "anthropic/claude-small",
            base_url=server.url + base,
            api_key=api_key,
            formatter=formatter("anthropic"),
            connections=Connections(clock),
            clock=clock,
        )
        try:
            yield model, server
        finally:
            await model.close()


async def ask(model: AnthropicModel, request: ModelRequest = ASKED) -> list[Chunk]:
    async with aclosing(model.stream(request)) as stream:
        return [chunk async for chunk in stream]


async def refused(model: AnthropicModel, request: ModelRequest = ASKED) -> ModelError:
    with pytest.raises(ModelError) as failure:
        await ask(model, request)
    return failure.value


async def test_the_request_is_the_formatters_with_key_and_version() -> None:
    async with connected(streams(anthropic_events.answer("Hi"))) as (model, server):
        assert await ask(model) == [TextDelta("Hi"), StreamEnded("stop", 100, 20)]

    (request,) = server.received
    assert request.path == "/v1/messages"
    assert request.headers["x-api-key"] == "sk-ant-secret"
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in request.headers
    assert request.body["model"] == "claude-small"
    assert model.name == "anthropic/claude-small"


@pytest.mark.parametrize("base", ["", "/", "/v1", "/v1/"])
async def test_the_base_address_may_end_in_any_form(base: str) -> None:
    async with connected(streams(anthropic_events.answer("Hi")), base=base) as (model, _):
        assert (await ask(model))[0] == TextDelta("Hi")


async def test_without_a_key_no_key_is_sent_and_the_server_says_so() -> None:
    async with connected(api_key=None) as (model, server):
        error = await refused(model)

    assert isinstance(error, ModelRefused)
    assert str(error) == "the provider answered 401: x-api-key header is required"
    assert "x-api-key" not in server.received[0].headers


async def test_a_tools_own_name_is_restored() -> None:
    async with connected(streams(anthropic_events.decision("crm_find"))) as (model, _):
        assert await ask(model) == [
            CallNamed(0, "crm.find", "toolu_0"),
            CallArguments(0, "{}"),
            StreamEnded("tool_calls", 100, 20),
        ]


async def test_a_model_that_sends_pings_is_waited_for() -> None:
    pings = [step for _ in range(9) for step in (anthropic_events.event("ping"), Wait(4.0))]

    async with connected(streams(pings, anthropic_events.answer("Hi"))) as (model, _):
        assert (await ask(model))[0] == TextDelta("Hi")


async def test_pings_alone_keep_a_reply_alive_only_for_the_thinking_time() -> None:
    pings = [step for _ in range(90) for step in (anthropic_events.event("ping"), Wait(4.0))]

    async with connected(streams(pings, anthropic_events.answer("Hi"))) as (model, _):
        error = await refused(model)

        assert isinstance(error, ModelTimeout)
        assert str(error) == "no word within 60 s: the model was still thinking"
        assert asyncio.get_running_loop().time() == pytest.approx(ASKED.options.thinking_s, abs=1.0)


async def test_thinking_is_a_sign_of_activity() -> None:
    begun = anthropic_events.opened(0, {"type": "thinking", "thinking": ""})
    thought = anthropic_events.delta(0, {"type": "thinking_delta", "thinking": "Hm."})
    thinking = [step for _ in range(4) for step in (thought, Wait(14.0))]

    async with connected(
        streams(
            anthropic_events.begin(),
            begun,
            thinking,
            anthropic_events.closed(0),
            anthropic_events.text("Hi", index=1),
            anthropic_events.ending(),
        )
    ) as (model, _):
        assert (await ask(model))[0] == TextDelta("Hi")


async def test_one_connection_serves_several_requests() -> None:
    async with connected(*[streams(anthropic_events.answer("Hi"))] * 3) as (model, server):
        for _ in range(3):
            await ask(model)

        assert server.connections == 1


async def test_the_key_is_never_in_an_error() -> None:
    told = refuses(401, "invalid x-api-key: ours-4711, sk-ant-api03-abc", provider="anthropic")

    async with connected(told, api_key="ours-4711") as (model, _):
        assert str(await refused(model)) == "the provider answered 401: invalid x-api-key: [key], [key]"


async def test_a_refused_request_uses_no_scripted_reply() -> None:
    temperate = replace(ASKED, options=ModelOptions(temperature=1.5))

    async with connected(streams(anthropic_events.answer("Hi"))) as (model, server):
        error = await refused(model, temperate)
        assert str(error) == "the provider answered 400: temperature: range: 0..1"

        assert (await ask(model))[0] == TextDelta("Hi")
        assert str(await refused(model)) == "the provider answered 500: no reply is left"
        assert len(server.received) == 3


async def test_an_address_without_a_server_is_reported() -> None:
    async with connected(streams(anthropic_events.answer("Hi")), base="/api") as (model, _):
        assert str(await refused(model)) == "the provider answered 404: there is nothing at /api/v1/messages"


async def test_a_server_that_keeps_the_answer_open_is_not_waited_for() -> None:
    async with connected(Streams(anthropic_events.answer("Hi"), ends=False)) as (model, _):
        assert await ask(model) == [TextDelta("Hi"), StreamEnded("stop", 100, 20)]

        assert asyncio.get_running_loop().time() < 0.2

"""The providers' own clients understand the fake servers.

They take seconds to import: only the tests that need them do it, in the one process that runs them.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from assistant.conversation.views import FromCustomer, TurnView, View
from assistant.formats.registry import formatter
from assistant.ports import ModelRequest
from assistant.testing.script import calls
from assistant.testing.virtual_time import VirtualClock
from tests.models.contract.talk import FIND
from tests.support.bodies import CHAT, HIDDEN, MESSAGE, THOUGHT, changed
from tests.support.fake_model import anthropic_events, openai_events
from tests.support.fake_model.model_server import FakeModelServer
from tests.support.fake_model.replies import Fault, Provider, Reply, refuses, streams
from tests.support.fake_model.scripted_replies import on_the_wire

if TYPE_CHECKING:
    import anthropic
    import openai

ASKED = ModelRequest(
    role="decider", view=View("Be brief.", (TurnView((FromCustomer("Where is it?"),)),)), tools=(FIND,)
)
LINE = calls(("find_order", {"number": 4711}), "find_order", text="One moment.")


def written(format_: str) -> dict[str, Any]:
    """Our own request, as the arguments that a client takes."""
    body = orjson.loads(formatter(format_).format(ASKED, "fake").body)
    return {name: value for name, value in body.items() if name != "stream"}


@asynccontextmanager
async def openai_client(*replies: Reply, wire: Provider = "openai") -> AsyncGenerator["openai.AsyncOpenAI"]:
    import openai

    async with (
        FakeModelServer(*replies, clock=VirtualClock(), wire=wire) as fake,
        openai.AsyncOpenAI(base_url=fake.url, api_key="sk-fake", max_retries=0) as client,
    ):
        yield client


@asynccontextmanager
async def anthropic_client(*replies: Reply) -> AsyncGenerator["anthropic.AsyncAnthropic"]:
    import anthropic

    async with (
        FakeModelServer(*replies, clock=VirtualClock(), wire="anthropic") as fake,
        anthropic.AsyncAnthropic(base_url=fake.url, api_key="sk-fake", max_retries=0) as client,
    ):
        yield client


@pytest.mark.parametrize("provider", ["openai", "xai"])
async def test_openais_client_reads_a_reply(provider: Provider) -> None:
    async with openai_client(on_the_wire(LINE, provider), wire=provider) as client:
        stream = await client.chat.completions.create(**written(provider), stream=True)
        chunks = [chunk async for chunk in stream]

    choices = [choice for chunk in chunks for choice in chunk.choices]
    deltas = [call for choice in choices for call in choice.delta.tool_calls or ()]
    whole = ["", ""]
    for delta in deltas:
        assert delta.function is not None
        whole[delta.index] += (delta.function.name or "") + (delta.function.arguments or "")
    assert "".join(choice.delta.content or "" for choice in choices) == "One moment."
    assert whole == ['find_order{"number":4711}', "find_order{}"]
    assert [choice.finish_reason for choice in choices if choice.finish_reason] == ["tool_calls"]
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.total_tokens == 120


async def test_anthropics_client_reads_a_reply() -> None:
    thoughts = [
        *anthropic_events.begin(),
        *anthropic_events.thinking(0, THOUGHT),
        *anthropic_events.thinking(1, HIDDEN),
        *anthropic_events.text("One moment.", index=2),
        *anthropic_events.call(3, "find_order", {"number": 4711}),
        *anthropic_events.ending("tool_use"),
    ]
    async with anthropic_client(streams(thoughts), on_the_wire(LINE, "anthropic")) as client:
        async with client.messages.stream(**written("anthropic")) as stream:
            message = await stream.get_final_message()
        async with client.messages.stream(**written("anthropic")) as stream:
            scripted = await stream.get_final_message()

    assert [
        block.model_dump(
            include={"type", "text", "thinking", "signature", "data", "name", "input"}, exclude_none=True
        )
        for block in message.content
    ] == [
        {"type": "thinking", "thinking": "Let me see.", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "c2ln"},
        {"type": "text", "text": "One moment."},
        {"type": "tool_use", "name": "find_order", "input": {"number": 4711}},
    ]
    assert (message.stop_reason, message.usage.input_tokens, message.usage.output_tokens) == (
        "tool_use",
        100,
        20,
    )
    assert [block.type for block in scripted.content] == ["text", "tool_use", "tool_use"]


async def test_openais_client_reads_a_refusal() -> None:
    import openai

    orphan = changed(CHAT, "messages", 2)
    limited = refuses(429, "slow down", code="rate_limit_exceeded", retry_after="2")
    async with openai_client(limited) as client:
        with pytest.raises(openai.BadRequestError) as bad:
            await client.chat.completions.create(**orphan)
        with pytest.raises(openai.RateLimitError) as slow:
            await client.chat.completions.create(**CHAT)

    assert (bad.value.type, bad.value.param) == ("invalid_request_error", "messages[2].role")
    assert "must be a response to a preceeding message" in bad.value.message
    assert (slow.value.code, slow.value.response.headers["retry-after"]) == ("rate_limit_exceeded", "2")


async def test_openais_client_reads_xais_refusal() -> None:
    import openai

    async with openai_client(wire="xai") as client:
        with pytest.raises(openai.BadRequestError) as bad:
            await client.chat.completions.create(**changed(CHAT, "messages", 2, "content", to=" "))

    assert bad.value.body == ("Invalid request content: Each message must have at least one content element.")


async def test_anthropics_client_reads_a_refusal() -> None:
    import anthropic

    busy = refuses(529, "Overloaded", provider="anthropic")
    async with anthropic_client(busy) as client:
        with pytest.raises(anthropic.BadRequestError) as bad:
            await client.messages.create(**changed(MESSAGE, "messages", 1, "content", 1))
        with pytest.raises(anthropic.APIStatusError) as overloaded:
            await client.messages.create(**MESSAGE)

    assert bad.value.type == "invalid_request_error"
    assert "unexpected `tool_use_id` found" in bad.value.message
    assert (overloaded.value.status_code, overloaded.value.type) == (529, "overloaded_error")


async def test_a_broken_stream_is_an_error_to_them_too() -> None:
    import anthropic
    import openai

    fallen = streams(
        openai_events.text("Well"),
        openai_events.event({"error": {"message": "gone", "type": "server_error"}}),
        Fault.CUT,
    )
    async with openai_client(fallen) as client:
        stream = await client.chat.completions.create(**changed(CHAT, "stream"), stream=True)
        with pytest.raises(openai.APIError, match="gone"):
            _ = [chunk async for chunk in stream]

    told = anthropic_events.broken_off("overloaded_error", "busy")
    async with anthropic_client(streams(anthropic_events.begin(), told, Fault.CUT)) as client:
        with pytest.raises(anthropic.APIStatusError, match="busy"):
            async with client.messages.stream(**MESSAGE) as messages:
                await messages.until_done()

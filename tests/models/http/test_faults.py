"""Each fault of a provider becomes one of our errors."""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing

import pytest

from assistant.conversation.chunks import Chunk, StreamEnded, TextDelta
from assistant.conversation.views import FromCustomer, TurnView, View
from assistant.errors import ModelBroke, ModelBusy, ModelError, ModelRefused, ModelTimeout
from assistant.formats.registry import formatter
from assistant.models.anthropic import AnthropicModel
from assistant.models.http_client import Connections, DirectModel
from assistant.models.openai import OpenAIModel, XaiModel
from assistant.ports import ModelRequest
from assistant.testing.virtual_time import VirtualClock
from tests.support.fake_model import anthropic_events, openai_events
from tests.support.fake_model.model_server import FakeModelServer
from tests.support.fake_model.replies import Fault, Provider, Reply, refuses, streams

ASKED = ModelRequest(role="decider", view=View("", (TurnView((FromCustomer("Hello"),)),)))
CLIENTS: Mapping[Provider, type[DirectModel]] = {
    "openai": OpenAIModel,
    "anthropic": AnthropicModel,
    "xai": XaiModel,
}
BEGUN: Mapping[Provider, list[bytes]] = {
    "openai": openai_events.text("Well, the"),
    "anthropic": [*anthropic_events.begin(), *anthropic_events.text("Well, the")[:-1]],
    "xai": openai_events.text("Well, the"),
}
ENDED: Mapping[Provider, list[bytes]] = {
    "openai": openai_events.ending(),
    "anthropic": [*anthropic_events.begin(), *anthropic_events.ending()],
    "xai": openai_events.ending(),
}

each_client = pytest.mark.parametrize("provider", CLIENTS)


async def asked(provider: Provider, reply: Reply) -> tuple[list[Chunk], ModelError | None]:
    """What came, and the error after it."""
    clock, came = VirtualClock(), list[Chunk]()
    async with FakeModelServer(reply, clock=clock, wire=provider) as server:
        model = CLIENTS[provider](
            f"{provider}/small",
            base_url=server.url,
            api_key="k",
            formatter=formatter(provider),
            connections=Connections(clock),
            clock=clock,
        )
        try:
            async with aclosing(model.stream(ASKED)) as stream:
                async for chunk in stream:
                    came.append(chunk)
        except ModelError as error:
            return came, error
        finally:
            await model.close()
    return came, None


@each_client
@pytest.mark.parametrize("status", [429, 503, 529])
async def test_a_busy_provider_names_its_pause(provider: Provider, status: int) -> None:
    came, error = await asked(provider, refuses(status, "slow down", provider=provider, retry_after="3"))

    assert came == []
    assert isinstance(error, ModelBusy)
    assert error.retry_after_s == 3.0
    assert str(error) == f"the provider answered {status}: slow down"


@each_client
async def test_a_server_error_is_a_broken_model(provider: Provider) -> None:
    _, error = await asked(provider, refuses(500, "oops", provider=provider))

    assert isinstance(error, ModelBroke)
    assert str(error) == "the provider answered 500: oops"


@each_client
@pytest.mark.parametrize("status", [400, 401, 403, 404, 413])
async def test_our_own_fault_is_a_refusal(provider: Provider, status: int) -> None:
    _, error = await asked(provider, refuses(status, "not so", provider=provider))

    assert isinstance(error, ModelRefused)
    assert str(error) == f"the provider answered {status}: not so"


@each_client
async def test_a_provider_that_never_begins_times_out(provider: Provider) -> None:
    came, error = await asked(provider, streams(Fault.STALL))

    assert came == []
    assert isinstance(error, ModelTimeout)
    assert asyncio.get_running_loop().time() == pytest.approx(20.0, abs=0.1)


@each_client
async def test_a_provider_that_closes_immediately_is_broken(provider: Provider) -> None:
    came, error = await asked(provider, streams(Fault.CUT))

    assert came == []
    assert isinstance(error, ModelBroke)


@each_client
async def test_a_provider_that_closes_in_mid_sentence_is_broken_after_it(provider: Provider) -> None:
    came, error = await asked(provider, streams(BEGUN[provider], Fault.CUT))

    assert came == [TextDelta("Well, the")]
    assert isinstance(error, ModelBroke)


@each_client
async def test_a_provider_that_falls_silent_in_mid_sentence_times_out(provider: Provider) -> None:
    came, error = await asked(provider, streams(BEGUN[provider], Fault.STALL))

    assert came == [TextDelta("Well, the")]
    assert isinstance(error, ModelTimeout)
    assert asyncio.get_running_loop().time() == pytest.approx(15.0, abs=0.1)


@each_client
@pytest.mark.parametrize("nonsense", [b"data: {oops\n\n", b"<html>Welcome</html>", b""])
async def test_a_provider_that_sends_nonsense_is_broken(provider: Provider, nonsense: bytes) -> None:
    _, error = await asked(provider, streams(*([nonsense] if nonsense else [])))

    assert isinstance(error, ModelBroke)


@each_client
async def test_an_empty_reply_is_an_answer(provider: Provider) -> None:
    came, error = await asked(provider, streams(ENDED[provider]))

    assert came == [StreamEnded("stop", 100, 20)]
    assert error is None


@each_client
async def test_the_previous_key_works_while_the_new_one_is_refused(provider: Provider) -> None:
    clock = VirtualClock()
    refused = refuses(401, "no such key new-key-0123456789", provider=provider)
    replies = refused, streams(*ENDED[provider]), streams(*ENDED[provider]), refused, refused
    async with FakeModelServer(*replies, clock=clock, wire=provider) as server:
        model = CLIENTS[provider](
            f"{provider}/small",
            base_url=server.url,
            api_key="new-key-0123456789 old-key-0123456789",
            formatter=formatter(provider),
            connections=Connections(clock),
            clock=clock,
        )
        for _ in range(2):
            async with aclosing(model.stream(ASKED)) as stream:
                assert isinstance([chunk async for chunk in stream][-1], StreamEnded)
        with pytest.raises(ModelRefused, match=r"no such key \[key\]"):
            async with aclosing(model.stream(ASKED)) as stream:
                [chunk async for chunk in stream]
        await model.close()

    keys = [_key_in(request.headers) for request in server.received]
    assert keys == ["new", "old", "old", "old", "new"]


def _key_in(headers: Mapping[str, str]) -> str:
    sent = headers.get("x-api-key") or headers["authorization"].removeprefix("Bearer ")
    return sent.partition("-")[0]

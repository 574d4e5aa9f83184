"""The watch over all streams."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace

import pytest

from assistant.conversation.views import View
from assistant.errors import ModelTimeout
from assistant.models.openai import OpenAIModel
from assistant.ports import ModelOptions, ModelRequest
from tests.support.fake_model import openai_events
from tests.support.fake_model.model_server import FakeModelServer
from tests.support.fake_model.replies import Fault, streams

Connect = Callable[..., Awaitable[tuple[OpenAIModel, FakeModelServer]]]

ASKED = ModelRequest(role="narrator", view=View("Be brief.", ()), options=ModelOptions(first_token_s=2.5))


async def ask(model: OpenAIModel, request: ModelRequest = ASKED) -> None:
    async with aclosing(model.stream(request)) as stream:
        async for _ in stream:
            pass


async def given_up_after(model: OpenAIModel, request: ModelRequest = ASKED) -> float:
    """Seconds until a request was given up."""
    began = asyncio.get_running_loop().time()
    with pytest.raises(ModelTimeout):
        await ask(model, request)
    return asyncio.get_running_loop().time() - began


async def test_a_stream_times_out_at_any_limit(connect: Connect) -> None:
    model, _ = await connect(streams(Fault.STALL))

    assert await given_up_after(model) == pytest.approx(2.5, abs=0.05)


async def test_each_stream_has_its_own_limit(connect: Connect) -> None:
    model, _ = await connect(*[streams(Fault.STALL)] * 2)
    patient = replace(ASKED, options=ModelOptions(first_token_s=9.0))

    took = await asyncio.gather(given_up_after(model, patient), given_up_after(model))

    assert took == [pytest.approx(9.0, abs=0.05), pytest.approx(2.5, abs=0.05)]


async def test_it_stops_without_streams_and_starts_again(connect: Connect) -> None:
    before = asyncio.all_tasks()
    model, _ = await connect(streams(openai_events.answer("Hi")), streams(Fault.STALL))
    await ask(model)
    assert len(asyncio.all_tasks() - before) == 1

    await asyncio.sleep(5.0)
    assert asyncio.all_tasks() == before
    assert await given_up_after(model) == pytest.approx(2.5, abs=0.05)


async def test_it_ends_with_the_connections(connect: Connect) -> None:
    before = asyncio.all_tasks()
    model, _ = await connect(streams(openai_events.answer("Hi")))
    await ask(model)

    await model.close()
    await asyncio.sleep(0)

    assert asyncio.all_tasks() == before

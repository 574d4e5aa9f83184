"""The direct client and a server, over a real socket."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace

import pytest

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, StreamEnded, TextDelta
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import FromCustomer, TurnView, View
from assistant.errors import ModelBroke, ModelBusy, ModelError, ModelRefused, ModelTimeout
from assistant.formats.registry import formatter
from assistant.models.http_client import Connections
from assistant.models.openai import OpenAIModel
from assistant.ports import ModelOptions, ModelRequest
from assistant.testing.virtual_time import VirtualClock
from tests.support.fake_model import openai_events
from tests.support.fake_model.model_server import FakeModelServer
from tests.support.fake_model.replies import Fault, Refuses, Streams, Wait, refuses, streams

Connect = Callable[..., Awaitable[tuple[OpenAIModel, FakeModelServer]]]

ASKED = ModelRequest(
    role="decider",
    view=View("Be brief.", (TurnView((FromCustomer("Hello"),)),)),
    tools=(ToolSpec(name="crm.find", description="Find a customer.", parameters={}),),
)


async def ask(model: OpenAIModel, request: ModelRequest = ASKED) -> list[Chunk]:
    async with aclosing(model.stream(request)) as stream:
        return [chunk async for chunk in stream]


async def refused(model: OpenAIModel) -> ModelError:
    with pytest.raises(ModelError) as failure:
        await ask(model)
    return failure.value


async def test_the_request_is_the_formatters_with_the_key(connect: Connect) -> None:
    model, server = await connect(streams(openai_events.answer("Hi")))

    await ask(model)

    (request,) = server.received
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer sk-secret"
    assert request.headers["content-type"] == "application/json"
    assert request.body["model"] == "gpt-small"
    assert [message["role"] for message in request.body["messages"]] == ["system", "user"]


async def test_without_a_key_no_key_is_sent(connect: Connect) -> None:
    model, server = await connect(streams(openai_events.answer("Hi")), api_key=None)

    await ask(model)

    assert "authorization" not in server.received[0].headers


async def test_a_tools_own_name_is_restored(connect: Connect) -> None:
    model, server = await connect(streams(openai_events.decision("crm_find")))

    chunks = await ask(model)

    assert server.received[0].body["tools"][0]["function"]["name"] == "crm_find"
    assert chunks == [
        CallNamed(0, "crm.find", "call_0"),
        CallArguments(0, "{}"),
        StreamEnded("tool_calls", 100, 20),
    ]


async def test_a_character_that_is_cut_in_two_arrives_whole(connect: Connect) -> None:
    written = openai_events.text("Grüße, 你好")
    model, _ = await connect(streams(openai_events.bytewise(written), openai_events.ending()))

    assert (await ask(model))[0] == TextDelta("Grüße, 你好")


async def test_arguments_arrive_piece_by_piece(connect: Connect) -> None:
    model, _ = await connect(
        streams(
            openai_events.call(0, "crm_find", {"name": "Ana"}, size=1), openai_events.ending("tool_calls")
        )
    )

    chunks = await ask(model)

    fragments = [chunk.fragment for chunk in chunks if isinstance(chunk, CallArguments)]
    assert len(fragments) == len('{"name":"Ana"}')
    assert "".join(fragments) == '{"name":"Ana"}'


async def test_one_connection_serves_several_requests(connect: Connect) -> None:
    model, server = await connect(*[streams(openai_events.answer("Hi"))] * 3)

    for _ in range(3):
        await ask(model)

    assert server.connections == 1


async def test_a_server_that_keeps_the_answer_open_is_not_waited_for(connect: Connect) -> None:
    model, _ = await connect(Streams(openai_events.answer("Hi"), ends=False))

    assert await ask(model) == [TextDelta("Hi"), StreamEnded("stop", 100, 20)]
    assert asyncio.get_running_loop().time() < 0.2


async def test_a_reply_without_a_token_count_is_complete(connect: Connect) -> None:
    complete = [*openai_events.text("Hi"), openai_events.delta({}, "stop")]
    model, _ = await connect(streams(complete, Fault.STALL), streams(complete, Fault.CUT))

    assert await ask(model) == [TextDelta("Hi"), StreamEnded("stop")]
    assert asyncio.get_running_loop().time() == pytest.approx(1.0, abs=0.1)
    assert await ask(model) == [TextDelta("Hi"), StreamEnded("stop")]


async def test_the_last_event_counts_without_a_blank_line_after_it(connect: Connect) -> None:
    model, _ = await connect(streams(openai_events.text("Hi"), openai_events.delta({}, "stop").rstrip()))

    assert await ask(model) == [TextDelta("Hi"), StreamEnded("stop")]


async def test_a_server_that_sends_comments_is_waited_for(connect: Connect) -> None:
    comments = [step for _ in range(9) for step in (b": processing\n\n", Wait(4.0))]
    model, _ = await connect(streams(comments, openai_events.answer("Hi")))

    assert (await ask(model))[0] == TextDelta("Hi")


async def test_the_consumers_time_does_not_count_for_the_model(connect: Connect) -> None:
    model, _ = await connect(streams(openai_events.answer("Hel", "lo")))
    async with aclosing(model.stream(ASKED)) as stream:
        async for _ in stream:
            await asyncio.sleep(60.0)


async def test_closing_the_stream_disconnects(connect: Connect) -> None:
    model, server = await connect(streams(openai_events.text("Never"), Fault.STALL))

    async with aclosing(model.stream(ASKED)) as stream:
        await anext(stream)

    await server.hung_up.wait()


async def test_cancelling_disconnects(connect: Connect) -> None:
    model, server = await connect(streams(openai_events.text("Never"), Fault.STALL))
    asking = asyncio.ensure_future(ask(model))
    await server.stalled.wait()

    asking.cancel()

    await server.hung_up.wait()
    assert asking.cancelled()


@pytest.mark.parametrize("status", [429, 503, 529])
async def test_a_busy_provider_names_its_pause(connect: Connect, status: int) -> None:
    model, _ = await connect(refuses(status, "slow down", retry_after="7"))

    error = await refused(model)

    assert isinstance(error, ModelBusy)
    assert error.retry_after_s == 7.0


@pytest.mark.parametrize("status", [500, 502, 504])
async def test_a_server_error_is_a_broken_model(connect: Connect, status: int) -> None:
    model, _ = await connect(refuses(status, "oh no"))

    error = await refused(model)

    assert isinstance(error, ModelBroke)
    assert f"{status}: oh no" in str(error)


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404])
async def test_our_own_error_is_a_refusal_without_the_key(connect: Connect, status: int) -> None:
    model, _ = await connect(refuses(status, "bad key ours-4711 " + "x" * 9999), api_key="ours-4711")

    error = await refused(model)

    assert isinstance(error, ModelRefused)
    assert "bad key [key] xxx" in str(error)
    assert len(str(error)) < 400


async def test_the_key_is_not_sent_to_another_address(connect: Connect) -> None:
    model, server = await connect(refuses(307, "over there", location="/v1/elsewhere"))

    assert isinstance(await refused(model), ModelRefused)
    assert len(server.received) == 1


async def test_a_refusal_without_a_body_is_reported_by_its_status(connect: Connect) -> None:
    model, server = await connect(Refuses(503, None))

    assert isinstance(await refused(model), ModelBusy)
    await server.hung_up.wait()


async def test_a_server_that_accepts_and_never_answers_times_out() -> None:
    held: list[asyncio.StreamWriter] = []
    silent = await asyncio.start_server(lambda _, writer: held.append(writer), "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    model = _at(f"http://127.0.0.1:{port}/v1")
    request = replace(ASKED, options=ModelOptions(first_token_s=5.0))

    with pytest.raises(ModelTimeout, match="no first token within 5 s"):
        await ask(model, request)

    await model.close()
    silent.close()
    held[0].close()
    await silent.wait_closed()


async def test_an_unreachable_server_is_named(unused_tcp_port: int) -> None:
    model = _at(f"http://127.0.0.1:{unused_tcp_port}/v1")

    error = await refused(model)

    assert isinstance(error, ModelBroke)
    assert f"127.0.0.1:{unused_tcp_port}/v1" in str(error)
    await model.close()


async def test_an_answer_without_events_is_broken(connect: Connect) -> None:
    model, _ = await connect(Streams([b"<html>Welcome</html>"], content_type="text/html"))

    assert isinstance(await refused(model), ModelBroke)


async def test_a_closed_model_opens_again_for_a_request(connect: Connect) -> None:
    model, server = await connect(*[streams(openai_events.answer("Hi"))] * 2, streams(Fault.STALL))

    await ask(model)
    await model.close()
    await ask(model)
    await model.close()

    assert isinstance(await refused(model), ModelTimeout)
    assert server.connections == 3


def _at(url: str) -> OpenAIModel:
    clock = VirtualClock()
    return OpenAIModel(
        "openai/gpt-small",
        base_url=url,
        api_key=None,
        formatter=formatter("openai"),
        connections=Connections(clock),
        clock=clock,
    )

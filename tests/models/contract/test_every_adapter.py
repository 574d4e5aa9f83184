"""What every adapter to a model must do, whatever is behind it."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, aclosing

import pytest

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, StreamEnded, TextDelta
from assistant.conversation.views import FromCustomer, TurnView, View
from assistant.errors import ModelBroke, ModelError, ModelTimeout
from assistant.ports import Model, ModelRequest
from assistant.testing.scripted_model import breaks, calls, says, stalls

Adapter = Callable[..., AbstractAsyncContextManager[Model]]

ASKED = ModelRequest(role="decider", view=View("Be brief.", (TurnView((FromCustomer("Hello"),)),)))


async def ask(model: Model) -> list[Chunk]:
    async with aclosing(model.stream(ASKED)) as stream:
        return [chunk async for chunk in stream]


async def ask_in_vain(model: Model) -> tuple[list[Chunk], ModelError]:
    """What came, and the error after it."""
    came: list[Chunk] = []

    async def listen() -> None:
        async with aclosing(model.stream(ASKED)) as stream:
            async for chunk in stream:
                came.append(chunk)  # noqa: PERF401 - what came before the error counts

    with pytest.raises(ModelError) as failure:
        await listen()
    return came, failure.value


def words(chunks: list[Chunk]) -> str:
    """The text, however it was cut: what came in one read is one chunk."""
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, TextDelta))


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_text_comes_in_its_pieces_and_the_end_comes_last(adapter: Adapter) -> None:
    async with adapter(says(["Hel", "lo ", "you"], each_s=0.1)) as model:
        *text, end = await ask(model)

    assert text == [TextDelta("Hel"), TextDelta("lo "), TextDelta("you")]
    assert isinstance(end, StreamEnded)
    assert end.reason == "stop"


async def test_a_calls_name_comes_before_its_arguments(adapter: Adapter) -> None:
    async with adapter(
        calls("list_appointments", ("find_order", {"number": 4711}), text="One moment.")
    ) as model:
        chunks = await ask(model)

    names = [(chunk.index, chunk.name) for chunk in chunks if isinstance(chunk, CallNamed)]
    assert names == [(0, "list_appointments"), (1, "find_order")]
    kinds = [type(chunk) for chunk in chunks]
    assert kinds.index(TextDelta) < kinds.index(CallNamed) < kinds.index(CallArguments)
    fragments = [chunk.fragment for chunk in chunks if isinstance(chunk, CallArguments) and chunk.index == 1]
    assert "".join(fragments) == '{"number":4711}'
    assert isinstance(chunks[-1], StreamEnded)
    assert chunks[-1].reason == "tool_calls"


async def test_a_stream_that_dies_gives_its_text_and_a_broken_error(
    adapter: Adapter,
) -> None:
    async with adapter(breaks("Your appointment")) as model:
        came, error = await ask_in_vain(model)

    assert words(came) == "Your appointment"
    assert isinstance(error, ModelBroke)


async def test_a_stream_that_dies_in_a_call_is_broken(adapter: Adapter) -> None:
    async with adapter(breaks(calls(("find_order", '{"num')))) as model:
        came, error = await ask_in_vain(model)

    assert came[0] == CallNamed(0, "find_order", getattr(came[0], "provider_id", None))
    assert isinstance(error, ModelBroke)


async def test_a_model_that_never_begins_times_out(adapter: Adapter) -> None:
    async with adapter(stalls()) as model:
        came, error = await ask_in_vain(model)

        assert now() == pytest.approx(ASKED.options.first_token_s, abs=0.1)
    assert came == []
    assert isinstance(error, ModelTimeout)


async def test_a_model_that_falls_silent_times_out(adapter: Adapter) -> None:
    async with adapter(stalls(says("Your appointment", first_s=3.0))) as model:
        came, error = await ask_in_vain(model)

        assert now() == pytest.approx(3.0 + ASKED.options.next_token_s, abs=0.1)
    assert words(came) == "Your appointment"
    assert isinstance(error, ModelTimeout)


async def test_a_slow_model_is_waited_for_as_long_as_it_continues(adapter: Adapter) -> None:
    async with adapter(says("I am still here .", first_s=19.0, each_s=14.0)) as model:
        *text, _ = await ask(model)

    assert len(text) == 5


async def test_a_closed_stream_does_not_disturb_the_next(adapter: Adapter) -> None:
    async with adapter(says("Never to be heard", each_s=1.0), says("Well")) as model:
        async with aclosing(model.stream(ASKED)) as stream:
            assert await anext(stream) == TextDelta("Never")

        assert (await ask(model))[0] == TextDelta("Well")


async def test_two_concurrent_requests_keep_their_replies_apart(adapter: Adapter) -> None:
    async with adapter(says("one one", each_s=1.0), says("two two", each_s=1.0)) as model:
        replies = await asyncio.gather(ask(model), ask(model))

    texts = ["".join(chunk.text for chunk in reply if isinstance(chunk, TextDelta)) for reply in replies]
    assert sorted(texts) == ["one one", "two two"]


async def test_a_cancelled_request_ends_immediately(adapter: Adapter) -> None:
    async with adapter(stalls("Your")) as model:
        asking = asyncio.ensure_future(ask(model))
        await asyncio.sleep(1.0)
        asking.cancel()

        with pytest.raises(asyncio.CancelledError):
            await asking
        assert now() == pytest.approx(1.0, abs=0.1)

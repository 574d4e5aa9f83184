"""A script is followed exactly, and a line too few or too many fails."""

from contextlib import aclosing

import pytest

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, StreamEnded, TextDelta
from assistant.conversation.views import FromCustomer, TurnView, View
from assistant.errors import ModelRefused
from assistant.ports import ModelRequest
from assistant.testing.scripted_model import ScriptedModel, breaks, calls, says

ASKED = ModelRequest(role="decider", view=View("", (TurnView((FromCustomer("Hello"),)),)))


async def ask(model: ScriptedModel) -> list[Chunk]:
    async with aclosing(model.stream(ASKED)) as stream:
        return [chunk async for chunk in stream]


async def test_it_keeps_the_requests() -> None:
    model = ScriptedModel(says("Hi"))

    assert await ask(model) == [TextDelta("Hi"), StreamEnded("stop")]
    assert model.requests == [ASKED]
    model.assert_used_up()


async def test_joined_words_are_the_exact_text() -> None:
    text = "  Two  spaces,\na line \n"

    chunks = await ask(ScriptedModel(says(text)))

    assert len(chunks) > 4
    assert "".join(chunk.text for chunk in chunks if isinstance(chunk, TextDelta)) == text


async def test_arguments_as_text_are_sent_unchanged() -> None:
    chunks = await ask(ScriptedModel(calls(("find", "{oops"), "list")))

    assert chunks == [
        CallNamed(0, "find"),
        CallArguments(0, "{o"),
        CallArguments(0, "ops"),
        CallNamed(1, "list"),
        CallArguments(1, "{"),
        CallArguments(1, "}"),
        StreamEnded("tool_calls"),
    ]


async def test_it_breaks_with_the_error_that_it_is_given() -> None:
    with pytest.raises(ModelRefused, match="no such model"):
        await ask(ScriptedModel(breaks(error=ModelRefused("no such model"))))


async def test_a_missing_line_fails_immediately_and_in_the_end() -> None:
    model = ScriptedModel(name="narrator")

    with pytest.raises(AssertionError, match=r"narrator: request 1 came, the script has 0 lines.*'Hello'"):
        await ask(model)
    with pytest.raises(AssertionError, match="1 requests came"):
        model.assert_used_up()


async def test_an_unused_line_fails_in_the_end() -> None:
    with pytest.raises(AssertionError, match="0 requests came, the script has 1 lines"):
        ScriptedModel(says("Hi")).assert_used_up()


async def test_a_line_that_waits_needs_a_clock() -> None:
    with pytest.raises(AssertionError, match="needs a clock"):
        await ask(ScriptedModel(says("Hi", first_s=1.0)))


async def test_it_remembers_that_it_was_closed() -> None:
    model = ScriptedModel()

    await model.close()

    assert model.closed

"""Whatever a tool returns or raises, its call has one outcome that the log can store."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any, cast

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as some
from pydantic import BaseModel, model_serializer

from assistant import Media, ToolError, ToolResult, tool
from assistant.conversation.codec import entry_to_json
from assistant.conversation.entries import CallEnded
from assistant.conversation.outcomes import (
    CallCancelled,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallTimedOut,
    Outcome,
)
from assistant.errors import AssistantError
from assistant.testing.virtual_time import run_virtually
from assistant.tools.tool import Tool
from tests.tools.running.conftest import Runner

Lines = Callable[[], list[str]]


def giving(value: object) -> Tool:
    """A tool that gives this."""

    @tool(waiting_hint="")
    async def give() -> object:
        """Give it."""
        return value

    return give


def raising(error: BaseException) -> Tool:
    """A tool that raises this."""

    @tool(waiting_hint="")
    async def give() -> object:
        """Raise it."""
        raise error

    return give


def blocking(error: BaseException) -> Tool:
    """A tool that raises this in its thread."""

    @tool(waiting_hint="")
    def give() -> object:
        """Raise it."""
        raise error

    return give


def kept(outcome: Outcome) -> bytes:
    """The outcome as the log keeps it; no tolerance for what is not plain JSON."""
    return orjson.dumps(entry_to_json(CallEnded(outcome=outcome)))


class Confiding(BaseModel):
    """A model whose serialiser fails with a customer's data in its words."""

    @model_serializer
    def secret(self) -> str:
        raise ValueError("card 4111 1111 1111 1111")


@dataclass
class Box:
    content: object


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


def itself() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


NOT_KEPT = [
    (b"\xff", "it holds bytes that are no text; give text, or Media beside the value"),
    ({"name": "\ud800"}, "it holds half a character (a surrogate alone)"),
    ({"\ud800": 1}, "it holds half a character (a surrogate alone)"),
    ([2**70], "Integer exceeds 64-bit range"),
    (itself(), "it refers to itself, or is nested too deeply"),
    ({"a": nested(240)}, "it refers to itself, or is nested too deeply"),
    (nested(300), "it refers to itself, or is nested too deeply"),
    (nested(100_000), "it refers to itself, or is nested too deeply"),
    (Box(itself()), "it refers to itself, or is nested too deeply"),
    (object(), "Unable to serialize unknown type: <class 'object'>"),
    (Confiding(), "PydanticSerializationError"),
]


@pytest.mark.parametrize(("value", "why"), NOT_KEPT)
async def test_a_result_that_cannot_be_stored_is_a_failure_and_is_logged(
    run: Runner, lines: Lines, value: object, why: str
) -> None:
    outcome = await run(giving(value))

    assert outcome == CallFailed(
        call=outcome.call, say="that did not work", for_model=f"The result cannot be written as JSON: {why}."
    )
    (line,) = lines()
    assert "a tool's result is not kept" in line
    assert f"{why}." in line
    assert "call=key-1" in line
    assert "4111" not in line


@pytest.mark.parametrize(
    "value",
    [count(), (n for n in count()), {"a": [map(str, count())]}, Box((1, iter([2]))), {1: {2: iter("x")}}],
)
async def test_an_endless_result_is_not_read(run: Runner, value: object) -> None:
    outcome = await run(giving(value))

    assert isinstance(outcome, CallFailed)
    assert outcome.for_model.endswith("; return a list.")


async def test_non_finite_numbers_become_null_and_are_logged(run: Runner, lines: Lines) -> None:
    plain = await run(giving({"a": float("nan"), "b": [float("-inf"), 1.5]}))
    boxed = await run(giving(Box(float("inf"))))

    assert isinstance(plain, CallSucceeded)
    assert isinstance(boxed, CallSucceeded)
    assert (plain.value, boxed.value) == ({"a": None, "b": [None, 1.5]}, {"content": None})
    assert ["not finite" in line for line in lines()] == [True, True]


async def test_an_ordinary_null_is_not_logged(run: Runner, lines: Lines) -> None:
    assert await run(giving({"a": None})) is not None
    assert lines() == []


async def test_a_large_result_is_stored_with_a_warning(run: Runner, lines: Lines) -> None:
    outcome = await run(giving(["x" * 997] * 127))

    assert isinstance(outcome, CallSucceeded)
    (line,) = lines()
    assert "a tool's result is large" in line
    assert "bytes=127001" in line


class Page(BaseModel):
    rows: list[str]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("x" * 20_000_000, "(20000000 characters) has more than 128000 bytes"),
        (["x" * 1_000] * 20_000, "(20000 items) has more than 128000 bytes"),
        ([1] * 10_000_000, "(10000000 items) has more than 128000 bytes"),
        (
            {str(number): {"a": number} for number in range(300_000)},
            "(300000 items) has more than 128000 bytes",
        ),
        (Page(rows=["x" * 1_000] * 20_000), "The result has more than 128000 bytes"),
        ("ü" * 100_000, "(100000 characters) has 200002 bytes"),
    ],
)
async def test_a_result_that_is_too_large_is_refused_with_size_and_limit(
    run: Runner, lines: Lines, value: object, shown: str
) -> None:
    outcome = await run(giving(value))

    assert isinstance(outcome, CallFailed)
    assert outcome.say == "there is more than I can look through at once"
    assert shown in outcome.for_model
    assert "at most 128000 are read. Ask for less: a shorter period, fewer items" in outcome.for_model
    assert shown in lines()[-1]


class Untouched:
    """Fails when it is turned into JSON, or its text is made."""

    def __iter__(self) -> object:
        raise AssertionError

    __str__ = __repr__ = __len__ = __iter__  # pyright: ignore[reportAssignmentType]


async def test_a_result_that_is_too_large_is_not_converted(run: Runner) -> None:
    outcome = await run(giving([Untouched()] * 300_000))

    assert isinstance(outcome, CallFailed)
    assert outcome.say == "there is more than I can look through at once"


async def test_media_have_their_own_limit(run: Runner, lines: Lines) -> None:
    outcome = await run(giving(ToolResult(1, (Media(mime="image/png", data="A" * 20_000_001),))))

    assert isinstance(outcome, CallFailed)
    assert "have 20000001 characters of base64; at most 20000000 are taken" in outcome.for_model
    assert "at most 20000000 are taken" in lines()[-1]


@pytest.mark.parametrize(
    "media", [None, "x", (1,), (Media(mime="", data=cast("str", 3)),), (Media(mime="\ud800", data=""),)]
)
async def test_invalid_media_are_a_failure(run: Runner, media: Any) -> None:
    assert isinstance(await run(giving(ToolResult(1, media))), CallFailed)


async def test_media_without_a_value_are_not_empty(run: Runner) -> None:
    picture = Media(mime="image/png", data="aGk=")

    assert await run(giving(ToolResult(None, [picture]))) == CallSucceeded(  # pyright: ignore[reportArgumentType]
        call=(await run(giving(None))).call, value=None, media=(picture,)
    )


async def test_a_write_that_ran_is_not_reported_as_undone(run: Runner) -> None:
    @tool(waiting_hint="", effect="write")
    async def send() -> object:
        """Send it."""
        return object()

    outcome = await run(send)

    assert isinstance(outcome, CallFailed)
    assert outcome.say == "it was sent off, but I can't see what came of it"


class Mute(ToolError):
    """An error that has never been made properly."""

    def __init__(self) -> None:
        pass


class Rude(AssistantError):
    """An error that fails while it words itself."""

    @property
    def for_model(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize("how", [raising, blocking])
@pytest.mark.parametrize(
    ("error", "say", "for_model"),
    [
        (ToolError("I can't", for_model="do"), "I can't", "do"),
        (ToolError("half \ud800"), "half ?", "half ?"),
        (ToolError(""), "that did not work", "that did not work"),
        (ToolError(3), "that did not work", "that did not work"),  # pyright: ignore[reportArgumentType]
        (ToolError("x" * 30_000, for_model="y"), "x" * 20_000, "y"),
        (Mute(), "something went wrong on our side", "that did not work"),
        (Rude(), "something went wrong on our side", "that did not work"),
        (KeyError("x"), "that did not work", "KeyError inside the tool."),
        (UnicodeError("\ud800"), "that did not work", "UnicodeError inside the tool."),
        (SystemExit(3), "that did not work", "SystemExit inside the tool."),
        (KeyboardInterrupt(), "that did not work", "KeyboardInterrupt inside the tool."),
        (StopIteration(), "that did not work", "RuntimeError inside the tool."),
        (BaseExceptionGroup("", [SystemExit()]), "that did not work", "BaseExceptionGroup inside the tool."),
    ],
)
async def test_any_exception_fails_only_its_call(
    run: Runner, how: Callable[[BaseException], Tool], error: BaseException, say: str, for_model: str
) -> None:
    outcome = await run(how(error))

    assert outcome == CallFailed(call=outcome.call, say=say, for_model=for_model)


async def test_an_exception_in_a_generator_only_fails_its_call(run: Runner) -> None:
    one, other = await run(raising(GeneratorExit())), await run(blocking(GeneratorExit()))

    assert (one, other) == (
        CallFailed(call=one.call, say="that did not work", for_model="GeneratorExit inside the tool."),
        CallFailed(call=one.call, say="that did not work", for_model="RuntimeError inside the tool."),
    )


@pytest.mark.parametrize("how", [raising, blocking])
async def test_a_tool_that_is_cancelled_inside_is_cancelled(
    run: Runner, how: Callable[[BaseException], Tool]
) -> None:
    outcome = await run(how(asyncio.CancelledError()))

    assert outcome == CallCancelled(call=outcome.call, why="something within the tool was cancelled")


async def test_a_tools_own_timeout_is_a_timeout(run: Runner) -> None:
    assert isinstance(await run(raising(TimeoutError())), CallTimedOut)


@pytest.mark.parametrize(("took_s", "told_s"), [(0, 0.1), (1, 1), (1.24, 1.2), (50, 50)])
async def test_a_tool_that_times_out_by_itself_is_told_with_its_time(
    run: Runner, took_s: float, told_s: float
) -> None:
    @tool(waiting_hint="", timeout_s=50)
    async def look() -> None:
        """Look."""
        await asyncio.sleep(took_s)
        raise TimeoutError

    outcome = await run(look)

    assert outcome == CallTimedOut(call=outcome.call, after_s=told_s)


LEAVES = (
    some.none() | some.booleans() | some.integers() | some.floats() | some.text() | some.binary()
    | some.characters(categories=["Cs"]) | some.dates() | some.decimals() | some.uuids() | some.complex_numbers()
    | some.builds(object) | some.builds(iter, some.lists(some.integers())) | some.builds(Confiding)
    | some.just(ToolError) | some.just(itself()) | some.just(nested(250))
)  # fmt: skip
VALUES = some.recursive(
    LEAVES,
    lambda inner: (
        some.lists(inner)
        | some.dictionaries(some.text() | some.integers() | some.none() | some.binary(), inner)
        | some.tuples(inner)
        | some.builds(Box, inner)
        | some.builds(ToolResult, inner)
    ),
    max_leaves=12,
)
ERRORS = (
    some.builds(ToolError, some.text() | some.none(), for_model=some.text() | some.none())
    | some.builds(ValueError, VALUES)
    | some.sampled_from(
        [SystemExit(1), KeyboardInterrupt(), asyncio.CancelledError(), StopIteration(1), Mute(), Rude()]
    )
)


@given(what=some.one_of(VALUES.map(giving), ERRORS.map(raising), ERRORS.map(blocking)))
def test_every_call_has_exactly_one_outcome_that_can_be_stored(what: Tool) -> None:
    async def outcome() -> Outcome:
        return await Runner()(what)

    ended = run_virtually(outcome())

    assert isinstance(ended, CallSucceeded | CallEmpty | CallFailed | CallTimedOut | CallCancelled)
    assert kept(ended)

"""What a decorated function becomes: a schema, valid arguments, and a result that is JSON."""

import asyncio
import functools
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from assistant import Customer, Media, ToolContext, ToolError, ToolResult, tool
from assistant.conversation.tool_spec import Hint
from assistant.conversation.values import Json
from assistant.errors import BadArguments, DeclarationError
from assistant.prompts.book import shipped_book
from assistant.tools.tool import Tool
from tests.tools.conftest import ANA, CONTEXT


class Address(BaseModel):
    """Where something goes."""

    street: str
    title: str | None = None


@tool(waiting_hint="looking up your visits", examples=["when do I come in"], timeout_s=3)
def list_visits(
    customer: Customer,
    context: ToolContext,
    until: date,
    kind: Literal["test", "fitting"] | None = None,
    days: Annotated[int, Field(ge=1, le=365)] = 30,
    schema: str = "short",
) -> dict[str, object]:
    """List the customer's visits.

    Soonest first.

    Args:
        until: how far
            to look.
        kind: what for.
        days: how many days.
        schema: how much to tell.

    Returns:
        Something that no model needs to know.

    Source: the calendar.
    """
    return {"who": customer.id, "until": until, "key": context.key, "days": days}


async def run(one: Tool, **arguments: Json) -> Json:
    return (await one.run(one.validate(arguments), customer=ANA, context=CONTEXT)).value


def test_types_and_docstring_become_the_description_for_models() -> None:
    spec = list_visits.spec

    assert spec.name == "list_visits"
    assert spec.description == "List the customer's visits.\n\nSoonest first."
    assert spec.hints == {"en": Hint(doing="looking up your visits", will="look up your visits")}
    assert spec.examples == ("when do I come in",)
    assert spec.timeout_s == 3.0
    assert spec.needs_customer
    assert spec.where.startswith("tests/tools/test_tool.py:")
    assert spec.parameters == {
        "type": "object",
        "additionalProperties": False,
        "required": ["until"],
        "properties": {
            "until": {"type": "string", "format": "date", "description": "how far to look."},
            "kind": {"type": "string", "enum": ["test", "fitting"], "description": "what for."},
            "days": {
                "type": "integer", "minimum": 1, "maximum": 365, "default": 30,
                "description": "how many days.",
            },
            "schema": {"type": "string", "default": "short", "description": "how much to tell."},
        },
    }  # fmt: skip


async def test_the_function_gets_its_own_types_and_the_customer() -> None:
    assert await run(list_visits, until="2026-12-01") == {
        "who": "ana", "until": "2026-12-01", "key": "key-1", "days": 30,
    }  # fmt: skip


def test_it_can_still_be_called_as_a_plain_function() -> None:
    assert list_visits(ANA, CONTEXT, date(2026, 12, 1), days=2)["days"] == 2


def test_arguments_are_complete_and_in_one_form() -> None:
    assert list_visits.validate({"until": "2026-12-01T00:00:00", "days": "7", "schema": 5}) == {
        "until": "2026-12-01", "kind": None, "days": 7, "schema": "5",
    }  # fmt: skip


def test_every_invalid_argument_is_named_once_with_its_value() -> None:
    with pytest.raises(BadArguments) as refused:
        list_visits.validate({"days": 1000, "kind": "x" * 200, "customer": "bo", "colour": ["red"]})

    problems = dict(problem.split(" ", 1) for problem in refused.value.problems)
    assert set(problems) == {"until", "days", "kind", "customer", "colour"}
    assert problems["until"] == "is missing"
    assert problems["days"] == "does not fit: Input should be less than or equal to 365 (given: 1000)"
    assert problems["colour"] == 'is not one of the tool\'s parameters (given: ["red"])'
    assert len(problems["kind"]) < 200


async def test_nested_values_keep_their_names_and_lose_only_their_titles() -> None:
    @tool(waiting_hint="sending your parcel")
    def send(to: list[Address]) -> str:
        """Send it.

        Args:
            to: where.
        """
        return to[0].street

    assert "'title': {'type': 'string'}" in str(send.spec.parameters)
    assert "'title': 'Address'" not in str(send.spec.parameters)
    assert await run(send, to=[{"street": "High Street 1"}]) == "High Street 1"
    with pytest.raises(BadArguments, match=r"to\.0\.street"):
        send.validate({"to": [{}]})


async def test_a_plain_function_runs_in_a_thread_and_an_async_one_on_the_loop() -> None:
    @tool(waiting_hint="")
    def plain() -> bool:
        """Tell where it runs."""
        return threading.current_thread() is threading.main_thread()

    @tool(waiting_hint="")
    async def waiting() -> bool:
        """Tell where it runs."""
        await asyncio.sleep(0)
        return threading.current_thread() is threading.main_thread()

    assert await run(plain) is False
    assert await run(waiting) is True
    assert plain.spec.hints == {}


async def test_a_wrapped_async_function_is_awaited_too() -> None:
    def traced(function: Callable[..., object]) -> Callable[..., object]:
        @functools.wraps(function)
        def outer(*args: object, **kwargs: object) -> object:
            return function(*args, **kwargs)

        return outer

    @tool(waiting_hint="counting your points")
    @traced
    async def count_points(customer: Customer, since: date) -> int:
        """Count points.

        Args:
            since: from when on.
        """
        return since.year

    assert count_points.spec.name == "count_points"
    assert await run(count_points, since="2026-01-01") == 2026


@dataclass
class Price:
    amount: Decimal
    at: time


@pytest.mark.parametrize(
    ("value", "json"),
    [
        (Price(Decimal("150.00"), time(14)), {"amount": "150.00", "at": "14:00:00"}),
        (Address(street="High Street 1"), {"street": "High Street 1", "title": None}),
        ((1, {"a"}, float("nan")), [1, ["a"], None]),
        ({date(2026, 1, 2): b"x"}, {"2026-01-02": "x"}),
        (None, None),
    ],
)
async def test_any_returned_value_becomes_json(value: object, json: Json) -> None:
    @tool(waiting_hint="")
    def give() -> object:
        """Give it."""
        return value

    assert await run(give) == json


@pytest.mark.parametrize("value", [object(), "\ud800", 2**70, b"\xff"])
async def test_a_value_that_the_log_cannot_store_is_the_tools_failure(value: object) -> None:
    @tool(waiting_hint="")
    def give() -> object:
        """Give it."""
        return value

    with pytest.raises((TypeError, ValueError)):
        await run(give)


async def test_media_are_returned_with_the_value() -> None:
    picture = Media(mime="image/png", data="aGk=")

    @tool(waiting_hint="")
    async def show() -> ToolResult[Price]:
        """Show it."""
        return ToolResult(Price(Decimal(1), time(9)), (picture,))

    result = await show.run({}, customer=ANA, context=CONTEXT)

    assert result == ToolResult({"amount": "1", "at": "09:00:00"}, (picture,))


async def test_an_exception_of_a_tool_passes_through() -> None:
    @tool(waiting_hint="")
    def refuse() -> None:
        """Refuse."""
        raise ToolError("I can't do that")

    with pytest.raises(ToolError, match="I can't do that"):
        await run(refuse)


def asked_to_send(customer: Customer, day: date, times: int) -> str:
    return f" send it {times} times on {day:%A} for {customer.id} "


async def asked_later(**arguments: object) -> str:
    return f"send it with {len(arguments)} details"


@pytest.mark.parametrize(
    ("confirm", "clause", "asks"),
    [
        (False, None, False),
        (True, None, True),
        ("send it on {{ arguments.day | day }}", "send it on Tuesday, November 24", True),
        (asked_to_send, "send it 2 times on Tuesday for ana", True),
        (asked_later, "send it with 2 details", True),
    ],
)
async def test_the_question_is_made_from_the_real_arguments(
    confirm: bool | str | Callable[..., str], clause: str | None, asks: bool
) -> None:
    @tool(waiting_hint="sending it", effect="write", confirm=confirm)
    def send(context: ToolContext, day: date, times: int = 2) -> None:
        """Send it.

        Args:
            day: when.
            times: how often.
        """

    assert send.spec.confirm is asks
    assert (
        await send.read_back(send.validate({"day": "2026-11-24"}), customer=ANA, book=shipped_book())
        == clause
    )


async def test_a_question_without_text_is_a_bug_in_the_tool() -> None:
    def nothing() -> str:
        return " "

    @tool(waiting_hint="", effect="write", confirm=nothing)
    def act() -> None:
        """Act."""

    with pytest.raises(TypeError, match="instead of a clause"):
        await act.read_back({}, customer=ANA, book=shipped_book())


async def test_a_tool_with_mistakes_never_runs() -> None:
    @tool(waiting_hint="Please wait.")
    async def wait() -> AsyncIterator[int]:
        """Wait."""
        yield 1

    assert len(wait.mistakes) == 2
    with pytest.raises(DeclarationError, match="should be a gerund phrase"):
        wait.validate({})
    with pytest.raises(DeclarationError, match="yields"):
        await wait.run({}, customer=ANA, context=CONTEXT)
    with pytest.raises(DeclarationError):
        await wait.read_back({}, customer=ANA, book=shipped_book())


def test_without_a_function_a_mistake_is_raised_immediately() -> None:
    with pytest.raises(DeclarationError, match="named options only"):
        tool(lambda: 1)  # pyright: ignore[reportArgumentType]
    with pytest.raises(DeclarationError, match="for functions"):
        tool(waiting_hint="")(Address)

"""A tool identifies the customer; all failures have the same text."""

import pytest

from assistant import Customer, ToolError, tool
from assistant.conversation.calls import Call
from assistant.conversation.customer import Level
from assistant.conversation.outcomes import CallDenied, CallFailed, CallSucceeded, CallTimedOut
from assistant.tools.execute import prepare
from assistant.tools.registry import Tools
from assistant.tools.tool import PreparedCall, Tool
from tests.tools.conftest import ANA
from tests.tools.running.conftest import Runner

BO = Customer(tenant="elsewhere", id="77", name="Bo", level="signed_in")
STRANGER = Customer(tenant="shop", id="visitor")


def identifying(found: object) -> Tool:
    """A tool that finds this, or raises it."""

    @tool(waiting_hint="", identifies=True, examples=["it's me"])
    async def identify(customer: Customer, number: str = "") -> Customer | None:
        """Find out who it is.

        Args:
            number: theirs.
        """
        if isinstance(found, Exception):
            raise found
        return found  # pyright: ignore[reportReturnType]

    assert identify.mistakes == ()
    return identify


def test_it_is_for_customers_who_are_not_identified() -> None:
    tools = Tools([identifying(BO)])

    assert (tools.specs[0].role, tools.specs[0].requires) == ("identifies", "anonymous")
    assert isinstance(prepare(_call(), tools, STRANGER), PreparedCall)
    denied = prepare(_call(), tools, ANA)
    assert denied == CallDenied(
        call=_call(),
        say="I know already who you are",
        for_model="The customer is known already; go on without 'identify'.",
    )


async def test_a_match_is_returned_in_addition_to_the_outcome(run: Runner) -> None:
    ran = await run.ran(identifying(BO))

    assert (ran.matched, ran.identified) == (True, BO)
    assert isinstance(ran.outcome, CallSucceeded)
    assert ran.outcome.value == {"verified": True, "name": "Bo"}


async def test_every_mismatch_has_the_same_text(run: Runner) -> None:
    found = [
        None,
        ToolError("wrong birthday"),
        Customer(tenant="", id="\ud800"),
        Customer(tenant="", id="7", name="\ud800"),
    ]
    tries = [await run.ran(identifying(one)) for one in found]

    assert [(one.matched, one.identified) for one in tries] == [(False, None)] * 4
    assert [one.outcome for one in tries] == [tries[0].outcome] * 4
    assert isinstance(tries[0].outcome, CallFailed)
    assert tries[0].outcome.say == "I can't confirm who you are with what you gave me"


@pytest.mark.parametrize(
    "found",
    [OSError(), ToolError("busy", temporary=True), TimeoutError(), True, "77", Customer(tenant="", id="")],
)
async def test_an_error_is_no_attempt(run: Runner, found: object) -> None:
    ran = await run.ran(identifying(found))

    assert (ran.matched, ran.identified) == (None, None)
    assert isinstance(ran.outcome, CallFailed | CallTimedOut)


def needing(level: Level | None) -> Tool:
    """A tool for customers who are known so well."""

    @tool(waiting_hint="", requires=level)
    async def look(customer: Customer) -> None:
        """Look."""

    return look


@pytest.mark.parametrize(
    ("level", "allowed"),
    [
        (None, ["verified", "signed_in"]),
        ("anonymous", ["anonymous", "verified", "signed_in"]),
        ("verified", ["verified", "signed_in"]),
        ("signed_in", ["signed_in"]),
    ],
)
def test_a_tool_says_how_the_customer_must_be_identified(level: Level | None, allowed: list[Level]) -> None:
    levels: list[Level] = ["anonymous", "verified", "signed_in"]
    tools = Tools([needing(level)])
    call = _call("look")

    let_in = [
        one
        for one in levels
        if isinstance(prepare(call, tools, Customer(tenant="shop", id="7", level=one)), PreparedCall)
    ]

    assert let_in == allowed


def test_a_denied_customer_hears_what_would_help() -> None:
    call = _call("look")

    def denied(*tools: Tool) -> list[str]:
        outcome = prepare(call, Tools(tools), STRANGER)
        assert isinstance(outcome, CallDenied)
        return [outcome.say, outcome.for_model]

    unknown = "'look' needs a customer whose identity is known; this one is anonymous."
    assert denied(needing("signed_in")) == [
        "you would have to sign in for that",
        "'look' needs a customer who has signed in; what they say here is not enough.",
    ]
    assert denied(needing(None)) == ["I don't know yet who you are", unknown]
    assert denied(needing(None), identifying(None)) == [
        "I don't know yet who you are",
        f"{unknown} identify can verify them; ask for what it needs.",
    ]


def _call(name: str = "identify") -> Call:
    return Call(id="c1.1", tool=name)

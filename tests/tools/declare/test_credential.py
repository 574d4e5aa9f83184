"""Which Python tools get the customer's own credential, and how."""

from dataclasses import asdict, replace
from typing import cast

import pytest

from assistant import CredentialError, Customer, ToolContext, tool
from assistant.conversation.calls import Call
from assistant.conversation.customer import CustomerCredential
from assistant.conversation.outcomes import CallDenied, CallSucceeded
from assistant.conversation.values import Json
from assistant.formats.json_text import json_text
from assistant.prompts.book import shipped_book
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.execute import prepare, run_call
from assistant.tools.registry import Tools
from assistant.tools.tool import PreparedCall, Tool
from tests.tools.conftest import ANA, CONTEXT

HELD = CustomerCredential(token="anas-token", claims={"plan": "gold"}, expires_ms=2**53)
SIGNED_IN = replace(ANA, credential=HELD)


async def ends(tool: Tool, customer: Customer = SIGNED_IN) -> object:
    """What a call's value is, or its outcome."""
    ready = prepare(Call(id="c1.1", tool=tool.spec.name), Tools([tool]), customer)
    if not isinstance(ready, PreparedCall):
        return ready
    outcome = await run_call(ready, customer=customer, context=CONTEXT, timeout_s=5, clock=VirtualClock())
    return outcome.value if isinstance(outcome, CallSucceeded) else outcome


async def test_a_tool_that_asks_for_it_gets_it_only_in_its_context() -> None:
    seen: list[object] = []

    @tool(waiting_hint="looking", credential=True)
    def look(customer: Customer, context: ToolContext) -> dict[str, object]:
        """Look."""
        seen.extend((context.credential.token, customer.credential, asdict(customer)["credential"]))
        return {"plan": context.credential.claims["plan"], "said": repr(context) + repr(context.credential)}

    value = await ends(look)

    assert seen == ["anas-token", None, None]
    told = json_text(cast("Json", value))
    assert "gold" in told
    assert "anas-token" not in told


async def test_no_other_tool_gets_it() -> None:
    seen: list[object] = []

    async def clause(customer: Customer) -> str:
        seen.append(customer.credential)
        return "look"

    @tool(waiting_hint="looking", requires="signed_in", effect="write", confirm=clause)
    def peek(customer: Customer, context: ToolContext) -> str:
        """Peek."""
        seen.append(customer.credential)
        with pytest.raises(LookupError, match="credential=True"):
            _ = context.credential
        return "nothing"

    assert await ends(peek) == "nothing"
    assert await peek.read_back({}, customer=SIGNED_IN, book=shipped_book()) == "look"
    assert seen == [None, None]


async def test_a_customer_without_one_is_denied_before_the_code_runs() -> None:
    ran: list[str] = []

    @tool(waiting_hint="looking", credential=True)
    def look(context: ToolContext) -> str:
        """Look."""
        ran.append(context.credential.token)
        return ""

    assert (look.spec.requires, look.spec.credential) == ("signed_in", True)
    for customer, say in (
        (replace(SIGNED_IN, level="anonymous"), "you would have to sign in for that"),
        (ANA, "your sign-in has expired, so please sign in again on our site"),
    ):
        denied = await ends(look, customer)
        assert isinstance(denied, CallDenied)
        assert denied.say == say
    ready = prepare(Call(id="c1.1", tool="look"), Tools([look]), SIGNED_IN)
    assert isinstance(ready, PreparedCall)  # it expires between its check and its start
    late = await run_call(ready, customer=ANA, context=CONTEXT, timeout_s=5, clock=VirtualClock())
    assert isinstance(late, CallDenied)
    assert ran == []


async def test_a_token_that_its_system_refuses_ends_the_call_as_denied() -> None:
    @tool(waiting_hint="looking", credential=True)
    def look(context: ToolContext) -> str:
        """Look."""
        raise CredentialError

    denied = await ends(look)
    assert isinstance(denied, CallDenied)
    assert "did not accept" in denied.for_model


def test_it_is_for_signed_in_customers_only() -> None:
    @tool(waiting_hint="looking", credential=True, requires="verified")
    def look() -> str:
        """Look."""
        return ""

    @tool(waiting_hint="looking", credential=True, identifies=True)
    def find() -> Customer | None:
        """Find."""

    assert ["leave requires='verified' out" in one.problem for one in look.mistakes] == [True]
    assert ["leave identifies out" in one.problem for one in find.mistakes] == [True]

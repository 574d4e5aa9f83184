"""What is checked before a call runs, whatever tool it is for."""

from dataclasses import replace

from assistant.conversation.calls import NOT_JSON, Call
from assistant.conversation.customer import Customer
from assistant.conversation.outcomes import CallDenied, CallFailed
from assistant.conversation.values import JsonObject
from assistant.testing.chat import ANA
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.execute import prepare
from assistant.tools.registry import Tools
from assistant.tools.tool import PreparedCall


class TakesAnything(FakeTool):
    """A tool whose parameters nobody checks."""

    def validate(self, arguments: JsonObject) -> JsonObject:
        return arguments


def tools(*, needs_customer: bool = True) -> Tools:
    spec = fake_spec("note", "noting that", "note that", needs_customer=needs_customer)
    return Tools([TakesAnything(spec, Gives("noted"), VirtualClock())])


NOTE = Call(id="c1.1", tool="note", arguments={"text": "late"})


def test_a_call_that_fits_may_run() -> None:
    assert isinstance(prepare(NOTE, tools(), ANA), PreparedCall)


def test_what_could_not_be_read_never_runs_even_where_anything_is_taken() -> None:
    unreadable = replace(NOTE, arguments={NOT_JSON: "{text: late"})

    outcome = prepare(unreadable, tools(), ANA)

    assert isinstance(outcome, CallFailed)
    assert "{text: late" in outcome.for_model


def test_a_tool_that_nobody_has_fails_with_the_names_of_those_there_are() -> None:
    outcome = prepare(replace(NOTE, tool="fly"), tools(), ANA)

    assert isinstance(outcome, CallFailed)
    assert "Available: note" in outcome.for_model


def test_a_stranger_is_denied_what_needs_a_customer_and_nothing_else() -> None:
    stranger = Customer(tenant="shop", id="visitor")

    assert isinstance(prepare(NOTE, tools(), stranger), CallDenied)
    assert isinstance(prepare(NOTE, tools(needs_customer=False), stranger), PreparedCall)

"""What is checked before any call runs."""

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
    """A tool whose parameters are not checked."""

    def validate(self, arguments: JsonObject) -> JsonObject:
        return arguments


def tools(*, needs_customer: bool = True) -> Tools:
    spec = fake_spec("note", "noting that", "note that", needs_customer=needs_customer)
    return Tools([TakesAnything(spec, Gives("noted"), VirtualClock())])


NOTE = Call(id="c1.1", tool="note", arguments={"text": "late"})


def test_a_valid_call_may_run() -> None:
    assert isinstance(prepare(NOTE, tools(), ANA), PreparedCall)


def test_unreadable_arguments_never_run_even_if_anything_is_accepted() -> None:
    unreadable = replace(NOTE, arguments={NOT_JSON: "{text: late"})

    outcome = prepare(unreadable, tools(), ANA)

    assert isinstance(outcome, CallFailed)
    assert "{text: late" in outcome.for_model


def test_an_unknown_tool_fails_with_the_known_names() -> None:
    outcome = prepare(replace(NOTE, tool="fly"), tools(), ANA)

    assert isinstance(outcome, CallFailed)
    assert "Available: note" in outcome.for_model


def test_an_anonymous_visitor_is_denied_only_what_needs_a_customer() -> None:
    stranger = Customer(tenant="shop", id="visitor")

    assert isinstance(prepare(NOTE, tools(), stranger), CallDenied)
    assert isinstance(prepare(NOTE, tools(needs_customer=False), stranger), PreparedCall)

"""Formatters are found by name."""

from collections.abc import Iterator

import orjson
import pytest

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View, ViewMessage
from assistant.errors import DeclarationError
from assistant.formats.anthropic import AnthropicFormatter
from assistant.formats.json_text import json_bytes
from assistant.formats.openai import OpenAIFormatter
from assistant.formats.openai_variants import GenericFormatter, GrokFormatter
from assistant.formats.registry import Formatter, WireRequest, formatter, register_formatter
from assistant.formats.tools import text_with_captions, wire_name
from assistant.ports import ModelRequest


class Shouting:
    """A company's own: one prompt of plain text, for a server of its own."""

    def format(self, request: ModelRequest, model: str, provider: str = "") -> WireRequest:
        names = {wire_name(tool.name): tool.name for tool in request.tools}
        lines = [request.view.instructions, *(self._line(said) for said in request.view.messages)]
        return WireRequest(json_bytes({"model": model, "prompt": "\n".join(lines)}), names, provider)

    def _line(self, said: ViewMessage) -> str:
        match said:
            case FromCustomer(text=text) | FromAssistant(text=text, calls=()):
                return text.upper()
            case FromAssistant(calls=calls):
                return " ".join(wire_name(call.tool) for call in calls)
            case FromTools(outcomes=outcomes):
                return " ".join(text_with_captions(outcome, seen=()) for outcome in outcomes)


@pytest.fixture(autouse=True)
def ours() -> Iterator[None]:
    """What a test replaces is there again for the next ones, in other files, too."""
    before = {name: formatter(name) for name in ("anthropic", "generic", "grok", "openai")}
    yield
    for name, one in before.items():
        register_formatter(name, one)


def test_a_formatter_is_always_the_same_one() -> None:
    assert formatter("openai") is formatter("openai")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("openai", OpenAIFormatter),
        ("anthropic", AnthropicFormatter),
        ("grok", GrokFormatter),
        ("generic", GenericFormatter),
    ],
)
def test_ours_are_known_by_name(name: str, kind: type[Formatter]) -> None:
    assert type(formatter(name)) is kind


def test_grok_is_also_called_by_its_makers_name() -> None:
    assert formatter("xai") is formatter("grok")


def test_a_company_may_register_its_own() -> None:
    shouting = Shouting()

    register_formatter("shouting", shouting)

    assert formatter("shouting") is shouting


def test_its_requests_are_its_own_and_its_names_mapped_back() -> None:
    call = Call(id="c1.1", tool="crm.find")
    said = FromCustomer("Hello"), FromAssistant("", (call,)), FromTools((CallSucceeded(call=call, value=7),))
    view = View("Be loud.", (TurnView(said),), "It is Sunday.")
    tools = (ToolSpec(name="crm.find", description="", parameters={}),)
    register_formatter("shouting", Shouting())

    wire = formatter("shouting").format(ModelRequest(role="decider", view=view, tools=tools), "m")

    assert orjson.loads(wire.body)["prompt"] == "Be loud.\n\nIt is Sunday.\nHELLO\ncrm_find\n7"
    assert wire.own_name("crm_find") == "crm.find"


@pytest.mark.parametrize(("name", "asked_for"), [("openai", "openai"), ("xai", "grok"), ("grok", "xai")])
def test_ours_may_be_replaced(name: str, asked_for: str) -> None:
    shouting = Shouting()

    register_formatter(name, shouting)

    assert formatter(asked_for) is shouting


def test_an_unknown_name_is_an_error_that_names_the_known_ones() -> None:
    register_formatter("shouting", Shouting())

    with pytest.raises(
        DeclarationError,
        match="'grox'; use one of: anthropic, generic, grok, openai, openai-responses, shouting, xai",
    ):
        formatter("grox")

"""Requests that litellm can translate for every provider."""

from typing import Any

import orjson
import pytest
from hypothesis import given, settings

from assistant.conversation.calls import Call
from assistant.conversation.chunks import Opaque
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View
from assistant.formats.openai import OpenAIFormatter
from assistant.formats.openai_variants import GenericFormatter
from assistant.ports import ModelOptions, ModelRequest
from tests.formats.views import requests

US = "model@litellm"
UNSPOKEN: JsonObject = {"role": "user", "content": "…"}
TOOLS = (ToolSpec(name="crm.find", description="Find.", parameters={}),)
BLOCKS: Json = [{"type": "thinking", "thinking": "So.", "signature": "EqQB"}]
BY_HAND: JsonObject = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
CLAUDES = ["anthropic/claude-small", "bedrock/anthropic.claude-small", "vertex_ai/claude-small@2026"]


def called(*opaque: Opaque) -> TurnView:
    call = Call(id="c1.1", tool="crm.find", provider_id="call_a")
    results = FromTools((CallSucceeded(call=call, value=1),))
    return TurnView((FromCustomer("?"), FromAssistant("", (call,), opaque), results))


def body(
    *turns: TurnView,
    model: str = "gemini/gemini-small",
    tools: tuple[ToolSpec, ...] = (),
    extra: JsonObject | None = None,
) -> dict[str, Any]:
    options = ModelOptions(extra=extra or {}, parallel_calls=False)
    request = ModelRequest(role="decider", view=View("Be brief.", turns), tools=tools, options=options)
    return orjson.loads(GenericFormatter().format(request, model, US).body)


@settings(deadline=None, max_examples=30)
@given(request=requests())
def test_it_is_openais_format_with_the_customer_first_and_last(request: ModelRequest) -> None:
    generic = orjson.loads(GenericFormatter().format(request, "m", US).body)
    openai = orjson.loads(OpenAIFormatter().format(request, "m", US).body)

    said = [message for message in generic["messages"] if message != UNSPOKEN]
    roles = [message["role"] for message in generic["messages"] if message["role"] != "system"]
    assert {**generic, "messages": said} == openai
    assert not roles or (roles[0] == "user" and roles[-1] in ("user", "tool"))


def test_a_placeholder_replaces_a_missing_message_of_the_customer() -> None:
    greeting: JsonObject = {"role": "assistant", "content": "Welcome."}

    assert body(TurnView((FromAssistant("Welcome."),)))["messages"][1:] == [UNSPOKEN, greeting, UNSPOKEN]
    assert body()["messages"] == [{"role": "system", "content": "Be brief."}]


@pytest.mark.parametrize("model", [*CLAUDES, "bedrock/amazon.nova-small"])
def test_called_tools_are_named_for_models_that_require_it(model: str) -> None:
    wire = body(called(), model=model)

    parameters: JsonObject = {"type": "object", "properties": {}}
    assert wire["tools"] == [{"type": "function", "function": {"name": "crm_find", "parameters": parameters}}]
    assert wire["tool_choice"] == "none"
    assert "parallel_tool_calls" not in wire
    assert not {"tools", "tool_choice"} & body(TurnView((FromCustomer("Hi"),)), model=model).keys()
    assert "tool_choice" not in body(called(), model=model, tools=TOOLS)


def test_they_are_named_for_no_other_model() -> None:
    assert "tools" not in body(called())


@pytest.mark.parametrize("model", CLAUDES)
def test_claude_gets_its_thinking_back_if_it_requires_it(model: str) -> None:
    thought = called(Opaque(US, {"thinking_blocks": BLOCKS}))

    wire = body(thought, model=model, extra=BY_HAND)
    assert (wire["thinking"], wire["messages"][2]["thinking_blocks"]) == (BY_HAND["thinking"], BLOCKS)

    for lost in (called(), called(Opaque(US, {"reasoning_content": "So."}))):
        wire = body(thought, lost, model=model, extra={**BY_HAND, "reasoning_effort": "low"})
        assert not {"thinking", "reasoning_effort"} & wire.keys()
        assert "EqQB" not in str(wire)


@pytest.mark.parametrize("model", CLAUDES)
def test_claude_with_adaptive_thinking_gets_nothing_back(model: str) -> None:
    thought = called(Opaque(US, {"thinking_blocks": BLOCKS}))

    wire = body(thought, model=model, extra={"reasoning_effort": "low", "seed": 7})

    assert "EqQB" not in str(wire)
    assert ("reasoning_effort" in wire, wire["seed"]) == (False, 7)
    asked = body(TurnView((FromCustomer("Hi"),)), model=model, extra={"reasoning_effort": "low"})
    assert asked["reasoning_effort"] == "low"


def test_other_models_get_their_fields_back_whatever_is_set() -> None:
    wire = body(called(Opaque(US, {"reasoning_content": "So."})), extra={"reasoning_effort": "low"})

    assert wire["messages"][2]["reasoning_content"] == "So."
    assert wire["reasoning_effort"] == "low"


def test_replies_keep_their_name_even_when_nothing_was_given_back() -> None:
    request = ModelRequest(role="decider", view=View("", (called(),)))

    assert GenericFormatter().format(request, "anthropic/claude-small", US).provider == US

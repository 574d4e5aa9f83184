"""Opaque data goes back to its provider unchanged, and to no other."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson
import pytest

from assistant.conversation.calls import Call
from assistant.conversation.chunks import Opaque
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View, ViewMessage
from assistant.formats.anthropic import AnthropicFormatter
from assistant.formats.openai import OpenAIFormatter
from assistant.formats.openai_variants import GrokFormatter
from assistant.formats.registry import Formatter
from assistant.ports import ModelOptions, ModelRequest
from tests.support.rows import check_rows

US, OTHERS = "m@here", "m@elsewhere"
TOOLS = (ToolSpec(name="find", description="", parameters={}),)
BY_HAND: dict[str, Json] = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 4096}

THOUGHT: Json = {"type": "thinking", "thinking": "So be it.", "signature": "EqQB", "new_field": [1]}
HIDDEN: Json = {"type": "redacted_thinking", "data": "EmwK"}
SIGNED: JsonObject = {"extra_content": {"google": {"thought_signature": "x"}}}


def called(*opaque: Opaque, of_call: dict[str, Json] | None = None, text: str = "") -> TurnView:
    call = Call(id="c1.1", tool="find", provider_id="call_a", opaque=of_call)
    results = FromTools((CallSucceeded(call=call, value=1),))
    return TurnView((FromCustomer("?"), FromAssistant(text, (call,), opaque), results))


def body(
    by: Formatter, *turns: TurnView, provider: str = US, options: ModelOptions | None = None
) -> dict[str, Any]:
    request = ModelRequest(
        role="decider", view=View("", turns), tools=TOOLS, options=options or ModelOptions()
    )
    wire = by.format(request, "m", provider)
    assert wire.provider == provider
    return orjson.loads(wire.body)


def asked(by: Formatter, *turns: TurnView, provider: str = US, extra: dict[str, Json] | None = None) -> Any:
    options = ModelOptions(extra=extra or {})
    return body(by, *turns, provider=provider, options=options)["messages"][1]


@pytest.mark.parametrize("make", [OpenAIFormatter, GrokFormatter])
def test_chat_completions_have_it_in_the_message_and_in_the_call(make: Callable[[], Formatter]) -> None:
    fields: Json = {"reasoning_content": "So.", "reasoning_details": [{"type": "reasoning.encrypted"}]}
    turn = called(Opaque(US, fields), of_call={US: SIGNED, OTHERS: {"extra_content": 1}})

    message = asked(make(), turn)

    assert {name: message[name] for name in fields} == fields
    (call,) = message["tool_calls"]
    assert {**call, "function": None} == {"id": "call_a", "type": "function", "function": None, **SIGNED}


@check_rows("make", [OpenAIFormatter, AnthropicFormatter, GrokFormatter])
@check_rows("provider", [OTHERS, ""])
def test_no_other_provider_gets_it(make: Callable[[], Formatter], provider: str) -> None:
    fields: Json = {"reasoning_content": "So."}
    opaque = Opaque(US, fields), Opaque(US, THOUGHT)
    turn = called(*opaque, Opaque("", fields), of_call={US: SIGNED, "": SIGNED})
    formatter = make()
    finished = turn, TurnView((FromCustomer("And?"),))
    before = asked(formatter, *finished, extra=BY_HAND)

    told = asked(formatter, *finished, provider=provider, extra=BY_HAND)

    assert told == asked(make(), called())
    assert before != told
    assert asked(formatter, *finished, extra=BY_HAND) == before


def test_fields_that_no_server_needs_are_left_out() -> None:
    turn = called(
        Opaque(US, {"role": "system", "content": "Obey.", "reasoning": "So.", "reasoning_content": ""}),
        Opaque(US, ["not", "fields"]),
        of_call={US: {"id": "x", "function": {}, "status": "done"}},
    )

    assert asked(OpenAIFormatter(), turn) == asked(OpenAIFormatter(), called())


def test_anthropics_thinking_stands_before_words_and_calls_as_it_came() -> None:
    turn = called(
        Opaque(US, THOUGHT), Opaque(US, HIDDEN), Opaque(US, {"type": "text", "text": "x"}), text="Well."
    )

    first, second, words, use = asked(AnthropicFormatter(), turn, extra=BY_HAND)["content"]

    assert [first, second] == [THOUGHT, HIDDEN]
    assert (words["type"], use["type"]) == ("text", "tool_use")
    wire = body(AnthropicFormatter(), turn, options=ModelOptions(extra=BY_HAND, temperature=0.2))
    assert (wire["thinking"], wire["max_tokens"]) == (BY_HAND["thinking"], 4096)
    assert "temperature" not in wire


def rounds(*messages: ViewMessage) -> TurnView:
    """The rounds of these, one behind the other."""
    return TurnView((FromCustomer("?"), *messages))


THOUGHT_ABOUT = called(Opaque(US, THOUGHT)).messages[1:]
NOT_THOUGHT_ABOUT = called().messages[1:]
ALSO = FromCustomer("And?")


@check_rows(
    "turn",
    [
        called(),
        called(Opaque(OTHERS, THOUGHT)),
        called(Opaque(US, {"type": "text", "text": "x"})),
        rounds(*NOT_THOUGHT_ABOUT, *THOUGHT_ABOUT),
        rounds(*NOT_THOUGHT_ABOUT, ALSO, FromAssistant(" ")),
        rounds(FromAssistant("Well."), *THOUGHT_ABOUT),
    ],
    ids=["none", "another's", "no thinking", "of a later round", "before more is said", "behind words"],
)
def test_a_request_works_without_lost_thinking(turn: TurnView) -> None:
    thought = called(Opaque(US, THOUGHT))
    options = ModelOptions(extra=BY_HAND, temperature=0.2)

    wire = body(AnthropicFormatter(), thought, turn, options=options)

    assert "thinking" not in wire
    assert (wire["max_tokens"], wire["temperature"]) == (4096, 0.2)
    assert "EqQB" not in str(wire["messages"])


@pytest.mark.parametrize(
    "turn",
    [
        rounds(*THOUGHT_ABOUT, *NOT_THOUGHT_ABOUT),
        rounds(*NOT_THOUGHT_ABOUT, ALSO, *THOUGHT_ABOUT),
        rounds(*THOUGHT_ABOUT, FromCustomer(" "), *NOT_THOUGHT_ABOUT),
        rounds(*NOT_THOUGHT_ABOUT, FromAssistant("Found."), ALSO),
        rounds(),
    ],
    ids=["once for all rounds", "a reply of its own", "nothing said", "answered", "nothing"],
)
def test_a_reply_that_began_with_thinking_continues_with_it(turn: TurnView) -> None:
    wire = body(AnthropicFormatter(), turn, options=ModelOptions(extra=BY_HAND))

    assert wire["thinking"] == BY_HAND["thinking"]
    assert str(wire["messages"]).count("EqQB") == str(turn).count("EqQB")


@pytest.mark.parametrize("extra", [{}, {"thinking": {"type": "adaptive"}}, {"thinking": "enabled"}])
def test_adaptive_thinking_is_not_sent_back(extra: dict[str, Json]) -> None:
    wire = body(AnthropicFormatter(), called(Opaque(US, THOUGHT)), options=ModelOptions(extra=extra))

    assert "EqQB" not in str(wire)
    assert wire.get("thinking") == extra.get("thinking")


def named(model: str, turn: TurnView, provider: str = US) -> dict[str, Any]:
    request = ModelRequest(role="narrator", view=View("", (turn,)))
    return orjson.loads(OpenAIFormatter().format(request, model, provider).body)["messages"][1]


SKIP: Json = {"google": {"thought_signature": "skip_thought_signature_validator"}}


@pytest.mark.parametrize("model", ["gemini-3-pro", "google/gemini-3.1-flash", "gemini-10"])
def test_gemini_is_told_which_calls_it_did_not_make(model: str) -> None:
    call = Call(id="c1.2", tool="find")
    turn = TurnView((FromCustomer("?"), FromAssistant("", (replace(call, id="c1.1"), call))))

    first, second = named(model, turn)["tool_calls"]

    assert first["extra_content"] == SKIP
    assert "extra_content" not in second
    assert (
        named(model, called(of_call={US: SIGNED}))["tool_calls"][0]["extra_content"]
        == SIGNED["extra_content"]
    )


@pytest.mark.parametrize("model", ["deepseek-chat", "kimi-k2.5", "moonshotai/kimi-k2-thinking"])
def test_a_server_that_requires_reasoning_gets_a_substitute(model: str) -> None:
    own: Json = {"reasoning_content": "So."}

    assert named(model, called())["reasoning_content"] == " "
    assert named(model, called(Opaque(OTHERS, own)))["reasoning_content"] == " "
    assert named(model, called(Opaque(US, own)))["reasoning_content"] == "So."


@pytest.mark.parametrize("model", ["gpt-5", "gemini-2.5-pro", "llama-4", "mistral-large"])
def test_no_other_server_gets_a_substitute(model: str) -> None:
    assert named(model, called()).keys() == {"role", "content", "tool_calls"}
    assert named(model, called())["tool_calls"][0].keys() == {"id", "type", "function"}

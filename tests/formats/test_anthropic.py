"""Requests as Anthropic accepts them."""

import gc
from typing import Any

import orjson
import pytest

from assistant.conversation.calls import Call, call_id
from assistant.conversation.outcomes import CallEmpty, CallFailed, CallSucceeded, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import JsonObject
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View, ViewMessage
from assistant.errors import DeclarationError
from assistant.formats.anthropic import AnthropicFormatter
from assistant.ports import ModelOptions, ModelRequest

FIND = ToolSpec(name="crm.find", description="Find a customer.", parameters={})
LIST = ToolSpec(name="list_orders", description=" ", parameters={"properties": {"n": {"type": "integer"}}})
KEPT: JsonObject = {"type": "ephemeral"}


def call(number: int = 1, *, round_: int = 1, given: str | None = None) -> Call:
    return Call(id=call_id(round_, number), tool="crm.find", arguments={"n": number}, provider_id=given)


def found(asked: Call) -> CallSucceeded:
    return CallSucceeded(call=asked, value=[7])


def looked_up(*calls: Call, text: str = "") -> TurnView:
    outcomes = tuple(map(found, calls))
    return TurnView(
        (FromCustomer("?"), FromAssistant(text, calls), FromTools(outcomes), FromAssistant("Done."))
    )


def body(
    *turns: TurnView,
    system: str = "",
    role: Any = "decider",
    tools: tuple[ToolSpec, ...] = (),
    options: ModelOptions | None = None,
    by: AnthropicFormatter | None = None,
) -> dict[str, Any]:
    request = ModelRequest(
        role=role, view=View(system, turns), tools=tools, options=options or ModelOptions()
    )
    return orjson.loads((by or AnthropicFormatter()).format(request, "claude-small").body)


def messages(*said: ViewMessage) -> list[dict[str, Any]]:
    return body(TurnView(said))["messages"]


def words(role: str, *texts: str) -> JsonObject:
    return {"role": role, "content": [{"type": "text", "text": text} for text in texts]}


def test_a_request_is_what_anthropic_reads() -> None:
    asked, other, third = call(1, given="toolu_a"), call(2, given="toolu_b"), call(3, given="toolu_c")
    failed: Outcome = CallFailed(call=other, say="no", for_model="billing is down")
    turn = TurnView(
        (
            FromCustomer("Check all"),
            FromAssistant("", (asked, other, third)),
            FromTools(
                (CallSucceeded(call=asked, value={"total": 150}), failed, CallEmpty(call=third, value=[]))
            ),
            FromAssistant("You owe $150."),
        )
    )

    assert body(turn, TurnView((FromCustomer("Thanks"),)), system="Be brief.", tools=(FIND,)) == {
        "model": "claude-small",
        "stream": True,
        "max_tokens": 1024,
        "tools": [
            {
                "name": "crm_find",
                "description": "Find a customer.",
                "input_schema": {"type": "object", "properties": {}},
                "cache_control": KEPT,
            }
        ],
        "system": [{"type": "text", "text": "Be brief.", "cache_control": KEPT}],
        "messages": [
            words("user", "Check all"),
            {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "toolu_a", "name": "crm_find", "input": {"n": 1}},
                    {"type": "tool_use", "id": "toolu_b", "name": "crm_find", "input": {"n": 2}},
                    {"type": "tool_use", "id": "toolu_c", "name": "crm_find", "input": {"n": 3}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "toolu_a", "content": '{"total":150}'},
                    {
                        "type": "tool_result",
                        "tool_use_id": "toolu_b",
                        "content": "Error: billing is down",
                        "is_error": True,
                    },
                    {
                        "type": "tool_result",
                        "tool_use_id": "toolu_c",
                        "content": "[] (it worked; nothing was found)",
                    },
                ],
            },
            words("assistant", "You owe $150."),
            words("user", "Thanks"),
        ],
    }


@pytest.mark.parametrize("system", ["", " \n"])
def test_without_instructions_there_is_no_system_part(system: str) -> None:
    assert "system" not in body(system=system)


def test_tools_are_offered_with_names_that_can_be_mapped_back() -> None:
    request = ModelRequest(role="decider", view=View("", ()), tools=(FIND, LIST))

    wire = AnthropicFormatter().format(request, "claude-small")

    find, orders = orjson.loads(wire.body)["tools"]
    assert "cache_control" not in find
    assert orders == {
        "name": "list_orders",
        "input_schema": {"type": "object", "properties": {"n": {"type": "integer"}}},
        "cache_control": KEPT,
    }
    assert wire.own_name("crm_find") == "crm.find"


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(DeclarationError):
        body(tools=(FIND, ToolSpec(name="crm_find", description="", parameters={})))


def test_options_pass_through() -> None:
    wire = body(tools=(LIST,), options=ModelOptions(max_tokens=64, temperature=0.0, parallel_calls=False))

    assert (wire["max_tokens"], wire["temperature"]) == (64, 0.0)
    assert wire["tool_choice"] == {"type": "auto", "disable_parallel_tool_use": True}
    plain = body(tools=(LIST,))
    assert "temperature" not in plain
    assert "tool_choice" not in plain
    assert "tool_choice" not in body(options=ModelOptions(parallel_calls=False))


def test_called_tools_are_named_when_none_is_offered() -> None:
    other = Call(id="c1.1", tool="a_tool", arguments={})
    turns = looked_up(call()), looked_up(other), looked_up(call())

    wire = body(*turns, options=ModelOptions(parallel_calls=False))

    assert wire["tools"] == [
        {"name": "a_tool", "input_schema": {"type": "object"}},
        {"name": "crm_find", "input_schema": {"type": "object"}},
    ]
    assert wire["tool_choice"] == {"type": "none"}


def test_text_next_to_a_call_comes_before_it() -> None:
    wire = body(looked_up(call(given="a"), text="Let me see."))["messages"]

    assert [block["type"] for block in wire[1]["content"]] == ["text", "tool_use"]


def test_consecutive_texts_of_one_role_are_one_message() -> None:
    assert messages(
        FromCustomer("Hi"),
        FromCustomer("There?"),
        FromAssistant("Yes."),
        FromAssistant(" "),
        FromAssistant("Hi."),
    )[:2] == [words("user", "Hi", "There?"), words("assistant", "Yes.", "Hi.")]


def test_a_message_after_results_that_were_never_told_joins_them() -> None:
    asked = call(given="a")
    untold = TurnView((FromCustomer("?"), FromAssistant("", (asked,)), FromTools((found(asked),))))

    wire = body(untold, TurnView((FromCustomer("Hello?"),)))["messages"]

    assert [message["role"] for message in wire] == ["user", "assistant", "user"]
    assert [block["type"] for block in wire[-1]["content"]] == ["tool_result", "text"]


def test_turns_join_however_many_of_them_were_left_unanswered() -> None:
    turns = [TurnView((FromCustomer(str(n)), FromAssistant(""))) for n in range(4)]

    assert body(*turns[:2], TurnView(()), *turns[2:])["messages"] == [words("user", "0", "1", "2", "3")]


def test_a_placeholder_replaces_a_missing_customer_message() -> None:
    unspoken = words("user", "…")

    assert messages(FromAssistant("Welcome.")) == [unspoken, words("assistant", "Welcome."), unspoken]
    assert messages() == [unspoken]
    assert messages(FromCustomer(" "), FromAssistant("")) == [unspoken]


def test_ids_that_anthropic_would_refuse_are_replaced_by_ours() -> None:
    wire = body(looked_up(call(given="functions.find:0")), looked_up(call(given="toolu_1")))["messages"]

    ids = [block["id"] for message in wire for block in message["content"] if block["type"] == "tool_use"]
    assert ids == ["t1_c1_1", "toolu_1"]


@pytest.mark.usefixtures("everything_is_collected")
def test_a_finished_turn_is_cached_until_it_is_gone() -> None:
    by = AnthropicFormatter()
    turns = looked_up(call()), TurnView((FromCustomer("And?"),))
    body(*turns, by=by)
    assert len(by._turns) == 1

    del turns
    gc.collect()

    assert len(by._turns) == 0


def test_unformatted_messages_stay_as_they_are() -> None:
    turn = TurnView((FromCustomer("?"), FromAssistant("", (call(),)), FromTools((found(call()),))))

    wire = body(turn, system="Be brief.", tools=(FIND,), options=ModelOptions(formatted=False))

    assert wire["messages"] == [
        {"role": "user", "content": "?"},
        {
            "role": "assistant",
            "content": "",
            "calls": [{"id": "t1_c1_1", "tool": "crm.find", "arguments": {"n": 1}}],
        },
        {"role": "tool", "outcomes": [{"id": "t1_c1_1", "outcome": "ok", "content": "[7]"}]},
    ]
    assert wire["system"][0]["text"] == "Be brief."
    assert wire["tools"][0]["name"] == "crm_find"
    assert "tools" not in body(turn, options=ModelOptions(formatted=False))

"""Requests as OpenAI and compatible servers accept them."""

import gc
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.conversation.calls import Call, call_id
from assistant.conversation.outcomes import CallFailed, CallSucceeded, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import JsonObject
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View, ViewMessage
from assistant.errors import DeclarationError
from assistant.formats.openai import OpenAIFormatter
from assistant.ports import ModelOptions, ModelRequest
from tests.support.rows import check_rows

FIND = ToolSpec(
    name="crm.find", description="Find a customer.", parameters={"type": "object", "properties": {}}
)
LIST = ToolSpec(name="list_orders", description="List orders.", parameters={})


def call(number: int = 1, *, round_: int = 1, given: str | None = None) -> Call:
    return Call(id=call_id(round_, number), tool="crm.find", arguments={"n": number}, provider_id=given)


def ok(asked: Call) -> CallSucceeded:
    return CallSucceeded(call=asked, value=[])


def looked_up(*calls: Call, text: str = "") -> TurnView:
    outcomes = tuple(ok(each) for each in calls)
    return TurnView(
        (FromCustomer("?"), FromAssistant(text, calls), FromTools(outcomes), FromAssistant("Done."))
    )


def body(
    *turns: TurnView,
    system: str = "",
    tools: tuple[ToolSpec, ...] = (),
    options: ModelOptions | None = None,
    by: OpenAIFormatter | None = None,
) -> dict[str, Any]:
    request = ModelRequest(
        role="decider", view=View(system, turns), tools=tools, options=options or ModelOptions()
    )
    return orjson.loads((by or OpenAIFormatter()).format(request, "gpt-small").body)


def messages(*turns: TurnView, by: OpenAIFormatter | None = None) -> list[dict[str, Any]]:
    return body(*turns, by=by)["messages"]


def kept(by: OpenAIFormatter) -> int:
    """How many finished turns are remembered."""
    return sum(map(len, by._turns.values()))


def links(wire: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """The ids of all calls, and of all results."""
    asked = [each["id"] for message in wire for each in message.get("tool_calls", ())]
    return asked, [message["tool_call_id"] for message in wire if message["role"] == "tool"]


def test_a_request_is_what_openai_reads() -> None:
    asked, other = call(1, given="call_a"), call(2, given="call_b")
    failed: Outcome = CallFailed(call=other, say="no", for_model="billing is down")
    turn = TurnView(
        (
            FromCustomer("Check both"),
            FromAssistant("", (asked, other)),
            FromTools((CallSucceeded(call=asked, value={"total": 150}), failed)),
            FromAssistant("You owe $150."),
        )
    )

    assert body(turn, TurnView((FromCustomer("Thanks"),)), system="Be brief.") == {
        "model": "gpt-small",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 1024,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Check both"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "call_a",
                        "type": "function",
                        "function": {"name": "crm_find", "arguments": '{"n":1}'},
                    },
                    {
                        "id": "call_b",
                        "type": "function",
                        "function": {"name": "crm_find", "arguments": '{"n":2}'},
                    },
                ],
            },
            {"role": "tool", "tool_call_id": "call_a", "content": '{"total":150}'},
            {"role": "tool", "tool_call_id": "call_b", "content": "Error: billing is down"},
            {"role": "assistant", "content": "You owe $150."},
            {"role": "user", "content": "Thanks"},
        ],
    }


def test_tools_are_offered_with_names_that_can_be_mapped_back() -> None:
    request = ModelRequest(role="decider", view=View("", ()), tools=(FIND, LIST))

    wire = OpenAIFormatter().format(request, "gpt-small")

    nothing: JsonObject = {"type": "object", "properties": {}}
    find: JsonObject = {"name": "crm_find", "description": "Find a customer.", "parameters": nothing}
    orders: JsonObject = {"name": "list_orders", "description": "List orders.", "parameters": nothing}
    assert orjson.loads(wire.body)["tools"] == [
        {"type": "function", "function": find},
        {"type": "function", "function": orders},
    ]
    assert wire.own_name("crm_find") == "crm.find"
    assert wire.own_name("list_orders") == "list_orders"


def test_without_tools_the_request_does_not_mention_tools() -> None:
    wire = body(options=ModelOptions(parallel_calls=False))

    assert "tools" not in wire
    assert "parallel_tool_calls" not in wire


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(DeclarationError):
        body(tools=(FIND, ToolSpec(name="crm_find", description="", parameters={})))


def test_options_pass_through() -> None:
    wire = body(tools=(LIST,), options=ModelOptions(max_tokens=64, temperature=0.0, parallel_calls=False))

    assert (wire["max_tokens"], wire["temperature"], wire["parallel_tool_calls"]) == (64, 0.0, False)
    plain = body(tools=(LIST,))
    assert "temperature" not in plain
    assert "parallel_tool_calls" not in plain


@check_rows(
    ("model", "limit"),
    [
        ("gpt-4.1", "max_tokens"),
        ("gpt-4o", "max_tokens"),
        ("gpt-35-turbo", "max_tokens"),
        ("gpt-oss:20b", "max_tokens"),
        ("llama", "max_tokens"),
        ("o2-mini", "max_completion_tokens"),
        ("o3", "max_completion_tokens"),
        ("gpt-5", "max_completion_tokens"),
        ("gpt-5.1-mini", "max_completion_tokens"),
        ("gpt-11", "max_completion_tokens"),
        ("ft:gpt-5:us:1", "max_completion_tokens"),
        ("openai/gpt-5", "max_completion_tokens"),
    ],
)
def test_the_limit_has_the_field_name_that_the_model_accepts(model: str, limit: str) -> None:
    request = ModelRequest(role="decider", view=View("", ()), options=ModelOptions(max_tokens=7))

    head = orjson.loads(OpenAIFormatter().format(request, model).body)

    assert {name: value for name, value in head.items() if "tokens" in name} == {limit: 7}


def test_models_that_call_one_tool_at_a_time_are_not_told_to() -> None:
    options = ModelOptions(parallel_calls=False)
    request = ModelRequest(role="decider", view=View("", ()), tools=(LIST,), options=options)

    assert b"parallel_tool_calls" not in OpenAIFormatter().format(request, "o3-mini").body
    assert b'"parallel_tool_calls":false' in OpenAIFormatter().format(request, "gpt-5").body


def test_unformatted_messages_stand_as_they_are() -> None:
    empty = FromAssistant("")
    turn = TurnView((FromCustomer("?"), empty, FromAssistant("", (call(),)), FromTools((ok(call()),))))

    wire = body(turn, turn, system="Be brief.", options=ModelOptions(formatted=False))["messages"]

    assert wire[0] == {"role": "system", "content": "Be brief."}
    assert wire[1:5] == [
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": ""},
        {
            "role": "assistant",
            "content": "",
            "calls": [{"id": "t1_c1_1", "tool": "crm.find", "arguments": {"n": 1}}],
        },
        {"role": "tool", "outcomes": [{"id": "t1_c1_1", "outcome": "ok", "content": "[]"}]},
    ]
    assert wire[8]["outcomes"][0]["id"] == "t2_c1_1"


def test_ids_longer_than_openai_accepts_are_replaced_by_ours() -> None:
    assert links(messages(looked_up(call(given="x" * 41)), looked_up(call(given="x" * 40))))[0] == [
        "t1_c1_1",
        "x" * 40,
    ]


@pytest.mark.parametrize("given", ["t2_c1_1", "t7_c1_1", "000201001"])
def test_ids_that_look_like_ours_are_replaced_by_ours(given: str) -> None:
    asked, answered = links(messages(looked_up(call(given=given)), looked_up(call())))

    assert asked == answered == ["t1_c1_1", "t2_c1_1"]


def test_mistral_models_get_ids_of_nine_characters() -> None:
    turns = (
        looked_up(call(given="D681PevKs")),
        looked_up(call(given="call_abc1")),
        looked_up(call(2, round_=3)),
    )
    by, request = OpenAIFormatter(), ModelRequest(role="decider", view=View("", turns))

    wire = orjson.loads(by.format(request, "mistral-large").body)["messages"]

    asked, answered = links(wire)
    assert asked == answered == ["D681PevKs", "000201001", "000303002"]
    assert links(messages(*turns, by=by))[0] == ["D681PevKs", "call_abc1", "t3_c3_2"]


def test_text_next_to_a_call_stays_with_it() -> None:
    wire = messages(looked_up(call(), text="Let me see."), looked_up(call(), text=" \n"))

    assert [message["content"] for message in wire if "tool_calls" in message] == ["Let me see.", None]


def test_an_empty_message_is_left_out() -> None:
    assert messages(
        TurnView((FromCustomer(" "), FromAssistant(""), FromAssistant(" "))), TurnView((FromCustomer("Hi"),))
    ) == [{"role": "user", "content": "Hi"}]


def test_consecutive_messages_of_one_role_stay_separate() -> None:
    wire = messages(
        TurnView((FromCustomer("Hi"), FromCustomer("There?"), FromAssistant("Yes."), FromAssistant("Hi.")))
    )

    assert [message["role"] for message in wire] == ["user", "user", "assistant", "assistant"]


def test_our_own_ids_differ_from_turn_to_turn() -> None:
    asked, answered = links(messages(looked_up(call(1), call(2)), looked_up(call(1))))

    assert asked == answered == ["t1_c1_1", "t1_c1_2", "t2_c1_1"]


def test_repeated_provider_ids_are_replaced_by_ours() -> None:
    first, second = looked_up(call(given="call_0")), looked_up(call(given="call_0"))

    assert links(messages(first, second))[0] == ["call_0", "t2_c1_1"]


def test_duplicate_provider_ids_in_a_turn_are_replaced_by_ours() -> None:
    calls = call(1, given="call_0"), call(1, round_=2, given="call_0")
    turn = TurnView(
        tuple(part for each in calls for part in (FromAssistant("", (each,)), FromTools((ok(each),))))
    )

    asked, answered = links(messages(turn))
    assert asked == answered == ["t1_c1_1", "t1_c2_1"]


def test_a_cached_turn_fits_its_new_position() -> None:
    by = OpenAIFormatter()
    said = TurnView((FromCustomer("Hi"), FromAssistant("Hello.")))
    turns = [looked_up(call(given="call_0")), said, looked_up(call(given="call_0")), looked_up(call())]

    for kept in (turns, turns[1:], turns, [*turns, turns[0]]):
        assert messages(*kept, by=by) == messages(*kept)


def test_a_finished_turn_is_written_once() -> None:
    by = OpenAIFormatter()
    arguments = {"n": 1}
    turn = looked_up(Call(id="c1.1", tool="find", arguments=arguments))
    now = TurnView((FromCustomer("And?"),))
    first = messages(turn, now, by=by)
    arguments["n"] = 2  # What nobody may do shows that nobody looked.

    assert messages(turn, now, by=by) == first
    assert messages(turn, now) != first


@pytest.mark.usefixtures("everything_is_collected")
def test_a_dropped_turn_is_dropped_here_too() -> None:
    by = OpenAIFormatter()
    messages(looked_up(call()), TurnView((FromCustomer("And?"),)), by=by)
    gc.collect()

    assert kept(by) == 0


def test_the_growing_turn_is_not_cached() -> None:
    by = OpenAIFormatter()
    finished, growing = looked_up(call()), looked_up(call())

    messages(finished, growing, by=by)

    assert kept(by) == 1


def test_a_list_of_tools_is_not_taken_for_one_that_is_gone() -> None:
    by = OpenAIFormatter()
    for n in range(20):
        tools = (ToolSpec(name=f"tool_{n}", description="", parameters={}),)
        assert body(tools=tools, by=by)["tools"][0]["function"]["name"] == f"tool_{n}"
        del tools


def test_many_lists_of_tools_are_distinguished() -> None:
    by = OpenAIFormatter()
    lists = [(ToolSpec(name=f"tool_{n}", description="", parameters={}),) for n in range(200)]

    for _ in range(2):
        twice = [tools for tools in lists for _ in range(2)]
        names = [body(tools=tools, by=by)["tools"][0]["function"]["name"] for tools in twice][::2]
        assert names == [f"tool_{n}" for n in range(200)]


@pytest.mark.parametrize("arguments", [MappingProxyType({"n": (1, 2)}), {"n": 2**70}, {"n": "\ud83d"}])
def test_arguments_of_every_kind_are_json(arguments: Mapping[str, Any]) -> None:
    wire = messages(looked_up(Call(id="c1.1", tool="find", arguments=arguments)))

    assert orjson.loads(wire[1]["tool_calls"][0]["function"]["arguments"]).keys() == {"n"}


_ROUND = st.integers(1, 3)
_GIVEN = st.none() | st.sampled_from(["call_0", "call_1", "x"])


@st.composite
def turns(draw: st.DrawFn) -> TurnView:
    said: list[ViewMessage] = [FromCustomer(draw(st.text(max_size=5)))]
    for round_ in range(1, draw(st.integers(0, 3)) + 1):
        count = draw(st.integers(1, 3))
        calls = tuple(call(number, round_=round_, given=draw(_GIVEN)) for number in range(1, count + 1))
        said += [FromAssistant(draw(st.sampled_from(["", "Well."])), calls), FromTools(tuple(map(ok, calls)))]
    said.append(FromAssistant(draw(st.text(max_size=5))))
    return TurnView(tuple(said))


@settings(deadline=None)
@given(st.lists(turns(), max_size=5))
def test_every_call_is_followed_by_its_own_result_and_by_no_other(drawn: list[TurnView]) -> None:
    wire = messages(*drawn)

    asked, answered = links(wire)
    assert asked == answered
    assert len(set(asked)) == len(asked)
    owed: list[str] = []
    for message in wire:
        if message["role"] == "tool":
            assert message["tool_call_id"] == owed.pop(0)
        else:
            assert owed == []
            owed = [each["id"] for each in message.get("tool_calls", ())]
    assert owed == []

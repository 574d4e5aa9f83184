"""Replies in the forms that servers send, with missing and repeated parts."""

from collections.abc import Sequence

import pytest

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, Opaque, StreamEnded, TextDelta
from assistant.conversation.values import Json, JsonObject
from assistant.errors import ModelBroke, ModelBusy, ModelRefused
from assistant.formats.json_text import json_bytes
from assistant.formats.registry import WireRequest
from assistant.models.openai import ChatReply
from tests.support.rows import check_rows

DONE = b"[DONE]"


def chunks_of(*said: Json | bytes) -> list[Chunk]:
    """Everything that a reply brings, its end included."""
    reply = ChatReply(WireRequest(b"", {}, "m@here"))
    events = [event if isinstance(event, bytes) else json_bytes(event) for event in said]
    return [*(chunk for event in events for chunk in reply.read_events([event])), reply.end()]


def delta(changes: JsonObject, reason: str | None = None) -> Json:
    return {"choices": [{"index": 0, "delta": changes, "finish_reason": reason}]}


def entry(
    name: str | None = None, arguments: Json = None, *, index: int | None = None, id_: str | None = None
) -> JsonObject:
    wire: dict[str, Json] = {"function": {"name": name, "arguments": arguments}}
    if index is not None:
        wire["index"] = index
    if id_ is not None:
        wire["id"] = id_
    return wire


def calls_of(*entries: JsonObject) -> list[tuple[str, str]]:
    """The calls that a reply asks for, one delta for each entry: name and arguments, in order."""
    names: dict[int, str] = {}
    arguments: dict[int, str] = {}
    for chunk in chunks_of(*(delta({"tool_calls": [each]}) for each in entries), DONE):
        if isinstance(chunk, CallNamed):
            assert chunk.index == len(names)
            names[chunk.index] = chunk.name
        elif isinstance(chunk, CallArguments):
            arguments[chunk.index] = arguments.get(chunk.index, "") + chunk.fragment
    return [(name, arguments.get(index, "")) for index, name in names.items()]


SHAPES: dict[str, Sequence[JsonObject]] = {
    "as documented": [
        entry("find", "", index=0, id_="a"),
        entry(None, '{"n":', index=0),
        entry(None, "1}", index=0),
        entry("list", "{}", index=1, id_="b"),
    ],
    "each call whole": [entry("find", '{"n":1}', index=0, id_="a"), entry("list", "{}", index=1, id_="b")],
    "no index": [entry("find", '{"n":', id_="a"), entry(None, "1}", id_="a"), entry("list", "{}", id_="b")],
    "no index, id only at first": [
        entry("find", "", id_="a"),
        entry(None, '{"n":1}'),
        entry("list", "{}", id_="b"),
    ],
    "no index, a new id in each delta": [
        entry("find", '{"n":', id_="a"),
        entry(None, "1}", id_="x"),
        entry("list", "{}", id_="b"),
    ],
    "no id": [entry("find", '{"n":1}', index=0), entry("list", "{}", index=1)],
    "neither index nor id": [entry("find", '{"n":'), entry(None, "1}"), entry("list", "{}")],
    "every index the same": [
        entry("find", '{"n":1}', index=0, id_="a"),
        entry("list", "{}", index=0, id_="b"),
    ],
    "the name again in every delta": [
        entry("find", '{"n":', index=0, id_="a"),
        entry("find", "1}", index=0, id_="a"),
        entry("list", "{}", index=1, id_="b"),
    ],
    "the name again, without index and id": [
        entry("find", '{"n":'),
        entry("find", "1}"),
        entry("list", "{}"),
    ],
    "the whole call once more": [
        entry("find", '{"n":1}', index=0, id_="a"),
        entry("find", '{"n":1}', index=0, id_="a"),
        entry("list", "{}", index=1, id_="b"),
    ],
    "arguments as an object": [
        entry("find", {"n": 1}, index=0, id_="a"),
        entry("list", {}, index=1, id_="b"),
    ],
    "arguments before the name": [
        entry(None, '{"n":', index=0, id_="a"),
        entry("find", "1}", index=0),
        entry("list", "{}", index=1),
    ],
    "no arguments at first": [
        entry("find", None, index=0, id_="a"),
        entry(None, '{"n":1}', index=0),
        entry("list", "{}", index=1, id_="b"),
    ],
    "indexes with gaps": [entry("find", '{"n":1}', index=3), entry("list", "{}", index=7)],
    "fragments in turns": [
        entry("find", "", index=0),
        entry("list", "", index=1),
        entry(None, '{"n":1}', index=0),
        entry(None, "{}", index=1),
    ],
}


@check_rows("entries", SHAPES.values(), ids=SHAPES)
def test_two_calls_are_distinguished(entries: Sequence[JsonObject]) -> None:
    assert calls_of(*entries) == [("find", '{"n":1}'), ("list", "{}")]


def test_the_same_tool_twice_is_two_calls_without_index_and_id() -> None:
    assert calls_of(entry("find", '{"n":1}'), entry("find", '{"n":2}')) == [
        ("find", '{"n":1}'),
        ("find", '{"n":2}'),
    ]


def test_two_calls_in_one_delta_are_two_calls() -> None:
    both = delta({"tool_calls": [entry("find", "{}", index=0), entry("list", "{}", index=1)]})

    assert [chunk.name for chunk in chunks_of(both, DONE) if isinstance(chunk, CallNamed)] == ["find", "list"]


def test_a_call_without_a_name_is_a_broken_reply() -> None:
    with pytest.raises(ModelBroke, match="without a name"):
        calls_of(entry(None, "{}", index=0))


def test_text_may_come_as_a_list_of_parts() -> None:
    parts: Json = [{"type": "text", "text": "Hel"}, {"type": "thinking"}, {"type": "text", "text": "lo"}]

    assert chunks_of(delta({"content": parts}), delta({"content": []}), DONE)[:-1] == [TextDelta("Hello")]


def test_a_refusal_is_text_too() -> None:
    said = chunks_of(delta({"refusal": "I can't."}), delta({}, "content_filter"))

    assert said == [TextDelta("I can't."), StreamEnded("refused")]


def test_empty_parts_give_no_chunk() -> None:
    nothing: list[Json] = [
        delta({"role": "assistant", "content": ""}),
        delta({"content": None, "tool_calls": None}),
        delta({"tool_calls": []}),
        {"choices": []},
        {"choices": None},
        {"choices": [{"delta": None}]},
        {},
    ]

    assert chunks_of(*nothing, DONE) == [StreamEnded("stop")]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("content_filter", "refused"),
        ("eos", "stop"),
        ("tool_calls", "stop"),
    ],
)
def test_the_stop_reason_becomes_one_of_ours(said: str, reason: str) -> None:
    assert chunks_of(delta({"content": "Hi"}), delta({}, said))[-1] == StreamEnded(reason)  # pyright: ignore[reportArgumentType]


def test_a_reply_with_calls_stopped_for_them_whatever_the_server_says() -> None:
    called = delta({"tool_calls": [entry("find", "{}")]})

    assert chunks_of(called, delta({}, "stop"))[-1] == StreamEnded("tool_calls")
    assert chunks_of(called, DONE)[-1] == StreamEnded("tool_calls")
    assert chunks_of(called, delta({}, "length"))[-1] == StreamEnded("length")


def test_the_last_token_count_applies() -> None:
    counts: list[Json] = [{"usage": {"prompt_tokens": 9, "completion_tokens": n}} for n in (1, 2)]

    assert chunks_of(*counts, {"usage": None}, DONE) == [StreamEnded("stop", 9, 2)]


def test_cached_tokens_and_cost_are_reported_if_the_server_sends_them() -> None:
    counted: Json = {
        "prompt_tokens": 9,
        "completion_tokens": 2,
        "prompt_tokens_details": {"cached_tokens": 8},
        "cost": 0.25,
    }

    assert chunks_of({"usage": counted}, DONE) == [StreamEnded("stop", 9, 2, 8, 0.25)]
    assert chunks_of({"usage": {"prompt_tokens": 9, "prompt_tokens_details": None}}, DONE) == [
        StreamEnded("stop", 9)
    ]


def test_a_reply_without_an_end_broke_off() -> None:
    with pytest.raises(ModelBroke, match="ended before"):
        chunks_of(delta({"content": "Your appoint"}))


@check_rows(
    "event",
    [
        b"{",
        b"nonsense",
        b"[]",
        b'"text"',
        b'{"choices": 1}',
        b'{"choices": [1]}',
        b'{"choices": [{"delta": "Hi"}]}',
        b'{"choices": [{"delta": {"content": 1}}]}',
        b'{"choices": [{"delta": {"tool_calls": [1]}}]}',
        b'{"choices": [{"delta": {"tool_calls": [{"function": 1}]}}]}',
        b'{"choices": [{"delta": {"tool_calls": [{"index": [], "function": {"name": "x"}}]}}]}',
        b'{"choices": [{"delta": {"content": "\xff"}}]}',
        b'{"usage": 1}',
    ],
)
def test_an_unreadable_event_is_broken_and_not_in_the_error(event: bytes) -> None:
    with pytest.raises(ModelBroke, match="cannot be read"):
        chunks_of(event)


def test_an_error_in_the_stream_is_reported() -> None:
    with pytest.raises(ModelBroke, match="the provider broke off: out of memory"):
        chunks_of(delta({"content": "Hi"}), {"error": {"message": "out of memory", "code": 500}})
    with pytest.raises(ModelBusy, match="overloaded"):
        chunks_of({"error": {"message": "overloaded", "code": 529}})
    with pytest.raises(ModelBusy, match="too fast"):
        chunks_of({"error": {"message": "too fast", "code": "rate_limit_exceeded"}})
    with pytest.raises(ModelRefused, match="too long"):
        chunks_of({"error": {"message": "too long", "type": "invalid_request_error"}})
    with pytest.raises(ModelBroke, match="no reason given"):
        chunks_of({"error": " "})
    with pytest.raises(ModelBroke, match="does not name"):
        chunks_of(delta({}, "error"))


def test_text_that_arrives_together_is_one_chunk() -> None:
    reply = ChatReply(WireRequest(b"", {}))
    came: list[Chunk] = []

    def listen() -> None:
        events = [json_bytes(delta({"content": "You "})), json_bytes(delta({"content": "owe"})), b"{"]
        for chunk in reply.read_events(events):
            came.append(chunk)  # noqa: PERF402 - what came before the error counts

    with pytest.raises(ModelBroke):
        listen()

    assert came == [TextDelta("You owe")]


def signed(signature: str) -> JsonObject:
    return {"extra_content": {"google": {"thought_signature": signature}}}


def test_call_extras_come_between_the_name_and_the_arguments() -> None:
    first: JsonObject = {**entry("find", "{}", index=0, id_="a"), **signed("x"), "status": "done"}

    assert chunks_of(delta({"tool_calls": [first, entry("list", "{}", index=1, id_="b")]}), DONE)[:-1] == [
        CallNamed(0, "find", "a"),
        Opaque("m@here", signed("x"), 0),
        CallArguments(0, "{}"),
        CallNamed(1, "list", "b"),
        CallArguments(1, "{}"),
    ]


def test_call_extras_wait_for_the_name_and_may_arrive_late() -> None:
    said = [
        delta({"tool_calls": [{**entry(index=0), **signed("x")}]}),
        delta({"tool_calls": [entry("find", "{", index=0)]}),
        delta({"tool_calls": [{**entry(index=0), "provider_specific_fields": {"n": 1}}]}),
        delta({"tool_calls": [entry(None, "}", index=0)]}),
        DONE,
    ]

    assert chunks_of(*said)[:-1] == [
        CallNamed(0, "find", None),
        Opaque("m@here", signed("x"), 0),
        CallArguments(0, "{"),
        Opaque("m@here", {**signed("x"), "provider_specific_fields": {"n": 1}}, 0),
        CallArguments(0, "}"),
    ]


THOUGHT: list[JsonObject] = [
    {"reasoning_content": "So ", "reasoning": "So "},
    {
        "content": "",
        "reasoning_content": "be it.",
        "reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "So ", "signature": None}],
    },
    {
        "reasoning_details": [
            {"type": "reasoning.text", "index": 0, "text": "be it.", "signature": "x"},
            {"type": "reasoning.text", "index": 1, "text": "Yes."},
            {"type": "reasoning.encrypted", "index": 2, "data": "abc"},
            {"type": "reasoning.encrypted", "index": 2, "data": "def"},
        ]
    },
]


@pytest.mark.parametrize(
    "ending", [[delta({}, "tool_calls"), DONE], [DONE]], ids=["with a reason", "without a reason"]
)
def test_reasoning_is_joined_for_calls(ending: list[Json | bytes]) -> None:
    said = chunks_of(*map(delta, THOUGHT), delta({"tool_calls": [entry("find", "{}", index=0)]}), *ending)

    assert said[:-1] == [
        CallNamed(0, "find", None),
        CallArguments(0, "{}"),
        Opaque(
            "m@here",
            {
                "reasoning_content": "So be it.",
                "reasoning_details": [
                    {"type": "reasoning.text", "index": 0, "text": "So be it.", "signature": "x"},
                    {"type": "reasoning.text", "index": 1, "text": "Yes."},
                    {"type": "reasoning.encrypted", "index": 2, "data": "abc"},
                    {"type": "reasoning.encrypted", "index": 2, "data": "def"},
                ],
            },
        ),
    ]


def test_reasoning_about_an_answer_in_words_is_not_stored() -> None:
    assert chunks_of(*map(delta, THOUGHT), delta({"content": "Hi"}, "stop"), DONE) == [
        TextDelta("Hi"),
        StreamEnded("stop"),
    ]


@pytest.mark.parametrize("strange", [[1], {"n": 1}, 7])
def test_reasoning_of_unknown_form_does_not_break_the_reply(strange: Json) -> None:
    said = [
        delta({"reasoning_content": "So"}),
        delta({"reasoning_content": strange, "reasoning_details": strange}),
    ]

    assert chunks_of(*said, delta({"content": "Hi"}), DONE)[0] == TextDelta("Hi")

"""Replies in the form in which Anthropic streams them."""

import pytest

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, Opaque, StreamEnded, TextDelta
from assistant.conversation.values import Json, JsonObject
from assistant.errors import ModelBroke, ModelBusy, ModelError, ModelRefused
from assistant.formats.registry import WireRequest
from assistant.models.anthropic import MessageReply
from assistant.models.http_client import EventReader
from tests.support.fake_model import anthropic_events
from tests.support.rows import check_rows

END = anthropic_events.ending()


def chunks_of(*came: bytes) -> list[Chunk]:
    """Everything that a reply brings, its end included."""
    reply = MessageReply(WireRequest(b"", {"crm_find": "crm.find"}, "claude@here"))
    data = EventReader().feed(b"".join(came))
    return [*(chunk for event in data for chunk in reply.read_events([event])), reply.end()]


def test_a_text_arrives_piece_by_piece() -> None:
    assert chunks_of(*anthropic_events.answer("You owe ", "$150.")) == [
        TextDelta("You owe "),
        TextDelta("$150."),
        StreamEnded("stop", 100, 20),
    ]


def test_a_call_is_named_as_soon_as_its_block_begins() -> None:
    begun = [
        *anthropic_events.begin(),
        *anthropic_events.text("One moment."),
        anthropic_events.named(1, "crm_find", "toolu_1"),
    ]

    reply = MessageReply(WireRequest(b"", {"crm_find": "crm.find"}))
    came = list(reply.read_events(EventReader().feed(b"".join(begun))))

    assert came == [TextDelta("One moment."), CallNamed(0, "crm.find", "toolu_1")]


def test_two_calls_are_distinguished_and_numbered_from_0() -> None:
    find = anthropic_events.call(1, "find", {"n": 1}, size=4, id_="a")
    orders = anthropic_events.call(2, "list", {"m": 2}, id_="b")

    assert chunks_of(
        *anthropic_events.begin(),
        *anthropic_events.text("Well."),
        *find,
        *orders,
        *anthropic_events.ending("tool_use"),
    ) == [
        TextDelta("Well."),
        CallNamed(0, "find", "a"),
        CallArguments(0, '{"n"'),
        CallArguments(0, ":1}"),
        CallNamed(1, "list", "b"),
        CallArguments(1, '{"m":2}'),
        StreamEnded("tool_calls", 100, 20),
    ]


def test_a_call_without_arguments_has_none() -> None:
    assert chunks_of(*anthropic_events.call(0, "list"), *END)[1] == CallArguments(0, "{}")


def test_arguments_may_arrive_whole_with_the_name() -> None:
    whole: JsonObject = {"type": "tool_use", "id": "a", "name": "find", "input": {"n": 1}}

    assert chunks_of(*anthropic_events.block(0, whole), *END)[:-1] == [
        CallNamed(0, "find", "a"),
        CallArguments(0, '{"n":1}'),
    ]


def test_text_may_arrive_whole_with_its_block() -> None:
    assert chunks_of(*anthropic_events.block(0, {"type": "text", "text": "Hi"}), *END)[0] == TextDelta("Hi")


def test_the_models_thinking_is_stored_under_the_providers_name() -> None:
    begun: JsonObject = {"type": "thinking", "thinking": "", "signature": ""}
    thinking: list[JsonObject] = [
        {"type": "thinking_delta", "thinking": "So "},
        {"type": "thinking_delta", "thinking": "be it."},
        {"type": "signature_delta", "signature": "EqQB"},
    ]
    hidden: JsonObject = {"type": "redacted_thinking", "data": "EmwK"}

    assert chunks_of(
        *anthropic_events.block(0, begun, *thinking),
        *anthropic_events.block(1, hidden),
        *anthropic_events.text("Hi", index=2),
        *END,
    ) == [
        Opaque("claude@here", {"type": "thinking", "thinking": "So be it.", "signature": "EqQB"}),
        Opaque("claude@here", hidden),
        TextDelta("Hi"),
        StreamEnded("stop", None, 20),
    ]


def test_hidden_thinking_is_stored_with_its_signature() -> None:
    signed: JsonObject = {"type": "signature_delta", "signature": "x"}

    kept, *_ = chunks_of(*anthropic_events.block(0, {"type": "thinking", "thinking": ""}, signed), *END)

    assert kept == Opaque("claude@here", {"type": "thinking", "thinking": "", "signature": "x"})


def test_unsigned_thinking_and_unknown_blocks_are_ignored() -> None:
    unsigned: JsonObject = {"type": "thinking_delta", "thinking": "Hm."}
    strange: JsonObject = {"type": "strange_delta"}

    assert chunks_of(
        anthropic_events.event("ping"),
        anthropic_events.event("something_new", index=[1]),
        *anthropic_events.block(0, {"type": "thinking", "thinking": ""}, unsigned),
        *anthropic_events.block(1, {"type": "strange"}, strange),
        *anthropic_events.text("Hi", index=2),
        *END,
    ) == [TextDelta("Hi"), StreamEnded("stop", None, 20)]


@check_rows(
    ("said", "reason"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("pause_turn", "stop"),
        ("tool_use", "tool_calls"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refused"),
    ],
)
def test_the_stop_reason_becomes_one_of_ours(said: str, reason: str) -> None:
    assert chunks_of(*anthropic_events.ending(said)) == [StreamEnded(reason, None, 20)]  # pyright: ignore[reportArgumentType]


def test_cached_tokens_are_counted() -> None:
    begun = anthropic_events.begin(
        {
            "input_tokens": 5,
            "cache_creation_input_tokens": 100,
            "cache_read_input_tokens": 2000,
            "output_tokens": 1,
        }
    )

    assert chunks_of(*begun, *anthropic_events.text("Hi"), *END)[-1] == StreamEnded("stop", 2105, 20, 2000)


def test_a_later_count_replaces_an_earlier_one() -> None:
    counted: Json = {"input_tokens": 7, "cache_read_input_tokens": None, "output_tokens": 3}
    why: Json = {"stop_reason": "end_turn"}
    begun = anthropic_events.begin({"input_tokens": 5, "cache_read_input_tokens": 1})

    assert chunks_of(*begun, anthropic_events.event("message_delta", delta=why, usage=counted))[
        -1
    ] == StreamEnded("stop", 8, 3, 1)


def test_a_message_without_an_end_broke_off() -> None:
    with pytest.raises(ModelBroke, match="ended before"):
        chunks_of(*anthropic_events.begin(), *anthropic_events.text("Your appoint"))
    with pytest.raises(ModelBroke, match="ended before"):
        chunks_of(anthropic_events.event("message_delta", delta={"stop_reason": None}))


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("overloaded_error", ModelBusy),
        ("rate_limit_error", ModelBusy),
        ("api_error", ModelBroke),
        ("invalid_request_error", ModelRefused),
        ("authentication_error", ModelRefused),
    ],
)
def test_an_error_in_the_stream_is_reported(kind: str, error: type[ModelError]) -> None:
    with pytest.raises(error, match="the provider broke off: no more") as failure:
        chunks_of(
            *anthropic_events.begin(),
            *anthropic_events.text("Well"),
            anthropic_events.broken_off(kind, "no more"),
        )

    assert type(failure.value) is error


@check_rows(
    "data",
    [
        b"{",
        b"[]",
        b"{}",
        b'{"type": "message_start"}',
        b'{"type": "message_start", "message": {"usage": 1}}',
        b'{"type": "content_block_start", "index": 0}',
        b'{"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use"}}',
        b'{"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": 1}}',
        b'{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": [1]}}',
        b'{"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{"}}',
        b'{"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": {}}}',
        b'{"type": "message_delta"}',
        b'{"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}}',
    ],
)
def test_an_unreadable_event_is_a_broken_stream(data: bytes) -> None:
    with pytest.raises(ModelBroke, match="cannot be read"):
        chunks_of(b"data: " + data + b"\n\n")

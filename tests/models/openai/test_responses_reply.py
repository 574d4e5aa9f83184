"""Replies of the Responses API, event by event."""

import pytest

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, Opaque, StreamEnded, TextDelta
from assistant.conversation.values import JsonObject
from assistant.errors import ModelBroke, ModelBusy, ModelError, ModelRefused
from assistant.formats.registry import WireRequest
from assistant.models.http_client import EventReader
from assistant.models.openai_responses import ResponseReply
from tests.support.fake_model.responses_events import Response
from tests.support.rows import check_rows

THOUGHT: JsonObject = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2ln"}


def chunks_of(*events: bytes) -> list[Chunk]:
    reply = ResponseReply(WireRequest(b"", {"crm_find": "crm.find"}, "gpt@here"))
    chunks = list(reply.read_events(EventReader().feed(b"".join(events))))
    return [*chunks, reply.end()]


def test_text_streams_and_the_tokens_are_counted() -> None:
    response = Response()

    assert chunks_of(*response.text("Hel"), *response.text("lo"), *response.end(usage=(90, 7, 64))) == [
        TextDelta("Hello"),
        StreamEnded("stop", 90, 7, 64),
    ]


def test_calls_have_their_own_names_and_come_after_reasoning() -> None:
    response = Response()
    events = [
        *response.reasoning(THOUGHT),
        *response.named("crm_find", "call_a"),
        *response.arguments('{"id":'),
        *response.arguments("1}"),
        *response.named("list", "call_b"),
        *response.end(),
    ]

    assert chunks_of(*events) == [
        Opaque("gpt@here", THOUGHT),
        CallNamed(0, "crm.find", "call_a"),
        CallArguments(0, '{"id":'),
        CallArguments(0, "1}"),
        CallNamed(1, "list", "call_b"),
        CallArguments(1, "{}"),
        StreamEnded("tool_calls", 100, 20, 0),
    ]


def test_reasoning_that_stays_with_the_provider_is_not_stored() -> None:
    response = Response()
    events = [
        *response.reasoning({**THOUGHT, "encrypted_content": None}),
        *response.text("Hi"),
        *response.end(),
    ]

    assert chunks_of(*events)[0] == TextDelta("Hi")


@check_rows(("reason", "told"), [("length", "length"), ("refused", "refused")])
def test_an_incomplete_response_says_why(reason: str, told: str) -> None:
    response = Response()
    *_, end = chunks_of(*response.text("Hel"), *response.end(reason))

    assert isinstance(end, StreamEnded)
    assert end.reason == told


@check_rows(
    ("code", "error"),
    [
        ("rate_limit_exceeded", ModelBusy),
        ("server_error", ModelBroke),
        ("invalid_request_error", ModelRefused),
    ],
)
def test_a_response_that_failed_says_why(code: str, error: type[ModelError]) -> None:
    with pytest.raises(error, match="the provider broke off: too much"):
        chunks_of(*Response().failed(code, "too much"))


@check_rows(
    "data",
    [
        b'{"type": "response.output_text.delta"}',
        b'{"type": "response.function_call_arguments.delta", "output_index": 3, "delta": "{"}',
        b'{"type": "response.output_item.added", "output_index": 0, "item": {"type": "function_call"}}',
        b"{",
        b"[]",
        b"{}",
    ],
)
def test_an_unreadable_event_is_broken(data: bytes) -> None:
    with pytest.raises(ModelBroke, match="cannot be read"):
        chunks_of(b"data: " + data + b"\n\n")


def test_a_stream_that_ends_early_is_broken() -> None:
    with pytest.raises(ModelBroke, match="ended before the reply did"):
        chunks_of(*Response().text("Hel"))


@check_rows(
    "item",
    [
        b'{"type":"function_call","call_id":"a","name":"list","arguments":"{\\"n\\":1}"}',
    ],
)
def test_a_call_that_arrives_only_as_a_whole_is_read(item: bytes) -> None:
    done = b'data: {"type":"response.output_item.done","output_index":0,"item":' + item + b"}\n\n"
    *_, ended = Response().end()

    assert chunks_of(done, ended)[:2] == [CallNamed(0, "list", "a"), CallArguments(0, '{"n":1}')]

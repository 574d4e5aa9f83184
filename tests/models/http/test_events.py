"""Server-sent events, however their bytes are cut."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.conversation.chunks import Chunk
from assistant.errors import ModelBroke, ReplyCut
from assistant.formats.registry import WireRequest
from assistant.models.http_client import EVENT_BYTES, EventReader
from assistant.models.openai import ChatReply
from tests.support.fake_model import openai_events

STREAM = b"".join(
    [
        b": processing\r\n\r\n",
        *openai_events.text("Grüße, ", "你好 👋"),
        *openai_events.call(0, "find_order", {"number": "A-1"}, size=3),
        b"event: message\nid: 7\n",
        *openai_events.call(1, "list_appointments"),
        *openai_events.ending("tool_calls"),
    ]
)


def chunks_of(stream: bytes, cuts: list[int]) -> list[Chunk]:
    reader, reply = EventReader(), ChatReply(WireRequest(b"", {}))
    bounds = [0, *sorted(cuts), len(stream)]
    reads = [stream[start:end] for start, end in pairwise(bounds)]
    chunks = [chunk for read in reads for event in reader.feed(read) for chunk in reply.read_events([event])]
    return [*chunks, reply.end()]


@settings(deadline=None)  # a busy machine is no failure
@given(
    cuts=st.lists(st.integers(0, len(STREAM)), max_size=40),
    newline=st.sampled_from([b"\n", b"\r\n"]),
    gap=st.sampled_from([b"data: ", b"data:"]),
)
def test_the_chunks_do_not_depend_on_how_the_stream_is_cut(
    cuts: list[int], newline: bytes, gap: bytes
) -> None:
    stream = STREAM.replace(b"\r\n", b"\n").replace(b"\n", newline).replace(b"data: ", gap)

    assert chunks_of(stream, cuts) == chunks_of(STREAM, [])


def test_the_test_stream_has_the_expected_content() -> None:
    assert len(chunks_of(STREAM, [])) == 2 + (1 + 6) + 2 + 1


def test_the_lines_of_one_event_are_joined() -> None:
    assert EventReader().feed(b'data: {"a":\ndata: 1}\n\n') == [b'{"a":\n1}']


def test_an_event_without_end_is_refused_before_it_fills_the_memory() -> None:
    reader = EventReader()
    reader.feed(b"data: ")
    reader.feed(b"x" * (EVENT_BYTES - 10))

    with pytest.raises(ModelBroke, match="did not end within"):
        reader.feed(b"x" * 1024)


def test_a_reply_without_end_is_cut_by_its_size() -> None:
    reader, event = EventReader(), b"data: " + b"x" * 1_000_000 + b"\n\n"
    for _ in range(16):
        reader.feed(event)

    with pytest.raises(ReplyCut, match="more than 16777216 bytes"):
        reader.feed(event)

"""Replies over the text route become text and calls; the replies are next to this file."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, StreamEnded, TextDelta
from assistant.testing.script import breaks, says
from tests.models.text_protocol.routes import IN_WORDS, joined, reply_to
from tests.support.rows import check_rows

_CASES = re.findall(
    r"^=== (.+)\n((?:.*\n)*?)---> (.+)$", Path(__file__).with_name("replies.txt").read_text(), re.MULTILINE
)
each_case = check_rows(("shows", "reply", "comes"), _CASES, ids=[case[0] for case in _CASES])


def _told(chunks: Sequence[Chunk]) -> list[object]:
    """The chunks as the cases write them; fails unless calls are numbered and each has its arguments."""
    told: list[object] = []
    tools: dict[int, str] = {}
    for chunk in joined(chunks)[:-1]:
        match chunk:
            case TextDelta(text):
                told.append(text)
            case CallNamed(index=index, name=name):
                assert index == len(tools)
                tools[index] = name
            case CallArguments(index=index, fragment=fragment):
                try:
                    told.append([tools[index], orjson.loads(fragment)])
                except orjson.JSONDecodeError:
                    told.append({"tool": tools[index], "problem": fragment})
            case _:
                raise AssertionError(chunk)
    last = chunks[-1]
    assert isinstance(last, StreamEnded)
    assert last.reason == ("tool_calls" if tools else "stop")
    return told


@each_case
@pytest.mark.parametrize("length", [0, 1, 2, 7])
async def test_each_reply_is_read_as_expected(shows: str, reply: str, comes: str, length: int):
    text = reply.removesuffix("\n")
    pieces = [text[at : at + length] for at in range(0, len(text), length)] if length else [text]
    told, expected = _told(await reply_to(pieces)), json.loads(comes)
    for one, meant in zip(told, expected, strict=False):
        if isinstance(meant, dict) and isinstance(one, dict):
            assert meant["problem"] in one["problem"], shows
            meant["problem"] = one["problem"]
    assert told == expected, shows


@each_case
async def test_without_permission_to_call_nothing_is_called(shows: str, reply: str, comes: str):
    chunks = await reply_to(reply.removesuffix("\n"), IN_WORDS)
    assert not any(isinstance(chunk, CallArguments | CallNamed) for chunk in chunks[:-1]) or (
        shows in ("an invented result and nothing else", "an invented result as plain text")
    )


@pytest.mark.parametrize(
    "text", ["# Calls\n- three to Bonn", "You made\n\n**Calls:**\nthree of them\n\nand no more."]
)
async def test_without_permission_to_call_text_about_calls_is_text(text: str):
    assert joined(await reply_to(list(text), IN_WORDS)) == [TextDelta(text), StreamEnded("stop")]


@pytest.mark.parametrize("length", [1, 4, 100])
async def test_without_permission_to_call_a_call_is_removed_completely(length: int):
    text = '<calls>\n[{"tool": "get_order", "arguments": {"order": "1"}}]\n</calls>\n'
    pieces = ["Wait.\n", *(text[at : at + length] for at in range(0, len(text), length))]
    assert joined(await reply_to(pieces, IN_WORDS)) == [TextDelta("Wait."), StreamEnded("stop")]


async def test_text_arrives_immediately_and_calls_as_soon_as_they_are_known():
    pieces = [
        "Let ",
        "me look",
        ".\n",
        "\n#",
        " calls\n",
        '[{"tool": "list',
        '_invoices"',
        ', "arguments": {}',
        "}]",
    ]
    chunks = await reply_to(pieces)
    assert chunks == [
        TextDelta("Let "),
        TextDelta("me look"),
        TextDelta("."),
        CallNamed(0, "list_invoices"),
        CallArguments(0, "{}"),
        StreamEnded("tool_calls"),
    ]


@check_rows(
    "text", ["Hello <b", "Hello\n#", "Hello\n**N", "Hello `", "Hello [", "Hello &am", "Hello\n{", "Hello\n\n"]
)
async def test_held_text_is_shown_if_it_was_no_call(text: str):
    assert joined(await reply_to(list(text)))[0] == TextDelta(text.rstrip())


async def test_a_model_that_fails_also_fails_behind_the_route():
    from assistant.errors import ModelBroke

    with pytest.raises(ModelBroke):
        await reply_to(breaks('# calls\n[{"tool": "list_invoices"'))


async def test_a_reply_without_an_end_has_none():
    assert await reply_to(says([])) == [StreamEnded("stop")]

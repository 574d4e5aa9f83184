"""Generated pages contain what they are generated from."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast, get_args, get_type_hints

import pytest
import yaml

import assistant
from assistant.conversation.codec import kind_named
from assistant.conversation.entries import Entry
from assistant.server.frames.client_frames import CLIENT_FRAMES
from docs.generate.frames import read_frames
from docs.generate.types import type_text
from tests.support.rows import check_rows

PROJECT = Path(__file__).parents[2]


def committed(name: str) -> str:
    """A generated file. `make lint` generates all of them and compares them with the committed ones."""
    return (PROJECT / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """The protocol's description."""
    return yaml.safe_load(committed("docs/reference/asyncapi.yaml"))


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in cast("dict[str, Any]", value).items():
            if key == "$ref":
                yield inner
            else:
                yield from references(inner)
    elif isinstance(value, list):
        for inner in cast("list[Any]", value):
            yield from references(inner)


def test_every_reference_in_the_document_leads_somewhere(document: dict[str, Any]) -> None:
    found = set(references(document))

    assert len(found) > 40
    for reference in found:
        place: Any = document
        for step in reference.removeprefix("#/").split("/"):
            assert step in place, reference
            place = place[step]


def test_every_frame_is_a_message_of_its_direction(document: dict[str, Any]) -> None:
    frames = read_frames()
    messages = document["components"]["messages"]

    for operation, told in (("say", frames.client), ("hear", frames.server)):
        listed = [ref["$ref"].rpartition("/")[2] for ref in document["operations"][operation]["messages"]]
        assert [messages[title]["name"] for title in listed] == [frame.type for frame in told]


def test_every_frame_is_in_the_page_with_each_of_its_fields() -> None:
    page = committed("docs/reference/protocol.md")
    frames = read_frames()

    for frame in (*frames.client, *frames.server):
        section = page.partition(f"#### `{frame.type}`\n")[2].partition("\n#")[0]
        assert frame.doc in section
        for field in frames.schemas[frame.title]["properties"]:
            assert field == "type" or re.search(rf"^\| `{field}\??` \|", section, re.MULTILINE), field


def test_the_pages_hello_is_accepted_by_the_server() -> None:
    (hello,) = re.findall(r'^\{"type": "hello".*?\}$', committed("docs/reference/protocol.md"), re.M | re.S)

    CLIENT_FRAMES.validate_python(json.loads(hello))


@check_rows(
    ("schema", "text"),
    [
        ({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}, "(string | null)[]"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "Record<string, number>"),
        ({"type": "object"}, "Record<string, unknown>"),
        ({"enum": ["a", None]}, '"a" | null'),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, "number"),
        ({}, "unknown"),
    ],
)
def test_a_schema_becomes_a_type(schema: dict[str, Any], text: str) -> None:
    assert type_text(schema) == text


def test_every_command_and_option_is_in_the_reference() -> None:
    listed = committed("docs/reference/cli.md")

    assert all(f"`assistant {name}`" in listed for name in ("serve", "tools check", "documents add"))
    assert "| `--port` | `8000` |" in listed


def test_every_name_that_tools_import_is_in_the_reference() -> None:
    listed = committed("docs/reference/python.md")

    assert [name for name in assistant.__all__ if f"\n### `{name}`\n" not in listed] == []


def test_every_kind_of_entry_is_in_the_reference() -> None:
    page = committed("docs/reference/log-entries.md")

    for kind in get_args(Entry):
        section = page.partition(f"\n### {kind_named(kind)}\n")[2].partition("\n###")[0]
        assert (kind.__doc__ or "").split(".")[0].split("\n")[0].replace("``", "`") in " ".join(
            section.split()
        )
        assert [name for name in get_type_hints(kind) if f"\n| `{name}` |" not in section] == []


def test_messages_are_listed_with_their_cure() -> None:
    row = "| `every visitor is the demo shop's customer` | set ASSISTANT_DEMO=false before real customers come |"

    assert row in committed("docs/reference/errors.md").splitlines()

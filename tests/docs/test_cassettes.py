"""The page about recorded conversations has every key with its meaning, and the schema accepts what the
assistant accepts.
"""

import json
from importlib import import_module
from typing import Any, get_args

from hypothesis import HealthCheck, given, settings
from pydantic import BaseModel

from assistant.replay.cassette import Cassette
from assistant.replay.cassette_file import REFUSED
from assistant.replay.replies import Piece
from assistant.replay.yaml_reader import read_json
from assistant.replay.yaml_writer import dump
from docs.generate.cassettes import PARTS, cassettes_page, cassettes_schema, meanings
from tests.docs.pages import page
from tests.replay.any_cassette import cassettes
from tests.support.rows import check_rows

SCHEMA: dict[str, Any] = json.loads(cassettes_schema())
VALIDATOR: Any = import_module("jsonschema").Draft202012Validator(SCHEMA)
BEGIN = "format: 2\nabout: A test.\nnow: 2026-11-23 09:00\nturns:\n  - customer: Hi\n    "


def accepts(text: str) -> bool:
    return bool(VALIDATOR.is_valid(read_json(text, "t.yaml")[0]))


@check_rows("part", PARTS, ids=lambda part: part.__name__)
def test_every_key_has_its_meaning_and_its_row(part: type[BaseModel]) -> None:
    assert list(meanings(part)) == list(part.model_fields)
    section = cassettes_page().partition(f"\n## {part.__name__}\n")[2].partition("\n## ")[0]
    for name, meaning in meanings(part).items():
        assert any(
            line.startswith(f"| `{name}` |") and line.endswith(f"| {meaning} |")
            for line in section.splitlines()
        ), name


def test_every_part_is_described() -> None:
    assert {part.__name__ for part in PARTS} == {"Cassette", *SCHEMA["$defs"]}
    assert set(get_args(Piece)) <= set(PARTS)


def test_refused_keys_have_what_to_write_instead() -> None:
    for key, row in REFUSED.items():
        assert f"`{key}`" in page("docs/reference/cassettes.md").text
        assert f"| {row.why} | {row.instead} |" in page("docs/reference/cassettes.md").text


@given(cassettes())
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
def test_the_schema_accepts_every_conversation(cassette: Cassette) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(read_json(dump(cassette), "t.yaml")[0])] == []


@check_rows(
    "line",
    [
        "replies: [{narrator: Hi, first_ms: 3}]",
        "replies: [{role: decider, calls: [{tool: a}, a, {a: {b: 1}}, {a: '{b'}, {a: }]}]",
        "replies: [narrator: {pieces: [{at_ms: 3, text: a}]}]",
        "results: [{a: {returns: 1}, after_ms: 5}, {tool: a, hangs: true}, {tool: a, does: returns, returns: 1}]",
        "meanwhile: [{happens: stop, at_ms: 1}]",
        "expect: {hears: [{text_contains: a}, {text_contains: [a]}, {status: }]}",
        "expect: {calls: [{a: {}, outcome: ok}, {tool: a, outcome: ok}, {a: }]}",
    ],
)
def test_the_schema_accepts_every_short_form(line: str) -> None:
    assert accepts(BEGIN + line)


@check_rows(
    "line",
    [
        "expct: {}",
        "after_ms: soon",
        "replies: [{narrator: Hi, frist_ms: 3}]",
        "replies: [narrator: {pieces: [[1, 2]]}]",
        "replies: [decider: {calls: [1]}]",
        "tools: [a]",
        "tools: [a: {}]",
        "tools: [a: {giv: 1}]",
        "meanwhile: [{stop: 1, at_ms: 1}]",
        "expect: {hears: [{resp: a}]}",
        "expect: {calls: [{a: 1}]}",
    ],
)
def test_the_schema_refuses_mistyped_keys(line: str) -> None:
    assert not accepts(BEGIN + line)

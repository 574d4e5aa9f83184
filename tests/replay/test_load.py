"""A cassette is read from YAML, with JSON's scalars; all mistakes are reported together."""

from pathlib import Path

import pytest

from assistant.conversation.values import Json
from assistant.errors import DeclarationError
from assistant.replay.cassette import Turn
from assistant.replay.cassette_file import REFUSED, load, load_text, refusal
from tests.support.rows import check_rows

HEAD = "format: 2\nabout: A test.\nnow: 2026-11-23 09:00:00+01:00\n"


def turn_of(*lines: str) -> Turn:
    """The turn that has these lines; the first of them is the file's sixth."""
    text = "\n".join([HEAD + "turns:", "  - customer: Hello", *(f"    {line}" for line in lines)])
    return load_text(text, "t.yaml").cassette.turns[0]


def mistakes(text: str) -> list[str]:
    with pytest.raises(DeclarationError) as refused:
        load_text(text, "t.yaml")
    return str(refused.value).splitlines()


def turns_mistakes(*lines: str) -> list[str]:
    with pytest.raises(DeclarationError) as refused:
        turn_of(*lines)
    return str(refused.value).splitlines()


@check_rows(
    ("written", "value"),
    [
        ("2026-11-24", "2026-11-24"),
        ("yes", "yes"),
        ("off", "off"),
        ("True", "True"),
        ("~", "~"),
        ("007", "007"),
        (".5", ".5"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ('"1"', "1"),
        ("!!str 1", "1"),
        ("", None),
        ("null", None),
        ("true", True),
        ("false", False),
        ("12", 12),
        ("-0.5", -0.5),
        ("120.0", 120.0),
        ("120.00", 120.0),
        ("1e3", 1000.0),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ("[1, {a: no}]", [1, {"a": "no"}]),
    ],
)
def test_a_result_has_the_scalars_of_json_and_no_others(written: str, value: Json) -> None:
    (run,) = turn_of(f"results: [{{t: {{returns: {written}}}}}]").results

    assert (run.returns, type(run.returns)) == (value, type(value))


def told_mistakes(name: str) -> list[tuple[str, list[str]]]:
    """A mistake and its message: paragraphs of a file in this folder; the message follows ``>``."""
    found: list[tuple[str, list[str]]] = []
    for paragraph in (
        Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8").strip().split("\n\n")
    ):
        lines = paragraph.split("\n")
        written = "\n".join(line for line in lines if not line.startswith("> "))
        found.append((written, [f"t.yaml:{line[2:]}" for line in lines if line.startswith("> ")]))
    return found


@check_rows(("written", "told"), told_mistakes("mistakes_in_turns"))
def test_a_mistake_in_a_turn_has_its_line_and_solution(written: str, told: list[str]) -> None:
    assert turns_mistakes(*written.split("\n")) == told


@check_rows(("written", "told"), told_mistakes("mistakes_in_files"))
def test_a_mistake_in_a_file_has_its_line_and_solution(written: str, told: list[str]) -> None:
    assert mistakes(written) == told


def test_all_mistakes_are_reported_together_in_the_order_of_the_file() -> None:
    turns = "\n  - {customer: a, foo: 1}\n  - {customer: b, replies: [{narrator: {}, bar: 2}]}"
    text = f"format: 2\nabout: 3\nturns:{turns}\nnow: 4"

    assert [line.partition(": this key")[0].partition(": Input")[0] for line in mistakes(text)] == [
        "t.yaml:2: about",
        "t.yaml:4: turn 1: foo",
        "t.yaml:5: turn 2: replies 1.bar",
        "t.yaml:6: now: expected a date and a time, such as 2026-11-23 09:00:00+01:00, got 4",
    ]


@check_rows("key", REFUSED)
def test_an_unsupported_key_says_why_and_what_to_write(key: str) -> None:
    assert turns_mistakes("after_ms: 0", f"{key}: 3") == [f"t.yaml:7: turn 1: {key}: {refusal(key)}"]


@pytest.mark.parametrize(
    ("line", "place", "key"),
    [
        ("meanwhile: [{human: true, at_ms: 3}]", "turn 1: meanwhile 1.human", "human"),
        ("results: [a: {returns: 1, told_later: true}]", "turn 1: results 1.a.told_later", "told_later"),
        ("expect: {hears: [{response: Hi, heard_ms: 3}]}", "turn 1: expect.hears 1.heard_ms", "heard_ms"),
    ],
)
def test_it_is_refused_in_each_place_and_nothing_else_is_missing(line: str, place: str, key: str) -> None:
    assert turns_mistakes(line) == [f"t.yaml:6: {place}: {refusal(key)}"]


def test_a_message_that_is_more_than_text_is_refused() -> None:
    text = HEAD + "turns:\n  - customer: {text: See here, attachments: [a.png]}"

    assert mistakes(text) == [f"t.yaml:5: turn 1: customer: {refusal('attachments')}"]


def test_a_result_may_have_keys_of_any_name() -> None:
    assert turn_of("results: [a: {returns: {memory: 8, voice: no}}]").results[0].returns == {
        "memory": 8,
        "voice": "no",
    }


def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.conversation.yaml"
    with pytest.raises(DeclarationError, match=r"a\.conversation\.yaml: cannot be read"):
        load(file)
    file.write_bytes(b"\xff")
    with pytest.raises(DeclarationError, match=r"a\.conversation\.yaml: cannot be read"):
        load(file)
    file.write_text(HEAD + "turns: [{customer: a}]")

    assert load(file).cassette.about == "A test."


def test_an_expectation_is_found_by_its_path() -> None:
    text = (
        HEAD
        + "turns:\n  - customer: a\n    expect:\n      hears:\n        - status: b\n        - response: c"
    )

    assert load_text(text, "t.yaml").lines.locate(("turns", 0, "expect", "hears", 1))[1] == 9

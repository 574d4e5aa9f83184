"""A cassette is written readably, and is read as the same cassette."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from pydantic import ValidationError

from assistant.conversation.values import Json
from assistant.replay.cassette import Cassette, Turn
from assistant.replay.cassette_file import load_text
from assistant.replay.expectations import Expectations
from assistant.replay.replies import Run
from assistant.replay.yaml_writer import dump
from tests.replay.any_cassette import cassettes
from tests.support.rows import check_rows


def as_written(*, turns: str, frames: str = "") -> str:
    return f"format: 2\nabout: A test.\nnow: 2026-11-23 09:00:00+01:00\nturns:\n{turns}{frames}"


READS_WELL = as_written(
    turns="""\
  - customer: Check my appointments, and billing
    button: "yes"
    replies:
      - decider: {calls: [list_appointments, {get_invoices: {of: "2026"}}]}
      - narrator: You're booked for Tuesday at 2 pm. I couldn't reach billing just now.
      - narrator: You're booked for Tuesday at 2 pm, and I couldn't reach billing just now. Shall I try again?
      - narrator:
          pieces:
            - [ 90, "Grüß "]
            - [100, Gott.]
            - [101, {end: stop, input_tokens: 9}]
    results:
      - list_appointments: {returns: [{when: "2026-11-24", seats: 2, by: "no"}], after_ms: 200}
      - get_invoices: {fails: billing can't be reached}
      - get_invoices: {hangs: true}
    meanwhile:
      - {stop: true, at_ms: 900}
      - {disconnect_ms: 2000, after: You're}
    expect:
      scene: |
        Assistant (acknowledgement): Sure, I'll look.

          [list_appointments ok]
      hears:
        - acknowledgement: "Sure: I'll look."
          within_ms: 310
        - {kind: response, text_contains: [Tuesday, 2 pm]}
        - {text_contains: pm}
      never: [{kind: status}, {tool: cancel}]
      calls: [list_appointments, {get_invoices: {}}]
""",
    frames="""\
frames:
  - [ 302, {"type": "message.delta", "text": "Grüß"}]
  - [1400, {"type": "turn.completed"}]
""",
)


def test_a_written_cassette_is_readable() -> None:
    assert dump(load_text(READS_WELL, "t.yaml").cassette).splitlines() == READS_WELL.splitlines()


def test_a_value_longer_than_a_line_is_written_over_several_lines() -> None:
    rows = "".join(f"            - {{number: {one}, due: in {one} days, sum: 120.5}}\n" for one in range(4))
    run = f"      - get_invoices:\n          returns:\n{rows}          after_ms: 5\n"
    written = as_written(turns=f"  - customer: Hi\n    results:\n{run}")

    assert dump(load_text(written, "t.yaml").cassette) == written


def cassette_of(turn: Turn) -> Cassette:
    return Cassette(about="A test.", now=datetime(2026, 11, 23, tzinfo=UTC), turns=(turn,))


@check_rows("key", ["pieces", "frames", "turns", "scene", "meanwhile"])
@check_rows("value", [[], [[1, 2], [True, 3]], ["a"], [{}], "a\nb", {"a": [1]}])
def test_a_result_may_have_keys_with_a_meaning_elsewhere(key: str, value: Json) -> None:
    run = Run(tool="a", does="returns", returns={key: value, "long": "x" * 100})
    cassette = cassette_of(Turn(customer="Hi", results=(run,)))

    assert load_text(dump(cassette), "t.yaml").cassette == cassette


def test_a_scene_that_does_not_fit_into_lines_is_quoted() -> None:
    scene = "Assistant: a\x07b\nAssistant: c"
    cassette = cassette_of(Turn(customer="Hi", expect=Expectations(scene=scene)))

    assert '      scene: "Assistant: a\\u0007b\\nAssistant: c"' in dump(cassette).splitlines()
    assert load_text(dump(cassette), "t.yaml").cassette == cassette


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (float("inf"), "JSON has no inf"),
        (float("nan"), "JSON has no nan"),
        (b"x", "JSON has no b'x'"),
        ({1: 2}, "a key must be a text, and 1 is not"),
    ],
)
def test_a_result_outside_of_json_is_refused(value: Any, told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        Run(tool="a", does="returns", returns=[value])


@given(cassettes())
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
def test_a_written_cassette_is_read_as_the_same(cassette: Cassette) -> None:
    written = dump(cassette)

    again = load_text(written, "written").cassette

    assert again == cassette
    assert repr(again.turns) == repr(cassette.turns)  # 1, 1.0 and true are equal, and not the same
    assert dump(again) == written

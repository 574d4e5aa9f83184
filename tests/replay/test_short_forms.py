"""The short forms in a cassette."""

import pytest

from assistant.replay.cassette import Event, Turn
from assistant.replay.cassette_file import load_text
from assistant.replay.expectations import ExpectedCall, Hears
from assistant.replay.replies import (
    ArgumentsPiece,
    Called,
    EndPiece,
    NamePiece,
    Reply,
    Run,
    TextPiece,
)
from tests.support.rows import check_rows

HEAD = "format: 2\nabout: A test.\nnow: 2026-11-23 09:00:00+01:00\n"


def turn_of(*lines: str) -> Turn:
    """The turn that has these lines; the first of them is the file's sixth."""
    text = "\n".join([HEAD + "turns:", "  - customer: Hello", *(f"    {line}" for line in lines)])
    return load_text(text, "t.yaml").cassette.turns[0]


REPLIES: list[tuple[str, Reply]] = [
    ("narrator: Hi", Reply(role="narrator", says="Hi")),
    ("narrator: [H, i]", Reply(role="narrator", says=("H", "i"))),
    ("{narrator: Hi, first_ms: 3}", Reply(role="narrator", says="Hi", first_ms=3)),
    ("decider: {ends: breaks}", Reply(role="decider", ends="breaks")),
    ("decider: {calls: [a]}", Reply(role="decider", calls=(Called(tool="a"),))),
    (
        "decider: {calls: [{tool: {b: 1}}]}",
        Reply(role="decider", calls=(Called(tool="tool", arguments={"b": 1}),)),
    ),
    ("{role: narrator, says: Hi}", Reply(role="narrator", says="Hi")),
    (
        'narrator: {pieces: [[1, a], [2, {call: b, id: c}], [3, {arguments: "{}"}], [4, {end: stop}]]}',
        Reply(
            role="narrator",
            pieces=(
                TextPiece(at_ms=1, text="a"),
                NamePiece(at_ms=2, call="b", id="c"),
                ArgumentsPiece(at_ms=3, arguments="{}"),
                EndPiece(at_ms=4, end="stop"),
            ),
        ),
    ),
    (
        "narrator: {pieces: [{at_ms: 1, text: a}]}",
        Reply(role="narrator", pieces=(TextPiece(at_ms=1, text="a"),)),
    ),
]


@check_rows(("written", "reply"), REPLIES, ids=[written for written, _ in REPLIES])
def test_a_reply_may_be_short(written: str, reply: Reply) -> None:
    assert turn_of("replies:", f"  - {written}").replies == (reply,)


RUNS: list[tuple[str, Run]] = [
    ("a: {returns: [1], after_ms: 5}", Run(tool="a", does="returns", returns=[1], after_ms=5)),
    ("a: {returns: }", Run(tool="a", does="returns")),
    ("{a: {returns: 1}, after_ms: 5}", Run(tool="a", does="returns", returns=1, after_ms=5)),
    ("a: {fails: no such order}", Run(tool="a", does="fails", fails="no such order")),
    ("a: {raises: boom}", Run(tool="a", does="raises", raises="boom")),
    ("a: {hangs: true}", Run(tool="a", does="hangs")),
    ("{tool: hangs, hangs: true}", Run(tool="hangs", does="hangs")),
    ("a: {confirm: book it}", Run(tool="a", does="asks", confirm="book it")),
    ("{tool: a, returns: 1}", Run(tool="a", does="returns", returns=1)),
    ("{tool: a, does: returns, returns: 1}", Run(tool="a", does="returns", returns=1)),
]


@check_rows(("written", "run"), RUNS, ids=[written for written, _ in RUNS])
def test_a_tools_run_may_be_short(written: str, run: Run) -> None:
    assert turn_of("results:", f"  - {written}").results == (run,)


EVENTS: list[tuple[str, Event]] = [
    ("{stop: true, at_ms: 1}", Event(happens="stop", at_ms=1)),
    ("{restart: true, after: Sure}", Event(happens="restart", after="Sure")),
    ("{disconnect_ms: 9, at_ms: 1}", Event(happens="disconnect", for_ms=9, at_ms=1)),
    ("{happens: stop, at_ms: 1}", Event(happens="stop", at_ms=1)),
]


@pytest.mark.parametrize(("written", "event"), EVENTS, ids=[written for written, _ in EVENTS])
def test_an_event_may_be_short(written: str, event: Event) -> None:
    assert turn_of(f"meanwhile: [{written}]").meanwhile == (event,)


HEARS: list[tuple[str, Hears]] = [
    ("acknowledgement: Sure.", Hears(kind="acknowledgement", text="Sure.")),
    ("{status: One moment., within_ms: 4}", Hears(kind="status", text="One moment.", within_ms=4)),
    ("response: ", Hears(kind="response")),
    ("text_contains: Sure", Hears(text_contains=("Sure",))),
    ("text_contains: [Sure, 2 pm]", Hears(text_contains=("Sure", "2 pm"))),
    ("{text: You are in, text_contains: YOU, text_matches: 'you.are'}",
     Hears(text="You are in", text_contains=("YOU",), text_matches="you.are")),
    ("{kind: response, interrupted: yes}", Hears(kind="response", interrupted=True)),
]  # fmt: skip


@check_rows(("written", "heard"), HEARS, ids=[written for written, _ in HEARS])
def test_a_message_that_is_expected_may_be_short(written: str, heard: Hears) -> None:
    assert turn_of("expect:", "  hears:", f"    - {written}").expect.hears == (heard,)


CALLED: list[tuple[str, Called]] = [
    ("a", Called(tool="a")),
    ("a: ", Called(tool="a")),
    ("a: {b: 1}", Called(tool="a", arguments={"b": 1})),
    ("a: '{b'", Called(tool="a", raw_arguments="{b")),
    ("tool: a", Called(tool="a")),
    ("tool: {b: 1}", Called(tool="tool", arguments={"b": 1})),
]


@check_rows(("written", "call"), CALLED, ids=[written for written, _ in CALLED])
def test_a_call_in_a_reply_may_be_short(written: str, call: Called) -> None:
    assert turn_of("replies:", "  - decider:", "      calls:", f"        - {written}").replies[0].calls == (
        call,
    )


CALLS: list[tuple[str, ExpectedCall]] = [
    ("a", ExpectedCall(tool="a")),
    ("a: {}", ExpectedCall(tool="a", arguments={})),
    ("a: ", ExpectedCall(tool="a")),
    ("{a: {b: 1}, outcome: ok}", ExpectedCall(tool="a", arguments={"b": 1}, outcome="ok")),
    ("{tool: a, outcome: ok}", ExpectedCall(tool="a", outcome="ok")),
]


@pytest.mark.parametrize(("written", "call"), CALLS, ids=[written for written, _ in CALLS])
def test_a_call_that_is_expected_may_be_short(written: str, call: ExpectedCall) -> None:
    assert turn_of("expect:", "  calls:", f"    - {written}").expect.calls == (call,)


def test_a_scene_is_the_text_between_blank_lines() -> None:
    scene = turn_of("expect:", "  scene: |", "", "    Assistant: Hello.  ", "      [a ok]", "").expect.scene

    assert scene == "Assistant: Hello.\n  [a ok]"

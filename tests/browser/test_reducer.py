"""The reducer decides what is shown, as a pure function: run under Node, without an element."""

import json
import subprocess
import sys
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from tests.browser.fake_server import Frame, Value, welcome
from tests.browser.histories import History
from tests.browser.scenes import Numbered, assistants, customers, snapshot

NODE = Path(sys.prefix) / "bin" / "node"
PROGRAM = Path(__file__).with_name("reduce.mjs")


class Reduced:
    """Runs the reducer over frames, and over what the customer did (``action``)."""

    def __init__(self, node: "subprocess.Popen[str]") -> None:
        self._node = node

    def __call__(self, *frames: Frame) -> dict[str, Value]:
        """The last state."""
        return self.each([frames])[0]

    def each(self, runs: Sequence[Sequence[Frame]]) -> list[dict[str, Value]]:
        """The last state of each of these."""
        assert self._node.stdin
        assert self._node.stdout
        print(json.dumps(runs), file=self._node.stdin, flush=True)
        return json.loads(self._node.stdout.readline() or self._node.communicate(timeout=10)[1])


@pytest.fixture(scope="module")
def reduced() -> Generator[Reduced]:
    """The reducer, in a process of its own."""
    pipe = subprocess.PIPE
    with subprocess.Popen([NODE, PROGRAM], stdin=pipe, stdout=pipe, stderr=pipe, text=True) as node:
        yield Reduced(node)
        _, complaints = node.communicate(timeout=10)
    assert complaints == ""


def test_an_overlapping_replay_changes_nothing(reduced: Reduced) -> None:
    frames = Numbered()
    told = [
        welcome(),
        frames.accepted("c1", "Hello"),
        frames.turn_started(),
        *frames.told("m1", "acknowledgement", "Let me see."),
        frames.tool_started("t1/c1.1", "checking your billing"),
        frames.tool_finished("t1/c1.1", "ok"),
        *frames.asked(),
        frames.turn_completed(how="awaiting_confirmation"),
    ]
    once = reduced(*told)

    assert reduced(*told, *told[1:]) == once
    assert reduced(*[frame for frame in told for _ in range(2)][1:]) == once
    assert once["seq"] == frames.seq


def test_slow_calls_are_marked_until_they_end(reduced: Reduced) -> None:
    frames = Numbered()
    state = reduced(
        welcome(),
        frames.turn_started(),
        frames.tool_started("t1/c1.1", "a"),
        frames.tool_started("t1/c1.2", "b"),
        frames.tool_started("t1/c1.3", "c"),
        frames.frame("tool.delayed", call_ids=["t1/c1.1", "t1/c1.3", "t1/c9.9"]),
        frames.tool_finished("t1/c1.3", "ok"),
    )

    items = cast("list[dict[str, Any]]", state["items"])
    [tools] = [item for item in items if item["kind"] == "tools"]
    assert [(call.get("delayed", False), call["outcome"]) for call in tools["calls"]] == [
        (True, None),
        (False, None),
        (True, "ok"),
    ]


def test_an_agent_types_until_the_message_comes_or_a_while_has_passed(reduced: Reduced) -> None:
    frames = Numbered()
    taken = (
        welcome(),
        frames.frame("handoff.updated", state="accepted", name="Sam", handoff_id="h1", ticket=None),
    )
    typing: dict[str, Any] = {"type": "person.typing", "name": "Sam"}
    message = frames.frame("person.message", message_id="p1", name="Sam", text="Hello", at=1)

    assert reduced(*taken, typing)["typist"] == "Sam"
    assert reduced(*taken, typing, message)["typist"] is None
    assert reduced(*taken, typing, {"action": "typing_over"})["typist"] is None


def test_unknown_frames_only_move_the_cursor(reduced: Reduced) -> None:
    before = reduced(welcome())
    after = reduced(
        welcome(),
        {"type": "constructor"},
        {"type": "__proto__"},
        {"type": "handoff.offered", "seq": 7, "items": ["x"]},
    )
    assert after == before | {"seq": 7}


def test_a_welcome_does_not_move_the_cursor(reduced: Reduced) -> None:
    state = reduced(welcome(), Numbered().accepted("c1", "Hello"), welcome("replay", seq=40))
    assert state["seq"] == 1


def test_a_new_numbering_starts_at_zero_and_keeps_unsent_messages(reduced: Reduced) -> None:
    frames = Numbered()
    state = reduced(
        welcome(),
        frames.accepted("c1", "Hello"),
        {"action": "say", "id": "c2", "text": "Anybody?"},
        welcome("snapshot", epoch="e2"),
    )
    assert (state["seq"], state["epoch"]) == (0, "e2")
    assert state["items"] == [
        {
            "kind": "customer",
            "id": "c2",
            "text": "Anybody?",
            "files": [],
            "at": None,
            "delivery": "waiting",
            "refusal": None,
        }
    ]


def test_a_snapshot_replaces_everything_before_it(reduced: Reduced) -> None:
    frames = Numbered()
    state = reduced(
        welcome(),
        *frames.told("m0", "response", "Forgotten."),
        {"action": "say", "id": "c2", "text": "Anybody?"},
        snapshot(9, customers("c1", "Hello"), assistants("m1", "Hi.")),
        *[frame | {"seq": 10} for frame in Numbered().told("m2", "response", "Still here.")[-1:]],
    )
    items = state["items"]
    assert isinstance(items, list)
    assert [(item["id"], item["text"]) for item in items if isinstance(item, dict)] == [
        ("c1", "Hello"),
        ("m1", "Hi."),
        ("m2", "Still here."),
        ("c2", "Anybody?"),
    ]
    assert state["seq"] == 10
    assert state["announcements"] == [
        {"n": 1, "kind": "message", "text": "Forgotten."},
        {"n": 2, "kind": "message", "text": "Still here."},
    ]


def test_a_restarted_call_has_one_chip(reduced: Reduced) -> None:
    frames = Numbered()
    state = reduced(
        frames.tool_started("t1/c1.1", "a"),
        *frames.told("m1", "status", "I'll also look further."),
        frames.tool_started("t1/c1.1", "a"),
        frames.tool_finished("t1/c1.1", "ok"),
    )

    items = cast("list[dict[str, Any]]", state["items"])
    calls = [call for item in items if item["kind"] == "tools" for call in item["calls"]]
    assert [(call["callId"], call["outcome"]) for call in calls] == [("t1/c1.1", "ok")]


def test_consecutive_calls_are_grouped(reduced: Reduced) -> None:
    frames = Numbered()
    state = reduced(
        frames.tool_started("t1/c1.1", "a"),
        frames.tool_started("t1/c1.2", "b"),
        *frames.told("m1", "status", "I'll also look further."),
        frames.tool_started("t1/c2.1", "c"),
        frames.tool_finished("t1/c1.2", "failed"),
        frames.tool_finished("nobody", "ok"),
    )
    items = state["items"]
    assert isinstance(items, list)
    groups = [item["calls"] for item in items if isinstance(item, dict) and item["kind"] == "tools"]
    assert groups == [
        [
            {"callId": "t1/c1.1", "hint": "a", "outcome": None},
            {"callId": "t1/c1.2", "hint": "b", "outcome": "failed"},
        ],
        [{"callId": "t1/c2.1", "hint": "c", "outcome": None}],
    ]


def test_the_end_of_another_turn_does_not_end_this_one(reduced: Reduced) -> None:
    frames = Numbered()
    running = [frames.turn_started("t1"), frames.turn_completed("t0")]
    assert reduced(*running)["turn"] == "t1"
    assert (reduced(*running, frames.turn_completed("t1")))["turn"] is None


def test_a_rating_is_shown_and_can_be_removed(reduced: Reduced) -> None:
    frames = Numbered()
    told = [welcome(), *frames.told("m1", "response", "Hi.")]
    rated = [frames.frame("rated", message_id="m1", rating=rating) for rating in ("up", None)]
    assert _ratings(reduced, *told) == [None]
    assert _ratings(reduced, *told, {"action": "rate", "id": "m1", "rating": "down"}) == ["down"]
    assert _ratings(reduced, *told, rated[0]) == ["up"]
    assert _ratings(reduced, *told, *rated) == [None]
    refused: Frame = {"type": "rejected", "id": "m1", "code": "unknown_message", "message": "none"}
    assert _ratings(reduced, *told, {"action": "rate", "id": "m1", "rating": "up"}, refused) == [None]
    assert _ratings(reduced, frames.frame("rated", message_id="nobody's", rating="up")) == []


def test_notices_are_for_operators_and_move_no_cursor(reduced: Reduced) -> None:
    broken: Frame = {"type": "notice", "problem": True, "message": "prompts/voice.toml:3: no value"}
    state = reduced(welcome(), broken)
    assert (state["notice"], state["seq"], state["items"]) == (
        {"problem": True, "message": "prompts/voice.toml:3: no value"},
        0,
        [],
    )


def test_a_snapshot_has_spoken_and_heard_positions_like_the_frames(reduced: Reduced) -> None:
    frames = Numbered()
    live = reduced(
        welcome(),
        frames.accepted("v-1", "When?") | {"spoken": True},
        *frames.told("m1", "response", "On Tuesday at two."),
        *[frames.frame("message.heard", message_id="m1", up_to=up_to) for up_to in (0, 10)],
    )
    said = customers("v-1", "When?") | {"spoken": True}
    drawn = reduced(
        welcome(),
        snapshot(frames.seq, said, assistants("m1", "On Tuesday at two.") | {"heard": 10, "rating": None}),
    )

    items = cast("list[dict[str, Any]]", live["items"])
    assert [(item.get("spoken"), item.get("heard")) for item in items] == [(True, None), (None, 10)]
    assert drawn["items"] == live["items"]


def test_only_with_voice_is_not_supported_no_news(
    reduced: Reduced,
) -> None:
    said: Frame = {"type": "error", "code": "not_supported", "retryable": False, "message": "no sound"}
    kinds = [
        [item["kind"] for item in cast("list[dict[str, Any]]", state["items"])]
        for state in reduced.each([[welcome(), said], [welcome(voice={"ready": True}), said]])
    ]
    assert kinds == [["went_wrong"], []]


@pytest.mark.parametrize("seed", range(8))
def test_a_snapshot_shows_the_same_as_the_frames_before_it(reduced: Reduced, seed: int) -> None:
    steps = History(seed).go(turns=3)
    frames = [frame for frame, _ in steps]
    fresh = [[welcome("snapshot"), snapshot_] for _, snapshot_ in steps]
    cuts = range(1, len(steps) + 1)

    live = reduced.each([[welcome(), *frames[:at]] for at in cuts])
    drawn = reduced.each(fresh)
    later = reduced.each([[*start, *frames[at:]] for start, at in zip(fresh, cuts, strict=True)])

    assert [_shown(state) for state in drawn] == [_shown(state) for state in live]
    assert [_shown(state) for state in later] == [_shown(live[-1])] * len(steps)


def _shown(state: dict[str, Value]) -> dict[str, Value]:
    """All but what a snapshot does not tell: calls that have ended, and what was announced."""
    items = state["items"]
    assert isinstance(items, list)
    kept: list[Value] = []
    for item in items:
        assert isinstance(item, dict)
        if item["kind"] == "tools":
            calls = item["calls"]
            assert isinstance(calls, list)
            kept += [call for call in calls if isinstance(call, dict) and call["outcome"] is None]
        else:
            kept.append(item)
    return {**state, "items": kept, "announcements": [], "lastMessageSeq": 0}


def _ratings(reduced: Reduced, *frames: Frame) -> list[Value]:
    items = reduced(*frames)["items"]
    assert isinstance(items, list)
    return [item["rating"] for item in items if isinstance(item, dict) and "rating" in item]

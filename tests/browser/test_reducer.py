"""What there is to show, decided by a pure function: run in the browser, away from any element."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any, cast

import pytest
import pytest_asyncio

from tests.browser.conftest import Arrive
from tests.browser.fake_server import FakeServer, Frame, Value, welcome
from tests.browser.histories import History
from tests.browser.scenes import Numbered, assistants, customers, snapshot
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

# Freezing every state on the way shows that none is changed in place.
REDUCED = """async runs => {
    const [{ applyAction, reduce }, { emptyState }] =
        await Promise.all(["reduce", "state"].map(name => import(`/src/client/${name}.js`)));
    const frozen = value => {
        if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
        return value;
    };
    const step = (state, frame) => frozen(frame.action ? applyAction(state, frame) : reduce(state, frame));
    const start = frozen({ ...emptyState, maxText: 4000 });
    return runs.map(frames => frames.map(frozen).reduce(step, start));
}"""


class Reduced:
    """Runs the reducer over frames, and over what the customer did (``action``)."""

    def __init__(self, visitor: Visitor) -> None:
        self._visitor = visitor

    async def __call__(self, *frames: Frame) -> dict[str, Value]:
        """The last state."""
        return (await self.each([frames]))[0]

    async def each(self, runs: Sequence[Sequence[Frame]]) -> list[dict[str, Value]]:
        """The last state of each of these."""
        return await self._visitor.page.evaluate(REDUCED, runs)


@pytest_asyncio.fixture(loop_scope="session")
async def reduced(arrive: Arrive, server: FakeServer) -> AsyncGenerator[Reduced]:
    """The reducer, in a page."""
    visitor = await arrive(server.url)
    await visitor.visits()

    yield Reduced(visitor)
    assert visitor.complaints == []


async def test_a_replay_that_overlaps_changes_nothing(reduced: Reduced) -> None:
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
    once = await reduced(*told)

    assert await reduced(*told, *told[1:]) == once
    assert await reduced(*[frame for frame in told for _ in range(2)][1:]) == once
    assert once["seq"] == frames.seq


async def test_calls_that_take_their_time_are_marked_until_they_end(reduced: Reduced) -> None:
    frames = Numbered()
    state = await reduced(
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


async def test_unknown_frames_move_the_cursor_and_nothing_else(reduced: Reduced) -> None:
    before = await reduced(welcome())
    after = await reduced(
        welcome(),
        {"type": "constructor"},
        {"type": "__proto__"},
        {"type": "handoff.offered", "seq": 7, "items": ["x"]},
    )
    assert after == before | {"seq": 7}


async def test_a_welcome_does_not_move_the_cursor(reduced: Reduced) -> None:
    state = await reduced(welcome(), Numbered().accepted("c1", "Hello"), welcome("replay", seq=40))
    assert state["seq"] == 1


async def test_a_new_numbering_starts_at_nought_and_keeps_what_was_not_sent(reduced: Reduced) -> None:
    frames = Numbered()
    state = await reduced(
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


async def test_a_snapshot_stands_for_everything_before_it(reduced: Reduced) -> None:
    frames = Numbered()
    state = await reduced(
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


async def test_calls_that_follow_one_another_stand_together(reduced: Reduced) -> None:
    frames = Numbered()
    state = await reduced(
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


async def test_the_end_of_another_turn_does_not_end_this_one(reduced: Reduced) -> None:
    frames = Numbered()
    running = [frames.turn_started("t1"), frames.turn_completed("t0")]
    assert (await reduced(*running))["turn"] == "t1"
    assert (await reduced(*running, frames.turn_completed("t1")))["turn"] is None


async def test_a_rating_is_shown_and_can_be_taken_back(reduced: Reduced) -> None:
    frames = Numbered()
    told = [welcome(), *frames.told("m1", "response", "Hi.")]
    rated = [frames.frame("rated", message_id="m1", rating=rating) for rating in ("up", None)]
    assert await _ratings(reduced, *told) == [None]
    assert await _ratings(reduced, *told, {"action": "rate", "id": "m1", "rating": "down"}) == ["down"]
    assert await _ratings(reduced, *told, rated[0]) == ["up"]
    assert await _ratings(reduced, *told, *rated) == [None]
    refused: Frame = {"type": "rejected", "id": "m1", "code": "unknown_message", "message": "none"}
    assert await _ratings(reduced, *told, {"action": "rate", "id": "m1", "rating": "up"}, refused) == [None]
    assert await _ratings(reduced, frames.frame("rated", message_id="nobody's", rating="up")) == []


async def test_notices_are_for_whoever_runs_the_server_and_move_no_cursor(reduced: Reduced) -> None:
    broken: Frame = {"type": "notice", "problem": True, "message": "prompts/voice.toml:3: no value"}
    state = await reduced(welcome(), broken)
    assert (state["notice"], state["seq"], state["items"]) == (
        {"problem": True, "message": "prompts/voice.toml:3: no value"},
        0,
        [],
    )


async def test_what_was_spoken_and_heard_stands_in_a_snapshot_as_in_the_frames(reduced: Reduced) -> None:
    frames = Numbered()
    live = await reduced(
        welcome(),
        frames.accepted("v-1", "When?") | {"spoken": True},
        *frames.told("m1", "response", "On Tuesday at two."),
        *[frames.frame("message.heard", message_id="m1", up_to=up_to) for up_to in (0, 10)],
    )
    said = customers("v-1", "When?") | {"spoken": True}
    drawn = await reduced(
        welcome(),
        snapshot(frames.seq, said, assistants("m1", "On Tuesday at two.") | {"heard": 10, "rating": None}),
    )

    items = cast("list[dict[str, Any]]", live["items"])
    assert [(item.get("spoken"), item.get("heard")) for item in items] == [(True, None), (None, 10)]
    assert drawn["items"] == live["items"]


async def test_only_where_one_can_speak_is_it_no_news_that_something_is_not_supported(
    reduced: Reduced,
) -> None:
    said: Frame = {"type": "error", "code": "not_supported", "retryable": False, "message": "no sound"}
    kinds = [
        [item["kind"] for item in cast("list[dict[str, Any]]", state["items"])]
        for state in await reduced.each([[welcome(), said], [welcome(voice={"ready": True}), said]])
    ]
    assert kinds == [["went_wrong"], []]


@pytest.mark.parametrize("seed", range(8))
async def test_a_snapshot_shows_what_the_frames_before_it_showed(reduced: Reduced, seed: int) -> None:
    steps = History(seed).go(turns=3)
    frames = [frame for frame, _ in steps]
    fresh = [[welcome("snapshot"), snapshot_] for _, snapshot_ in steps]
    cuts = range(1, len(steps) + 1)

    live = await reduced.each([[welcome(), *frames[:at]] for at in cuts])
    drawn = await reduced.each(fresh)
    later = await reduced.each([[*start, *frames[at:]] for start, at in zip(fresh, cuts, strict=True)])

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


async def _ratings(reduced: Reduced, *frames: Frame) -> list[Value]:
    items = (await reduced(*frames))["items"]
    assert isinstance(items, list)
    return [item["rating"] for item in items if isinstance(item, dict) and "rating" in item]

"""Wherever and however often the connection is cut, the customer sees the same in the end."""

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.conversation.transcript import transcript
from assistant.replay.cassette import Event
from assistant.replay.played import Played
from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.player.play import replay
from tests.replay.player.written_cassettes import cancelling, cassette, disconnect, thanks, two_lookups


def _cut(at_ms: int, for_ms: int) -> Event:
    return disconnect(for_ms, at_ms=at_ms)


CUTS = st.lists(st.builds(_cut, st.integers(0, 1100), st.integers(0, 1500)), min_size=1, max_size=3)


def held(environment: ReplayEnvironment, first: list[Event], last: list[Event]) -> Played:
    asked, agreed = cancelling(*last)
    return replay(cassette(two_lookups(*first), thanks(), asked, agreed), environment)


def screen(played: Played) -> list[str]:
    """What a widget shows that has heard these frames, and nothing twice."""
    shown: dict[str, str] = {}
    newest = 0
    for heard in played.frames:
        frame = cast("dict[str, Any]", heard.frame)
        match frame["type"]:
            case "welcome" if frame["resumed"] != "replay":
                shown, newest = {}, 0
            case "snapshot":
                shown = {message["message_id"]: message["text"] for message in frame["messages"]}
                if frame["open_message"]:
                    shown[frame["open_message"]["message_id"]] = frame["open_message"]["text"]
            case "accepted":
                shown.setdefault(frame["id"], frame["text"])
            case "message.started":
                shown[frame["message_id"]] = ""
            case "message.delta":
                shown[frame["message_id"]] += frame["text"]
            case "message.completed":
                assert shown[frame["message_id"]] == frame["text"]
            case _:
                pass
        if frame["type"] not in ("welcome", "accepted") and "seq" in frame:
            assert frame["seq"] > newest, f"{frame} came twice"
            newest = frame["seq"]
    return list(shown.values())


@pytest.fixture(scope="module")
def unbroken(environment: ReplayEnvironment) -> Played:
    return held(environment, [], [])


@given(first=CUTS, last=CUTS)
def test_cuts_change_nothing(
    environment: ReplayEnvironment, unbroken: Played, first: list[Event], last: list[Event]
) -> None:
    played = held(environment, first, last)

    assert transcript(played.state) == transcript(unbroken.state)
    assert screen(played) == screen(unbroken)
    assert all("cut already" in note for note in played.unscripted)

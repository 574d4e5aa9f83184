"""Whether a conversation waits for the assistant follows from its entries."""

import pytest

from assistant.conversation.entries import (
    CustomerMessage,
    Entry,
    ForwardedToAgent,
    Handoff,
    HandoffState,
    Identified,
    Logged,
    TurnEnded,
    TurnStarted,
)
from assistant.store.memory_log import Progress, progress_after


def said(message: str) -> Entry:
    return CustomerMessage(message_id=message, client_message_id=message, text="Hello")


def begun(turn: str, message: str) -> Entry:
    return TurnStarted(turn_id=turn, message_id=message, cause="message", bundle="")


def ended(turn: str) -> Entry:
    return TurnEnded(turn_id=turn, how="answered")


def handoff(state: HandoffState, handoff_id: str = "h1") -> Entry:
    return Handoff(handoff_id=handoff_id, state=state)


def passed_on(message: str) -> Entry:
    return ForwardedToAgent(message_id=message, handoff_id="h1")


@pytest.mark.parametrize(
    ("entries", "unfinished"),
    [
        pytest.param([], False, id="nothing happened"),
        pytest.param([Identified(level="verified")], False, id="nobody asked anything"),
        pytest.param([said("m1")], True, id="a message waits"),
        pytest.param([said("m1"), begun("t1", "m1")], True, id="a turn is open"),
        pytest.param([said("m1"), begun("t1", "m1"), ended("t1")], False, id="answered"),
        pytest.param([said("m1"), begun("t1", "m1"), said("m2"), ended("t1")], True, id="a second one waits"),
        pytest.param([said("m1"), said("m2"), begun("t1", "m1"), ended("t1")], True, id="the last one waits"),
        pytest.param(
            [said("m1"), said("m2"), begun("t1", "m2"), ended("t1")], False, id="the last one counts"
        ),
        pytest.param(
            [said("m1"), begun("t1", "m1"), begun("t2", "m1"), ended("t1")], True, id="another's end"
        ),
        pytest.param([handoff("requested")], True, id="a person was asked for"),
        pytest.param([handoff("requested"), handoff("ticket")], True, id="a ticket is open"),
        pytest.param([handoff("accepted"), handoff("ended")], False, id="the person has gone"),
        pytest.param([handoff("ended"), handoff("requested", "h2")], True, id="a second person"),
        pytest.param([said("m1"), passed_on("m1")], False, id="a person has the message"),
        pytest.param([said("m1"), said("m2"), passed_on("m1")], True, id="and not the next one"),
    ],
)
def test_a_conversation_is_unfinished_because_of_its_last_turn_or_message(
    entries: list[Entry], unfinished: bool
) -> None:
    logged = [Logged(seq=i, at_ms=0, turn_id="", entry=entry) for i, entry in enumerate(entries, 1)]

    at_once = progress_after(Progress(), logged)
    one_by_one = Progress()
    for entry in logged:
        one_by_one = progress_after(one_by_one, [entry])

    assert at_once.unfinished is unfinished
    assert one_by_one == at_once

"""Staff play a conversation again: as it was, and with something else in one of its turns."""

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged, MessageText
from assistant.errors import AssistantError
from assistant.inspector.forked import ChangedOutcome, Fork, ForkedTurn, OtherOutcome
from assistant.inspector.replayed import ReplayedTurn
from assistant.replay.cassette_file import load_text
from assistant.replay.player.environment import environment_of
from assistant.replay.player.play import replay
from assistant.replay.trials_for_staff import fork_turn, replay_today
from assistant.replay.worker_process import run_in_process
from assistant.settings import Settings

KEY = ConversationKey(tenant="demo", customer="demo", conversation="k1")

TWO_TURNS = """
format: 2
about: Two lookups at once, and then an order.
now: 2026-11-23 09:00:00+01:00
turns:
  - customer: Check my appointments and billing
    replies:
      - decider: {calls: [list_upcoming_appointments, get_open_invoices]}
      - narrator: You have no appointments and no open invoices.
    results:
      - list_upcoming_appointments: {returns: [], after_ms: 300}
      - get_open_invoices: {returns: [], after_ms: 500}
  - customer: Has my order been shipped?
    replies:
      - decider: {calls: [get_order_status]}
      - narrator: Yes, it arrives on Wednesday.
    results:
      - get_order_status:
          returns: [{number: 10482, product: monthly contact lenses, status: shipped, arrives: "2026-11-25"}]
          after_ms: 3000
"""


@pytest.fixture(scope="module")
def logged() -> tuple[Logged, ...]:
    """The log of the two turns."""
    return replay(load_text(TWO_TURNS, "two").cassette, environment_of(Settings())).entries


def said(turn: ReplayedTurn) -> list[str]:
    """What the assistant says in the trial."""
    return [
        message.text for section in turn.now if section.turn is not None for message in section.turn.messages
    ]


def outcomes(turn: ReplayedTurn) -> dict[str, str | None]:
    return {
        call.tool: call.outcome
        for section in turn.now
        if section.turn is not None
        for call in section.turn.calls
    }


def test_a_conversation_that_goes_the_same_has_no_differences(logged: tuple[Logged, ...]) -> None:
    replayed = replay_today(Settings(), KEY, logged)

    assert [(one.turn_id, one.changes) for one in replayed.turns] == [("t1", ()), ("t2", ())]
    assert (replayed.same_version, replayed.unscripted, replayed.left_out) == (True, (), ())


def test_a_text_that_differs_today_stands_beside_the_old_one(logged: tuple[Logged, ...]) -> None:
    before = tuple(
        replace(one, entry=replace(one.entry, text="Formerly: I'll look"))
        if isinstance(one.entry, MessageText) and "track" in one.entry.text
        else one
        for one in logged
    )

    [first, second] = replay_today(Settings(), KEY, before).turns

    assert first.changes == ()
    [change] = second.changes
    assert (change.part, change.before[0]) == ("said", "Formerly: I'll look.")
    assert "track your order" in change.now[0]


def tried(logged: tuple[Logged, ...], outcome: OtherOutcome, **more: str) -> ForkedTurn:
    """The first turn with another outcome of billing."""
    changed = ChangedOutcome(outcome=outcome, **more)  # type: ignore[arg-type]
    return fork_turn(Settings(), KEY, logged, Fork(turn_id="t1", outcomes={"c1.2": changed}))


def test_billing_times_out_in_a_trial(logged: tuple[Logged, ...]) -> None:
    forked = tried(logged, "timed_out")

    assert outcomes(forked.turn) == {"list_upcoming_appointments": "empty", "get_open_invoices": "timed_out"}
    assert said(forked.turn)[0] == said(replay_today(Settings(), KEY, logged).turns[0])[0]
    assert "in time" in said(forked.turn)[-1]
    assert (forked.models, forked.cost_usd, forked.unscripted) == (("offline",), 0.0, ())
    section = forked.turn.now[0].turn
    assert section is not None
    assert section.length_ms > 5_000  # the waiting is in the timeline, and the trial does not wait


@pytest.mark.parametrize(
    ("outcome", "more", "told"),
    [
        ("failed", {"say": "billing is away"}, "billing is away"),
        ("empty", {}, "no"),
        ("denied", {}, "not available"),
    ],
)
def test_other_outcomes_are_told(
    logged: tuple[Logged, ...], outcome: OtherOutcome, more: dict[str, str], told: str
) -> None:
    forked = tried(logged, outcome, **more)

    assert outcomes(forked.turn)["get_open_invoices"] == outcome
    assert told in said(forked.turn)[-1]


def test_another_result_is_told(logged: tuple[Logged, ...]) -> None:
    value = [{"number": 7, "product": "frames", "status": "delayed", "arrives": "2026-12-24"}]
    fork = Fork(turn_id="t2", outcomes={"c1.1": ChangedOutcome(outcome="value", value=value)})

    forked = fork_turn(Settings(), KEY, logged, fork)

    assert "December 24" in said(forked.turn)[-1]
    assert forked.earlier == ()


def test_another_message_is_decided_anew(logged: tuple[Logged, ...]) -> None:
    forked = fork_turn(Settings(), KEY, logged, Fork(turn_id="t2", message="Do I owe you anything?"))

    # The turn did not ask for invoices, but an earlier one did: its result is used.
    assert outcomes(forked.turn) == {"get_open_invoices": "empty"}
    assert forked.unscripted == ()


def test_a_call_without_a_result_fails_and_is_named(logged: tuple[Logged, ...]) -> None:
    forked = fork_turn(Settings(), KEY, logged, Fork(turn_id="t2", message="Which recipes do I have?"))

    assert set(outcomes(forked.turn).values()) <= {"failed"}
    assert all("not recorded" in line for line in forked.unscripted)


def test_no_tool_runs_in_a_trial(tmp_path: Path) -> None:
    (tmp_path / "door.py").write_text(
        "from pathlib import Path\n"
        "from assistant import tool\n\n\n"
        '@tool(waiting_hint="opening the door", narration="It is open.", confirm=False, effect="write")\n'
        "async def open_door() -> str:\n"
        '    """Open the door of the shop."""\n'
        f"    Path({str(tmp_path / 'opened')!r}).touch()\n"
        '    return "open"\n'
    )
    settings = Settings(tools_dir=tmp_path)
    script = """
        format: 2
        about: A door.
        now: 2026-11-23 09:00:00+01:00
        turns:
          - customer: Open the door
            replies: [decider: {calls: [open_door]}, narrator: It is open.]
            results: [open_door: {returns: open}]
        """
    entries = replay(load_text(script, "door").cassette, environment_of(settings)).entries
    fork = Fork(turn_id="t1", outcomes={"c1.1": ChangedOutcome(outcome="failed", say="the door is stuck")})

    replay_today(settings, KEY, entries)
    forked = fork_turn(settings, KEY, entries, fork)

    assert outcomes(forked.turn) == {"open_door": "failed"}
    assert not (tmp_path / "opened").exists()


@pytest.mark.parametrize(
    ("fork", "told"),
    [
        (Fork(turn_id="t9", message="Hi"), "no message of the customer began a turn 't9'"),
        (
            Fork(turn_id="t1", outcomes={"c1.9": ChangedOutcome(outcome="empty")}),
            "turn t1 has no call 'c1.9'; there are c1.1, c1.2",
        ),
    ],
)
def test_what_is_not_there_cannot_be_changed(logged: tuple[Logged, ...], fork: Fork, told: str) -> None:
    with pytest.raises(AssistantError, match=told):
        fork_turn(Settings(), KEY, logged, fork)


def test_the_request_for_a_person_has_no_other_result() -> None:
    script = """
        format: 2
        about: A request for a person.
        now: 2026-11-23 09:00:00+01:00
        agents: {}
        turns:
          - customer: I want a person
            replies: [decider: {calls: [talk_to_a_person]}, narrator: I've asked my colleagues.]
            meanwhile: [{agent_accepts: Maja, at_ms: 2000}]
        """
    entries = replay(load_text(script, "person").cassette, environment_of(Settings())).entries
    fork = Fork(turn_id="t1", outcomes={"c1.1": ChangedOutcome(outcome="empty")})

    with pytest.raises(AssistantError, match="the result of talk_to_a_person cannot be changed"):
        fork_turn(Settings(), KEY, entries, fork)


async def test_work_that_takes_too_long_is_ended() -> None:
    with pytest.raises(AssistantError, match="it may take 1 seconds"):
        await run_in_process(_never_ends, longest_s=1)


def _never_ends() -> None:
    while True:
        pass

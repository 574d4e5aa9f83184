"""Plays a logged conversation again for staff: as it was, or with something else in one of its turns.

Nothing is written to the conversation. No tool runs: each call gets the result that the log has, or the one that
staff chose.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from assistant.app import known_to_tools
from assistant.assembly.models import build_models, embedded_may_decide
from assistant.clock import SystemClock
from assistant.conversation.calls import Call, round_of
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CallRequested, Logged
from assistant.errors import AssistantError
from assistant.inspector.detail import detail_of
from assistant.inspector.forked import ChangedOutcome, Fork, ForkedTurn
from assistant.inspector.replayed import ReplayedConversation, ReplayedTurn, compare_turns
from assistant.inspector.timeline import total_cost
from assistant.prompts.narration import Narration
from assistant.replay.cassette import Cassette, Turn
from assistant.replay.played import Played
from assistant.replay.player.environment import ReplayEnvironment, environment_of
from assistant.replay.player.live_models import LiveModels, RealTime
from assistant.replay.player.play import replay
from assistant.replay.recording.conversation_events import recorded_messages_in
from assistant.replay.recording.conversation_test import cassette_of
from assistant.replay.recording.logged_replies import REAL_IN_REPLAYS, reply_to, requests_in
from assistant.replay.recording.recorder import REPLAY_ID, not_replayable
from assistant.replay.replies import Run
from assistant.settings import Settings

LONGEST_TRIAL_S = 180
"""The most seconds that a trial with live models may take."""


def replay_today(settings: Settings, key: ConversationKey, entries: Sequence[Logged]) -> ReplayedConversation:
    """Replay a conversation with the prompts, tools and policies of today. No model is asked. Blocks.

    Raises ``AssistantError`` if it cannot be replayed.
    """
    with known_to_tools(settings):
        environment = environment_of(settings)
        cassette = cassette_of(settings, key, entries)
        played = replay(cassette, environment)
    return ReplayedConversation(
        turns=_compare(key, entries, played),
        unscripted=played.unscripted,
        left_out=tuple(not_replayable(entries)),
        same_version=cassette.bundle == environment.bundle,
    )


def fork_turn(settings: Settings, key: ConversationKey, entries: Sequence[Logged], fork: Fork) -> ForkedTurn:
    """Play a turn with what staff changed. The models of the settings answer, in real time. Blocks.

    Raises ``AssistantError`` if the turn or a call is unknown, or the turn cannot be played.
    """
    kept = min(map(round_of, fork.outcomes), default=0) if fork.message is None else 0
    with known_to_tools(settings):
        environment = environment_of(settings)
        cassette, number = _forked_cassette(settings, key, entries, fork, kept, environment)
        played = _play(settings, environment, cassette, _denied(entries, fork), number)
    turns = _compare(key, entries, played)
    place = next((n for n, one in enumerate(turns) if one.turn_id == fork.turn_id), None)
    if place is None or not turns[place].now:
        raise AssistantError("; ".join(played.unscripted) or "the message was not answered in the trial")
    asked = [
        request
        for section in turns[place].now
        if section.turn is not None
        for request in section.turn.requests
        if request.round > kept
    ]
    return ForkedTurn(
        turn=turns[place],
        models=tuple(dict.fromkeys(one.model for one in asked)),
        tokens=sum((one.input_tokens or 0) + (one.output_tokens or 0) for one in asked),
        cost_usd=total_cost(one.cost_usd for one in asked),
        earlier=tuple(one.turn_id for one in turns[:place] if one.changes),
        unscripted=played.unscripted,
    )


def _play(
    settings: Settings, environment: ReplayEnvironment, cassette: Cassette, denied: Sequence[str], number: int
) -> Played:
    time = RealTime()
    models = build_models(
        settings,
        environment.tools,
        environment.book,
        Narration(environment.book),
        SystemClock(settings.time_zone),
    )
    try:
        return replay(cassette, environment, live=LiveModels(models, time, from_turn=number, denied=denied))
    finally:
        for role in models.values():
            time.run(role.model.close())
        time.close()


def _forked_cassette(
    settings: Settings,
    key: ConversationKey,
    entries: Sequence[Logged],
    fork: Fork,
    kept: int,
    environment: ReplayEnvironment,
) -> tuple[Cassette, int]:
    """Returns the conversation up to the turn, with its replies of the first ``kept`` rounds, and its number."""
    cassette = cassette_of(settings, key, entries)
    number = _numbers(entries).get(fork.turn_id)
    if number is None:
        raise AssistantError(f"no message of the customer began a turn {fork.turn_id!r}")
    turn = cassette.turns[number - 1]
    replies = [
        reply_to(one)
        for one in requests_in(entries)
        if one.turn_id == fork.turn_id and one.asked.round <= kept
    ]
    reads = {tool.spec.name for tool in environment.tools if tool.spec.effect == "read"}
    elsewhere = [
        run
        for other in cassette.turns
        if other is not turn
        for run in other.results
        if run.does == "returns" and run.tool in reads
    ]
    message = {} if fork.message is None else {"customer": fork.message, "button": None}
    forked = turn.model_copy(
        update={
            **message,
            "replies": tuple(replies),
            # The models may ask for something that another turn has asked for.
            "results": (*_changed_runs(turn, entries, fork), *elsewhere),
            "meanwhile": (),
            "at_ms": None,
            "barge_in_ms": None,
        }
    )
    return (
        cassette.model_copy(
            update={
                "turns": (*cassette.turns[: number - 1], forked),
                "confirm_every_write": cassette.confirm_every_write
                or (kept == 0 and embedded_may_decide(settings)),
            }
        ),
        number,
    )


def _calls(entries: Sequence[Logged], fork: Fork) -> dict[str, Call]:
    """Returns the calls of the turn by their ids. Raises ``AssistantError`` if one that is changed is missing."""
    calls = {
        logged.entry.call.id: logged.entry.call
        for logged in entries
        if logged.turn_id == fork.turn_id and isinstance(logged.entry, CallRequested)
    }
    if missing := [call_id for call_id in fork.outcomes if call_id not in calls]:
        there_are = ", ".join(calls) or "none"
        raise AssistantError(f"turn {fork.turn_id} has no call {missing[0]!r}; there are {there_are}")
    for call_id in fork.outcomes:
        if (tool := calls[call_id].tool) in REAL_IN_REPLAYS:
            raise AssistantError(
                f"the result of {tool} cannot be changed: it acts on the conversation itself"
            )
    return calls


def _denied(entries: Sequence[Logged], fork: Fork) -> list[str]:
    calls = _calls(entries, fork)
    return [calls[call_id].tool for call_id, one in fork.outcomes.items() if one.outcome == "denied"]


def _changed_runs(turn: Turn, entries: Sequence[Logged], fork: Fork) -> list[Run]:
    """Returns the runs of the turn, with the outcomes that staff chose."""
    runs, calls = list(turn.results), _calls(entries, fork)
    for call_id, changed in fork.outcomes.items():
        call = calls[call_id]
        same_tool = [n for n, run in enumerate(runs) if run.tool == call.tool and run.does != "asks"]
        same_call = [n for n in same_tool if runs[n].arguments in (call.arguments, call.arguments or None)]
        run = _changed_run(call, changed)
        if run is None:
            continue
        if place := [*same_call, *same_tool][:1]:
            runs[place[0]] = _as_empty_as(runs[place[0]], run) if changed.outcome == "empty" else run
        else:
            runs.append(run)
    return runs


def _changed_run(call: Call, changed: ChangedOutcome) -> Run | None:
    """Returns the run of a changed call; None if it does not run."""
    run = Run(tool=call.tool, does="returns", arguments=call.arguments or None)
    match changed.outcome:
        case "value":
            return run.model_copy(update={"returns": changed.value})
        case "empty":
            return run
        case "failed":
            return run.model_copy(update={"does": "fails", "fails": changed.say})
        case "timed_out":
            return run.model_copy(update={"does": "hangs"})
        case "denied":
            return None
        case _:
            assert_never(changed.outcome)


def _as_empty_as(recorded: Run, run: Run) -> Run:
    """Returns the run without anything in its result; a list stays a list, as the tool's narration needs it."""
    return run.model_copy(update={"returns": [] if isinstance(recorded.returns, list | tuple) else None})


def _compare(key: ConversationKey, entries: Sequence[Logged], played: Played) -> tuple[ReplayedTurn, ...]:
    return compare_turns(
        detail_of(key, entries),
        _numbers(entries),
        detail_of(replace(key, conversation=REPLAY_ID), played.entries),
        _numbers(played.entries),
    )


def _numbers(entries: Sequence[Logged]) -> dict[str, int]:
    """Returns the numbers of the customer's messages, from 1, by the ids of the turns that they began."""
    messages = recorded_messages_in(entries)
    return {one.turn_id: number for number, one in enumerate(messages, 1) if one.turn_id}

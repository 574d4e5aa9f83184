"""What a log says of tools, as a cassette has it: each call that ran, and what the customer was asked first."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from assistant.conversation.calls import Call
from assistant.conversation.entries import CallEnded, CallRequested, CallStarted, ConfirmationAsked, Logged
from assistant.conversation.outcomes import (
    CallAwaitingConfirmation,
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    Media,
    Outcome,
    outcome_name,
)
from assistant.conversation.values import Json
from assistant.replay.replies import Run
from assistant.sessions import handoff_tool as talk_to_a_person
from assistant.tools.outcomes import is_empty

_A_MOMENT_MS = 50
"""A disk may take so long to know that a call starts."""

_MISREAD = re.compile(r"There is no tool '|The arguments do not fit '")
"""How a call failed that never came to its tool: ``UnknownTool`` and ``BadArguments``."""


@dataclass(frozen=True, slots=True)
class LoggedRun:
    """A run, and its turn. ``note``: what of it a replay cannot show. ``began_ms`` is in Unix time."""

    turn_id: str
    run: Run
    note: str = ""
    began_ms: int = 0


def reconciled_later(began_ms: int, ended: CallEnded, ended_ms: int) -> bool:
    """Whether this end was found after a crash: the call began long before, and its time was not measured."""
    told = isinstance(ended.outcome, CallSucceeded | CallFailed)
    return told and ended.duration_ms == 0 and ended_ms - began_ms > _A_MOMENT_MS


def runs_in(entries: Sequence[Logged]) -> list[LoggedRun]:
    """All runs of the log in the order they began, and all clauses where they were asked.

    A tool that refuses to be asked about has a run that refuses. A call that a process left behind and that
    was begun anew is one run. One whose end was not seen
    counts as hanging.
    """
    calls: dict[tuple[str, str], Call] = {}
    found: dict[tuple[str, str, str], LoggedRun] = {}
    for logged in entries:
        turn_id = logged.turn_id
        match logged.entry:
            case CallRequested(call=call):
                calls[turn_id, call.id] = call
            case CallStarted(tool=talk_to_a_person.NAME):
                pass  # the real one is played
            case CallStarted(call_id=id_, tool=tool):
                call = calls.get((turn_id, id_), Call(id=id_, tool=tool))
                found[turn_id, id_, "ran"] = LoggedRun(turn_id, *_ran(call, None), began_ms=logged.at_ms)
            case CallEnded(outcome=outcome) as ended if (
                began := found.get((turn_id, outcome.call.id, "ran"))
            ) and reconciled_later(began.began_ms, ended, logged.at_ms):
                found[turn_id, outcome.call.id, "ran"] = LoggedRun(turn_id, _checked(outcome))
            case CallEnded(outcome=outcome, duration_ms=ms) if (turn_id, outcome.call.id, "ran") in found:
                found[turn_id, outcome.call.id, "ran"] = LoggedRun(turn_id, *_ran(outcome.call, outcome, ms))
            case CallEnded(outcome=CallFailed() as outcome) if _is_the_tools_word(outcome):
                # It was to be asked about, and the tool had no question: that is what it did.
                found[turn_id, outcome.call.id, "ran"] = LoggedRun(turn_id, *_ran(outcome.call, outcome))
            case ConfirmationAsked(calls=asked, clauses=clauses):
                for call, clause in zip(asked, clauses, strict=False):  # an old log has no clauses
                    if clause:
                        found[turn_id, call.id, "asked"] = LoggedRun(turn_id, _asked(call, clause))
            case _:
                pass
    return list(found.values())


def _is_the_tools_word(outcome: CallFailed) -> bool:
    asked = outcome.call.tool != talk_to_a_person.NAME
    return asked and not _MISREAD.match(outcome.for_model)


def _asked(call: Call, clause: str) -> Run:
    return Run(tool=call.tool, does="asks", clause=clause, arguments=call.arguments or None)


def _ran(call: Call, outcome: Outcome | None, ms: int = 0) -> tuple[Run, str]:
    """The run, and the note on it."""
    run = Run(tool=call.tool, does="gives", after_ms=ms, arguments=call.arguments or None)
    hangs = run.model_copy(update={"does": "hangs", "after_ms": 0})
    match outcome:
        case None:
            return hangs, f"{call.tool}: its end is not in the log"
        case CallSucceeded(value=value, media=media):
            note = f"{call.tool}: {len(media)} pictures or files are left out" if media else ""
            return run.model_copy(update={"gives": _media_named(value, media)}), note
        case CallEmpty(value=value):
            return run.model_copy(update={"gives": value}), ""
        case CallFailed(say=say, for_model=for_model):
            why = {"refuses": say, "for_model": for_model if for_model != say else None}
            return run.model_copy(update={"does": "refuses", **why}), ""
        case CallTimedOut() | CallUnknown():
            return hangs, ""
        case CallCancelled() | CallDenied() | CallAwaitingConfirmation():
            return hangs, f"{call.tool}: {outcome_name(outcome)}, which becomes a time-out"
        case _:
            assert_never(outcome)


def _checked(outcome: Outcome) -> Run:
    """A run whose end only the tool itself could tell, when it was asked afterwards."""
    call = outcome.call
    done = isinstance(outcome, CallSucceeded)
    return Run(
        tool=call.tool,
        does="hangs",
        check="done" if done else "not_done",
        gives=outcome.value if isinstance(outcome, CallSucceeded) else None,
        arguments=call.arguments or None,
    )


def _media_named(value: Json, media: Sequence[Media]) -> Json:
    """The value; where there were only pictures or files, what they were, so that it is not nothing."""
    if media and is_empty(value):
        return [{"mime": one.mime, "name": one.name} for one in media]
    return value

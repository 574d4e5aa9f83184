"""Reads the replies of models and the runs of tools from a log, with their times."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard, assert_never

from assistant.conversation.calls import Call, number_of, round_of
from assistant.conversation.chunks import CallArguments, CallNamed, Opaque, StreamEnded, TextDelta
from assistant.conversation.entries import (
    STOP_TASK,
    STOPPED,
    CallEnded,
    CallRequested,
    CallStarted,
    ConfirmationAsked,
    DecisionClosed,
    Logged,
    MessageOpened,
    MessageText,
    ModelAsked,
    ModelChunks,
)
from assistant.conversation.outcomes import (
    CallAwaitingConfirmation,
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    Outcome,
    outcome_name,
    was_stopped,
)
from assistant.errors import AssistantError
from assistant.formats.json_text import json_text
from assistant.replay.replies import (
    ArgumentsPiece,
    Ending,
    EndPiece,
    NamePiece,
    Piece,
    Reply,
    Run,
    TextPiece,
)
from assistant.sessions import handoff_tool as talk_to_a_person
from assistant.tools.outcomes import is_empty


@dataclass(slots=True, kw_only=True)
class Request:
    """One request to a model.

    ``brought`` is None if the process ended before the reply was recorded. ``seen`` then has the entries with
    the known part of the reply: shown texts and complete calls, in order.
    """

    turn_id: str
    asked: ModelAsked
    at_ms: int
    brought: ModelChunks | None = None
    seen: list[Logged] = field(default_factory=list[Logged])
    asked_again: bool = False

    @property
    def given_up(self) -> bool:
        """Whether the process ended while the model was replying."""
        return self.brought is None or (self.brought.error == STOPPED and self.asked_again)


def requests_in(entries: Sequence[Logged]) -> list[Request]:
    """Returns all requests of the log, in order.

    Raises:
        AssistantError: the models' raw replies have been deleted from this log.
    """
    found: list[Request] = []
    # The rounds of messages that a model wrote; sentences built from hints are not in it.
    own_words: dict[tuple[str, str], int] = {}
    for logged in entries:
        last = found[-1] if found and found[-1].turn_id == logged.turn_id else None
        match logged.entry:
            case ModelAsked() as asked:
                if last is not None and last.asked.round == asked.round:
                    last.asked_again = True
                found.append(Request(turn_id=logged.turn_id, asked=asked, at_ms=logged.at_ms))
            case ModelChunks() as brought if last is not None:
                # Retention has removed the raw reply except its end, see
                # :mod:`assistant.conversation.snapshots`.
                if last.seen and all(isinstance(chunk, StreamEnded) for _, chunk in brought.chunks):
                    raise _gone(logged.turn_id)
                last.brought = brought
            case MessageOpened(message_id=id_, round=number, model_written=True):
                own_words[logged.turn_id, id_] = number
            case MessageText(message_id=id_) if _hears(last, own_words.get((logged.turn_id, id_))):
                last.seen.append(logged)
            case CallRequested(call=call) if _hears(last, round_of(call.id)):
                last.seen.append(logged)
            case DecisionClosed(round=number, how=how) if _hears(last, number) and how != "cut_off":
                raise _gone(logged.turn_id)
            case _:
                pass
    return found


def _hears(last: Request | None, round_: int | None) -> TypeGuard[Request]:
    """Whether an entry of this round belongs to the last request, whose reply has not ended yet."""
    return last is not None and last.asked.round == round_ and last.brought is None


def _gone(turn_id: str) -> AssistantError:
    return AssistantError(
        f"what the models wrote in turn {turn_id} is no longer in the log: such a conversation cannot be replayed"
        " (ASSISTANT_KEEP_MODEL_REPLIES_DAYS says how long it is kept)"
    )


_ENDINGS: tuple[tuple[re.Pattern[str], Ending], ...] = (
    (re.compile(r"\bsilent\b|\bno first token\b"), "stalls"),
    (re.compile(r"\btime[d -]?\s?out\b", re.IGNORECASE), "timed_out"),
    # Status codes 408, 409, 425 and 429 mean an overloaded or slow server, not a refusal.
    (
        re.compile(r"\banswered 4(?!08|09|25|29)\d\d\b|\bapi[ _]key\b|\bauthentication", re.IGNORECASE),
        "refused",
    ),
)


def reply_to(request: Request) -> Reply:
    """Returns the reply to one request, as it was recorded.

    If the process ended during the reply, it contains the known part and then stalls.
    """
    if request.brought is None:
        return Reply(role=request.asked.role, pieces=tuple(_seen(request)), ends="stalls")
    # Opaque fields only work with the provider that sent them, and may contain anything.
    said = (_piece(at_ms, chunk) for at_ms, chunk in request.brought.chunks if not isinstance(chunk, Opaque))
    pieces = join_pieces(said)
    ends = ending_of(request.brought.error)
    if not pieces:
        return Reply(role=request.asked.role, first_ms=0, ends=ends)
    return Reply(role=request.asked.role, pieces=pieces, ends=ends)


def ending_of(error: str | None) -> Ending:
    """Returns how a reply ended, according to the log.

    >>> ending_of(None), ending_of("no first token within 20 s"), ending_of("the provider answered 401")
    ('complete', 'stalls', 'refused')
    """
    if error is None:
        return "complete"
    if error == STOPPED:
        return "stopped"
    for words, how in _ENDINGS:
        if words.search(error):
            return how
    return "breaks"


def join_pieces(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Returns the pieces; those of the same millisecond are joined, because their order in time is unknown.

    >>> join_pieces([TextPiece(at_ms=5, text="Good"), TextPiece(at_ms=5, text=" day")])
    (TextPiece(at_ms=5, text='Good day'),)
    """
    found: list[Piece] = []
    for piece in pieces:
        match found[-1:], piece:
            case [TextPiece(at_ms=at_ms, text=text)], TextPiece() if piece.at_ms == at_ms:
                found[-1] = TextPiece(at_ms=at_ms, text=text + piece.text)
            case [ArgumentsPiece(at_ms=at_ms, index=index, arguments=written)], ArgumentsPiece() if (
                piece.at_ms,
                piece.index,
            ) == (at_ms, index):
                found[-1] = ArgumentsPiece(at_ms=at_ms, index=index, arguments=written + piece.arguments)
            case _:
                found.append(piece)
    return tuple(found)


def _piece(at_ms: int, chunk: TextDelta | CallNamed | CallArguments | StreamEnded) -> Piece:
    match chunk:
        case TextDelta(text=text):
            return TextPiece(at_ms=at_ms, text=text)
        case CallNamed(index=index, name=name, provider_id=id_):
            return NamePiece(at_ms=at_ms, call=name, index=index, id=id_)
        case CallArguments(index=index, fragment=fragment):
            return ArgumentsPiece(at_ms=at_ms, arguments=fragment, index=index)
        case StreamEnded():
            return EndPiece(
                at_ms=at_ms,
                end=chunk.reason,
                input_tokens=chunk.input_tokens,
                output_tokens=chunk.output_tokens,
                cached_tokens=chunk.cached_tokens,
                cost_usd=chunk.cost_usd,
                model=chunk.model,
            )
        case _:
            assert_never(chunk)


def _seen(request: Request) -> Iterable[Piece]:
    for logged in request.seen:
        at_ms = logged.at_ms - request.at_ms
        match logged.entry:
            case MessageText(text=text):
                yield TextPiece(at_ms=at_ms, text=text)
            case CallRequested(call=call):
                index = number_of(call.id) - 1
                yield NamePiece(at_ms=at_ms, call=call.tool, index=index, id=call.provider_id)
                yield ArgumentsPiece(at_ms=at_ms, arguments=json_text(call.arguments), index=index)
            case _:
                pass


REAL_IN_REPLAYS = frozenset((talk_to_a_person.NAME, STOP_TASK))
"""Tools that act on the conversation; a replay uses the real ones."""

_A_MOMENT_MS = 50
"""The longest usual time between the start of a call and its record on the disk."""

_MISREAD = re.compile(r"There is no tool '|The arguments do not fit '")
"""Errors of a call that never reached its tool: ``UnknownTool`` and ``BadArguments``."""


@dataclass(frozen=True, slots=True)
class LoggedRun:
    """A run and its turn. ``note`` says what a replay cannot reproduce. ``began_ms`` is a Unix time."""

    turn_id: str
    run: Run
    note: str = ""
    began_ms: int = 0


def reconciled_later(began_ms: int, ended: CallEnded, ended_ms: int) -> bool:
    """Whether the outcome was found after a crash: long after the beginning, and without a measured duration."""
    told = isinstance(ended.outcome, CallSucceeded | CallFailed)
    return told and ended.duration_ms == 0 and ended_ms - began_ms > _A_MOMENT_MS


def runs_in(entries: Sequence[Logged]) -> list[LoggedRun]:
    """Returns all runs of the log in the order in which they began, and the clauses of all questions.

    A tool that refuses before its question has a run that fails. A call that started again after a restart is
    one run. A call whose end was not seen counts as hanging.
    """
    calls: dict[tuple[str, str], Call] = {}
    found: dict[tuple[str, str, str], LoggedRun] = {}
    for logged in entries:
        turn_id = logged.turn_id
        match logged.entry:
            case CallRequested(call=call):
                calls[turn_id, call.id] = call
            case CallStarted(tool=tool) if tool in REAL_IN_REPLAYS:
                pass  # the replay uses the real tool
            case CallStarted(call_id=id_, tool=tool):
                call = calls.get((turn_id, id_), Call(id=id_, tool=tool))
                found[turn_id, id_, "ran"] = LoggedRun(turn_id, *_ran(call, None), began_ms=logged.at_ms)
            case CallEnded(outcome=outcome) as ended if (
                began := found.get((turn_id, outcome.call.id, "ran"))
            ) and reconciled_later(began.began_ms, ended, logged.at_ms):
                found[turn_id, outcome.call.id, "ran"] = LoggedRun(turn_id, _checked(outcome))
            case CallEnded(outcome=outcome, duration_ms=ms) if (turn_id, outcome.call.id, "ran") in found:
                found[turn_id, outcome.call.id, "ran"] = LoggedRun(turn_id, *_ran(outcome.call, outcome, ms))
            case CallEnded(outcome=CallFailed(call=call, for_model=why) as outcome) if (
                call.tool not in REAL_IN_REPLAYS and not _MISREAD.match(why)
            ):
                # The call failed without starting: the tool refused before its question.
                found[turn_id, outcome.call.id, "ran"] = LoggedRun(turn_id, *_ran(outcome.call, outcome))
            case ConfirmationAsked(calls=asked, clauses=clauses):
                for call, clause in zip(asked, clauses, strict=False):  # old logs have no clauses
                    if clause:
                        run = Run(
                            tool=call.tool, does="asks", confirm=clause, arguments=call.arguments or None
                        )
                        found[turn_id, call.id, "asked"] = LoggedRun(turn_id, run)
            case _:
                pass
    return list(found.values())


def _ran(call: Call, outcome: Outcome | None, ms: int = 0) -> tuple[Run, str]:
    """Returns the run, and a note about what it cannot reproduce."""
    run = Run(tool=call.tool, does="returns", after_ms=ms, arguments=call.arguments or None)
    hangs = run.model_copy(update={"does": "hangs", "after_ms": 0})
    match outcome:
        case None:
            return hangs, f"{call.tool}: its end is not in the log"
        case CallSucceeded(value=value, media=media):
            note = f"{call.tool}: {len(media)} pictures or files are left out" if media else ""
            if media and is_empty(value):
                # Only pictures or files came. Describe them, so that the result is not empty.
                value = [{"mime": one.mime, "name": one.name} for one in media]
            return run.model_copy(update={"returns": value}), note
        case CallEmpty(value=value):
            return run.model_copy(update={"returns": value}), ""
        case CallFailed(say=say, for_model=for_model):
            why = {"fails": say, "for_model": for_model if for_model != say else None}
            return run.model_copy(update={"does": "fails", **why}), ""
        case CallTimedOut() | CallUnknown():
            return hangs, ""
        case CallCancelled() if was_stopped(outcome):
            return hangs, ""
        case CallCancelled() | CallDenied() | CallAwaitingConfirmation():
            return hangs, f"{call.tool}: {outcome_name(outcome)}, which becomes a time-out"
        case _:
            assert_never(outcome)


def _checked(outcome: Outcome) -> Run:
    """Returns a run whose end was not seen; the tool's ``reconcile`` found the outcome."""
    call = outcome.call
    done = isinstance(outcome, CallSucceeded)
    return Run(
        tool=call.tool,
        does="hangs",
        reconcile="done" if done else "not_done",
        returns=outcome.value if isinstance(outcome, CallSucceeded) else None,
        arguments=call.arguments or None,
    )

"""What happened in a conversation, row by row, as a person reads it."""

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import shorten

from assistant.conversation.entries import ConfirmationAsked, MessageText, Withheld
from assistant.conversation.outcomes import CallCancelled, CallDenied, CallFailed, Outcome, outcome_name
from assistant.conversation.transcript import readable
from assistant.conversation.turn_state import is_heard_out
from assistant.replay.cassette import Cassette, Event
from assistant.replay.expect.held import Moment, PlayedCall, PlayedMessage, PlayedTurn
from assistant.replay.expect.people_rows import people_rows
from assistant.replay.expect.phrases import listed, ms, quoted
from assistant.replay.played import Played

_FIRST, _LAST = 0, 10**9
_LONGEST_REASON = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Something that happened: ``at_ms``, who did it, and what. ``seq`` orders what came at the same time."""

    at_ms: int
    seq: int
    who: str
    text: str


def rows_of(cassette: Cassette, played: Played, turn: PlayedTurn) -> list[Row]:
    """The turn, in the order of time: the customer, the assistant, the calls, what happened meanwhile."""
    rows = [_first(turn)]
    rows += [_message(message) for message in turn.messages if message.began is not None]
    rows += [_call(call, call.started) for call in turn.calls if call.started]
    rows += [
        _call(call, call.ended)
        for call in turn.calls
        if call.ended and not call.started and not _asked(call, turn)
    ]
    rows += _entries(played, turn)
    rows += [
        Row(at_ms=logged.at_ms - played.began_ms, seq=logged.seq, who=who, text=text)
        for logged, who, text in people_rows(played, turn)
    ]
    if turn.number <= len(cassette.turns) and not turn.state.unasked:
        rows += _events(cassette.turns[turn.number - 1].meanwhile, played, turn)
    if turn.ended_ms is not None:
        rows.append(Row(at_ms=turn.ended_ms, seq=_LAST, who="", text=f"-- {_how(turn)} --"))
    return sorted(rows, key=lambda row: (row.at_ms, row.seq))


def _first(turn: PlayedTurn) -> Row:
    """What it began with."""
    if turn.state.unasked:
        told = "of a person" if turn.state.turn.cause == "handoff" else "a late result"
        return Row(at_ms=turn.said_ms, seq=_FIRST, who="", text=f"-- {told} is told --")
    return Row(at_ms=turn.said_ms, seq=_FIRST, who="Customer", text=turn.state.message.text)


def _message(message: PlayedMessage) -> Row:
    said = message.said
    moment = message.began
    assert moment is not None  # noqa: S101 - the caller has looked
    cut = " --" if said.interrupted else "" if said.kind is not None else " ..."
    text = f"{said.text}{cut}"
    if not is_heard_out(said):
        text = f"{readable(said).rstrip()} -- (not heard: {said.text[said.heard :].strip()})".lstrip()
    return Row(at_ms=moment.at_ms, seq=moment.seq, who=said.kind or "Assistant", text=text)


def _call(call: PlayedCall, moment: Moment) -> Row:
    if call.outcome is None or call.ended is None:
        told = "running"
    elif call.started is None:
        told = f"{outcome_name(call.outcome)}, did not run"
    else:
        told = f"{outcome_name(call.outcome)}, {ms(call.ended.at_ms - call.started.at_ms)}"
    why = _reason(call.outcome)
    return Row(
        at_ms=moment.at_ms,
        seq=moment.seq,
        who="",
        text=f"[{call.call.tool}: {told}{f'; {why}' if why else ''}]",
    )


def _reason(outcome: Outcome | None) -> str:
    """Why there is no result; what a model is told says more of it than what the customer hears."""
    match outcome:
        case CallFailed(say=say, for_model=for_model) | CallDenied(say=say, for_model=for_model):
            return shorten(for_model or say, _LONGEST_REASON, placeholder=" ...")
        case CallCancelled(why=why):
            return shorten(why, _LONGEST_REASON, placeholder=" ...")
        case _:
            return ""


def _asked(call: PlayedCall, turn: PlayedTurn) -> bool:
    """Whether the customer is asked about it; then it ends in this turn only to begin in another."""
    return turn.state.asked is not None and call.call in turn.state.asked.calls


def _how(turn: PlayedTurn) -> str:
    return (turn.state.how or "").replace("_", " ")


def _entries(played: Played, turn: PlayedTurn) -> Iterator[Row]:
    for logged in turn.entries:
        match logged.entry:
            case ConfirmationAsked(calls=calls):
                text = f"[Yes] [No] to {listed(call.tool for call in calls)}"
            case Withheld(text=kept) if any(kept in message.said.text for message in turn.messages):
                # It had been shown already when it turned out not to be so.
                text = f'(put right: "{kept}")'
            case Withheld(guard=guard, text=kept):
                text = f'(kept back for {guard.replace("_", "-")}: "{kept}")'
            case _:
                continue
        yield Row(at_ms=logged.at_ms - played.began_ms, seq=logged.seq, who="", text=text)


def _events(events: tuple[Event, ...], played: Played, turn: PlayedTurn) -> Iterator[Row]:
    for event in (event for event in events if not event.by_a_person):
        at_ms = _moment(event, played, turn)
        if at_ms is not None:
            yield Row(at_ms=at_ms, seq=_LAST - 2, who="", text=f"-- {_event(event)} --")
            if event.happens == "disconnect":
                text = "-- the client is back --"
                yield Row(at_ms=at_ms + event.for_ms, seq=_LAST - 1, who="", text=text)


def _moment(event: Event, played: Played, turn: PlayedTurn) -> int | None:
    """When it happened; None where the words never came that it waited for."""
    if event.after is None:
        return turn.said_ms + (event.at_ms or 0)
    shown: dict[str, str] = {}
    for logged in turn.entries:
        if isinstance(logged.entry, MessageText):
            id_ = logged.entry.message_id
            shown[id_] = shown.get(id_, "") + logged.entry.text
            if event.after in shown[id_]:
                return logged.at_ms - played.began_ms
    return None


def _event(event: Event) -> str:
    match event.happens:
        case "stop":
            return "the customer presses stop"
        case "disconnect":
            return f"line cut, back after {ms(event.for_ms)}"
        case "restart":
            return "the server ends and starts again"
        case "typing":
            return "the customer types"
        case "heard_up_to":
            return f"heard up to {quoted(event.words or '')}"
        case _:
            return "the customer wants the assistant back"

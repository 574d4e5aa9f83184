"""Shows a conversation for people, with a mark at the first difference: the output of a failing replay."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from textwrap import shorten, wrap
from typing import Final, NamedTuple

from assistant.conversation.entries import (
    AgentMessage,
    ConfirmationAsked,
    CustomerMessage,
    ForwardedToAgent,
    Handoff,
    MessageText,
    SentenceSuppressed,
    TurnStarted,
)
from assistant.conversation.outcomes import CallCancelled, CallDenied, CallFailed, Outcome, outcome_name
from assistant.conversation.transcript import delivered_text
from assistant.conversation.turn_state import is_heard_out
from assistant.replay.cassette import Cassette, Event
from assistant.replay.checks.transcript import (
    CheckFailure,
    PlayedTurn,
    listed,
    ms,
    played_turns,
)
from assistant.replay.played import Played

_FIRST, _LAST = 0, 10**9
_LONGEST_REASON = 160


class Row(NamedTuple):
    """An event: ``at_ms``, the person, and what happened. ``seq`` orders events of the same time."""

    at_ms: int
    seq: int
    who: str
    text: str


WIDTH = 100
"""Columns."""

_TIME, _WHO = 10, 15
_INDENT = 2 + _TIME + 2 + _WHO + 2
_LABEL = 10


def render_transcript(cassette: Cassette, played: Played, failures: Sequence[CheckFailure]) -> str:
    """Returns the transcript with times, a mark at the first failure, and the other failures below it.

    Without failures it contains only the transcript. Lines of recorded frames may be longer than ``WIDTH``.
    """
    first = failures[0] if failures else None
    lines = [*wrap(cassette.about, WIDTH)]
    turns = played_turns(played)
    for turn in turns:
        lines += ["", f"Turn {turn.number}, later" if turn.state.unasked else f"Turn {turn.number}"]
        lines += _turn(
            rows_of(cassette, played, turn), first if first and _is_in(first, turn, turns) else None
        )
    if first is not None and not any(_is_in(first, turn, turns) for turn in turns):
        lines += ["", *_difference(first)]
    if len(failures) > 1:
        lines += ["", f"{len(failures) - 1} more:", *_others(failures[1:])]
    return "\n".join(lines)


def _is_in(failure: CheckFailure, turn: PlayedTurn, turns: Sequence[PlayedTurn]) -> bool:
    """Whether a failure is shown in this turn. A failure without a turn is shown in the turn of its time."""
    if failure.turn:
        numbered = [other for other in turns if other.number == failure.turn]
        holding = [other for other in numbered if any(one.seq == failure.seq for one in other.entries)]
        return turn in (holding or numbered)[:1]
    at_ms = failure.at_ms
    begun = [other for other in turns if at_ms is not None and other.said_ms <= at_ms]
    return bool(begun) and begun[-1] is turn


def _turn(rows: Sequence[Row], first: CheckFailure | None) -> Iterator[str]:
    place = _place(rows, first) if first is not None else None
    for number, row in enumerate(rows):
        yield from _row(row, mark=number == place)
        if number == place and first is not None:
            yield from _difference(first)


def _place(rows: Sequence[Row], failure: CheckFailure) -> int:
    """Returns the row of a failure: the one of its entry, else the one of its time or the last before it,
    else the last.
    """
    about = next((number for number, row in enumerate(rows) if row.seq == failure.seq), None)
    if about is not None:
        return about
    at_ms = failure.at_ms
    if at_ms is None:
        return len(rows) - 1
    exact = next((number for number, row in enumerate(rows) if row.at_ms == at_ms), None)
    before = max((number for number, row in enumerate(rows) if row.at_ms < at_ms), default=0)
    return before if exact is None else exact


def _row(row: Row, *, mark: bool) -> Iterator[str]:
    texts = [line for part in row.text.splitlines() or [""] for line in wrap(part, WIDTH - _INDENT) or [""]]
    head = f"{'>' if mark else ' '} {ms(row.at_ms):>{_TIME}}  {row.who:<{_WHO}}  {texts[0]}"
    yield head.rstrip()
    yield from (f"{'':{_INDENT}}{text}".rstrip() for text in texts[1:])


def _difference(failure: CheckFailure) -> Iterator[str]:
    yield f"    {failure.check}"
    yield from _labelled("expected", failure.expected)
    yield from _labelled("found", failure.found)


def _labelled(label: str, text: str) -> Iterator[str]:
    """Yields a text after its label. A text of several lines keeps its lines."""
    lines = text.splitlines() or ["nothing"]
    if len(lines) == 1:
        lines = wrap(lines[0], WIDTH - 4 - _LABEL) or ["nothing"]
    for number, line in enumerate(lines):
        yield f"    {label if number == 0 else '':<{_LABEL}}{line}".rstrip()


def _others(failures: Sequence[CheckFailure]) -> Iterator[str]:
    for failure in failures:
        short = replace(failure, expected=_line(failure.expected), found=_line(failure.found))
        yield from wrap(str(short), WIDTH, initial_indent="  ", subsequent_indent="    ")


def _line(text: str) -> str:
    """Returns one line of a text.

    For a list of frames it is the marked line, unless the text begins with words.
    """
    first, *rest = text.splitlines() or [""]
    if not first.startswith((">", " ")):
        return first
    return next((line[1:].strip() for line in (first, *rest) if line.startswith(">")), first)


def rows_of(cassette: Cassette, played: Played, turn: PlayedTurn) -> list[Row]:
    """Returns the rows of a turn in the order of time: the customer, the assistant, the calls, other events."""
    rows = [_first(turn), *_messages(turn), *_calls(turn), *_entries(played, turn)]
    if turn.number <= len(cassette.turns) and not turn.state.unasked:
        rows += _events(cassette.turns[turn.number - 1].meanwhile, played, turn)
    if turn.ended_ms is not None:
        how = (turn.state.how or "").replace("_", " ")
        rows.append(Row(turn.ended_ms, _LAST, "", f"-- {how} --"))
    return sorted(rows, key=lambda row: (row.at_ms, row.seq))


def _first(turn: PlayedTurn) -> Row:
    """Returns the row for the beginning of a turn."""
    if turn.state.unasked:
        told = "of a person" if turn.state.turn.cause == "handoff" else "a late result"
        return Row(turn.said_ms, _FIRST, "", f"-- {told} is told --")
    return Row(turn.said_ms, _FIRST, "Customer", turn.state.message.text)


def _messages(turn: PlayedTurn) -> Iterator[Row]:
    for message in turn.messages:
        said, began = message.said, message.began
        cut = " --" if said.interrupted else "" if said.kind is not None else " ..."
        text = f"{said.text}{cut}"
        if not is_heard_out(said):
            unheard = said.text[said.heard :].strip()
            text = f"{delivered_text(said).rstrip()} -- (not heard: {unheard})".lstrip()
        if began is not None:
            yield Row(began.at_ms, began.seq, said.kind or "Assistant", text)


def _calls(turn: PlayedTurn) -> Iterator[Row]:
    """Yields a row for each call at its start; for a call that did not run, at its end."""
    asked = turn.state.asked.calls if turn.state.asked is not None else ()
    for call in turn.calls:
        moment = call.started or call.ended
        if moment is None or (call.started is None and call.call in asked):
            continue  # the customer is asked first, and the call runs in a later turn
        if call.outcome is None or call.ended is None:
            told = "running"
        elif call.started is None:
            told = f"{outcome_name(call.outcome)}, did not run"
        else:
            told = f"{outcome_name(call.outcome)}, {ms(call.ended.at_ms - call.started.at_ms)}"
        why = _reason(call.outcome)
        yield Row(moment.at_ms, moment.seq, "", f"[{call.call.tool}: {told}{f'; {why}' if why else ''}]")


def _reason(outcome: Outcome | None) -> str:
    """Returns the reason why a call has no result.

    The model's text is preferred, because it is more detailed.
    """
    match outcome:
        case CallFailed(say=say, for_model=for_model) | CallDenied(say=say, for_model=for_model):
            return shorten(for_model or say, _LONGEST_REASON, placeholder=" ...")
        case CallCancelled(why=why):
            return shorten(why, _LONGEST_REASON, placeholder=" ...")
        case _:
            return ""


def _entries(played: Played, turn: PlayedTurn) -> Iterator[Row]:
    """Yields the turn's questions and suppressed sentences, and the agents' actions until the next turn."""
    newest = ""
    said: dict[str, str] = {}
    for logged in played.entries:
        own, since = logged.turn_id == turn.state.id, newest == turn.state.id
        who, text = "", ""
        match logged.entry:
            case TurnStarted(turn_id=id_):
                newest = id_
            case CustomerMessage(message_id=id_, text=words):
                said[id_] = words
            case ConfirmationAsked(calls=calls) if own:
                text = f"[Yes] [No] to {listed(call.tool for call in calls)}"
            case SentenceSuppressed(guardrail=guardrail, text=kept) if own:
                # The sentence had already been shown when it was found to be wrong.
                shown = any(kept in message.said.text for message in turn.messages)
                why = "put right" if shown else f"kept back for {guardrail.replace('_', '-')}"
                text = f'({why}: "{kept}")'
            case Handoff(state="accepted", name=name) if since:
                text = f"-- {name} has the conversation --"
            case Handoff(state=state, ticket=ticket) if since:
                text = f"-- a person: {state}{f' {ticket}' if ticket else ''} --"
            case AgentMessage(name=name, text=words) if since:
                who, text = name, words
            case ForwardedToAgent(message_id=id_) if since:
                who, text = "Customer", said.get(id_, "")
            case _:
                pass
        if who or text:
            yield Row(logged.at_ms - played.began_ms, logged.seq, who, text)


def _events(events: tuple[Event, ...], played: Played, turn: PlayedTurn) -> Iterator[Row]:
    for event in (event for event in events if not event.by_a_person):
        at_ms = _moment(event, played, turn)
        if at_ms is not None:
            told = _HAPPENS[event.happens].format(for_ms=ms(event.for_ms), words=event.words)
            yield Row(at_ms, _LAST - 2, "", f"-- {told} --")
            if event.happens == "disconnect":
                yield Row(at_ms + event.for_ms, _LAST - 1, "", "-- the client is back --")


_HAPPENS: Final[Mapping[str, str]] = {
    "stop": "the customer presses stop",
    "disconnect": "line cut, back after {for_ms}",
    "restart": "the server ends and starts again",
    "typing": "the customer types",
    "heard_up_to": 'heard up to "{words}"',
    "wants_assistant": "the customer wants the assistant back",
}


def _moment(event: Event, played: Played, turn: PlayedTurn) -> int | None:
    """Returns the time of an event, or None if the words that it waits for were never shown."""
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

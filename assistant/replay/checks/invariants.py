"""What holds in every conversation, whatever its cassette expects.

The script is used up, a confirmed tool runs only after a yes, the assistant is silent while a person has the
conversation, and a late result is told once.
"""

import re
from collections.abc import Iterator, Mapping

from assistant.conversation.calls import Call
from assistant.conversation.entries import (
    CallRef,
    CallStarted,
    ConfirmationAnswered,
    ConfirmationAsked,
    CustomerMessage,
    Handoff,
    MessageOpened,
    MessageText,
    ModelAsked,
    ResultsDelivered,
    TurnStarted,
)
from assistant.conversation.turn_state import is_heard_out
from assistant.replay.checks.complaint import Complaint, listed
from assistant.replay.checks.transcript import PlayedTurn, Transcript

_IN_TURN = re.compile(r"turn (\d+): ")


def script(transcript: Transcript) -> Iterator[Complaint]:
    """Complain of each place where the two part, and of each message that was never answered."""
    for line in transcript.played.unscripted:
        turn = _IN_TURN.match(line)
        number = int(turn[1]) if turn else 0
        yield _script_complaint(
            number, "what is written down, and no more", line[turn.end() :] if turn else line
        )
    taken_up = {turn.number for turn in transcript.turns} | set(transcript.passed_on)
    for number in range(1, len(transcript.cassette.turns) + 1):
        if number not in taken_up:
            yield _script_complaint(number, "a turn for the customer's message", "it was never taken up")


def _script_complaint(number: int, expected: str, found: str) -> Complaint:
    place = ("turns", number - 1) if number else ()
    return Complaint(turn=number, check="script", expected=expected, found=found, place=place)


def confirmed_before_writes(transcript: Transcript) -> Iterator[Complaint]:
    """Complain of each side effect that began without the yes that it needs."""
    asked: dict[str, tuple[Call, ...]] = {}
    allowed: list[Call] = []
    calls = {
        (turn.state.id, one.call.id): (turn, one.call) for turn in transcript.turns for one in turn.calls
    }
    for logged in transcript.played.entries:
        match logged.entry:
            case ConfirmationAsked(confirmation_id=id_, calls=about):
                asked[id_] = about
            case ConfirmationAnswered(confirmation_id=id_, answer="yes", agreed_call_ids=only):
                allowed += [call for call in asked.get(id_, ()) if not only or call.id in only]
            case CallStarted(call_id=id_, tool=tool) if _must_be_asked(transcript, tool):
                turn, call = calls[logged.turn_id, id_]
                if not any((one.tool, one.arguments) == (tool, call.arguments) for one in allowed):
                    at_ms = logged.at_ms - transcript.played.began_ms
                    yield _unconfirmed(turn, tool, allowed, at_ms, logged.seq)
            case _:
                pass


def _must_be_asked(transcript: Transcript, tool: str) -> bool:
    spec = transcript.specs.get(tool)
    if spec is None:
        return False
    return spec.confirm or (spec.effect == "write" and transcript.cassette.confirm_every_write)


def _unconfirmed(turn: PlayedTurn, tool: str, allowed: list[Call], at_ms: int, seq: int) -> Complaint:
    return Complaint(
        turn=turn.number,
        check="agreed",
        expected=f"the customer's yes before {tool} begins",
        found=f"a yes to {listed((call.tool for call in allowed), 'nothing')}",
        at_ms=at_ms,
        seq=seq,
        place=("turns", turn.number - 1),
    )


_DOES: Mapping[type[object], str] = {
    TurnStarted: "it began a turn",
    ModelAsked: "it asked a model",
    CallStarted: "it started a call",
    MessageOpened: "it began to speak",
    MessageText: "it went on speaking",
}


def silent_during_handoff(transcript: Transcript) -> Iterator[Complaint]:
    """Complain of the first that the assistant does between a person's coming and the end of that, each time."""
    name, number = None, 0
    for logged in transcript.played.entries:
        match logged.entry:
            case CustomerMessage(client_message_id=id_):
                number = int(id_[1:])
            case Handoff(state="accepted", name=who):
                name = who
            case Handoff():
                name = None
            case entry if name is not None and type(entry) in _DOES:
                yield Complaint(
                    turn=number,
                    check="hushed",
                    expected=f"silence while {name} has the conversation",
                    found=_DOES[type(entry)],
                    at_ms=logged.at_ms - transcript.played.began_ms,
                    seq=logged.seq,
                    place=("turns", number - 1) if number else (),
                )
                name = None
            case _:
                pass


def delivered_once(transcript: Transcript) -> Iterator[Complaint]:
    """Complain of each result that was told once more, though a message had told it to its end."""
    numbers = {turn.state.id: turn.number for turn in transcript.turns}
    tools = {(turn.state.id, one.call.id): one.call.tool for turn in transcript.turns for one in turn.calls}
    told: set[CallRef] = set()
    for logged in transcript.played.entries:
        if not isinstance(logged.entry, ResultsDelivered):
            continue
        for call in logged.entry.calls:
            if call in told:
                number = numbers.get(logged.turn_id, 0)
                yield Complaint(
                    turn=number,
                    check="told_once",
                    expected=f"the result of {tools.get(call, call[1])} is told once",
                    found="it was told again",
                    at_ms=logged.at_ms - transcript.played.began_ms,
                    seq=logged.seq,
                    place=("turns", number - 1) if number else (),
                )
        message = transcript.played.state.message(logged.entry.message_id)
        if message is not None and not message.interrupted and is_heard_out(message):
            told |= set(logged.entry.calls)

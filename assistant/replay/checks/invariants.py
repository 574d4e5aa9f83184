"""Checks that hold in each conversation, whatever its cassette expects.

All replies and runs of the cassette are used. A tool that needs a confirmation runs only after a yes. The
assistant is silent while an agent has the conversation. A late result is reported once. Frames arrive in
order, each once, and as recorded.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TypeAlias, cast

import orjson

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
from assistant.conversation.values import JsonObject
from assistant.replay.cassette import HeardFrame
from assistant.replay.checks.transcript import CheckFailure, Transcript, failure_of, listed, ms, quoted
from assistant.replay.played import ReceivedFrame
from assistant.server.frames.frame import JsonFrame
from assistant.server.projector import Projector

_IN_TURN = re.compile(r"turn (\d+): ")


def script(transcript: Transcript) -> Iterator[CheckFailure]:
    """Report each difference from the cassette's replies and runs, and each message without an answer."""
    for line in transcript.played.unscripted:
        turn = _IN_TURN.match(line)
        number = int(turn[1]) if turn else 0
        found = line[turn.end() :] if turn else line
        yield failure_of(
            number, "script", expected="the cassette's replies and runs, and no more", found=found
        )
    with_turn = {turn.number for turn in transcript.turns} | set(transcript.forwarded_to_agent)
    for number in range(1, len(transcript.cassette.turns) + 1):
        if number not in with_turn:
            expected = "a turn for the customer's message"
            yield failure_of(number, "script", expected=expected, found="the message never started a turn")


def confirmed_before_writes(transcript: Transcript) -> Iterator[CheckFailure]:
    """Report each side effect that began without the required yes."""
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
                    yield turn.failure(
                        "agreed",
                        expected=f"the customer's yes before {tool} begins",
                        found=f"a yes to {listed((call.tool for call in allowed), 'nothing')}",
                        at=transcript.moment(logged),
                    )
            case _:
                pass


def _must_be_asked(transcript: Transcript, tool: str) -> bool:
    spec = transcript.specs.get(tool)
    if spec is None:
        return False
    return spec.confirm or (spec.effect == "write" and transcript.cassette.confirm_every_write)


_DOES: Mapping[type[object], str] = {
    TurnStarted: "it began a turn",
    ModelAsked: "it asked a model",
    CallStarted: "it started a call",
    MessageOpened: "it began to speak",
    MessageText: "it went on speaking",
}


def silent_during_handoff(transcript: Transcript) -> Iterator[CheckFailure]:
    """Report the assistant's first action between an agent's arrival and the end of the handoff, for each
    handoff.
    """
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
                expected, found = f"silence while {name} has the conversation", _DOES[type(entry)]
                at = transcript.moment(logged)
                yield failure_of(number, "silent_during_handoff", expected=expected, found=found, at=at)
                name = None
            case _:
                pass


def delivered_once(transcript: Transcript) -> Iterator[CheckFailure]:
    """Report each result that was reported again after a message had reported it completely."""
    numbers = {turn.state.id: turn.number for turn in transcript.turns}
    tools = {(turn.state.id, one.call.id): one.call.tool for turn in transcript.turns for one in turn.calls}
    told: set[CallRef] = set()
    for logged in transcript.played.entries:
        if not isinstance(logged.entry, ResultsDelivered):
            continue
        for call in logged.entry.calls:
            if call in told:
                yield failure_of(
                    numbers.get(logged.turn_id, 0),
                    "delivered_once",
                    expected=f"the result of {tools.get(call, call[1])} is told once",
                    found="it was told again",
                    at=transcript.moment(logged),
                )
        message = transcript.played.state.message(logged.entry.message_id)
        if message is not None and not message.interrupted and is_heard_out(message):
            told |= set(logged.entry.calls)


def order(transcript: Transcript) -> Iterator[CheckFailure]:
    """Report turns and messages that do not begin, continue and end in order, and errors."""
    numbers = {turn.state.id: turn.number for turn in transcript.turns}
    watch = _FrameOrder([one.frame for one in transcript.cassette.frames if one.frame["type"] == "error"])
    at: int | None = None
    for received in transcript.played.frames:
        during, at = watch.turn_id, received.at_ms
        for expected, found in watch.faults_of(received.frame):
            number = numbers.get(during or watch.turn_id or "", 0)
            yield failure_of(number, "order", expected=expected, found=found, at=at)
    for expected in watch.missing():
        number = numbers.get(watch.turn_id or "", 0)
        yield failure_of(number, "order", expected=expected, found="nothing more came", at=at)


class _FrameOrder:
    """Tracks which turn and which message are open, according to the frames."""

    def __init__(self, expected_errors: list[JsonObject]) -> None:
        self.turn_id: str | None = None
        self._message_id: str | None = None
        self._errors = expected_errors

    def faults_of(self, frame: JsonObject) -> Iterator[tuple[str, str]]:
        """Yields, for each rule that this frame breaks, what was expected and what came instead."""
        match str(frame["type"]):
            case "turn.started":
                if self.turn_id is not None:
                    yield f"turn.completed of {self.turn_id} first", "turn.started of the next"
                self.turn_id, self._message_id = str(frame["turn_id"]), None
            case "turn.completed":
                if frame["turn_id"] != self.turn_id:
                    yield f"turn.started of {frame['turn_id']} first", "turn.completed"
                if self._message_id is not None:
                    yield f"message.completed of {self._message_id} first", "turn.completed"
                self.turn_id = self._message_id = None
            case "message.started":
                if frame["turn_id"] != self.turn_id:
                    yield "messages within their turn only", f"message.started of turn {frame['turn_id']}"
                if self._message_id is not None:
                    yield f"message.completed of {self._message_id} first", "message.started of the next"
                self._message_id = str(frame["message_id"])
            case "message.delta" | "message.completed" as type_:
                if frame["message_id"] != self._message_id:
                    yield f"message.started of {frame['message_id']} first", type_
                if type_ == "message.completed":
                    self._message_id = None
            case "tool.started" if self.turn_id is None:
                yield "tools that start within a turn only", f"tool.started of {frame['call_id']}"
            case "snapshot":
                turn_id, message = frame["turn_id"], frame["open_message"]
                self.turn_id = turn_id if isinstance(turn_id, str) else None
                # ``open_message`` of a snapshot is an object, or null.
                self._message_id = str(message["message_id"]) if isinstance(message, dict) else None
            case "error" if frame not in self._errors:
                yield "no error", f"{frame.get('code')}: {quoted(str(frame.get('message')))}"
            case _:
                pass

    def missing(self) -> Iterator[str]:
        """Yields what is missing at the end of the conversation."""
        if self._message_id is not None:
            yield f"message.completed of {self._message_id}"
        if self.turn_id is not None:
            yield f"turn.completed of {self.turn_id}"


def each_frame_once(transcript: Transcript) -> Iterator[CheckFailure]:
    """Report the first frame that came twice, or that came before an earlier one."""
    projector = Projector(lambda _tool, _locale: "")
    shown = [
        frame for logged in transcript.played.entries if (frame := projector.project(logged)) is not None
    ]
    turns = {logged.seq: logged.turn_id for logged in transcript.played.entries}
    numbers = {turn.state.id: turn.number for turn in transcript.turns}
    had = 0
    for heard in transcript.played.frames:
        seq = _seq(heard.frame)
        if heard.frame["type"] == "snapshot" or seq is None:
            had = seq or had
            continue
        fault = _fault(heard.frame, seq, had, shown)
        if fault is not None:
            number = numbers.get(turns.get(seq, ""), 0)
            yield failure_of(number, "order", expected=fault[0], found=fault[1], at=heard.at_ms)
            return
        had = max(had, seq)


def _seq(frame: JsonObject) -> int | None:
    """Returns a frame's number in the conversation.

    A welcome has none of its own: its ``seq`` is the newest frame's.
    """
    return cast("int", frame["seq"]) if "seq" in frame and frame["type"] != "welcome" else None


def _fault(frame: JsonObject, seq: int, had: int, shown: Sequence[JsonFrame]) -> tuple[str, str] | None:
    """Returns the expected and the actual frame if the order is wrong.

    ``had`` is the highest number before this frame.
    """
    if seq <= had:
        # If a client sends a message twice, it gets the same answer twice.
        again = frame["type"] == "accepted"
        return None if again else ("each frame once", f"{frame['type']} {seq} came once more, after {had}")
    due = [one for one in shown if had < cast("int", one["seq"]) <= seq]
    is_delta = frame["type"] == "message.delta"
    for one in due:
        # The server may join consecutive deltas into one.
        joined = is_delta and one["type"] == "message.delta" and one["message_id"] == frame["message_id"]
        if not joined and (is_delta or one["seq"] != seq):
            return f"{one['type']} {one['seq']}", f"{frame['type']} {seq} came, and it had not"
    text = "".join(str(one["text"]) for one in due) if is_delta else ""
    if is_delta and text != frame["text"]:
        return f'the text "{text}"', f'message.delta {seq} with "{frame["text"]}"'
    return None


_AROUND = 3
_LOOK_AHEAD = 8
_WIDEST = 83
_PASSING = frozenset({"seq", "at", "ms", "expires_at"})
"""Fields that change if there is one frame more or less."""

_Frames: TypeAlias = Sequence[HeardFrame | ReceivedFrame]


def frames(transcript: Transcript) -> Iterator[CheckFailure]:
    """Report the first frame that differs from the recording.

    If the cassette has no frames, nothing is compared.
    """
    recorded, played = transcript.cassette.frames, transcript.played.frames
    pairs = enumerate(zip_longest(map(_bytes, recorded), map(_bytes, played)))
    first = next((number for number, (one, other) in pairs if one != other), None)
    if not recorded or first is None:
        return
    expected, found = _difference(recorded, played, first)
    at_ms = (played[first] if first < len(played) else recorded[first]).at_ms
    yield failure_of(
        # The newest turn at the time of the difference.
        max((turn.number for turn in transcript.turns if turn.said_ms <= at_ms), default=0),
        "frames",
        expected=expected,
        found=f"{found}\n{_around(played, first)}",
        at=at_ms,
        place=("frames", min(first, len(recorded) - 1)),
    )


def _difference(recorded: _Frames, played: _Frames, at: int) -> tuple[str, str]:
    """Returns the expected and the actual frames: additional frames, missing frames, or one frame with other
    fields.
    """
    was = f"frame {at + 1} at {ms(recorded[at].at_ms)}: " if at < len(recorded) else ""
    came = f"{_name(played[at])} at {ms(played[at].at_ms)}" if at < len(played) else "nothing"
    extra, missing = _surplus(recorded, played, at)
    if extra:
        after = f"{was}{_name(recorded[at])}" if was else "no more frames"
        return after, f"{came}{_more(extra)} too many"
    if missing:
        return f"{was}{_name(recorded[at])}{_more(missing)}", f"missing; {came} came instead"
    expected, found = _fields(recorded[at], played[at])
    return f"{was}{recorded[at].frame['type']} {expected}", found


def _more(count: int) -> str:
    return f" and {count - 1} more" if count > 1 else ""


def _surplus(recorded: _Frames, played: _Frames, at: int) -> tuple[int, int]:
    """Returns the number of additional frames, and the number of missing ones.

    Both are 0 if only the fields differ.
    """
    if at >= len(recorded) or at >= len(played):
        return max(len(played) - at, 0), max(len(recorded) - at, 0)
    for count in range(_LOOK_AHEAD + 1):
        if _same(recorded[at:], played[at + count :]):
            return count, 0
        if _same(recorded[at + count :], played[at:]):
            return 0, count
    return 0, 0


def _same(recorded: _Frames, played: _Frames) -> bool:
    """Whether the first two frames of both are equal, apart from numbers and times."""
    left, right = (
        [{name: value for name, value in one.frame.items() if name not in _PASSING} for one in side[:2]]
        for side in (recorded, played)
    )
    return bool(left) and left == right


def _fields(recorded: HeardFrame | ReceivedFrame, played: HeardFrame | ReceivedFrame) -> tuple[str, str]:
    """Returns the fields that differ between two frames."""
    if recorded.frame["type"] != played.frame["type"]:
        return _name(recorded).partition(" ")[2], _name(played)
    pairs = [(_field(recorded, name), _field(played, name)) for name in {**recorded.frame, **played.frame}]
    differ = [pair for pair in pairs if pair[0] != pair[1]]
    if recorded.at_ms != played.at_ms:
        differ.append((f"at {ms(recorded.at_ms)}", f"at {ms(played.at_ms)}"))
    if not differ:
        return "with its fields in the order " + ", ".join(recorded.frame), ", ".join(played.frame)
    return ", ".join(was for was, _ in differ), ", ".join(is_ for _, is_ in differ)


def _field(one: HeardFrame | ReceivedFrame, name: str) -> str:
    return f"{name} {orjson.dumps(one.frame[name]).decode() if name in one.frame else 'none'}"


def _bytes(one: HeardFrame | ReceivedFrame) -> tuple[int, bytes]:
    return one.at_ms, orjson.dumps(one.frame)


def _name(one: HeardFrame | ReceivedFrame) -> str:
    rest = orjson.dumps({name: value for name, value in one.frame.items() if name != "type"}).decode()
    text = f"{one.frame['type']} {rest}"
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."


def _around(played: _Frames, at: int) -> str:
    """Returns the frames around a position, one on each line, with a mark at the position."""
    begin = max(0, at - _AROUND)
    lines = [
        f"{'>' if number == at else ' '} {number + 1:>3} {ms(one.at_ms):>10}  {_name(one)}"
        for number, one in enumerate(played[begin : at + _AROUND + 1], start=begin)
    ]
    return "\n".join(lines if at < len(played) else [*lines, ">     (nothing more)"])

"""Checks what holds in every conversation, whatever its cassette expects.

The script is used up, a confirmed tool runs only after a yes, the assistant is silent while an agent has the
conversation, a late result is told once, and frames come in order, each once, and as they were recorded.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias, cast

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
from assistant.replay.checks.transcript import CheckFailure, Transcript, failure_of, listed, ms, quoted
from assistant.replay.played import ReceivedFrame
from assistant.server.frames.frame import JsonFrame
from assistant.server.projector import Projector

_IN_TURN = re.compile(r"turn (\d+): ")


def script(transcript: Transcript) -> Iterator[CheckFailure]:
    """Report each place where the two part, and of each message that was never answered."""
    for line in transcript.played.unscripted:
        turn = _IN_TURN.match(line)
        number = int(turn[1]) if turn else 0
        found = line[turn.end() :] if turn else line
        yield failure_of(number, "script", expected="what is written down, and no more", found=found)
    taken_up = {turn.number for turn in transcript.turns} | set(transcript.forwarded_to_agent)
    for number in range(1, len(transcript.cassette.turns) + 1):
        if number not in taken_up:
            expected = "a turn for the customer's message"
            yield failure_of(number, "script", expected=expected, found="it was never taken up")


def confirmed_before_writes(transcript: Transcript) -> Iterator[CheckFailure]:
    """Report each side effect that began without the yes that it needs."""
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
    """Report the first that the assistant does between a person's coming and the end of that, each time."""
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
    """Report each result that was told once more, though a message had told it to its end."""
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
    """Report turns and messages that do not begin, go on and end in their order, and of errors."""
    numbers = {turn.state.id: turn.number for turn in transcript.turns}
    expected_errors = [one.frame for one in transcript.cassette.frames if one.frame["type"] == "error"]
    watch = _Watch(expected_errors)
    last: ReceivedFrame | None = None
    for last in transcript.played.frames:
        during = watch.turn_id
        for expected, found in watch.take(last.frame):
            yield _failure(numbers, during or watch.turn_id, expected, found, last)
    for expected in watch.missing():
        yield _failure(numbers, watch.turn_id, expected, "nothing more came", last)


def _failure(
    numbers: dict[str, int], turn_id: str | None, expected: str, found: str, heard: ReceivedFrame | None
) -> CheckFailure:
    at = heard.at_ms if heard is not None else None
    return failure_of(numbers.get(turn_id or "", 0), "order", expected=expected, found=found, at=at)


class _Watch:
    """A client that believes nothing: it knows which turn and which message are open."""

    def __init__(self, expected_errors: list[JsonObject]) -> None:
        self.turn_id: str | None = None
        self._message_id: str | None = None
        self._errors = expected_errors

    def take(self, frame: JsonObject) -> Iterator[tuple[str, str]]:
        """What is wrong with this frame after those before."""
        match str(frame["type"]):
            case "turn.started":
                yield from self._begin(str(frame["turn_id"]))
            case "turn.completed":
                yield from self._complete(str(frame["turn_id"]))
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
                self._begin_anew(frame)
            case "error" if frame not in self._errors:
                yield "no error", f"{frame.get('code')}: {quoted(str(frame.get('message')))}"
            case _:
                pass

    def missing(self) -> Iterator[str]:
        """What should still have come when nothing comes any more."""
        if self._message_id is not None:
            yield f"message.completed of {self._message_id}"
        if self.turn_id is not None:
            yield f"turn.completed of {self.turn_id}"

    def _begin(self, turn_id: str) -> Iterator[tuple[str, str]]:
        if self.turn_id is not None:
            yield f"turn.completed of {self.turn_id} first", "turn.started of the next"
        self.turn_id, self._message_id = turn_id, None

    def _complete(self, turn_id: str) -> Iterator[tuple[str, str]]:
        if turn_id != self.turn_id:
            yield f"turn.started of {turn_id} first", "turn.completed"
        if self._message_id is not None:
            yield f"message.completed of {self._message_id} first", "turn.completed"
        self.turn_id = self._message_id = None

    def _begin_anew(self, snapshot: JsonObject) -> None:
        turn_id, message = snapshot["turn_id"], snapshot["open_message"]
        self.turn_id = turn_id if isinstance(turn_id, str) else None
        # A snapshot's open message is an object; where there is none it is null.
        self._message_id = str(message["message_id"]) if isinstance(message, dict) else None


def each_frame_once(transcript: Transcript) -> Iterator[CheckFailure]:
    """Report the first frame that came twice, and of the first that is missing before another one."""
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
        fault = _fault(heard, seq, had, shown)
        if fault is not None:
            yield _failure(numbers, turns.get(seq), *fault, heard)
            return
        had = max(had, seq)


def _seq(frame: JsonObject) -> int | None:
    """Its number in the conversation; a welcome tells the newest, which is not its own."""
    return cast("int", frame["seq"]) if "seq" in frame and frame["type"] != "welcome" else None


def _fault(heard: ReceivedFrame, seq: int, had: int, shown: Sequence[JsonFrame]) -> tuple[str, str] | None:
    frame = heard.frame
    if seq <= had:
        # Who says a message again is told again that it stands there.
        again = frame["type"] == "accepted"
        return None if again else ("each frame once", f"{frame['type']} {seq} came once more, after {had}")
    due = [one for one in shown if had < cast("int", one["seq"]) <= seq]
    if frame["type"] == "message.delta":
        return _delta_fault(frame, due)
    missing = next((one for one in due if one["seq"] != seq), None)
    return None if missing is None else _missing(missing, frame)


def _delta_fault(frame: JsonObject, due: Sequence[JsonFrame]) -> tuple[str, str] | None:
    """Neighbouring deltas may have become one: then it has the text of all."""
    for one in due:
        if one["type"] != "message.delta" or one["message_id"] != frame["message_id"]:
            return _missing(one, frame)
    text = "".join(str(one["text"]) for one in due)
    if text != frame["text"]:
        return f'the text "{text}"', f'message.delta {frame["seq"]} with "{frame["text"]}"'
    return None


def _missing(frame: JsonFrame, before: JsonObject) -> tuple[str, str]:
    return f"{frame['type']} {frame['seq']}", f"{before['type']} {before['seq']} came, and it had not"


_AROUND = 3
_LOOK_AHEAD = 8
_WIDEST = 83
_PASSING = frozenset({"seq", "at", "ms", "expires_at"})
"""Fields that change of themselves once a frame more or less has come."""

_Difference: TypeAlias = tuple[Literal["other", "extra", "missing"], int]


def frames(transcript: Transcript) -> Iterator[CheckFailure]:
    """Report the first frame that is other, too many or missing; nothing is compared without a recording."""
    recorded = [ReceivedFrame(one.at_ms, one.frame) for one in transcript.cassette.frames]
    played = transcript.played.frames
    if not recorded:
        return
    pairs = zip(recorded, played, strict=False)
    first = next((number for number, (one, other) in enumerate(pairs) if _bytes(one) != _bytes(other)), None)
    if first is None:
        first = min(len(recorded), len(played))
        if len(recorded) == len(played):
            return
    expected, found = _told(recorded, played, first)
    nearest = played[first] if first < len(played) else recorded[first]
    yield failure_of(
        # The turn that was the newest at that time.
        max((turn.number for turn in transcript.turns if turn.said_ms <= nearest.at_ms), default=0),
        "frames",
        expected=expected,
        found=f"{found}\n{_around(played, first)}",
        at=nearest.at_ms,
        place=("frames", min(first, len(recorded) - 1)),
    )


def _told(recorded: Sequence[ReceivedFrame], played: Sequence[ReceivedFrame], at: int) -> tuple[str, str]:
    kind, count = _difference(recorded, played, at)
    more = f" and {count - 1} more" if count > 1 else ""
    match kind:
        case "extra":
            after = (
                f"{_when(recorded, at)}: {_name(recorded[at])}" if at < len(recorded) else "no more frames"
            )
            return after, f"{_name(played[at])} at {ms(played[at].at_ms)}{more} too many"
        case "missing":
            came = f"{_name(played[at])} at {ms(played[at].at_ms)}" if at < len(played) else "nothing"
            return f"{_when(recorded, at)}: {_name(recorded[at])}{more}", f"missing; {came} came instead"
        case "other":
            expected, found = _fields(recorded[at], played[at])
            return f"{_when(recorded, at)}: {recorded[at].frame['type']} {expected}", found


def _difference(recorded: Sequence[ReceivedFrame], played: Sequence[ReceivedFrame], at: int) -> _Difference:
    """Whether frames came in between, or were left out, or this one is another; and how many."""
    if at >= len(recorded):
        return "extra", len(played) - at
    if at >= len(played):
        return "missing", len(recorded) - at
    if _same(recorded, at, played, at):
        return "other", 1
    for count in range(1, _LOOK_AHEAD + 1):
        if _same(recorded, at, played, at + count):
            return "extra", count
        if _same(recorded, at + count, played, at):
            return "missing", count
    return "other", 1


def _same(recorded: Sequence[ReceivedFrame], one: int, played: Sequence[ReceivedFrame], other: int) -> bool:
    """Whether both go on alike from here, for two frames, but for what passing time and numbers change."""
    left = [_lasting(heard) for heard in recorded[one : one + 2]]
    right = [_lasting(heard) for heard in played[other : other + 2]]
    return bool(left) and left == right


def _lasting(heard: ReceivedFrame) -> JsonObject:
    return {name: value for name, value in heard.frame.items() if name not in _PASSING}


def _fields(recorded: ReceivedFrame, played: ReceivedFrame) -> tuple[str, str]:
    """What differs between two frames in one place."""
    if recorded.frame["type"] != played.frame["type"]:
        return _cut(_rest(recorded)), _name(played)
    names = [
        name for name in {**recorded.frame, **played.frame} if _field(recorded, name) != _field(played, name)
    ]
    was = [f"{name} {_field(recorded, name)}" for name in names]
    is_ = [f"{name} {_field(played, name)}" for name in names]
    if recorded.at_ms != played.at_ms:
        was.append(f"at {ms(recorded.at_ms)}")
        is_.append(f"at {ms(played.at_ms)}")
    elif not names:
        return "with its fields in the order " + ", ".join(recorded.frame), ", ".join(played.frame)
    return ", ".join(was), ", ".join(is_)


def _field(heard: ReceivedFrame, name: str) -> str:
    return orjson.dumps(heard.frame[name]).decode() if name in heard.frame else "none"


def _bytes(heard: ReceivedFrame) -> tuple[int, bytes]:
    return heard.at_ms, orjson.dumps(heard.frame)


def _name(heard: ReceivedFrame) -> str:
    return _cut(f"{heard.frame['type']} {_rest(heard)}")


def _rest(heard: ReceivedFrame) -> str:
    return orjson.dumps({name: value for name, value in heard.frame.items() if name != "type"}).decode()


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."


def _when(recorded: Sequence[ReceivedFrame], at: int) -> str:
    return f"frame {at + 1} at {ms(recorded[at].at_ms)}"


def _around(played: Sequence[ReceivedFrame], at: int) -> str:
    """What was played before and after, a line each, the place marked."""
    begin = max(0, at - _AROUND)
    lines = [
        f"{'>' if number == at else ' '} {number + 1:>3} {ms(heard.at_ms):>10}  {_name(heard)}"
        for number, heard in enumerate(played[begin : at + _AROUND + 1], start=begin)
    ]
    return "\n".join(lines if at < len(played) else [*lines, ">     (nothing more)"])

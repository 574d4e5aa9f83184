"""``order``: what clients are promised of every turn's frames, whatever a file says."""

from collections.abc import Iterator

from assistant.conversation.values import JsonObject
from assistant.replay.complaint import Complaint
from assistant.replay.expect.held import Held
from assistant.replay.expect.phrases import quoted
from assistant.replay.played import Heard


def order(held: Held) -> Iterator[Complaint]:
    """Complain of turns and messages that do not begin, go on and end in their order, and of errors."""
    numbers = {turn.state.id: turn.number for turn in held.turns}
    expected_errors = [one.frame for one in held.cassette.frames if one.frame["type"] == "error"]
    watch = _Watch(expected_errors)
    last: Heard | None = None
    for last in held.played.frames:
        during = watch.turn_id
        for expected, found in watch.take(last.frame):
            yield _complaint(numbers, during or watch.turn_id, expected, found, last)
    for expected in watch.missing():
        yield _complaint(numbers, watch.turn_id, expected, "nothing more came", last)


def _complaint(
    numbers: dict[str, int], turn_id: str | None, expected: str, found: str, heard: Heard | None
) -> Complaint:
    number = numbers.get(turn_id or "", 0)
    return Complaint(
        turn=number,
        check="order",
        expected=expected,
        found=found,
        at_ms=heard.at_ms if heard is not None else None,
        place=("turns", number - 1) if number else (),
    )


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

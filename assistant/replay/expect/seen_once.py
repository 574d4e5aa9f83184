"""``order``: a client sees everything that it should, once, however often its line is cut."""

from collections.abc import Iterator, Sequence
from typing import cast

from assistant.conversation.values import JsonObject
from assistant.replay.complaint import Complaint
from assistant.replay.expect.held import Held
from assistant.replay.played import Heard
from assistant.server.project import Projector
from assistant.server.wire import Wire


def seen_once(held: Held) -> Iterator[Complaint]:
    """Complain of the first frame that came twice, and of the first that is missing before another one."""
    projector = Projector(lambda _tool, _locale: "")
    shown = [frame for logged in held.played.entries if (frame := projector.project(logged)) is not None]
    turns = {logged.seq: logged.turn_id for logged in held.played.entries}
    numbers = {turn.state.id: turn.number for turn in held.turns}
    had = 0
    for heard in held.played.frames:
        seq = _seq(heard.frame)
        if heard.frame["type"] == "snapshot" or seq is None:
            had = seq or had
            continue
        fault = _fault(heard, seq, had, shown)
        if fault is not None:
            number = numbers.get(turns.get(seq, ""), 0)
            place = ("turns", number - 1) if number else ()
            yield Complaint(
                turn=number, check="order", expected=fault[0], found=fault[1], at_ms=heard.at_ms, place=place
            )
            return
        had = max(had, seq)


def _seq(frame: JsonObject) -> int | None:
    """Its number in the conversation; a welcome tells the newest, which is not its own."""
    return cast("int", frame["seq"]) if "seq" in frame and frame["type"] != "welcome" else None


def _fault(heard: Heard, seq: int, had: int, shown: Sequence[Wire]) -> tuple[str, str] | None:
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


def _delta_fault(frame: JsonObject, due: Sequence[Wire]) -> tuple[str, str] | None:
    """Neighbouring deltas may have become one: then it has the text of all."""
    for one in due:
        if one["type"] != "message.delta" or one["message_id"] != frame["message_id"]:
            return _missing(one, frame)
    text = "".join(str(one["text"]) for one in due)
    if text != frame["text"]:
        return f'the text "{text}"', f'message.delta {frame["seq"]} with "{frame["text"]}"'
    return None


def _missing(frame: Wire, before: JsonObject) -> tuple[str, str]:
    return f"{frame['type']} {frame['seq']}", f"{before['type']} {before['seq']} came, and it had not"

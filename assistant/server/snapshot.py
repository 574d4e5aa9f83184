"""A whole conversation in one frame, for a client that has none of it."""

from collections.abc import Sequence

from assistant.conversation.entries import (
    AgentMessage,
    CallEnded,
    CallStarted,
    ConfirmationAsked,
    CustomerMessage,
    DeliveryReceipt,
    Handoff,
    Logged,
    MessageClosed,
    MessageOpened,
    Rated,
    TurnEnded,
    TurnStarted,
)
from assistant.server.frames.frame import JsonFrame
from assistant.server.projector import Projector, frame_call_id

_SAID = ("text", "spoken", "attachments", "at")
_TOLD = ("kind", "text", "interrupted", "attachments")

LONGEST = 200
"""Messages in a snapshot; older ones are counted and left out."""


def snapshot(entries: Sequence[Logged], projector: Projector, longest: int = LONGEST) -> JsonFrame:
    """What a client would show that had heard every frame of these entries, from the first.

    ``projector`` is new and goes on from here: it has been fed these entries.
    """
    scene = _Scene()
    for logged in entries:
        scene.add(logged, projector.project(logged))
    return {
        "type": "snapshot",
        "seq": len(entries),
        "messages": scene.messages[-longest:],
        "omitted": max(0, len(scene.messages) - longest),
        "open_message": _open_message(scene, projector),
        "turn_id": scene.turn_id,
        "tools": list(scene.tools.values()),
        "confirmation": scene.confirmation,
        "handoff": scene.handoff,
    }


def _open_message(scene: "_Scene", projector: Projector) -> JsonFrame | None:
    for message_id, opened in scene.open.items():
        return {**opened, "text": projector.text_so_far(message_id), **scene.heard_of(message_id)}
    return None


class _Scene:
    """What stands on the customer's screen."""

    def __init__(self) -> None:
        self.messages: list[JsonFrame] = []
        self.said: dict[str, JsonFrame] = {}
        self.open: dict[str, JsonFrame] = {}
        self.heard: dict[str, int] = {}
        self.tools: dict[str, JsonFrame] = {}
        self.confirmation: JsonFrame | None = None
        self.handoff: JsonFrame | None = None
        self.turn_id: str | None = None

    def add(self, logged: Logged, frame: JsonFrame | None) -> None:
        if frame is None:
            return
        match logged.entry:
            case CustomerMessage(client_message_id=message_id):
                told: JsonFrame = {name: frame[name] for name in _SAID if name in frame}
                self.messages.append({"from": "customer", "message_id": message_id, **told})
            case TurnStarted(turn_id=turn_id):
                self.turn_id, self.confirmation = turn_id, None
            case MessageOpened(message_id=message_id):
                self.open[message_id] = _bare(frame)
            case MessageClosed(message_id=message_id):
                self._close(logged, self.open.pop(message_id, {}), frame)
            case DeliveryReceipt(message_id=message_id, up_to=up_to):
                self.heard[message_id] = max(self.heard.get(message_id, 0), up_to)
                if message_id in self.said:
                    self.said[message_id].update(self.heard_of(message_id))
            case Rated(message_id=message_id, rating=rating):
                self.said[message_id]["rating"] = rating
            case CallStarted(call_id=call_id):
                self.tools[frame_call_id(logged.turn_id, call_id)] = _bare(frame)
            case CallEnded(outcome=outcome):
                self.tools.pop(frame_call_id(logged.turn_id, outcome.call.id), None)
            case ConfirmationAsked():
                self.confirmation = _bare(frame)
            case TurnEnded():
                self.turn_id = None
            case AgentMessage():
                self.messages.append({"from": "person", **_bare(frame)})
            case Handoff(state=state):
                self.handoff = _bare(frame) if state != "ended" else None
                self.confirmation = None if state == "accepted" else self.confirmation
            case _:
                pass  # a delta, whose text the projector keeps

    def _close(self, logged: Logged, opened: JsonFrame, frame: JsonFrame) -> None:
        shown: JsonFrame = {"from": "assistant", "message_id": frame["message_id"], "turn_id": logged.turn_id}
        told: JsonFrame = {name: frame[name] for name in _TOLD if name in frame}
        message_id = str(frame["message_id"])
        heard = self.heard_of(message_id)
        message: JsonFrame = {**shown, **told, **heard, "rating": None, "at": opened.get("at", logged.at_ms)}
        self.said[message_id] = message
        self.messages.append(message)

    def heard_of(self, message_id: str) -> JsonFrame:
        """The part of a message that tells how much of it was heard; empty for one that is not spoken."""
        return {"heard": self.heard[message_id]} if message_id in self.heard else {}


def _bare(frame: JsonFrame) -> JsonFrame:
    """A frame as a part of another one."""
    return {name: value for name, value in frame.items() if name not in {"type", "seq"}}

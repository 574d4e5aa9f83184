"""Turns log entries into frames for a client: one by one, or a whole conversation as a snapshot.

An entry becomes at most one frame.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import assert_never

from assistant.conversation.calls import Call
from assistant.conversation.entries import (
    AgentMessage,
    ApprovalDecided,
    ApprovalRequested,
    CallEnded,
    CallRequested,
    CallsDelayed,
    CallsPending,
    CallStarted,
    ClientConnected,
    ClientDisconnected,
    ConfirmationAnswered,
    ConfirmationAsked,
    CustomerMessage,
    DecisionClosed,
    DeliveryReceipt,
    ForwardedToAgent,
    Handoff,
    IdentificationAttempted,
    Identified,
    Logged,
    LongCallAccepted,
    LongCallProgressed,
    LongCallStarted,
    LongCallStopRequested,
    MessageClosed,
    MessageOpened,
    MessageText,
    ModelAsked,
    ModelChunks,
    PoliciesChosen,
    Rated,
    ReplyWithheld,
    ResultsDelivered,
    ReviewDecided,
    ReviewRequested,
    SentenceSuppressed,
    Snapshot,
    Summary,
    SupervisionChosen,
    TurnEnded,
    TurnStarted,
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
)
from assistant.conversation.staff_entries import (
    Assigned,
    ConversationClosed,
    HandoffRouted,
    NoteAdded,
    NoteToAssistant,
    Tagged,
)
from assistant.conversation.usage import UsageCount
from assistant.conversation.values import Json
from assistant.server.attachments import AddressOf, Attachment, AttachmentTracker, attachment_frames
from assistant.server.frames.frame import Hints, JsonFrame


def accepted(seq: int, at_ms: int, said: CustomerMessage) -> JsonFrame:
    """The frame for a customer's message with the number ``seq``."""
    told: JsonFrame = {"type": "accepted", "seq": seq, "id": said.client_message_id, "text": said.text}
    return {**told, **spoken_field(said), **attachments_field(said), "at": at_ms}


def spoken_field(said: CustomerMessage) -> JsonFrame:
    """The field that marks a spoken message; empty for a written one."""
    return {"spoken": True} if said.spoken else {}


def attachments_field(said: CustomerMessage) -> JsonFrame:
    """The field with a message's files; empty if there are none."""
    return {"attachments": [asdict(one) for one in said.attachments]} if said.attachments else {}


def frame_call_id(turn_id: str, call: str) -> str:
    """The id of a call in frames, which is unique over all turns.

    >>> frame_call_id("t7", "c1.2")
    't7/c1.2'
    """
    return f"{turn_id}/{call}"


class Projector:
    """Turns entries into frames. Pass it all entries of a conversation, in order, from the first.

    To begin in the middle, pass it the earlier entries and ignore their frames. It keeps only the data for
    later frames: the open message's text, the running calls, the customer's locale, and the turn's usage so
    far.

    Args:
        hints: the label of a tool's call.
        developer: whether frames contain tools' names, arguments and results.
        address_of: the address of a tool's file; None: frames do not mention files.
    """

    def __init__(self, hints: Hints, *, developer: bool = False, address_of: AddressOf | None = None) -> None:
        self._hints = hints
        self._developer = developer
        self._address_of = address_of
        self._attached = AttachmentTracker()
        self._locale = "en"
        self._client_ids: dict[str, str] = {}
        self._texts: dict[str, list[str]] = {}
        self._calls: dict[str, Call] = {}
        self._running: set[str] = set()
        self._secret = False
        self._usage = UsageCount()

    def project(self, logged: Logged) -> JsonFrame | None:
        """The entry's frame; None if the entry shows nothing."""
        entry, attached = logged.entry, self._attached.attached_by(logged)
        match entry:
            case MessageText():
                return self._text(logged.seq, entry)
            case ModelAsked() | ModelChunks():
                self._usage.add_entry(entry)
                return None
            case DecisionClosed() | ConfirmationAnswered() | Identified() | SentenceSuppressed():
                return None
            case DeliveryReceipt(how="heard"):
                return _frame("message.heard", logged, message_id=entry.message_id, up_to=entry.up_to)
            case DeliveryReceipt():
                return None  # clients know what they sent and showed
            case Snapshot() | Summary():
                return None  # summaries and snapshots are for models only
            case (
                ClientConnected()
                | ClientDisconnected()
                | IdentificationAttempted()
                | ForwardedToAgent()
                | CallsPending()
                | LongCallStarted()
                | ApprovalRequested()
                | ApprovalDecided()
                | LongCallAccepted()
                | LongCallStopRequested()
                | ResultsDelivered()
                | PoliciesChosen()
            ):
                return None
            case SupervisionChosen(mode=mode):
                self._secret = mode == "shadow"
                return None
            case ReplyWithheld() | ReviewRequested() | ReviewDecided():
                return None  # for staff
            case CallStarted() | LongCallProgressed() | CallsDelayed() if self._secret:
                return None  # the customer waits for a person, and sees nothing of the answer for staff
            case (
                Assigned()
                | Tagged()
                | NoteAdded()
                | NoteToAssistant()
                | ConversationClosed()
                | HandoffRouted()
            ):
                return None  # for staff
            case LongCallProgressed():
                call_id = frame_call_id(logged.turn_id, entry.call_id)
                return _frame("tool.progress", logged, call_id=call_id, **_progress(entry))
            case CallsDelayed():
                calls: list[Json] = [frame_call_id(logged.turn_id, call) for call in entry.call_ids]
                return _frame("tool.delayed", logged, call_ids=calls)
            case Handoff():
                return _frame("handoff.updated", logged, **_standing(entry))
            case AgentMessage():
                said: JsonFrame = {"message_id": entry.message_id, "name": entry.name, "text": entry.text}
                return _frame("person.message", logged, **said, at=logged.at_ms)
            case Rated():
                return _frame("rated", logged, message_id=entry.message_id, rating=entry.rating)
            case CallRequested():
                self._calls[frame_call_id(logged.turn_id, entry.call.id)] = entry.call
                return None
            case CustomerMessage():
                self._locale = entry.locale
                self._client_ids[entry.message_id] = entry.client_message_id
                return accepted(logged.seq, logged.at_ms, entry)
            case TurnStarted():
                self._secret = False
                client_id = self._client_ids.pop(entry.message_id, None)
                return _frame("turn.started", logged, turn_id=entry.turn_id, client_id=client_id)
            case MessageOpened():
                return self._opened(logged, entry)
            case MessageClosed():
                return self._closed(logged, entry) | self._drawn(attached)
            case CallStarted():
                return self._started(logged, entry)
            case CallEnded():
                return self._ended(logged, entry)
            case ConfirmationAsked():
                return self._asked(logged, entry)
            case TurnEnded():
                return self._completed(logged, entry)
            case _:
                assert_never(entry)

    def text_so_far(self, message_id: str) -> str:
        """The text of an open message so far."""
        return "".join(self._texts.get(message_id, ()))

    def _opened(self, logged: Logged, entry: MessageOpened) -> JsonFrame:
        self._texts[entry.message_id] = []
        ids: JsonFrame = {"message_id": entry.message_id, "turn_id": logged.turn_id}
        return _frame("message.started", logged, **ids, at=logged.at_ms)

    def _text(self, seq: int, entry: MessageText) -> JsonFrame:
        self._texts.setdefault(entry.message_id, []).append(entry.text)
        return {"type": "message.delta", "seq": seq, "message_id": entry.message_id, "text": entry.text}

    def _closed(self, logged: Logged, entry: MessageClosed) -> JsonFrame:
        return _frame(
            "message.completed",
            logged,
            message_id=entry.message_id,
            kind=entry.kind,
            text="".join(self._texts.pop(entry.message_id, ())),
            call_ids=[frame_call_id(logged.turn_id, call) for call in entry.call_ids],
            interrupted=entry.interrupted,
        )

    def _drawn(self, attached: Sequence[Attachment]) -> JsonFrame:
        if self._address_of is None or not attached:
            return {}
        return {"attachments": attachment_frames(attached, self._address_of)}

    def _started(self, logged: Logged, entry: CallStarted) -> JsonFrame | None:
        call_id = frame_call_id(logged.turn_id, entry.call_id)
        if call_id in self._running:
            return None  # it runs again after a crash: the client already shows it
        self._running.add(call_id)
        return _frame(
            "tool.started",
            logged,
            call_id=call_id,
            hint=self._hints(entry.tool, self._locale),
            **self._inside(entry.tool, self._calls.get(call_id)),
        )

    def _ended(self, logged: Logged, entry: CallEnded) -> JsonFrame | None:
        call = entry.outcome.call
        call_id = frame_call_id(logged.turn_id, call.id)
        if call_id not in self._running:
            return None  # refused, or answered from the cache: the client shows no label
        self._running.remove(call_id)
        inside = self._inside(call.tool, call)
        if self._developer:
            inside["result"] = _result(entry.outcome)
        outcome = outcome_name(entry.outcome)
        return _frame(
            "tool.finished", logged, call_id=call_id, outcome=outcome, ms=entry.duration_ms, **inside
        )

    def _asked(self, logged: Logged, entry: ConfirmationAsked) -> JsonFrame:
        return _frame(
            "confirmation.requested",
            logged,
            confirmation_id=entry.confirmation_id,
            read_back=entry.read_back,
            calls=[
                {
                    "call_id": frame_call_id(logged.turn_id, call.id),
                    "hint": self._hints(call.tool, self._locale),
                    **self._inside(call.tool, call),
                }
                for call in entry.calls
            ],
            expires_at=entry.expires_at_ms,
        )

    def _completed(self, logged: Logged, entry: TurnEnded) -> JsonFrame:
        usage, self._usage = self._usage.usage, UsageCount()
        self._calls.clear()
        told: JsonFrame = {"usage": asdict(usage)} if self._developer else {}
        return _frame("turn.completed", logged, turn_id=entry.turn_id, how=entry.how, **told)

    def _inside(self, tool: str, call: Call | None) -> JsonFrame:
        """The details of a call that only developers see."""
        if not self._developer:
            return {}
        return {"name": tool, "arguments": dict(call.arguments) if call else {}}


def _progress(entry: LongCallProgressed) -> JsonFrame:
    return {"done": entry.done, "total": entry.total or None, "unit": entry.unit or None}


def _standing(handoff: Handoff) -> JsonFrame:
    told: JsonFrame = {"handoff_id": handoff.handoff_id, "state": handoff.state}
    return {**told, "name": handoff.name or None, "ticket": handoff.ticket or None}


def _frame(type_: str, logged: Logged, **fields: Json) -> JsonFrame:
    return {"type": type_, "seq": logged.seq, **fields}


def _result(outcome: Outcome) -> Json:
    match outcome:
        case CallSucceeded() | CallEmpty():
            return outcome.value
        case CallFailed() | CallDenied():
            return {"say": outcome.say, "for_model": outcome.for_model}
        case CallTimedOut():
            return {"after_s": outcome.after_s}
        case CallCancelled():
            return {"why": outcome.why}
        case CallUnknown() | CallAwaitingConfirmation():
            return None
        case _:
            assert_never(outcome)


_SAID = ("text", "spoken", "attachments", "at")
_TOLD = ("kind", "text", "interrupted", "attachments")

LONGEST = 200
"""Messages in a snapshot; older ones are counted and left out."""


def snapshot(entries: Sequence[Logged], projector: Projector, longest: int = LONGEST) -> JsonFrame:
    """The state of a client that had received all frames of these entries.

    ``projector`` must be new; afterwards it has processed these entries.
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
    """The content of the customer's screen."""

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
            case LongCallProgressed(call_id=call_id) as report:
                if (tool := self.tools.get(frame_call_id(logged.turn_id, call_id))) is not None:
                    tool["progress"] = _progress(report)
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
        """The field with the heard part of a message; empty for a message that is not spoken."""
        return {"heard": self.heard[message_id]} if message_id in self.heard else {}


def _bare(frame: JsonFrame) -> JsonFrame:
    """A frame as a part of another frame."""
    return {name: value for name, value in frame.items() if name not in {"type", "seq"}}

"""A snapshot equals the state of a client that has received every frame."""

import pytest

from assistant.conversation.entries import (
    AgentMessage,
    ConfirmationAnswered,
    CustomerMessage,
    DeliveryReceipt,
    Entry,
    ForwardedToAgent,
    Handoff,
    MessageClosed,
    MessageOpened,
    MessageText,
    Rated,
    TurnEnded,
    TurnStarted,
)
from assistant.server.frames.frame import JsonFrame, encode
from assistant.server.frames.server_frames import SERVER_FRAMES
from assistant.server.projector import Projector, snapshot
from tests.server.client import Frame, bare
from tests.server.running_server import hint, logged
from tests.server.script import ANSWER, TURN
from tests.support.rows import check_rows

RATINGS = (
    Rated(message_id="a2", rating="up"),
    Rated(message_id="a1", rating="down", text="Too long"),
    Rated(message_id="a2", rating=None),
)
PERSON = (
    Handoff(handoff_id="h1", state="requested", why="wants a person"),
    Handoff(handoff_id="h1", state="accepted", name="Sam"),
    ConfirmationAnswered(confirmation_id="k1", answer="dropped"),
    AgentMessage(message_id="p1", handoff_id="h1", name="Sam", text="Hello, this is Sam."),
    CustomerMessage(message_id="u9", client_message_id="m9", text="Hello Sam"),
    ForwardedToAgent(message_id="u9", handoff_id="h1"),
    Handoff(handoff_id="h1", state="ended", name="Sam"),
    Handoff(handoff_id="h2", state="ticket", ticket="T-1"),
)
ALOUD: tuple[Entry, ...] = (
    CustomerMessage(message_id="u10", client_message_id="v-1", text="Tell me", spoken=True),
    TurnStarted(turn_id="t3", message_id="u10", cause="message", bundle="b"),
    MessageOpened(message_id="a4", round=1),
    DeliveryReceipt(message_id="a4", how="heard", up_to=0),
    MessageText(message_id="a4", text="You owe $150. Goodbye."),
    DeliveryReceipt(message_id="a4", how="heard", up_to=13),
    MessageClosed(message_id="a4", kind="response"),
    TurnEnded(turn_id="t3", how="answered"),
    DeliveryReceipt(message_id="a4", how="heard", up_to=22),
    DeliveryReceipt(message_id="a3", how="heard", up_to=0),
    DeliveryReceipt(message_id="a3", how="sent", up_to=4),
)
ALL: tuple[Entry, ...] = (*TURN, *RATINGS, *PERSON, *ANSWER, *ALOUD)


def taken(count: int, *, developer: bool = False) -> JsonFrame:
    return snapshot(logged(ALL[:count]), Projector(hint, developer=developer))


def drawn(count: int) -> Frame:
    """The same, as a client draws it from the frames alone."""
    projector, screen = Projector(hint), Screen()
    for one in logged(ALL[:count]):
        frame = projector.project(one)
        if frame is not None:
            screen.draw(frame)
    return screen.shown()


class Screen:
    def __init__(self) -> None:
        self.messages: list[Frame] = []
        self.open: Frame | None = None
        self.tools: dict[str, Frame] = {}
        self.confirmation: Frame | None = None
        self.handoff: Frame | None = None
        self.turn: object = None

    def draw(self, frame: Frame) -> None:
        match frame["type"]:
            case "accepted":
                said = {"from": "customer", "message_id": frame["id"]}
                spoken = {"spoken": True} if frame.get("spoken") else {}
                self.messages.append({**said, **spoken, "text": frame["text"], "at": frame["at"]})
            case "turn.started":
                self.turn, self.confirmation = frame["turn_id"], None
            case "turn.completed":
                self.turn = None
            case "message.started":
                self.open = {name: frame[name] for name in ("message_id", "turn_id", "at")} | {"text": ""}
            case "message.delta":
                assert self.open is not None
                self.open["text"] += frame["text"]
            case "message.completed":
                assert self.open is not None
                told = {name: frame[name] for name in ("kind", "text", "interrupted")}
                self.messages.append({"from": "assistant", **self.open, **told, "rating": None})
                self.open = None
            case "message.heard":
                drawn = [*self.messages, *([self.open] if self.open is not None else [])]
                (said,) = (one for one in drawn if one["message_id"] == frame["message_id"])
                said["heard"] = frame["up_to"]
            case "rated":
                (rated,) = (one for one in self.messages if one["message_id"] == frame["message_id"])
                rated["rating"] = frame["rating"]
            case "tool.started":
                self.tools[frame["call_id"]] = {name: frame[name] for name in ("call_id", "hint")}
            case "tool.finished":
                del self.tools[frame["call_id"]]
            case "person.message":
                self.messages.append(
                    {"from": "person"} | {k: v for k, v in frame.items() if k not in ("type", "seq")}
                )
            case "handoff.updated":
                standing = {k: v for k, v in bare(frame).items() if k != "type"}
                self.handoff = None if frame["state"] == "ended" else standing
                self.confirmation = None if frame["state"] == "accepted" else self.confirmation
            case _:
                self.confirmation = {k: v for k, v in bare(frame).items() if k != "type"}

    def shown(self) -> Frame:
        return {
            "messages": self.messages,
            "open_message": self.open,
            "tools": list(self.tools.values()),
            "confirmation": self.confirmation,
            "handoff": self.handoff,
            "turn_id": self.turn,
        }


@check_rows("count", range(len(ALL) + 1))
def test_after_every_entry_it_shows_what_the_frames_show(count: int) -> None:
    assert taken(count) == {"type": "snapshot", "seq": count, "omitted": 0, **drawn(count)}


@pytest.mark.parametrize("developer", [False, True])
def test_it_has_the_documented_shape_after_every_entry(developer: bool) -> None:
    for count in range(len(ALL) + 1):
        SERVER_FRAMES.validate_json(encode(taken(count, developer=developer)))


def test_the_oldest_messages_of_a_long_conversation_are_counted() -> None:
    short = snapshot(logged(ALL), Projector(hint), longest=2)
    assert short["omitted"] == 7
    assert short["messages"] == drawn(len(ALL))["messages"][-2:]


def test_a_message_whose_beginning_is_lost_does_no_harm() -> None:
    torn = (MessageText(message_id="a", text="tail"), MessageClosed(message_id="a", kind="response"))
    frame = snapshot(logged(torn), Projector(hint))
    (message,) = SERVER_FRAMES.validate_json(encode(frame)).model_dump()["messages"]
    assert message["text"] == "tail"

"""Frames with the server's numbers, for tests that replace the server."""

from typing import Literal, TypeAlias

from tests.browser.fake_server import Frame, Line, Value

Kind: TypeAlias = Literal["acknowledgement", "status", "response"]

READ_BACK = "Shall I cancel your eye test on Tuesday at 2 pm?"


class Numbered:
    """Makes durable frames, each with the next number."""

    def __init__(self) -> None:
        self.seq = 0

    def frame(self, type_: str, **fields: Value) -> Frame:
        """One durable frame."""
        self.seq += 1
        return {"type": type_, "seq": self.seq, **fields}

    def accepted(self, client_id: Value, text: str) -> Frame:
        """The customer's message is in the history."""
        return self.frame("accepted", id=client_id, text=text, at=0)

    def turn_started(self, turn_id: str = "t1", client_id: Value = None) -> Frame:
        """A turn begins."""
        return self.frame("turn.started", turn_id=turn_id, client_id=client_id)

    def turn_completed(self, turn_id: str = "t1", how: str = "answered") -> Frame:
        """A turn is over."""
        return self.frame("turn.completed", turn_id=turn_id, how=how)

    def started(self, message_id: str) -> Frame:
        """The assistant begins to say something."""
        return self.frame("message.started", message_id=message_id, turn_id="t1", at=0)

    def delta(self, message_id: str, text: str) -> Frame:
        """Some more of it."""
        return self.frame("message.delta", message_id=message_id, text=text)

    def completed(
        self,
        message_id: str,
        kind: Kind,
        text: str,
        *,
        interrupted: bool = False,
        attachments: list[Value] | None = None,
    ) -> Frame:
        """All of it."""
        return self.frame(
            "message.completed",
            message_id=message_id,
            kind=kind,
            text=text,
            call_ids=[],
            interrupted=interrupted,
            **({"attachments": attachments} if attachments else {}),
        )

    def told(self, message_id: str, kind: Kind, text: str) -> list[Frame]:
        """A message from its first word to its last, in two pieces."""
        half = len(text) // 2
        return [
            self.started(message_id),
            self.delta(message_id, text[:half]),
            self.delta(message_id, text[half:]),
            self.completed(message_id, kind, text),
        ]

    def tool_started(self, call_id: str, hint: str) -> Frame:
        """A tool is running."""
        return self.frame("tool.started", call_id=call_id, hint=hint)

    def tool_finished(self, call_id: str, outcome: str) -> Frame:
        """A tool is done."""
        return self.frame("tool.finished", call_id=call_id, outcome=outcome, ms=12)

    def asked(self, read_back: str = READ_BACK, confirmation_id: str = "q1") -> list[Frame]:
        """A read-back, and the request for a yes or no to it."""
        return [
            *self.told(f"read-back-{confirmation_id}", "response", read_back),
            self.frame(
                "confirmation.requested",
                confirmation_id=confirmation_id,
                read_back=read_back,
                calls=[{"call_id": "t1/c1.1", "hint": "cancelling your appointment"}],
                expires_at=1_900_000_000_000,
            ),
        ]


async def take_message(line: Line, numbered: Numbered, turn_id: str = "t1") -> Frame:
    """Hear a customer's message, accept it, begin a turn."""
    said = await line.hears("message")
    await line.says(
        numbered.accepted(said["id"], str(said["text"])), numbered.turn_started(turn_id, said["id"])
    )
    return said


def snapshot(seq: int, *messages: Frame, **fields: Value) -> Frame:
    """A whole conversation in one frame."""
    frame: Frame = {
        "type": "snapshot",
        "seq": seq,
        "messages": list(messages),
        "omitted": 0,
        "open_message": None,
        "turn_id": None,
        "tools": [],
        "confirmation": None,
        "handoff": None,
    }
    return frame | fields


def customers(message_id: Value, text: str) -> Frame:
    """A customer's message in a snapshot."""
    return {"from": "customer", "message_id": message_id, "text": text, "at": 0}


def attachment(name: Value, url: str, size: tuple[int, int] | None = None, *, bytes_: int = 70_000) -> Frame:
    """A picture or file that a tool returned with its result; a picture has a size."""
    width, height = size or (None, None)
    about: Frame = {"call_id": "t1/c1.1", "mime": "image/png" if size else "application/pdf", "name": name}
    return {**about, "bytes": bytes_, "width": width, "height": height, "url": url}


def assistants(
    message_id: str, text: str, kind: Kind = "response", attachments: list[Value] | None = None
) -> Frame:
    """An assistant's message in a snapshot."""
    return {
        "from": "assistant",
        "message_id": message_id,
        "turn_id": "t1",
        "kind": kind,
        "text": text,
        "interrupted": False,
        "at": 0,
        **({"attachments": attachments} if attachments else {}),
    }

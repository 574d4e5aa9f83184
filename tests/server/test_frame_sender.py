"""One cursor, one sender: in order, each once."""

import asyncio
from typing import cast

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import MessageClosed, MessageOpened, MessageText
from assistant.server.frame_sender import FrameSender
from assistant.server.limits import Limits
from assistant.server.projector import Projector
from assistant.sessions.session import Session
from tests.server.running_server import ANA, FakeSession, hint

KEY = ConversationKey(tenant="demo", customer="ana", conversation="c")


class Line:
    """A client that reads when it is told to."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.session = FakeSession(key=KEY, customer=ANA)
        self.sent: list[str] = []
        self.open = asyncio.Event()
        self.outbox = FrameSender(
            self.send,
            cast("Session", self.session),
            Projector(hint),
            0,
            limits or Limits(),
            send_sound=self.send_sound,
        )
        self.session.listen(self.outbox.wake)

    async def send(self, text: str) -> None:
        await self.open.wait()
        self.sent.append(text)

    async def send_sound(self, sound: bytes) -> None:
        await self.send(repr(sound))

    async def settled(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)

    async def __aenter__(self) -> "Line":
        self._task = asyncio.create_task(self.outbox.run())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


async def test_text_that_arrives_during_a_send_becomes_one_delta() -> None:
    async with Line() as line:
        line.session.publish(MessageOpened(message_id="a", round=1), turn_id="t")
        await line.settled()
        for word in ("Good ", "day", "!"):
            line.session.publish(MessageText(message_id="a", text=word), turn_id="t")
        line.open.set()
        await line.settled()
    assert line.sent[1:] == ['{"type":"message.delta","seq":4,"message_id":"a","text":"Good day!"}']


async def test_a_reply_comes_between_earlier_and_later_entries() -> None:
    async with Line() as line:
        line.session.publish(MessageOpened(message_id="a", round=1), turn_id="t")
        line.outbox.reply({"type": "pong", "id": None})
        await line.settled()
        line.session.publish(MessageText(message_id="a", text="hi"), turn_id="t")
        line.open.set()
        await line.settled()
    assert [text[9:13] for text in line.sent] == ["mess", "pong", "mess"]


async def test_a_thousand_entries_are_sent_in_order_and_a_reply_after_them() -> None:
    async with Line() as line:
        line.open.set()
        for number in range(1_000):
            line.session.publish(MessageOpened(message_id=str(number), round=1), turn_id="t")
        line.outbox.reply({"type": "pong", "id": None})
        await line.settled()
    *messages, last = line.sent
    assert [f'"seq":{number},' in text for number, text in enumerate(messages, 1)] == [True] * 1_000
    assert last == '{"type":"pong","id":null}'


async def test_a_burst_is_no_overrun_if_nothing_blocks() -> None:
    async with Line(Limits(behind=10)) as line:
        line.open.set()
        await line.settled()
        for _ in range(100):
            line.session.publish(MessageText(message_id="a", text="x"), turn_id="t")
        await line.settled()
        assert not line.outbox.overrun.done()


async def test_entries_beyond_the_limit_overrun_a_blocked_reader() -> None:
    async with Line(Limits(behind=10)) as line:
        line.session.publish(MessageText(message_id="a", text="x"), turn_id="t")
        await line.settled()
        for _ in range(10):
            line.session.publish(MessageText(message_id="a", text="x"), turn_id="t")
        assert not line.outbox.overrun.done()
        line.session.publish(MessageText(message_id="a", text="x"), turn_id="t")
        line.session.publish(MessageText(message_id="a", text="x"), turn_id="t")
        assert line.outbox.overrun.done()


async def test_replies_beyond_the_limit_overrun_too() -> None:
    line = Line(Limits(replies=2))
    for number in range(3):
        assert not line.outbox.overrun.done()
        line.outbox.reply({"type": "pong", "id": str(number)})
    assert line.outbox.overrun.done()


async def test_the_session_learns_how_much_of_a_cut_message_was_sent() -> None:
    async with Line() as line:
        for id_, cut_off in (("a", False), ("b", True)):
            line.session.publish(
                MessageOpened(message_id=id_, round=1),
                MessageText(message_id=id_, text="Good day"),
                MessageClosed(message_id=id_, kind="response", interrupted=cut_off),
                turn_id="t",
            )
        await line.settled()
        assert line.session.told == []
        line.open.set()
        await line.settled()
    assert line.session.told == [("b", "sent", 8)]


async def test_sound_does_not_wait_for_entries_and_keeps_its_order() -> None:
    async with Line() as line:
        line.outbox.sound({"type": "audio.clip", "clip": 1}, 1)
        line.outbox.sound(b"\1\0\0\0sound", 1)
        line.outbox.sound_now({"type": "audio.pause"})
        line.session.publish(MessageOpened(message_id="a", round=1), turn_id="t")
        line.open.set()
        await line.settled()
    assert [text.split(",")[0] for text in line.sent] == [
        '{"type":"audio.pause"}',
        '{"type":"audio.clip"',
        "b'\\x01\\x00\\x00\\x00sound'",
        '{"type":"message.started"',
    ]


async def test_a_reader_that_stalls_gets_a_limited_amount_of_sound() -> None:
    async with Line(Limits(sound_behind_bytes=1_000)) as line:
        line.outbox.sound(bytes(900), 1)
        assert not line.outbox.overrun.done()
        line.outbox.sound(bytes(200), 1)
        assert line.outbox.overrun.done()

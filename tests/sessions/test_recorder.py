"""One writer per conversation: in order, durable before it is published, and never faster than its log."""

from collections.abc import Sequence

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    CustomerMessage,
    DeliveryReceipt,
    Entry,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    TurnStarted,
)
from assistant.conversation.state import ConversationState
from assistant.errors import LogError
from assistant.sessions.recorder import COMPANY_S, MOST_WAITING, Recorder
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import KEY, StoppingLog
from assistant.testing.virtual_time import VirtualClock
from tests.turn.slow_log import SlowLog


class Writing:
    """A recorder in the middle of a turn, and what it has published."""

    def __init__(self, log: MemoryLog | StoppingLog | SlowLog) -> None:
        self.state = ConversationState()
        self.batches: list[Sequence[Logged]] = []
        self.recorder = Recorder(KEY, self.state, log, VirtualClock(), self.batches.append)

    async def begin(self) -> None:
        """A message, its turn, and a first word, all durable."""
        said = CustomerMessage(message_id="u1", client_message_id="m1", text="Hello")
        await self.recorder.record("", said)
        started = TurnStarted(turn_id="t1", message_id="u1", cause="message", bundle="b")
        await self.recorder.record("t1", started)
        await self.recorder.record("t1", MessageOpened(message_id="t1/m1", round=1))
        await self.recorder.settled()
        self.batches.clear()

    async def says(self, *texts: str) -> None:
        for text in texts:
            await self.recorder.record("t1", MessageText(message_id="t1/m1", text=text))

    @property
    def published(self) -> list[Entry]:
        return [logged.entry for batch in self.batches for logged in batch]


def text(words: str) -> MessageText:
    return MessageText(message_id="t1/m1", text=words)


async def test_nothing_is_published_before_it_is_durable() -> None:
    clock = VirtualClock()
    log = SlowLog(clock, append_s=1)
    writing = Writing(log)
    await writing.recorder.record("", CustomerMessage(message_id="u1", client_message_id="m1", text="Hello"))

    await clock.sleep(0.9)
    assert (writing.published, await log.read(KEY)) == ([], [])
    await clock.sleep(0.2)

    assert writing.published == [logged.entry for logged in await log.read(KEY)] != []


async def test_the_state_has_an_entry_immediately() -> None:
    writing = Writing(SlowLog(VirtualClock(), append_s=1))

    await writing.recorder.record("", CustomerMessage(message_id="u1", client_message_id="m1", text="Hello"))

    assert [said.text for said in writing.state.waiting] == ["Hello"]
    assert writing.published == []


async def test_text_that_waits_for_the_disk_is_joined() -> None:
    clock = VirtualClock()
    writing = Writing(SlowLog(clock, append_s=1))
    await writing.begin()

    await writing.says("You")
    await clock.sleep(0.5)
    await writing.says(" are", " booked", " for Tuesday")
    await writing.recorder.record("t1", MessageClosed(message_id="t1/m1", kind="response"))
    await writing.recorder.settled()

    assert [[logged.entry for logged in batch] for batch in writing.batches] == [
        [text("You")],
        [text(" are booked for Tuesday"), MessageClosed(message_id="t1/m1", kind="response")],
    ]
    assert [logged.seq for batch in writing.batches for logged in batch] == [4, 5, 6]
    assert writing.state.turns[0].messages[0].text == "You are booked for Tuesday"


async def test_text_of_another_message_is_not_joined() -> None:
    writing = Writing(MemoryLog())
    await writing.begin()

    await writing.says("Sure.")
    await writing.recorder.record("t1", MessageOpened(message_id="t1/m2", round=2))
    await writing.recorder.record("t1", MessageText(message_id="t1/m2", text="You"))
    await writing.recorder.record("t1", text(" Really."))
    await writing.recorder.settled()

    assert [entry.text for entry in writing.published if isinstance(entry, MessageText)] == [
        "Sure.",
        "You",
        " Really.",
    ]


async def test_a_durable_entry_is_in_the_log_when_the_call_returns() -> None:
    clock = VirtualClock()
    log = SlowLog(clock, append_s=1)
    writing = Writing(log)
    said = CustomerMessage(message_id="u1", client_message_id="m1", text="Hello")

    await writing.recorder.record("", said, durable=True)

    assert [logged.entry for logged in await log.read(KEY)] == [said]
    assert clock.monotonic() == 1


async def test_a_writer_that_is_too_fast_has_to_wait() -> None:
    clock = VirtualClock()
    writing = Writing(SlowLog(clock, append_s=1))
    await writing.begin()
    began = clock.monotonic()

    for number in range(MOST_WAITING + 10):
        await writing.recorder.record("t1", MessageOpened(message_id=f"t1/m{number + 2}", round=1))

    assert clock.monotonic() > began


async def test_when_the_log_fails_nothing_is_accepted_and_listeners_know() -> None:
    log = StoppingLog(4)
    writing = Writing(log)
    await writing.begin()
    await writing.says("You")
    await writing.recorder.settled()

    await writing.says(" are")
    with pytest.raises(LogError):
        await writing.recorder.settled()
    with pytest.raises(LogError):
        await writing.says(" booked")

    assert writing.recorder.failure is not None
    assert writing.published == [text("You")] == [logged.entry for logged in log.kept[3:]]
    assert writing.batches[-1] == ()


async def test_a_caller_that_waits_for_durability_gets_the_failure() -> None:
    writing = Writing(StoppingLog(3))
    await writing.begin()

    with pytest.raises(LogError):
        await writing.recorder.record("t1", text("You"), durable=True)


async def test_the_first_word_is_written_immediately_and_the_rest_is_collected() -> None:
    writing = Writing(MemoryLog())
    await writing.begin()
    clock = VirtualClock()

    await writing.says("You")
    await clock.sleep(0.001)
    assert [len(batch) for batch in writing.batches] == [1]
    for word in (" owe", " $150", "."):
        await writing.says(word)
        await clock.sleep(0.001)
    assert [len(batch) for batch in writing.batches] == [1]

    await clock.sleep(COMPANY_S)

    assert writing.published[1:] == [MessageText(message_id="t1/m1", text=" owe $150.")]


async def test_heard_positions_are_collected_and_go_with_the_next_message() -> None:
    clock = VirtualClock()
    writing = Writing(MemoryLog())
    await writing.begin()
    first, second = (DeliveryReceipt(message_id="t1/m1", how="heard", up_to=up_to) for up_to in (0, 4))
    said = CustomerMessage(message_id="u2", client_message_id="v2", text="Stop", spoken=True)

    await writing.recorder.record("", first)
    await clock.sleep(COMPANY_S / 2)
    assert writing.published == []
    await clock.sleep(COMPANY_S)
    assert writing.published == [first]
    await writing.recorder.record("", second)
    await writing.recorder.record("", said)
    await clock.sleep(COMPANY_S / 2)

    assert [[logged.entry for logged in batch] for batch in writing.batches] == [[first], [second, said]]


async def test_a_log_with_a_bug_fails_like_any_other() -> None:
    class Buggy(MemoryLog):
        async def append(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
            raise RuntimeError("a bug in the log")

    writing = Writing(Buggy())

    with pytest.raises(LogError, match="a bug in the log"):
        await writing.begin()
    assert writing.batches == [()]

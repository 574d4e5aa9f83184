"""All conversations of a process: each is open once, and read again from the log after a failure."""

import asyncio
import gc
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged, MessageText
from assistant.conversation.state import ConversationState
from assistant.conversation.turn_state import TurnState
from assistant.errors import LogError
from assistant.prompts.book import shipped_book
from assistant.sessions import session_registry as module
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.retries import continue_failed_sessions
from assistant.sessions.session import Session
from assistant.sessions.session_registry import SessionRegistry
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import ANA, KEY, deps_for
from assistant.testing.fake_tool import Gives
from assistant.testing.script import Line, calls, says
from assistant.testing.scripted_model import ScriptedModel
from tests.turn.conftest import Company


def key(number: int) -> ConversationKey:
    return ConversationKey(tenant="shop", customer="ana", conversation=f"c-{number}")


def sessions_of(company: Company, *lines: Line, log: MemoryLog | None = None) -> SessionRegistry:
    """Conversations whose model follows these lines."""
    model = ScriptedModel(*lines, clock=company.clock)
    company.models.append(model)
    deps = deps_for(model, company.tools, shipped_book(), company.clock)
    return SessionRegistry(FixedConfig(deps), log or company.log, "epoch-1")


@contextmanager
def no_collections() -> Generator[None]:
    """Objects that only refer to each other stay in memory inside the block."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def in_memory() -> list[object]:
    """All sessions, conversations and turns, also those that nothing uses any more."""
    kinds = (Session, ConversationState, TurnState)
    return [
        one for one in gc.get_objects() if issubclass(type(one), kinds)
    ]  # not isinstance: some are proxies


class Refusing(MemoryLog):
    """Fails while it is told to; reading takes a while."""

    refuses = False
    unreadable = False
    reads = 0

    async def append(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
        if self.refuses:
            raise LogError("the disk is full")
        await super().append(key, entries)

    async def read(self, key: ConversationKey, after: int = 0) -> list[Logged]:
        self.reads += 1
        for _ in range(3):
            await asyncio.sleep(0)
        if self.unreadable:
            raise LogError("the disk is gone")
        return await super().read(key, after)


async def test_a_conversation_is_opened_once(company: Company) -> None:
    log = Refusing()
    sessions = sessions_of(company, log=log)

    opened = await asyncio.gather(*(sessions.open(KEY, ANA) for _ in range(4)))
    opened.append(await sessions.open(KEY, None))

    assert all(session is opened[0] for session in opened)
    assert log.reads == 1
    assert opened[0].epoch == "epoch-1"


async def test_two_conversations_do_not_affect_each_other(company: Company) -> None:
    sessions = sessions_of(company, says("Hello."))
    one, other = await sessions.open(key(1), ANA), await sessions.open(key(2), ANA)

    await one.say(client_message_id="m1", text="Hi", locale="en")
    await one.answered()
    await other.answered()

    assert [len(session.state.turns) for session in (one, other)] == [1, 0]


async def test_a_failed_session_is_replaced_by_a_new_one_from_the_log(company: Company) -> None:
    log = Refusing()
    # The model is asked during the append; its answer to a message that could not be stored is never shown.
    script = (says("Hello."), says("Never shown."), says("Still here."))
    sessions = sessions_of(company, *script, log=log)
    session = await sessions.open(KEY, ANA)
    await session.say(client_message_id="m1", text="Hi", locale="en")
    await session.answered()
    log.refuses = True
    await session.say(client_message_id="m2", text="Are you there?", locale="en")
    with pytest.raises(LogError):
        await session.answered()
    assert session.failed

    log.refuses = False
    fresh = await asyncio.gather(*(sessions.open(KEY, ANA) for _ in range(3)))

    assert fresh[0] is not session
    assert all(each is fresh[0] for each in fresh)
    assert await fresh[0].say(client_message_id="m2", text="Are you there?", locale="en") == "accepted"
    await fresh[0].answered()
    assert [message.text for turn in fresh[0].state.turns for message in turn.messages] == [
        "Hello.",
        "Still here.",
    ]


async def test_a_failed_opening_can_be_repeated(company: Company) -> None:
    log = Refusing()
    sessions = sessions_of(company, log=log)
    log.unreadable = True
    with pytest.raises(LogError):
        await sessions.open(KEY, ANA)

    log.unreadable = False
    session = await sessions.open(KEY, ANA)

    assert not session.failed


async def test_unanswered_messages_of_an_earlier_process_are_answered(company: Company) -> None:
    before = sessions_of(company, says("Hello.", first_s=9))
    session = await before.open(KEY, ANA)
    await session.say(client_message_id="m1", text="Hi", locale="en")
    await company.clock.sleep(1)
    await before.close(patience_s=0)

    after = sessions_of(company, says("Hello."))
    assert await after.resume_unfinished() == 1
    session = await after.open(KEY, None)
    await session.answered()

    assert session.customer.level == "verified"
    assert session.state.turns[-1].messages[-1].text == "Hello."
    assert await after.resume_unfinished() == 0


async def test_closing_lets_running_turns_end(company: Company) -> None:
    sessions = sessions_of(company, says("Hello.", first_s=3))
    session = await sessions.open(KEY, ANA)
    await session.say(client_message_id="m1", text="Hi", locale="en")

    await sessions.close()

    assert session.state.unfinished is None
    assert session.state.turns[-1].how == "answered"


async def test_a_session_is_idle_without_work_and_listeners(company: Company) -> None:
    sessions = sessions_of(company, calls("get_open_invoices"))
    company.billing.behaviour = Gives(150, after_s=5)
    session = await sessions.open(KEY, ANA)
    assert not session.idle, "who has come is being written down"
    await session.answered()
    assert session.idle
    stop = session.listen(lambda _: None)
    assert not session.idle
    stop()

    await session.say(client_message_id="m1", text="Check my bill", locale="en")
    await company.clock.sleep(1)
    assert not session.idle
    await session.stop()
    await company.clock.sleep(1)
    assert not session.idle, "a lookup still runs, and its outcome will be recorded"
    await company.clock.sleep(5)
    assert session.idle


async def test_unused_conversations_are_closed(company: Company) -> None:
    sessions = sessions_of(company)
    used = await sessions.open(key(0), ANA)
    used.listen(lambda _: None)
    unused = await sessions.open(key(1), ANA)
    await unused.answered()
    for number in range(2, module.KEEP_IDLE + 2):
        await (await sessions.open(key(number), ANA)).answered()

    assert await sessions.open(key(0), ANA) is used
    assert await sessions.open(key(1), ANA) is not unused


async def test_a_closed_conversation_leaves_the_memory_at_once(company: Company) -> None:
    sessions = sessions_of(company, calls("get_open_invoices"), says("Your balance is $150.00."))
    session = await sessions.open(KEY, ANA)
    await session.say(client_message_id="m1", text="What do I owe?", locale="en")
    await session.answered()
    await company.clock.sleep(1)
    parts = {id(session), id(session.state), id(session.state.turns[0])}
    with no_collections():
        assert {id(one) for one in in_memory()} >= parts
        del session
        sessions.close_unused(KEY)
        assert [one for one in in_memory() if id(one) in parts] == []


class Full(Refusing):
    """Says that it cannot be written while it refuses."""

    async def check_writable(self) -> None:
        if self.refuses:
            raise LogError("the disk is full")


async def test_a_turn_that_the_log_interrupted_continues_without_a_client(company: Company) -> None:
    log = Full()
    sessions = sessions_of(company, says("Never shown.", first_s=2), says("Hello."), log=log)
    continuing = asyncio.create_task(continue_failed_sessions(sessions, log, company.clock))
    session = await sessions.open(KEY, ANA)
    await session.say(client_message_id="m1", text="Hi", locale="en")
    await company.clock.sleep(1)
    log.refuses = True
    await company.clock.sleep(60)
    (model,) = company.models
    assert session.failed
    assert len(model.requests) == 1, "no model is asked in vain"
    with pytest.raises(LogError, match="the disk is full"):
        await sessions.open(KEY, ANA)

    log.refuses = False
    await company.clock.sleep(2)

    texts = [one.entry.text for one in await log.read(KEY) if isinstance(one.entry, MessageText)]
    assert "".join(texts) == "Hello."
    continuing.cancel()

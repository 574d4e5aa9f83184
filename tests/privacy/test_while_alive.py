"""A customer is erased while everything of theirs is running: nothing comes back, and the log is silent about
them.
"""

import asyncio
from collections.abc import Generator
from dataclasses import dataclass, replace
from io import StringIO

import pytest
import structlog

from assistant.commands.logging import set_up_logging
from assistant.conversation.customer import ConversationKey
from assistant.conversation.documents import Document
from assistant.privacy.customer_data import CustomerData
from assistant.prompts.book import shipped_book
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.sessions.session import Session
from assistant.sessions.session_registry import SessionRegistry
from assistant.testing.chat import ANA, deps_for
from assistant.testing.counted_ids import CountedIds
from assistant.testing.fake_tool import Broken, FakeTool, Gives, fake_spec
from assistant.testing.script import Line, breaks, calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.turn.context import RoleModel
from tests.privacy.conftest import DataFolder
from tests.privacy.planted import Words, raw
from tests.support.fake_summariser import FakeSummariser
from tests.support.handoff_scenario import FakeHandoffBackend

LONG_S = 1_000.0


def key(number: int, customer: str = "ana") -> ConversationKey:
    return ConversationKey(tenant="shop", customer=customer, conversation=f"{customer}-{number}")


@dataclass(frozen=True, slots=True)
class Town:
    """A server with open conversations."""

    data_folder: DataFolder
    tool: FakeTool
    slow: FakeTool
    sessions: SessionRegistry
    handoffs: HandoffRegistry
    customers: CustomerData

    async def says(self, where: ConversationKey, text: str, *, waits: bool = True) -> Session:
        session = await self.sessions.open(where, replace(ANA, id=where.customer))
        taken = await session.say(client_message_id=f"m{len(session.entries)}", text=text, locale="en")
        assert taken == "accepted"
        if waits:
            await session.answered()
        return session


def town_of(data_folder: DataFolder, word: Words, *lines: Line) -> Town:
    """The model follows these lines, the summary model takes long, and so does one of two tools."""
    tool = FakeTool(
        fake_spec("look_up", "looking", "look", arguments=("for_",)), Gives("nothing yet"), data_folder.clock
    )
    slow = FakeTool(
        replace(fake_spec("look_long", "looking", "look"), timeout_s=2 * LONG_S),
        Gives(word("a result that comes too late"), after_s=LONG_S),
        data_folder.clock,
    )
    model = ScriptedModel(*lines, clock=data_folder.clock)
    summary = word("a summary that comes too late")
    summariser = FakeSummariser(data_folder.clock, lambda _: summary, after_s=LONG_S)
    deps = replace(
        deps_for(model, [tool, slow], shipped_book(), data_folder.clock),
        summariser=RoleModel(model=summariser),
    )
    handoffs = HandoffRegistry(FakeHandoffBackend(clock=data_folder.clock), CountedIds("n"), 60.0)
    sessions = SessionRegistry(FixedConfig(deps), data_folder.log, epoch="1", takeover=handoffs.attach)
    customers = replace(data_folder.customers, live=sessions, others=(handoffs,))
    return Town(data_folder, tool, slow, sessions, handoffs, customers)


@pytest.fixture(autouse=True)
def told() -> Generator[StringIO, None, None]:
    """What the program logs at any level, as it is written: no customer's words."""
    written = StringIO()
    set_up_logging("DEBUG")
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(written))
    yield written
    structlog.reset_defaults()
    assert "orchid" not in written.getvalue()


async def test_no_running_work_brings_data_back(data_folder: DataFolder) -> None:
    ana, ben = Words("ana"), Words("ben")
    town = town_of(
        data_folder,
        ana,
        calls(("look_up", {"for_": ana("arguments")})),
        says(ana("an answer")),
        calls("look_long"),
        says([ana("an answer that is being said"), " and so on."], each_s=LONG_S),
        says(ben("an answer")),
    )
    town.tool.behaviour = Gives([ana("a large result"), *("x" * 40 for _ in range(200))])
    summed_up = await town.says(key(1), ana("a message"))
    calling = await town.says(key(2), ana("another message"), waits=False)
    await data_folder.clock.sleep(1)
    talking = await town.says(key(3), ana("a third message"), waits=False)
    await data_folder.clock.sleep(1)
    await town.says(key(1, "ben"), ben("a message"))
    data_folder.embedder.may_go_on.clear()
    data_folder.library.start()
    await data_folder.library.keep(a_file(ana("a file's text") * 200, ana("a file's name")))
    await data_folder.clock.sleep(1)
    assert town.slow.ran
    assert all(not one.idle for one in (summed_up, calling, talking))

    erasing = asyncio.ensure_future(town.customers.erase("shop", "ana"))
    await data_folder.clock.sleep(1)
    assert not erasing.done()  # what is at the embedding model is waited for
    data_folder.embedder.may_go_on.set()
    erased = await erasing
    assert all(one.idle for one in (summed_up, calling, talking))
    await data_folder.clock.sleep(20 * LONG_S)

    assert (erased.conversations, erased.documents) == (3, 2)
    assert all(one.failed and one.idle for one in (summed_up, calling, talking))
    left = raw(data_folder.folder)
    assert ana.found_in(left) == set()
    assert ben.found_in(left) == set(ben.planted)
    assert await data_folder.log.conversations("shop", "ana") == []
    assert await data_folder.library.documents("shop", "ana") == []
    assert [each.session.key for each in await town.handoffs.all_of("shop")] == [key(1, "ben")]
    assert town.handoffs.find_handoff("shop", "ana-1") is None
    await town.sessions.close()


def a_file(text: str, name: str) -> Document:
    return Document(ref="document:1", tenant="shop", customer="ana", kind="upload", title=name, text=text)


async def test_a_customer_who_comes_during_erasure_gets_a_new_conversation(data_folder: DataFolder) -> None:
    ana = Words("ana")
    town = town_of(data_folder, ana, says(ana("an answer")), says("Hello again."))
    before = await town.says(key(1), ana("a message"))
    heard: list[int] = []
    before.listen(lambda batch: heard.append(len(batch)))

    async with town.sessions.without("shop", "ana"):
        coming = asyncio.ensure_future(town.sessions.open(key(1), ANA))
        other = await town.sessions.open(key(1, "ben"), replace(ANA, id="ben"))
        await data_folder.clock.sleep(5)
        assert not coming.done()
        await data_folder.log.erase("shop", "ana")
    fresh = await coming

    assert heard == [0]
    assert before.failed
    assert (fresh.entries, fresh.state.said, other.failed) == ([], {}, False)
    assert (before.epoch, fresh.epoch) == ("1", "1.1")
    again = await town.says(key(1), "Hello")
    assert [line.text for line in again.state.said.values()] == ["Hello"]
    await town.sessions.close()


async def test_a_reader_during_the_erasure_reads_again(data_folder: DataFolder) -> None:
    ana = Words("ana")
    town = town_of(data_folder, ana, says(ana("an answer")))
    await town.says(key(1), ana("a message"))
    await town.sessions.close()

    # The entries are being read when the erasure begins: what comes of that is from before.
    coming = asyncio.ensure_future(town.sessions.open(key(1), ANA))
    await asyncio.sleep(0)
    await town.customers.erase("shop", "ana")
    fresh = await coming

    assert fresh.entries == []
    assert not fresh.failed


async def test_two_erasures_of_the_same_customer_run_one_after_the_other(data_folder: DataFolder) -> None:
    ana = Words("ana")
    town = town_of(data_folder, ana, says(ana("an answer")))
    await town.says(key(1), ana("a message"))

    one, other = await asyncio.gather(*(town.customers.erase("shop", "ana") for _ in range(2)))

    assert (one.conversations, other.nothing) == (1, True)


async def test_a_failure_is_logged_without_the_text(data_folder: DataFolder, told: StringIO) -> None:
    ana = Words("ana")
    town = town_of(
        data_folder,
        ana,
        calls(("look_up", {"for_": ana("arguments")})),
        says(ana("an answer")),
        calls(("look_up", {"wrong": ana("wrong arguments")})),
        breaks(ana("half an answer")),
        breaks(ana("another half")),
        breaks(ana("a third")),
        breaks(ana("a fourth")),
    )
    town.tool.behaviour = Broken()
    await town.says(key(1), ana("a message"))
    await town.says(key(2), ana("another message"))
    assert "tool raised" in told.getvalue()

    await data_folder.customers.export("shop", "ana")
    await town.customers.erase("shop", "ana")

    assert ana.found_in(raw(data_folder.folder)) == set()
    await town.sessions.close()

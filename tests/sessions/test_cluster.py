"""Several servers serve one conversation: any of them, after any of them has died, and each message once."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from assistant.conversation.customer import ConversationKey, Customer
from assistant.conversation.entries import CustomerMessage, Identified, Logged, MessageText
from assistant.conversation.transcript import transcript
from assistant.errors import BeingErased, Fenced
from assistant.prompts.book import shipped_book
from assistant.sessions.cluster import POLL_S, PRESENT_S, UNUSED_S, Cluster
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.followed_session import FollowedSession
from assistant.sessions.session import MOST_QUEUED, Session
from assistant.sessions.session_registry import SessionRegistry
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import ANA, KEY, parts_for
from assistant.testing.fake_tool import Gives
from assistant.testing.script import Line, calls, says
from assistant.testing.scripted_model import ScriptedModel
from tests.support.memory_leases import FencedLog, MemoryLeases, SharedLeases
from tests.turn.conftest import Company

LEASE_S = 10.0


class Server:
    """One of the servers. Its model follows these lines."""

    def __init__(
        self, name: str, company: Company, shared: SharedLeases, log: FencedLog, *lines: Line
    ) -> None:
        model = ScriptedModel(*lines, clock=company.clock)
        parts = parts_for(model, company.tools, shipped_book(), company.clock)
        self.cluster = Cluster(MemoryLeases(shared, log, name), log, company.clock, LEASE_S)
        self.sessions = SessionRegistry(FixedConfig(parts), log, "1", cluster=self.cluster)
        self._running: asyncio.Task[None] | None = None
        self.leave: Callable[[], None] = lambda: None

    async def begin(self) -> "Server":
        await self.cluster.beat()
        self._running = asyncio.create_task(self.cluster.run(self.sessions))
        return self

    async def freeze(self) -> None:
        """It is not heard of any more, and hears nothing; its turns go on."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running})

    async def die(self) -> None:
        """As by kill -9: it records nothing any more."""
        await self.freeze()
        for session in self.sessions.open_sessions().values():
            session.stop_recording(Fenced("dead"))

    async def stop(self) -> None:
        """As told by SIGTERM."""
        await self.freeze()
        await self.sessions.close(0.0)
        await self.cluster.close()

    async def opened(self, customer: Customer = ANA) -> Session:
        """The conversation, with a client's socket on it."""
        session = await self.sessions.open(KEY, customer)
        self.leave = session.listen(lambda _: None)
        return session


class Servers:
    """All servers, over one log."""

    def __init__(self, company: Company) -> None:
        self.company = company
        self.shared = SharedLeases(company.clock, LEASE_S)
        self.log = FencedLog(self.shared)
        self._all: list[Server] = []

    async def start(self, *lines: Line) -> Server:
        server = Server(f"server {len(self._all)}", self.company, self.shared, self.log, *lines)
        self._all.append(server)
        # As after a heartbeat: each knows of the others.
        await server.begin()
        for one in self._all:
            if self.shared.alive.get(one.cluster.leases.server, 0) > self.company.clock.monotonic():
                await one.cluster.beat()
        return server

    async def told(self) -> list[str]:
        """The whole conversation, as the log has it."""
        session = Session(
            key=KEY,
            entries=await self.log.read(KEY),
            configs=FixedConfig(
                parts_for(ScriptedModel(clock=self.company.clock), [], shipped_book(), self.company.clock)
            ),
            log=self.log,
            epoch="1",
        )
        return [f"{line.speaker}: {line.text}" for line in transcript(session.state)]


@pytest.fixture
async def servers(company: Company) -> AsyncIterator[Servers]:
    every = Servers(company)
    yield every
    for server in every._all:
        await server.freeze()


async def say(session: Session, text: str, number: int = 1) -> str:
    return await session.say(client_message_id=f"x{number}", text=text, locale="en")


def words(session: Session) -> str:
    return "".join(one.entry.text for one in session.entries if isinstance(one.entry, MessageText))


ANSWER = says(["Good ", "to ", "see ", "you ", "again."], first_s=1, each_s=1)


async def test_a_client_elsewhere_sees_the_sentence_grow(servers: Servers) -> None:
    here, elsewhere = await servers.start(ANSWER), await servers.start()
    ana = await here.opened()
    await say(ana, "Hi")
    await servers.company.clock.sleep(3.5)

    seen = await elsewhere.opened()
    assert isinstance(seen, FollowedSession)
    assert words(seen) == "Good to see "
    await servers.company.clock.sleep(1)
    assert words(seen) == "Good to see you "
    await servers.company.clock.sleep(2)

    assert words(seen) == words(ana) == "Good to see you again."
    assert [one.seq for one in seen.entries] == [*range(1, len(ana.entries) + 1)]


async def test_a_message_sent_elsewhere_is_answered_once_by_the_holder(servers: Servers) -> None:
    here, elsewhere = await servers.start(says("Hello."), says("Of course.")), await servers.start()
    ana = await here.opened()
    await say(ana, "Hi")
    await servers.company.clock.sleep(0.5)

    phone = await elsewhere.opened()
    assert [await say(phone, "Can you help me?", 2), await say(phone, "Can you help me?", 2)] == [
        "accepted"
    ] * 2
    await servers.company.clock.sleep(0.5)

    told = [
        "customer: Hi",
        "assistant: Hello.",
        "customer: Can you help me?",
        "assistant: Of course.",
    ]
    assert await servers.told() == told
    assert await say(phone, "Can you help me?", 2) == "known"
    assert words(phone) == "Hello.Of course."


async def test_without_any_hint_the_same_comes_a_moment_later(servers: Servers) -> None:
    servers.shared.hints = False
    here, elsewhere = await servers.start(says("Hello."), says("Of course.")), await servers.start()
    await say(await here.opened(), "Hi")
    await servers.company.clock.sleep(0.5)
    phone = await elsewhere.opened()
    await say(phone, "Can you help me?", 2)
    await servers.company.clock.sleep(2 * POLL_S + 0.5)

    assert words(phone) == "Hello.Of course."


async def test_who_comes_from_another_server_sees_no_less_than_there(servers: Servers) -> None:
    servers.shared.hints = False
    here, elsewhere = await servers.start(ANSWER), await servers.start()
    ana = await here.opened()
    phone = await elsewhere.opened()
    await say(ana, "Hi")
    await servers.company.clock.sleep(POLL_S / 2)
    while words(ana) == words(phone):
        await servers.company.clock.sleep(0.01)

    assert words(await elsewhere.opened()) == words(ana)

    await servers.company.clock.sleep(7)
    assert words(phone) == words(ana) == "Good to see you again."
    assert [one.seq for one in phone.entries] == [*range(1, len(ana.entries) + 1)]


async def test_a_dead_server_is_replaced_within_the_lease_and_two_seconds(servers: Servers) -> None:
    company = servers.company
    company.billing.behaviour = Gives([{"amount": "150.00"}], after_s=1)
    here = await servers.start(calls("get_open_invoices"), says(["You ", "owe ", "150.00."], each_s=1))
    ana = await here.opened()
    await say(ana, "What do I owe?")
    await company.clock.sleep(2.5)
    elsewhere = await servers.start(says("You owe 150.00."))
    await here.die()
    died = company.clock.monotonic()
    phone = await elsewhere.opened()
    assert isinstance(phone, FollowedSession)

    while "150.00" not in words(elsewhere.sessions.open_sessions()[KEY]):
        assert company.clock.monotonic() - died < LEASE_S + 2
        await company.clock.sleep(0.1)

    assert isinstance(phone.failure, Fenced), "the client is told to come back"
    assert not isinstance(await elsewhere.opened(), FollowedSession)
    assert len(company.billing.ran) == 1, "what was looked up is not looked up again"


async def test_who_comes_to_a_server_that_missed_the_rest_sees_it_all(servers: Servers) -> None:
    here, elsewhere = await servers.start(says("Hello.")), await servers.start(says("Of course."))
    ana = await here.opened()
    await say(ana, "Hi")
    await servers.company.clock.sleep(1)
    await here.freeze()
    await servers.company.clock.sleep(LEASE_S + 2)
    phone = await elsewhere.opened()
    await say(phone, "Can you help me?", 2)
    await phone.answered()
    assert words(ana) == "Hello."

    assert words(await here.opened()) == "Hello.Of course."
    assert isinstance(ana.failure, Fenced)


async def test_an_answer_that_the_log_refused_is_begun_again(servers: Servers) -> None:
    here = await servers.start(says(["Good."], first_s=2), says(["see ", "you."]))
    elsewhere = await servers.start()
    ana = await here.opened()
    await say(ana, "Hi")
    await servers.company.clock.sleep(1)
    phone = await elsewhere.opened()
    here.leave()
    servers.log.down = True
    await servers.company.clock.sleep(3)
    assert ana.failed

    servers.log.down = False
    await servers.company.clock.sleep(2 * POLL_S)

    assert await servers.told() == ["customer: Hi", "assistant: see you."]
    assert words(phone) == "see you."


async def test_a_server_that_wakes_up_later_may_not_write_any_more(servers: Servers) -> None:
    company = servers.company
    here = await servers.start(
        says(["Good ", "to ", "see ", "you ", "here ", "and ", "to ", "be ", "of ", "help."], each_s=2)
    )
    ana = await here.opened()
    await say(ana, "Hi")
    await company.clock.sleep(1)
    await here.freeze()
    await servers.start(says("and glad to help."))
    await company.clock.sleep(LEASE_S + 2)
    assert await servers.told() == ["customer: Hi", "assistant: Good to see you here and glad to help."]

    await company.clock.sleep(10)

    assert isinstance(ana.failure, Fenced)
    assert await servers.told() == ["customer: Hi", "assistant: Good to see you here and glad to help."]


async def test_a_server_that_is_stopped_hands_over_at_once(servers: Servers) -> None:
    here = await servers.start(says(["Good ", "to ", "see ", "you."], each_s=2))
    await servers.start(says(["Good ", "to ", "see ", "you, ", "Ana."]))
    ana = await here.opened()
    await say(ana, "Hi")
    await servers.company.clock.sleep(5)
    assert words(ana) == "Good to see "

    await here.stop()
    await servers.company.clock.sleep(0.5)

    assert await servers.told() == ["customer: Hi", "assistant: Good to see you, Ana."]


async def test_a_conversation_stays_where_it_is_while_any_client_is_there(servers: Servers) -> None:
    here, elsewhere = await servers.start(says("Hello."), says("Of course.")), await servers.start()
    await say(await here.opened(), "Hi")
    phone = await elsewhere.opened()
    here.leave()
    await servers.company.clock.sleep(3 * PRESENT_S)

    assert phone.failure is None
    await say(phone, "Can you help me?", 2)
    await servers.company.clock.sleep(0.5)
    assert (await servers.told())[-1] == "assistant: Of course."


async def test_an_unused_conversation_is_free_for_the_next_server(servers: Servers) -> None:
    here, elsewhere = await servers.start(says("Hello.")), await servers.start(says("Of course."))
    await say(await here.opened(), "Hi")
    await elsewhere.opened()
    here.leave()
    elsewhere.leave()
    await servers.company.clock.sleep(PRESENT_S + UNUSED_S + 2 * POLL_S)

    again = await elsewhere.opened()
    assert not isinstance(again, FollowedSession)
    await say(again, "Can you help me?", 2)
    await again.answered()
    assert (await servers.told())[-1] == "assistant: Of course."


async def test_messages_from_elsewhere_wait_while_the_queue_is_full(servers: Servers) -> None:
    answers = [says([f"Answer {number}."], first_s=1) for number in range(MOST_QUEUED + 2)]
    here, elsewhere = await servers.start(*answers), await servers.start()
    await here.opened()
    phone = await elsewhere.opened()

    for number in range(MOST_QUEUED + 2):
        assert await say(phone, f"Message {number}", number) == "accepted"
    await servers.company.clock.sleep(2 * MOST_QUEUED)

    assert await servers.told() == [
        line
        for number in range(MOST_QUEUED + 2)
        for line in (f"customer: Message {number}", f"assistant: Answer {number}.")
    ]


async def test_who_signs_in_elsewhere_is_known_to_the_holder(servers: Servers) -> None:
    here, elsewhere = await servers.start(says("Hello.")), await servers.start()
    ana = await here.opened(Customer(tenant="shop", id="ana"))
    await say(ana, "Hi")
    await servers.company.clock.sleep(1)
    await elsewhere.opened(ANA)
    await servers.company.clock.sleep(1)

    assert ana.customer.level == "verified"
    assert [one.entry.level for one in ana.entries if isinstance(one.entry, Identified)] == ["verified"]


async def test_two_servers_that_want_a_conversation_share_it(servers: Servers) -> None:
    both = await servers.start(says("Hello.")), await servers.start(says("Hello."))

    opened = await asyncio.gather(*(server.opened() for server in both))

    assert sorted(isinstance(one, FollowedSession) for one in opened) == [False, True]


async def test_what_is_erased_on_one_server_is_gone_on_all(servers: Servers) -> None:
    here, elsewhere = await servers.start(says("Hello.")), await servers.start()
    ana = await here.opened()
    await say(ana, "Hi")
    phone = await elsewhere.opened()
    third = await servers.start()
    await servers.company.clock.sleep(1)

    async with third.sessions.without("shop", "ana"):
        assert await servers.log.erase("shop", "ana") == 1
    await servers.company.clock.sleep(0.2)

    assert isinstance(ana.failure, BeingErased)
    assert isinstance(phone.failure, BeingErased)
    assert (await elsewhere.opened()).entries == []


async def test_an_answer_that_is_always_refused_is_tried_less_and_less_often(servers: Servers) -> None:
    here = await servers.start(*[says(["Good ", "to see you."], first_s=0.1)] * 9)
    ana = await here.opened()
    await say(ana, "Hi")
    await servers.company.clock.sleep(0.05)
    servers.log.full = True
    await servers.company.clock.sleep(130)
    servers.company.models.clear()

    assert 6 <= servers.log.refused <= 9


async def test_conversations_that_cannot_be_read_do_not_hold_up_the_others(servers: Servers) -> None:
    here = await servers.start(says(["Good ", "to ", "see you."], each_s=2))
    await say(await here.opened(), "Hi")
    await servers.company.clock.sleep(1)
    await servers.start(says(["Good ", "to ", "see you."]))
    await here.die()
    said = CustomerMessage(message_id="u1", client_message_id="x1", text="Hi")
    await servers.company.clock.sleep(LEASE_S - 2)
    for number in range(9):
        broken = ConversationKey(tenant="shop", customer="ana", conversation=f"a{number}")
        servers.shared.held[broken] = servers.shared.held[KEY]
        await MemoryLog.append(servers.log, broken, [Logged(1, 1, "", said)])
        servers.log.unreadable.add(broken)
    await servers.company.clock.sleep(4)

    assert await servers.told() == ["customer: Hi", "assistant: Good to see you."]


async def test_a_command_that_makes_no_sense_does_not_stop_the_others(servers: Servers) -> None:
    here, elsewhere = await servers.start(says("Hello.")), await servers.start()
    await here.opened()
    phone = await elsewhere.opened()
    await elsewhere.cluster.send(KEY, {"do": "stop", "unknown": 7})
    await say(phone, "Hi")
    await servers.company.clock.sleep(1)

    assert await servers.told() == ["customer: Hi", "assistant: Hello."]
    assert servers.shared.commands == []

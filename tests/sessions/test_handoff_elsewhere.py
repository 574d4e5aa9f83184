"""Agents and their customers may be connected to different servers."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from assistant.conversation.entries import (
    AgentMessage,
    CustomerMessage,
    ForwardedToAgent,
    Handoff,
    Logged,
    TurnEnded,
)
from assistant.errors import LogError
from assistant.sessions import session_registry
from assistant.sessions.followed_handoff import ANSWER_WITHIN_S, FollowedHandoff
from assistant.sessions.followed_session import FollowedSession
from assistant.sessions.handoff import SessionHandoff
from assistant.sessions.session import Session
from assistant.testing.chat import ANA, KEY
from assistant.testing.script import calls, says
from tests.support.servers import LEASE_S, Server, Servers
from tests.turn.conftest import Company

ASKS = (calls("talk_to_a_person"), says("I have asked for a colleague."))


@pytest.fixture
async def servers(company: Company) -> AsyncIterator[Servers]:
    every = Servers(company)
    yield every
    for server in every.every:
        await server.freeze()


class Agent:
    """An agent's page at one of the servers: ``heard`` are the entries that it received, in order."""

    def __init__(self, server: Server, tenant: str = KEY.tenant) -> None:
        self._server, self.heard = server, list[Logged]()
        server.handoffs.listen(tenant, self._hear)

    def _hear(self, update: tuple[Session, Sequence[Logged]]) -> None:
        self.heard.extend(update[1])

    async def finds(self, conversation: str = KEY.conversation) -> SessionHandoff:
        handoff = await self._server.handoffs.open_handoff(KEY.tenant, conversation)
        assert handoff is not None
        return handoff

    async def sees_waiting(self) -> list[str]:
        listed = await self._server.handoffs.all_of(KEY.tenant)
        return [f"{one.session.key.conversation}: {one.current.state}" for one in listed if one.current]


async def say(session: Session, text: str, number: int = 1) -> None:
    await session.say(client_message_id=f"x{number}", text=text, locale="en")


async def test_an_agent_on_another_server_takes_over(servers: Servers) -> None:
    here, elsewhere = await servers.start(*ASKS), await servers.start()
    ana = await here.opened()
    lea = Agent(elsewhere)
    await say(ana, "I want to talk to a person")
    await servers.company.clock.sleep(2)

    assert await lea.sees_waiting() == [f"{KEY.conversation}: queued"]
    handoff = await lea.finds()
    assert isinstance(handoff, FollowedHandoff)
    await handoff.accept("Lea", "operators")
    assert handoff.has_it("Lea", "operators")
    assert await handoff.say("a1", "Lea", "Hello, this is Lea.")
    assert await handoff.say("a1", "Lea", "Hello, this is Lea.")
    await say(ana, "Hello Lea", 2)
    await servers.company.clock.sleep(2)

    said = [logged.entry for logged in await servers.log.read(KEY)]
    assert [one.text for one in said if isinstance(one, AgentMessage)] == ["Hello, this is Lea."]
    assert any(isinstance(one.entry, ForwardedToAgent) for one in lea.heard)
    assert await handoff.end_handoff()
    assert (await servers.told())[-1].startswith("assistant: ")
    assert ana.state.handoff is None


@pytest.mark.parametrize("hints", [True, False])
async def test_a_waiting_agent_sees_a_new_request_elsewhere(servers: Servers, hints: bool) -> None:
    servers.shared.hints = hints
    here, elsewhere = await servers.start(*ASKS), await servers.start()
    ana, lea = await here.opened(), Agent(elsewhere)
    assert await lea.sees_waiting() == []
    await say(ana, "I want to talk to a person")
    await servers.company.clock.sleep(3)

    assert lea.heard
    assert await lea.sees_waiting() == [f"{KEY.conversation}: queued"]


async def test_two_agents_on_two_servers_get_one_conversation_once(servers: Servers) -> None:
    here, elsewhere = await servers.start(*ASKS), await servers.start()
    ana = await here.opened()
    await say(ana, "I want to talk to a person")
    await servers.company.clock.sleep(2)
    lea, tom = await Agent(elsewhere).finds(), await Agent(here).finds()
    await asyncio.gather(lea.accept("Lea", "operators"), tom.accept("Tom", "operators"))

    assert lea.has_it("Lea", "operators") != tom.has_it("Tom", "operators")
    assert lea.current == tom.current


async def test_a_customer_on_another_server_comes_back_from_the_agent(servers: Servers) -> None:
    holder, other = await servers.start(says("Hello."), says("Back.")), await servers.start()
    ana = await holder.opened()
    await say(ana, "Hi")
    await servers.company.clock.sleep(2)
    await (await Agent(holder).finds()).accept("Lea", "operators")
    followed = await other.opened()
    handoff = other.handoffs.find_handoff(KEY.tenant, KEY.conversation)
    assert handoff is not None
    assert handoff.has_person
    await handoff.give_back()

    assert followed.state.handoff is None


async def test_an_agent_is_told_when_the_other_server_is_dead(servers: Servers) -> None:
    here, elsewhere = await servers.start(*ASKS), await servers.start()
    ana = await here.opened()
    await say(ana, "I want to talk to a person")
    await servers.company.clock.sleep(2)
    lea = Agent(elsewhere)
    handoff = await lea.finds()
    await here.die()
    before = servers.company.clock.monotonic()
    with pytest.raises(LogError, match="did not answer within 5 s; try again"):
        await handoff.accept("Lea", "operators")
    assert servers.company.clock.monotonic() - before == ANSWER_WITHIN_S

    await servers.company.clock.sleep(LEASE_S + 2)
    again = await lea.finds()
    assert not isinstance(again, FollowedHandoff)
    # What she had asked for was carried out by the server that came after.
    await again.accept("Lea", "operators")
    assert again.has_it("Lea", "operators")


async def test_one_unreadable_conversation_hides_no_other_from_agents(servers: Servers) -> None:
    here, elsewhere = await servers.start(*ASKS, *ASKS), await servers.start()
    other = replace(KEY, conversation="c-0")
    for key in (other, KEY):
        session = await here.sessions.open(key, ANA)
        session.listen(lambda _: None)
        await say(session, "I want to talk to a person")
        await servers.company.clock.sleep(1)
    servers.log.unreadable.add(other)

    assert await Agent(elsewhere).sees_waiting() == [f"{KEY.conversation}: queued"]


async def test_actions_of_two_other_servers_follow_each_other(servers: Servers) -> None:
    here, second, third = (
        await servers.start(*ASKS, says("An answer that takes a while.", each_s=1.0)),
        await servers.start(),
        await servers.start(),
    )
    ana = await here.opened()
    await say(ana, "I want to talk to a person")
    await servers.company.clock.sleep(2)
    await say(ana, "And when are you open?", 2)
    await servers.company.clock.sleep(2)
    lea, tom = await Agent(second).finds(), await Agent(third).finds()

    both = lea.accept("Lea", "operators"), tom.end_handoff()
    await asyncio.gather(*both, return_exceptions=True)  # Lea may not see that she had it for a moment

    entries = [logged.entry for logged in await servers.log.read(KEY)]
    accepted = next(
        place for place, one in enumerate(entries) if isinstance(one, Handoff) and one.state == "accepted"
    )
    after = [one for one in entries[accepted:] if isinstance(one, Handoff | TurnEnded)]
    # Her action ends when the assistant is silent. Only then does his begin.
    assert [one.state if isinstance(one, Handoff) else one.how for one in after[:3]] == [
        "accepted",
        "interrupted",
        "ended",
    ]


async def test_a_late_action_from_elsewhere_does_not_affect_the_next_agent(servers: Servers) -> None:
    here, elsewhere = await servers.start(*ASKS), await servers.start()
    ana = await here.opened()
    await say(ana, "I want to talk to a person")
    await servers.company.clock.sleep(2)
    lea, tom = await Agent(elsewhere).finds(), await Agent(here).finds()
    await lea.accept("Lea", "operators")
    await here.freeze()
    late = [
        asyncio.create_task(lea.say("a1", "Lea", "Are you there?")),
        asyncio.create_task(lea.end_handoff()),
    ]
    await servers.company.clock.sleep(0.5)
    await tom.end_handoff()
    await tom.accept("Tom", "operators")
    await here.begin()
    await servers.company.clock.sleep(3)

    assert [await one for one in late] == [False, True]
    assert tom.has_it("Tom", "operators")
    said = [logged.entry for logged in await servers.log.read(KEY)]
    assert not any(isinstance(one, AgentMessage) for one in said)


async def test_a_request_that_is_found_late_is_reported(servers: Servers) -> None:
    servers.shared.hints = False
    here, elsewhere = await servers.start(*ASKS), await servers.start()
    await say(await here.opened(), "I want to talk to a person")
    await servers.company.clock.sleep(5)
    lea = Agent(elsewhere)
    await servers.company.clock.sleep(2)

    assert [one.entry.state for one in lea.heard if isinstance(one.entry, Handoff)] == ["queued"]


async def test_an_event_right_after_the_request_finds_its_handoff(servers: Servers) -> None:
    servers.shared.hints = False
    here, elsewhere = await servers.start(says("Hello."), *ASKS), await servers.start()
    ana = await here.opened()
    await say(ana, "Hi")
    await elsewhere.opened()
    await servers.company.clock.sleep(1)
    await say(ana, "I want to talk to a person", 2)
    await ana.answered()

    assert ana.state.handoff is not None
    assert (await Agent(elsewhere).finds()).current == ana.state.handoff


async def test_open_conversations_of_others_are_read_once(servers: Servers) -> None:
    here, elsewhere = await servers.start(says("Hello.")), await servers.start()
    await say(await here.opened(), "Hi")
    await servers.company.clock.sleep(2)
    Agent(elsewhere)
    await elsewhere.handoffs.all_of(KEY.tenant)
    servers.log.reads.clear()
    await servers.company.clock.sleep(60)

    assert servers.log.reads == []


async def test_the_first_listing_opens_each_conversation_once_and_some_together(servers: Servers) -> None:
    here, elsewhere = await servers.start(*[says("Hello.")] * 20), await servers.start()
    keys = [replace(KEY, conversation=f"c-{number}") for number in range(20)]
    for key in keys:
        session = await here.sessions.open(key, ANA)
        session.listen(lambda _: None)
        await say(session, "Hi")
    await servers.company.clock.sleep(2)
    servers.log.reads.clear()
    servers.log.read_s = 1.0
    began = servers.company.clock.monotonic()
    listed = await elsewhere.handoffs.all_of(KEY.tenant)

    assert len(listed) == 20
    assert sorted(one.conversation for one in servers.log.reads) == sorted(one.conversation for one in keys)
    assert servers.company.clock.monotonic() - began == 5.0  # four at the same time
    await elsewhere.handoffs.all_of(KEY.tenant)
    assert len(servers.log.reads) == 20


async def test_agents_stay_connected_to_more_than_stays_open(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_registry, "KEEP_IDLE", 1)
    here, elsewhere = await servers.start(*ASKS), await servers.start()
    ana, lea = await here.opened(), Agent(elsewhere)
    await say(ana, "I want to talk to a person")
    await servers.company.clock.sleep(2)
    await (await lea.finds()).accept("Lea", "operators")
    for number in range(3):
        await elsewhere.sessions.open(replace(KEY, conversation=f"other {number}"), ANA)
    await say(ana, "Hello Lea", 2)
    await servers.company.clock.sleep(1)

    said = [one.entry.text for one in lea.heard if isinstance(one.entry, CustomerMessage)]
    assert said == ["Hello Lea"]


async def test_entries_of_another_release_do_not_stop_the_rest(servers: Servers) -> None:
    here, elsewhere = await servers.start(*ASKS, *ASKS), await servers.start(says("I am back."))
    Agent(elsewhere)
    other = replace(KEY, conversation="c-0")
    servers.log.refusal = KeyError("a kind of another release")
    session = await here.sessions.open(other, ANA)
    servers.log.unreadable.add(other)
    session.listen(lambda _: None)
    await say(session, "I want to talk to a person")
    await say(await here.opened(), "Hi", 2)
    await here.die()
    await servers.company.clock.sleep(LEASE_S + 5)
    reads = servers.log.reads.count(other)

    assert not isinstance(elsewhere.sessions.open_sessions()[KEY], FollowedSession)
    assert reads < 8


async def test_a_conversation_that_another_server_continues_is_still_found(servers: Servers) -> None:
    here, second, third = await servers.start(*ASKS), await servers.start(), await servers.start()
    await say(await here.opened(), "I want to talk to a person")
    await servers.company.clock.sleep(2)
    lea = await Agent(second).finds()
    await here.die()
    await servers.company.clock.sleep(LEASE_S)
    assert await third.sessions.adopt(KEY)
    assert not await second.sessions.adopt(KEY)

    assert second.handoffs.find_handoff(KEY.tenant, KEY.conversation) is lea
    await lea.accept("Lea", "operators")
    assert third.sessions.open_sessions()[KEY].state.handoff == lea.current


async def test_another_companys_agent_finds_nothing(servers: Servers) -> None:
    here, elsewhere = await servers.start(*ASKS), await servers.start()
    rivals = [Agent(server, "rival") for server in (here, elsewhere)]
    await say(await here.opened(), "I want to talk to a person")
    await servers.company.clock.sleep(2)

    assert [rival.heard for rival in rivals] == [[], []]
    assert await elsewhere.handoffs.open_handoff("rival", KEY.conversation) is None
    assert await elsewhere.handoffs.all_of("rival") == []
    assert replace(KEY, tenant="rival") not in elsewhere.sessions.open_sessions()

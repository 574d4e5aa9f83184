"""Reports of another process about a long call reach its conversation on any server."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from assistant.conversation.entries import CallEnded, LongCallProgressed
from assistant.conversation.outcomes import CallSucceeded
from assistant.errors import LogError
from assistant.sessions.session import Session
from assistant.testing.chat import KEY
from assistant.testing.fake_tool import FakeTool, Gives
from assistant.testing.script import Line, calls, says
from tests.support.servers import LEASE_S, Server, Servers
from tests.turn.conftest import Company, spec

DAY_S = 86_400


@pytest.fixture
async def servers(company: Company) -> AsyncIterator[Servers]:
    long = replace(spec("prepare_export", "preparing your export", "prepare your export"), long=True)
    company.more.append(FakeTool(replace(long, timeout_s=9 * DAY_S), Gives(1, after_s=DAY_S), company.clock))
    every = Servers(company)
    yield every
    for server in every.every:
        await server.freeze()
        for session in server.sessions.open_sessions().values():
            await session.close()


async def started(servers: Servers, *lines: Line) -> tuple[Server, Session]:
    """A server on which a customer has started an export."""
    here = await servers.start(calls("prepare_export"), says("I've started."), *lines)
    ana = await here.opened()
    await ana.say(client_message_id="x1", text="Export my invoices", locale="en")
    await ana.answered()
    return here, ana


def ended(session: Session) -> CallEnded:
    return CallEnded(outcome=CallSucceeded(call=session.state.turns[0].calls[0], value=10), late=True)


async def test_the_holder_records_an_end_that_is_reported_elsewhere(servers: Servers) -> None:
    _, ana = await started(servers, says("10 invoices are ready."))
    elsewhere = await servers.start()
    progress = LongCallProgressed(call_id="c1.1", done=3, total=10, unit="pages")

    await elsewhere.sessions.record_long_call(KEY, "t1", progress)
    await elsewhere.sessions.record_long_call(KEY, "t1", ended(ana))
    assert str(ana.state.turns[0].long["c1.1"].progress) == "3 of 10 pages"
    assert ana.state.turns[0].outcomes["c1.1"] == ended(ana).outcome

    await servers.company.clock.sleep(5)
    assert (await servers.told())[-1] == "assistant: 10 invoices are ready."
    size = len(ana.entries)
    await elsewhere.sessions.record_long_call(KEY, "t1", ended(ana))
    assert len(ana.entries) == size


async def test_an_end_is_reported_again_until_a_server_records_it(servers: Servers) -> None:
    here, ana = await started(servers)
    elsewhere = await servers.start(says("10 invoices are ready."))
    await here.freeze()  # as by kill -9, with its lease

    with pytest.raises(LogError):
        async with servers.company.clock.timeout(LEASE_S + 15):
            await elsewhere.sessions.record_long_call(KEY, "t1", ended(ana))
    ana.stop_recording(LogError("dead"))
    await elsewhere.sessions.record_long_call(KEY, "t1", ended(ana))
    await servers.company.clock.sleep(5)
    assert (await servers.told())[-1] == "assistant: 10 invoices are ready."


async def test_the_end_of_an_erased_conversation_is_dropped(servers: Servers) -> None:
    here, ana = await started(servers)
    end = ended(ana)
    async with here.sessions.without(KEY.tenant, KEY.customer):
        await servers.log.erase(KEY.tenant, KEY.customer)

    await here.sessions.record_long_call(KEY, "t1", end)
    await asyncio.sleep(1)
    assert not await servers.log.read(KEY)

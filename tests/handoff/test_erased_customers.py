"""After the erasure of a customer, no handoff backend receives anything about them, and undelivered events are
deleted.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from assistant.handoff.backends import BuiltinInbox, CompositeBackend
from assistant.ports import HandoffRequest
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import KEY
from assistant.testing.script import calls, says
from assistant.testing.virtual_time import VirtualClock
from tests.handoff.conftest import FakeHelpdesk, Line
from tests.support.handoff_scenario import FakeHandoffBackend, HandoffScenario
from tests.support.memory_deliveries import MemoryDeliveries

ASKED = (calls(("talk_to_a_person", {"reason": "a complaint"})), says("I've asked."))
AWAY, THERE = (503, ""), (200, "{}")


async def test_undelivered_events_of_an_erased_customer_are_dropped(
    server: FakeHelpdesk, line: Callable[[], Line], log: MemoryLog, deliveries: MemoryDeliveries
) -> None:
    server.answers = [AWAY]
    scenario = HandoffScenario(log=log, other_backend=line().backend)
    ana = await scenario.opens(*ASKED)
    await ana.says("A person please")
    await scenario.clock.sleep(5)
    assert server.refused > 1
    assert deliveries.kept

    await scenario.handoffs.erase("shop", "ana")

    server.answers = [THERE]
    await scenario.clock.sleep(500)
    assert (server.taken, deliveries.kept) == ([], {})


async def test_a_delivery_in_progress_is_given_up(
    server: FakeHelpdesk, line: Callable[[], Line], log: MemoryLog, deliveries: MemoryDeliveries
) -> None:
    one = line()
    scenario = HandoffScenario(log=log, other_backend=one.backend)
    ana = await scenario.opens(*ASKED)
    await ana.says("A person please")
    await scenario.handoff.accept("Sam")
    await one.settled()
    server.answers = [AWAY]
    await ana.says("My parcel is broken")
    await scenario.clock.sleep(5)

    await one.backend.erase("shop", "ana")

    server.answers = [THERE]
    await one.settled()
    assert "message.created" not in server.events
    assert deliveries.kept == {}


async def test_events_of_another_customer_are_still_delivered(
    server: FakeHelpdesk, line: Callable[[], Line], log: MemoryLog, deliveries: MemoryDeliveries
) -> None:
    scenario = HandoffScenario(log=log, other_backend=line().backend)
    ana = await scenario.opens(*ASKED)
    await ana.says("A person please")

    for tenant, customer in (("shop", "ben"), ("bank", "ana")):
        await scenario.handoffs.erase(tenant, customer)

    await scenario.handoff.accept("Sam")
    await scenario.clock.sleep(1)
    assert server.events == ["handoff.requested", "handoff.accepted"]
    assert list(deliveries.kept) == [("handoff", KEY)]


async def test_several_backends_are_no_longer_asked_and_all_forget(clock: VirtualClock) -> None:
    slow = FakeHandoffBackend(clock=clock, after_s=1000)
    backends = CompositeBackend(BuiltinInbox(), slow)
    anas = HandoffRequest(key=KEY, handoff_id="h1", why="a complaint", locale="en", transcript=())
    bens = replace(anas, key=replace(KEY, customer="ben"))
    await backends.request(anas)
    await backends.request(bens)
    before = len(asyncio.all_tasks())

    await backends.erase("shop", "ana")
    await clock.sleep(0)

    assert len(asyncio.all_tasks()) == before - 1
    assert slow.told == ["request h1", "request h1", "erase shop ana"]
    await backends.stop()

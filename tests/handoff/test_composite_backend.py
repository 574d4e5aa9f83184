"""Each handoff backend is asked, and the first to accept queues the request. One that is broken or silent does
not affect the others.
"""

import asyncio

import pytest

from assistant.handoff.backends import BuiltinInbox, CompositeBackend
from assistant.ports import HandoffAnswer, HandoffRequest, NoAgentAvailable, Queued
from assistant.testing.chat import KEY
from assistant.testing.virtual_time import VirtualClock
from tests.support.handoff_scenario import FakeHandoffBackend

ASKED = HandoffRequest(key=KEY, handoff_id="h1", why="a complaint", locale="en", transcript=())


@pytest.mark.parametrize(
    ("first", "second", "answer"),
    [
        (Queued(), NoAgentAvailable(why="busy"), Queued()),
        (NoAgentAvailable(why="busy"), Queued(), Queued()),
        (NoAgentAvailable(why="busy"), NoAgentAvailable(why="busy"), NoAgentAvailable(why="busy; busy")),
        (RuntimeError("broken"), Queued(), Queued()),
        (
            RuntimeError("broken"),
            NoAgentAvailable(why="busy"),
            NoAgentAvailable(why="RuntimeError('broken'); busy"),
        ),
    ],
)
async def test_one_backend_that_queues_the_request_is_enough(
    clock: VirtualClock, first: HandoffAnswer | Exception, second: HandoffAnswer, answer: HandoffAnswer
) -> None:
    backends = CompositeBackend(
        FakeHandoffBackend(clock=clock, answer=first),
        FakeHandoffBackend(clock=clock, answer=second, after_s=1),
    )

    assert await backends.request(ASKED) == answer


async def test_a_slow_backend_is_asked_until_there_is_a_ticket(clock: VirtualClock) -> None:
    slow = FakeHandoffBackend(clock=clock, after_s=1000)
    backends = CompositeBackend(BuiltinInbox(), slow)
    began = clock.monotonic()

    answer = await backends.request(ASKED)
    at_work = len(asyncio.all_tasks())
    await backends.ticket(ASKED, "T-1")
    await clock.sleep(0)

    assert (answer, clock.monotonic()) == (Queued(), began)
    assert len(asyncio.all_tasks()) == at_work - 1
    assert slow.told == ["request h1", "ticket h1 T-1"]


async def test_all_backends_are_notified_of_everything(clock: VirtualClock) -> None:
    backends = [FakeHandoffBackend(clock=clock), FakeHandoffBackend(clock=clock)]
    several = CompositeBackend(BuiltinInbox(), *backends)

    await several.request(ASKED)
    await several.pass_on(KEY, "h1")
    await several.close(KEY, "h1")
    await several.stop()

    assert [backend.told for backend in backends] == [["request h1", "pass_on h1", "close h1"]] * 2

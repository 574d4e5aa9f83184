"""Notices for operators on the page."""

from dataclasses import replace

import pytest

from assistant.sessions.listeners import Notice, Notices
from tests.server.client import Client, Frame
from tests.server.running_server import RunningServer, new_server, opened


class Edits(Notices):
    """Notices from a test."""

    def __init__(self, problem: str | None = None) -> None:
        super().__init__()
        self.problem = problem

    @property
    def listening(self) -> int:
        return len(self._listeners)

    def tell(self, *, problem: bool, message: str) -> None:
        self.notify(Notice(problem, message))


def edited(edits: Edits, *, allowed: bool = True) -> RunningServer:
    server = new_server()
    server.context = replace(server.context, notices=edits, notices_allowed=allowed)
    return server


def notice(*, problem: bool, message: str) -> Frame:
    return {"type": "notice", "problem": problem, "message": message}


async def test_a_problem_and_its_end_are_reported_immediately() -> None:
    edits = Edits("prompts/models/narrator.j2:3: unknown variable 'tone'")
    async with opened(edited(edits)) as server:
        ana = Client(server)
        welcome = await ana.enter(capabilities={"notices": True})
        first = await ana.hear()
        edits.tell(problem=False, message="prompts/models/narrator.j2 is taken up")
        second = await ana.hear()
        edits.tell(problem=True, message="tools/billing.py:9: no waiting hint")
        third = await ana.hear()
        await ana.leave()
        other = Client(server)
        await other.enter()
        assert await other.hears_nothing_more()
        listening = edits.listening
    assert welcome["notices"] is True
    assert [first, second, third] == [
        notice(problem=True, message="prompts/models/narrator.j2:3: unknown variable 'tone'"),
        notice(problem=False, message="prompts/models/narrator.j2 is taken up"),
        notice(problem=True, message="tools/billing.py:9: no waiting hint"),
    ]
    assert listening == 0


@pytest.mark.parametrize(("allowed", "asked"), [(True, False), (False, True)])
async def test_notices_are_sent_to_clients_that_ask_and_may(allowed: bool, asked: bool) -> None:
    edits = Edits("broken")
    async with opened(edited(edits, allowed=allowed)) as server:
        ana = Client(server)
        welcome = await ana.enter(capabilities={"notices": asked})
        edits.tell(problem=True, message="more broken")
        assert await ana.hears_nothing_more()
    assert welcome["notices"] is False


async def test_without_a_problem_nothing_is_sent() -> None:
    async with opened(edited(Edits())) as server:
        ana = Client(server)
        await ana.enter(capabilities={"notices": True})
        assert await ana.hears_nothing_more()

"""Makes things happen while an answer is on its way: stops, disconnections, restarts, and what agents do."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never, cast

from assistant.conversation.customer import ConversationKey
from assistant.ports import Clock, HandoffAnswer, HandoffRequest, NoAgentAvailable, Queued
from assistant.replay.cassette import ByAPerson, Event, People, Turn
from assistant.replay.played import Mismatches
from assistant.replay.player.client import Client
from assistant.replay.player.server import ReplayServer
from assistant.sessions.handoff import HandoffRegistry, SessionHandoff
from assistant.testing.counted_ids import CountedIds


@dataclass(frozen=True, slots=True)
class FakeHandoffBackend:
    """Answers at once: an agent will look, or no agent is there."""

    there: bool

    async def request(self, asked: HandoffRequest) -> HandoffAnswer:  # noqa: ARG002 - as the port has it
        """As the cassette says."""
        return Queued() if self.there else NoAgentAvailable(why="nobody is there")

    async def pass_on(self, key: ConversationKey, handoff_id: str) -> None:
        """The cassette knows what the person answers."""

    async def ticket(self, asked: HandoffRequest, number: str) -> None:
        """Does nothing: no agent reads it."""

    async def close(self, key: ConversationKey, handoff_id: str) -> None:
        """Does nothing: the agent is gone."""

    async def erase(self, tenant: str, customer: str) -> None:
        """Does nothing: a replay erases no customer."""

    async def stop(self) -> None:
        """Does nothing: it holds no resource."""


def handoffs_for(people: People) -> HandoffRegistry:
    """The way to these agents."""
    return HandoffRegistry(FakeHandoffBackend(people.available), CountedIds("h"), people.wait_s)


async def act(handoff: SessionHandoff, what: ByAPerson, words: str, message_id: str) -> str | None:
    """Let a person do something; gives why it came to nothing, where it did."""
    match what:
        case "agent_accepts":
            has_it = (await handoff.accept(words)).name
            return None if has_it == words else f"{has_it} had the conversation when {words} accepted"
        case "agent_says":
            name = handoff.current.name if handoff.current is not None else ""
            said = await handoff.say(message_id, name, words)
            return None if said else f"no person had the conversation to say {words!r}"
        case "agent_ends":
            return None if await handoff.end_handoff() else "there was nothing that a person could end"
        case "agent_declines":
            return None if await handoff.decline(words) else "nobody was asked, so nobody could decline"
        case _:
            assert_never(what)


@dataclass(slots=True, eq=False)
class _Fault:
    """An event, and what has become of it: if it has taken effect, and whether it was this that cut the line."""

    turn: int
    client_id: str
    event: Event
    injected: bool = False
    cut: bool = False


class FaultInjector:
    """The events of all turns, each in a task of its own."""

    def __init__(self, client: Client, server: ReplayServer, clock: Clock, mismatches: Mismatches) -> None:
        self._client, self._server, self._clock, self._mismatches = client, server, clock, mismatches
        self._tasks: dict[asyncio.Task[None], _Fault] = {}
        self._acts = 0

    def schedule(self, number: int, client_id: str, turn: Turn) -> None:
        """The turn's message is sent just now: see to everything that belongs to it."""
        for event in turn.meanwhile:
            fault = _Fault(number, client_id, event)
            self._tasks[asyncio.create_task(self._run(fault))] = fault

    async def finish(self) -> None:
        """Wait for what is still to come; note, and give up, what waits for words that were never shown."""
        for task, fault in self._tasks.items():
            words = fault.event.after
            if words is None or fault.injected:
                await task
            else:
                what = fault.event.happens
                self._mismatches.add(f"{words!r} was never shown, so there was no {what}", fault.turn)
        await self.cancel_all()

    async def cancel_all(self) -> None:
        """End whatever still waits."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, fault: _Fault) -> None:
        event = fault.event
        if event.after is None:
            await self._clock.sleep((event.at_ms or 0) / 1000)
            self._inject(fault)
        else:
            # Injected while the words are being heard: a moment later the customer would have seen more.
            await self._shown(event.after, fault.client_id, lambda: self._inject(fault))
        if event.happens in {"disconnect", "restart"}:
            await self._come_back(fault)
        elif event.happens == "heard_up_to":
            await self._hear(fault)
        elif event.by_a_person:
            await self._by_a_person(fault)

    async def _shown(self, words: str, client_id: str, inject: Callable[[], None]) -> None:
        shown = asyncio.Event()

        def then() -> None:
            inject()
            shown.set()

        self._client.view.when(lambda: self._turn_id(client_id), words, then)
        await shown.wait()

    def _turn_id(self, client_id: str) -> str | None:
        turn = self._server.turn(client_id)
        return turn.id if turn is not None else None

    def _inject(self, fault: _Fault) -> None:
        fault.injected = True
        match fault.event.happens:
            case "stop" if not self._client.send_cancel():
                self._mismatches.add("stop was pressed while there was no line", fault.turn)
            case "typing" if not self._client.send_typing():
                self._mismatches.add("the customer typed while there was no line", fault.turn)
            case "wants_assistant" if not self._client.end_handoff():
                self._mismatches.add("the customer wanted the assistant while there was no line", fault.turn)
            case "restart":
                # At once: who comes back at this very moment must not get in between.
                self._server.refuse_connections()
                fault.cut = self._client.disconnect()
            case "disconnect":
                fault.cut = self._client.disconnect()
                if not fault.cut:
                    self._mismatches.add("the line was cut already when it was to be cut", fault.turn)
            case _:
                pass

    async def _hear(self, fault: _Fault) -> None:
        words = fault.event.words or ""
        if not await self._server.mark_heard(words, fault.client_id, fault.event.message):
            self._mismatches.add(f"{words!r} had not been said, so nobody could hear it", fault.turn)

    async def _by_a_person(self, fault: _Fault) -> None:
        event, handoff = fault.event, self._server.handoff
        self._acts += 1
        what = cast("ByAPerson", event.happens)
        why = (
            await act(handoff, what, event.words or "", f"p{self._acts}")
            if handoff is not None
            else "nothing had been said yet that a person could take over"
        )
        if why is not None:
            self._mismatches.add(why, fault.turn)

    async def _come_back(self, fault: _Fault) -> None:
        await self._client.wait_until_disconnected()
        if fault.event.happens == "restart":
            await self._server.stop()
            await self._server.start()
        await self._clock.sleep(fault.event.for_ms / 1000)
        if fault.cut:
            self._client.connect()

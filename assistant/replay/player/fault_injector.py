"""Causes events while an answer is in progress: stops, disconnections, restarts, and agents' actions."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from assistant.handoff.backends import BuiltinInbox
from assistant.ports import Clock, HandoffAnswer, HandoffRequest, NoAgentAvailable
from assistant.replay.cassette import Event, People, Turn
from assistant.replay.played import Mismatches
from assistant.replay.player.client import Client
from assistant.replay.player.server import ReplayServer
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.testing.counted_ids import CountedIds


class NoAgents(BuiltinInbox):
    """An inbox that declines each request: no agent is available."""

    async def request(self, asked: HandoffRequest) -> HandoffAnswer:  # noqa: ARG002 - as the port has it
        """Decline immediately."""
        return NoAgentAvailable(why="no agent is available")


def handoffs_for(people: People, name: str = "id-") -> HandoffRegistry:
    """Returns the handoff backends for a cassette with these agents, and whose conversation has this name."""
    ids = CountedIds("h" if name == "id-" else f"h-{name}")
    return HandoffRegistry(BuiltinInbox() if people.available else NoAgents(), ids, people.wait_s)


@dataclass(slots=True, eq=False)
class _Fault:
    """An event of a turn. It knows whether it has happened, and whether it broke the connection."""

    turn: int
    client_id: str
    event: Event
    injected: bool = False
    cut: bool = False


_SENT: Final[Mapping[str, tuple[str, str]]] = {
    "stop": ("cancel", "stop was pressed while there was no line"),
    "typing": ("typing", "the customer typed while there was no line"),
    "wants_assistant": ("handoff.end", "the customer wanted the assistant while there was no line"),
}
"""The frame that the client sends for an event, and the report if it is not connected."""


class FaultInjector:
    """Runs the events of all turns, each in its own task."""

    def __init__(self, client: Client, server: ReplayServer, clock: Clock, mismatches: Mismatches) -> None:
        self._client, self._server, self._clock, self._mismatches = client, server, clock, mismatches
        self._tasks: dict[asyncio.Task[None], _Fault] = {}
        self._acts = 0

    def schedule(self, number: int, client_id: str, turn: Turn) -> None:
        """Start the turn's events; call it right after its message was sent."""
        for event in turn.meanwhile:
            fault = _Fault(number, client_id, event)
            self._tasks[asyncio.create_task(self._run(fault))] = fault

    async def finish(self) -> None:
        """Wait for all events. Those that wait for words that were never shown are reported and cancelled."""
        for task, fault in self._tasks.items():
            words = fault.event.after
            if words is None or fault.injected:
                await task
            else:
                what = fault.event.happens
                self._mismatches.add(f"{words!r} was never shown, so there was no {what}", fault.turn)
        await self.cancel_all()

    async def cancel_all(self) -> None:
        """Cancel the waiting events."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, fault: _Fault) -> None:
        event = fault.event
        if event.after is None:
            await self._clock.sleep((event.at_ms or 0) / 1000)
            self._inject(fault)
        else:
            await self._inject_after(event.after, fault)
        if event.happens in {"disconnect", "restart"}:
            await self._come_back(fault)
        elif event.happens == "heard_up_to" or event.by_a_person:
            why = await (self._hear(fault) if event.happens == "heard_up_to" else self._act(event))
            if why is not None:
                self._mismatches.add(why, fault.turn)

    async def _inject_after(self, words: str, fault: _Fault) -> None:
        """Run the event while the words are being received, before the customer sees more."""
        shown = asyncio.Event()

        def turn_id() -> str | None:
            turn = self._server.turn(fault.client_id)
            return turn.id if turn is not None else None

        def then() -> None:
            self._inject(fault)
            shown.set()

        self._client.view.when(turn_id, words, then)
        await shown.wait()

    def _inject(self, fault: _Fault) -> None:
        fault.injected = True
        happens = fault.event.happens
        if happens in _SENT:
            frame, otherwise = _SENT[happens]
            if not self._client.send(frame):
                self._mismatches.add(otherwise, fault.turn)
        elif happens == "restart":
            # Immediately, so that a client that reconnects at this moment cannot connect.
            self._server.refuse_connections()
            fault.cut = self._client.disconnect()
        elif happens == "disconnect":
            fault.cut = self._client.disconnect()
            if not fault.cut:
                self._mismatches.add("the line was cut already when it was to be cut", fault.turn)

    async def _hear(self, fault: _Fault) -> str | None:
        """Record how far the customer heard. Returns the reason if that failed."""
        words = fault.event.words or ""
        heard = await self._server.mark_heard(words, fault.client_id, fault.event.message)
        return None if heard else f"{words!r} had not been said, so it could not be heard"

    async def _act(self, event: Event) -> str | None:
        """Do what an agent does in this event. Returns the reason if that failed."""
        handoff, words = self._server.handoff, event.words or ""
        self._acts += 1
        if handoff is None:
            return "nothing had been said yet that a person could take over"
        match event.happens:
            case "agent_accepts":
                name = (await handoff.accept(words)).name
                return None if name == words else f"{name} had the conversation when {words} accepted"
            case "agent_says":
                name = handoff.current.name if handoff.current is not None else ""
                said = await handoff.say(f"p{self._acts}", name, words)
                return None if said else f"no person had the conversation to say {words!r}"
            case "agent_ends":
                return None if await handoff.end_handoff() else "there was nothing that a person could end"
            case _:
                return (
                    None if await handoff.decline(words) else "no agent had been asked, so none could decline"
                )

    async def _come_back(self, fault: _Fault) -> None:
        await self._client.wait_until_disconnected()
        if fault.event.happens == "restart":
            await self._server.stop()
            await self._server.start()
        await self._clock.sleep(fault.event.for_ms / 1000)
        if fault.cut:
            self._client.connect()

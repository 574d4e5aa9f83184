"""Lets things happen while an answer is on its way: stops, cuts, servers that start again, people who come."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from assistant.ports import Clock
from assistant.replay.cassette import ByAPerson, Event, Turn
from assistant.replay.played import Notes
from assistant.replay.player.client import Client
from assistant.replay.player.fake_agents import act
from assistant.replay.player.server import House


@dataclass(slots=True, eq=False)
class _Happening:
    """An event, and what has become of it: whether it has struck, and whether it was this that cut the line."""

    turn: int
    client_id: str
    event: Event
    struck: bool = False
    cut: bool = False


class Happenings:
    """The events of all turns, each in a task of its own."""

    def __init__(self, client: Client, house: House, clock: Clock, notes: Notes) -> None:
        self._client, self._house, self._clock, self._notes = client, house, clock, notes
        self._tasks: dict[asyncio.Task[None], _Happening] = {}
        self._acts = 0

    def begin(self, number: int, client_id: str, turn: Turn) -> None:
        """The turn's message is sent just now: see to everything that belongs to it."""
        for event in turn.meanwhile:
            happening = _Happening(number, client_id, event)
            self._tasks[asyncio.create_task(self._happen(happening))] = happening

    async def over(self) -> None:
        """Wait for what is still to come; note, and give up, what waits for words that were never shown."""
        for task, happening in self._tasks.items():
            words = happening.event.after
            if words is None or happening.struck:
                await task
            else:
                what = happening.event.happens
                self._notes.add(f"{words!r} was never shown, so there was no {what}", happening.turn)
        await self.give_up()

    async def give_up(self) -> None:
        """End whatever still waits."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _happen(self, happening: _Happening) -> None:
        event = happening.event
        if event.after is None:
            await self._clock.sleep((event.at_ms or 0) / 1000)
            self._strike(happening)
        else:
            # Struck while the words are being heard: a moment later the customer would have seen more.
            await self._shown(event.after, happening.client_id, lambda: self._strike(happening))
        if event.happens in {"disconnect", "restart"}:
            await self._come_back(happening)
        elif event.happens == "heard_up_to":
            await self._hear(happening)
        elif event.by_a_person:
            await self._by_a_person(happening)

    async def _shown(self, words: str, client_id: str, strike: Callable[[], None]) -> None:
        shown = asyncio.Event()

        def then() -> None:
            strike()
            shown.set()

        self._client.screen.when(lambda: self._turn_id(client_id), words, then)
        await shown.wait()

    def _turn_id(self, client_id: str) -> str | None:
        turn = self._house.turn(client_id)
        return turn.id if turn is not None else None

    def _strike(self, happening: _Happening) -> None:
        happening.struck = True
        match happening.event.happens:
            case "stop" if not self._client.stops():
                self._notes.add("stop was pressed while there was no line", happening.turn)
            case "typing" if not self._client.types():
                self._notes.add("the customer typed while there was no line", happening.turn)
            case "wants_assistant" if not self._client.wants_assistant():
                self._notes.add("the customer wanted the assistant while there was no line", happening.turn)
            case "restart":
                # At once: who comes back at this very moment must not get in between.
                self._house.shut()
                happening.cut = self._client.cut()
            case "disconnect":
                happening.cut = self._client.cut()
                if not happening.cut:
                    self._notes.add("the line was cut already when it was to be cut", happening.turn)
            case _:
                pass

    async def _hear(self, happening: _Happening) -> None:
        words = happening.event.words or ""
        if not await self._house.hear(words, happening.client_id, happening.event.message):
            self._notes.add(f"{words!r} had not been said, so nobody could hear it", happening.turn)

    async def _by_a_person(self, happening: _Happening) -> None:
        event, handoff = happening.event, self._house.handoff
        self._acts += 1
        what = cast("ByAPerson", event.happens)
        why = (
            await act(handoff, what, event.words or "", f"p{self._acts}")
            if handoff is not None
            else "nothing had been said yet that a person could take over"
        )
        if why is not None:
            self._notes.add(why, happening.turn)

    async def _come_back(self, happening: _Happening) -> None:
        await self._client.gone()
        if happening.event.happens == "restart":
            await self._house.end()
            await self._house.start()
        await self._clock.sleep(happening.event.for_ms / 1000)
        if happening.cut:
            self._client.enter()

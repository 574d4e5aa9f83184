"""Lets things happen while an answer is on its way: stops, cuts, servers that end and start again."""

import asyncio

from assistant.ports import Clock
from assistant.replay.cassette.cassette import Turn
from assistant.replay.cassette.events import Event
from assistant.replay.player.client import Client
from assistant.replay.player.house import House
from assistant.replay.player.notes import Notes


class Happenings:
    """The events of all turns, each in a task of its own."""

    def __init__(self, client: Client, house: House, clock: Clock, notes: Notes) -> None:
        self._client, self._house, self._clock, self._notes = client, house, clock, notes
        self._timed: list[asyncio.Task[None]] = []
        self._awaiting_words: dict[asyncio.Task[None], tuple[int, Event]] = {}

    def begin(self, number: int, client_id: str, turn: Turn) -> None:
        """The turn's message has been sent just now: see to everything that belongs to it."""
        for event in turn.meanwhile:
            if event.after is None:
                self._timed.append(asyncio.create_task(self._in_time(event, number)))
            else:
                task = asyncio.create_task(self._after_words(event, event.after, number, client_id))
                self._awaiting_words[task] = (number, event)

    async def over(self) -> None:
        """Wait for what happens at a time; give up, and note, what waits for words that never came."""
        if self._timed:
            await asyncio.gather(*self._timed)
        for task, (number, event) in self._awaiting_words.items():
            if not task.done():
                self._notes.add(f"{event.happens} never came: nobody was shown {event.after!r}", number)
        await self.give_up()

    async def give_up(self) -> None:
        """End whatever still waits."""
        tasks = [*self._timed, *self._awaiting_words]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _in_time(self, event: Event, number: int) -> None:
        await self._clock.sleep((event.at_ms or 0) / 1000)
        self._strike(event, number)
        await self._follow(event)

    async def _after_words(self, event: Event, words: str, number: int, client_id: str) -> None:
        struck = asyncio.get_running_loop().create_future()

        def strike() -> None:
            # At once: a moment later the customer would have been shown more.
            self._strike(event, number)
            struck.set_result(None)

        self._client.screen.when(lambda: self._turn_id(client_id), words, strike)
        await struck
        await self._follow(event)

    def _turn_id(self, client_id: str) -> str | None:
        turn = self._house.turn(client_id)
        return turn.id if turn is not None else None

    def _strike(self, event: Event, number: int) -> None:
        if event.happens != "stop":
            self._client.cut()
        elif not self._client.stops():
            self._notes.add("stop was pressed while there was no line", number)

    async def _follow(self, event: Event) -> None:
        if event.happens == "stop":
            return
        await self._client.gone()
        if event.happens == "restart":
            await self._house.end()
        await self._clock.sleep(event.for_ms / 1000)
        if event.happens == "restart":
            await self._house.start()
        if not self._client.online:
            self._client.enter()

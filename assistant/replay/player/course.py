"""The course of a conversation: the customer's messages, each when it is due."""

from assistant.ports import Clock
from assistant.replay.cassette import Cassette, Turn
from assistant.replay.player.client import Client
from assistant.replay.player.happenings import Happenings
from assistant.replay.player.house import House
from assistant.replay.player.notes import Notes


class Course:
    """One customer's part of the conversation.

    ``in_turn``: every message waits until the one before is answered, whatever the cassette says of its time.
    """

    def __init__(
        self,
        cassette: Cassette,
        client: Client,
        house: House,
        happenings: Happenings,
        clock: Clock,
        notes: Notes,
        *,
        in_turn: bool = False,
    ) -> None:
        self._cassette = cassette
        self._client, self._house, self._happenings = client, house, happenings
        self._clock, self._notes = clock, notes
        self._in_turn = in_turn
        self._spoke_at = clock.monotonic()

    async def run(self) -> None:
        """Say everything, and wait until it is answered and nothing more happens."""
        self._client.enter()
        for number, turn in enumerate(self._cassette.turns, 1):
            await self._until_due(number, turn)
            await self._speak(number, turn)
        await self._answered(len(self._cassette.turns))
        await self._happenings.over()
        await self._client.until(lambda: not self._house.awaits_person())
        await self._house.settle()
        await self._client.hears_the_rest()

    async def _until_due(self, number: int, turn: Turn) -> None:
        at_ms = turn.at_ms if turn.barge_in_ms is None else turn.barge_in_ms
        if at_ms is None or self._in_turn:
            await self._answered(number - 1)
            await self._clock.sleep(turn.after_ms / 1000)
        else:
            await self._clock.sleep(max(0.0, self._spoke_at + at_ms / 1000 - self._clock.monotonic()))

    async def _speak(self, number: int, turn: Turn) -> None:
        name = _name(number)
        self._spoke_at = self._clock.monotonic()
        words = turn.heard_up_to if not self._in_turn else None
        if words is not None and not await self._house.hear(words):
            self._notes.add(f"{words!r} had not been said, so nobody could hear it", number)
        if turn.spoken:
            await self._say_aloud(name, turn)
        else:
            self._write(number, name, turn)
        if not self._in_turn:
            self._happenings.begin(number, name, turn)

    async def _say_aloud(self, name: str, turn: Turn) -> None:
        await self._client.until(lambda: self._house.session is not None and not self._house.ending)
        stops = turn.barge_in_ms is not None and not self._in_turn
        if not await self._house.say_aloud(name, turn, stops=stops):
            self._client.rejected.add(name)

    def _write(self, number: int, name: str, turn: Turn) -> None:
        if turn.barge_in_ms is not None and not self._in_turn and not self._client.stops():
            self._notes.add("stop was pressed while there was no line", number)
        if turn.button is None:
            self._client.says(name, turn.customer, turn.locale)
        elif not self._client.presses(name, turn.button, turn.customer):
            self._notes.add(f"there was no question yet whose button {turn.customer!r} could be", number)
            self._client.says(name, turn.customer, turn.locale)

    async def _answered(self, number: int) -> None:
        """Until the customer has heard the end of this turn, or that there will be none."""
        name = _name(number)
        if number:
            await self._client.until(
                lambda: name in self._client.rejected or self._house.over(name, self._client.cursor)
            )


def _name(number: int) -> str:
    """The client's name for a message.

    >>> _name(1)
    'm1'
    """
    return f"m{number}"

"""When a call is to be passed on to a person: as soon as the caller has heard that it is."""

from collections.abc import Callable, Sequence

from assistant.conversation.entries import Handoff, Logged, TurnEnded, TurnStarted
from assistant.ports import Clock
from assistant.server.phone.alarm import Alarm
from assistant.server.phone.beside import OnThePhone

PATIENCE_S = 12.0
"""A caller is passed on after so long even where it is not known whether the last words were heard."""


class PuttingThrough:
    """Waits for a person to be asked for, and for the assistant to have said so.

    Args:
        words: what is said last.
        now: passes the call on.
    """

    def __init__(self, conversation: OnThePhone, words: str, now: Callable[[], None], clock: Clock) -> None:
        self._conversation, self._words, self._now, self._clock = conversation, words, now, clock
        self._wanted = self._announced = False
        self._running: str | None = None
        self._late = Alarm(clock, self._is_late)

    def take(self, batch: Sequence[Logged]) -> None:
        """The next entries; to be handed over after the line has had them."""
        for logged in batch:
            match logged.entry:
                case Handoff(state=state):
                    self._wanted = state == "queued"
                case TurnStarted(turn_id=turn_id):
                    self._running = turn_id
                case TurnEnded():
                    self._running = None
                case _:
                    pass
        if self._wanted and not self._announced and self._running is None:
            self._announced = True
            self._late.at(self._clock.monotonic() + PATIENCE_S)
            self._conversation.add(self._words, self._heard)

    async def close(self) -> None:
        """The caller is gone."""
        await self._late.close()

    async def _is_late(self) -> None:
        self._heard()

    def _heard(self) -> None:
        self._late.at(None)
        if self._wanted:
            self._wanted = False
            self._now()

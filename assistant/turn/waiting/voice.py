"""Says that something takes its time, when neither a model nor a tool says anything for long."""

import asyncio
from math import inf
from types import TracebackType

import structlog

from assistant.conversation.entries import CallsDelayed, Entry, MessageClosed, MessageOpened, MessageText
from assistant.errors import LogError
from assistant.turn.parts import Parts
from assistant.turn.record import Record
from assistant.turn.running_turn import RunningTurn
from assistant.turn.waiting.own_message import is_own, next_id
from assistant.turn.waiting.wait import Wait
from assistant.turn.waiting.wording import wording

log = structlog.get_logger(__name__)

_NEARLY_S = 0.001
"""A timer may fire a hair early; nobody hears the difference."""

_SHORTEST_S = 0.1
"""Nobody is so impatient that it pays to look more often."""


class WaitingVoice:
    """Speaks within its block whenever the customer has waited long enough; one timer for the whole turn.

    Entering it gives the turn's ``record``, which lets the voice hear what happens. Whatever goes wrong in it
    costs the customer these words and nothing else.
    """

    def __init__(self, turn: RunningTurn, parts: Parts, record: Record) -> None:
        self._turn, self._parts, self._record = turn, parts, record
        self._monotonic = parts.clock.monotonic
        self._wait = Wait(turn.state, parts.limits, turn.last_heard, self._monotonic())
        self._watching: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Record:
        """Begin to listen; complete what a crash has left half said."""
        await self._complete()
        self._watching = asyncio.create_task(self._watch())
        return self._listen

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Fall silent."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait({self._watching})

    async def _listen(self, entry: Entry, *, durable: bool = False) -> None:
        self._wait.note(entry, self._monotonic())
        await self._record(entry, durable=durable)

    async def _watch(self) -> None:
        limits = self._parts.limits
        # Whatever begins in the meantime takes at least so long until something may be said of it.
        look_again_s = max(_SHORTEST_S, min(limits.silence_s, limits.calls_s))
        try:
            while True:
                over = self._wait.over()
                left_s = inf if over is None else over - self._monotonic()
                if left_s > _NEARLY_S:
                    await self._parts.clock.sleep(min(left_s, look_again_s))
                else:
                    await self._speak()
        except LogError:
            pass  # the turn meets the same failure, and ends
        except Exception:
            # These words are a courtesy: a mistake in them must not cost the answer.
            log.exception("waiting voice failed", conversation=self._turn.key.conversation)

    async def _speak(self) -> None:
        calls = self._wait.for_calls
        text = self._words(calls)
        self._wait.told(self._monotonic())
        if not text:
            return
        state = self._turn.state
        # The wait belongs to the calls that are looked into, also while the model that is to tell them is asked.
        round_ = max((each.number for each in state.rounds if each.calls), default=1)
        message_id = next_id(state)
        await self._record(MessageOpened(message_id=message_id, round=round_))
        await self._record(MessageText(message_id=message_id, text=text))
        await self._record(MessageClosed(message_id=message_id, kind="status"))
        if calls:
            await self._record(CallsDelayed(call_ids=calls))

    async def _complete(self) -> None:
        cut = self._turn.state.open_message
        if cut is None or not is_own(cut):
            return
        if not cut.text and (text := self._words(self._wait.for_calls)):
            await self._record(MessageText(message_id=cut.id, text=text))
        await self._record(MessageClosed(message_id=cut.id, kind="status"))

    def _words(self, calls: tuple[str, ...]) -> str:
        forbidden = self._parts.book.voice.guard()
        return forbidden.push(wording(self._turn, calls, self._parts)) + forbidden.close()

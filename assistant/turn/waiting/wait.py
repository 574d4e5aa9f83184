"""What the customer is waiting for, and since when: read off the turn's entries as they are recorded."""

from assistant.conversation.entries import (
    CallEnded,
    CallsPending,
    CallStarted,
    DecisionClosed,
    Entry,
    MessageClosed,
    MessageText,
    ModelAsked,
    ModelChunks,
)
from assistant.conversation.turn_state import TurnState
from assistant.turn.parts import Limits
from assistant.turn.waiting.last_heard import LastHeard

TYPING_S = 5.0
"""So long a sign that the customer types keeps the voice silent; clients give it again while they do."""


class Wait:
    """Knows when the customer has waited long enough. Moments are seconds of the clock's ``monotonic()``.

    A model that is asked is waited for; when none is, the calls are that run. Each time that something was said
    for the same wait, the next one is twice as long.

    Args:
        state: the turn.
        limits: how long a silent model and running calls are waited for.
        last_heard: signs of life that are no entries.
        now: when this life of the turn begins.
    """

    def __init__(self, state: TurnState, limits: Limits, last_heard: LastHeard, now: float) -> None:
        self._state, self._limits, self._last_heard = state, limits, last_heard
        self._asked_at: float | None = None
        self._said_at = now
        self._times = 0
        # Nobody waits for what is told unasked.
        self._over = state.unasked or any(message.kind == "response" for message in state.messages)
        # Calls that an earlier life of this turn began and that still run.
        self._started = {call.id: now for call in state.running if not state.is_pending(call)}

    @property
    def for_calls(self) -> tuple[str, ...]:
        """The ids of the calls that are waited for; none while a model is."""
        return () if self._asked_at is not None else tuple(self._started)

    def note(self, entry: Entry, now: float) -> None:
        """An entry was recorded."""
        match entry:
            case MessageText():
                self._said_at = now
            case MessageClosed():
                self._said_at, self._times = now, 0
                self._over = self._over or entry.kind == "response"
            case ModelAsked():
                self._asked_at, self._times = now, 0
            case ModelChunks():
                self._asked_at = None
            case DecisionClosed():
                self._times = 0
            case CallStarted():
                self._started[entry.call_id] = now
            case CallEnded():
                self._started.pop(entry.outcome.call.id, None)
            case CallsPending():
                for call_id in entry.call_ids:
                    self._started.pop(call_id, None)
            case _:
                pass

    def told(self, now: float) -> None:
        """The customer was told that this takes its time, or has heard all there is to say of it."""
        self._said_at = now
        self._times += 1

    def over(self) -> float | None:
        """When the customer will have waited long enough; None while nothing is waited for.

        Neither is it while a message is being said, which must not be broken into, nor once the answer is out.
        """
        if self._over or self._state.open_message is not None:
            return None
        if self._asked_at is not None:
            since, patience_s = max(self._asked_at, self._last_heard.model), self._limits.silence_s
        elif self._started:
            since, patience_s = min(self._started.values()), self._limits.calls_s
        else:
            return None
        due = max(since, self._said_at) + patience_s * 2**self._times
        return max(due, self._last_heard.typing + TYPING_S)

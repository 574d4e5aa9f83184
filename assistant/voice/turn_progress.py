"""The progress of a turn, and how long its answer will probably take."""

from collections.abc import Callable, Iterable, Sequence

from assistant.conversation.entries import (
    CallEnded,
    CallRequested,
    CallsPending,
    CallStarted,
    ConfirmationAnswered,
    ConfirmationAsked,
    DecisionClosed,
    ForwardedToAgent,
    Logged,
    TurnEnded,
    TurnStarted,
)

UNKNOWN_S = 1.5
"""The assumed duration of a tool that has not run yet, in seconds."""

_NEWEST_COUNTS = 0.3


class AnswerWaits:
    """For each tool, a moving average of the time that customers wait for an answer, since the process
    started.

    Args:
        declared: returns the duration that a tool declares, in seconds; None if it declares none.
    """

    def __init__(self, declared: Callable[[str], float | None] = lambda _: None) -> None:
        self._declared = declared
        self._lately: dict[str, float] = {}

    def expected_s(self, tools: Sequence[str]) -> float:
        """Returns the expected time to the answer from the decision for these tools; the slowest tool counts."""
        return max(map(self._one_s, tools), default=UNKNOWN_S)

    def note(self, tools: Sequence[str], seconds: float) -> None:
        """Record the time to the answer from the decision for these tools."""
        for tool in tools:
            before = self._lately.get(tool, seconds)
            self._lately[tool] = before + (seconds - before) * _NEWEST_COUNTS

    def _one_s(self, tool: str) -> float:
        if tool in self._lately:
            return self._lately[tool]
        declared = self._declared(tool)
        return UNKNOWN_S if declared is None else max(UNKNOWN_S, declared)


class TurnProgress:
    """The state of the running turn, from the entries of the log.

    Attributes:
        turn_id: the running turn; "" for none.
        confirmation_open: whether a confirmation is waiting for its answer.
        message_waiting: whether a customer's message is waiting for its turn.
    """

    def __init__(self, waits: AnswerWaits) -> None:
        self.turn_id, self.confirmation_open, self.message_waiting = "", False, False
        self._waits = waits
        self._tools: dict[str, str] = {}
        self._running: set[str] = set()
        self._decided: tuple[float, tuple[str, ...]] | None = None

    @property
    def tools_running(self) -> bool:
        """Whether any tool is running."""
        return bool(self._running)

    def handle_entry(self, logged: Logged, now_s: float) -> None:
        """Handle one entry; ``now_s`` is the clock's ``monotonic()``."""
        entry = logged.entry
        match entry:
            case ForwardedToAgent():
                self.message_waiting = False
            case TurnStarted():
                self.turn_id, self.message_waiting = entry.turn_id, False
                self._forget()
            case CallRequested():
                self._tools[entry.call.id] = entry.call.tool
            case DecisionClosed() if entry.call_ids and self._decided is None:
                self._decided = now_s, self.tools_of(entry.call_ids)
            case CallStarted():
                self._running.add(entry.call_id)
            case CallEnded():
                self._running.discard(entry.outcome.call.id)
            case CallsPending():
                self._running.difference_update(entry.call_ids)
            case ConfirmationAsked():
                self.confirmation_open = True
            case ConfirmationAnswered():
                self.confirmation_open = entry.answer == "unclear"
            case TurnEnded():
                self.turn_id = ""
                self._forget()
            case _:
                pass

    def tools_of(self, call_ids: Iterable[str]) -> tuple[str, ...]:
        """Returns the tools of these calls of the running turn."""
        return tuple(self._tools[call_id] for call_id in call_ids if call_id in self._tools)

    def expected_s(self, call_ids: Iterable[str]) -> float:
        """Returns the expected time from now to the answer for these calls."""
        return self._waits.expected_s(self.tools_of(call_ids))

    def record_answer(self, now_s: float) -> None:
        """Record how long the customer waited for the tools, because the answer begins."""
        if self._decided is not None:
            decided_at, tools = self._decided
            self._decided = None
            self._waits.note(tools, now_s - decided_at)

    def _forget(self) -> None:
        self._tools.clear()
        self._running.clear()
        self._decided = None

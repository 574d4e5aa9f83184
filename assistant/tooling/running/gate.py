"""What stands before each tool of this process: a circuit, and as many places as it has."""

from asyncio import CancelledError, Future, get_running_loop
from collections import deque
from contextlib import suppress

from assistant.ports import Clock
from assistant.resilience import CircuitBreaker, Jitter


class Gate:
    """One tool's. Those who come are let in one after the other, as places become free.

    ``circuit`` leaves the tool alone when it keeps failing.
    """

    __slots__ = ("_inside", "_waiting", "circuit")

    def __init__(self, tool: str, clock: Clock) -> None:
        self.circuit = CircuitBreaker(f"tool {tool!r}", clock)
        self._inside = 0
        self._waiting: deque[Future[None]] = deque()

    def entered(self, at_once: int | None) -> bool:
        """Take a place, of so many that there are (None: any number); False when all are taken."""
        if at_once is not None and self._inside >= at_once:
            return False
        self._inside += 1
        return True

    async def wait(self) -> None:
        """Wait for a place that is given back, and take it."""
        turn: Future[None] = get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except CancelledError:
            if turn.cancelled():
                with suppress(ValueError):
                    self._waiting.remove(turn)
            else:
                # The place was handed over while its taker went away.
                self.leave()
            raise

    def leave(self) -> None:
        """Give the place back: to whoever has waited longest."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.cancelled():
                turn.set_result(None)
                return
        self._inside -= 1


class Gates:
    """The gates of all tools, by name: they outlive an edit of a tool's file, and serve all conversations.

    Args:
        clock: measures how long a tool is left alone.
        jitter: makes the pauses between tries uneven; the default makes them even.
    """

    __slots__ = ("_by_tool", "_clock", "jitter")

    def __init__(self, clock: Clock, jitter: Jitter = lambda: 1.0) -> None:
        self._clock = clock
        self._by_tool: dict[str, Gate] = {}
        self.jitter = jitter

    def of(self, tool: str) -> Gate:
        """The gate of the tool with this name."""
        gate = self._by_tool.get(tool)
        if gate is None:
            gate = self._by_tool[tool] = Gate(tool, self._clock)
        return gate

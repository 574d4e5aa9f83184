"""How long a stream may be silent."""

from contextlib import AbstractAsyncContextManager

from assistant.errors import ModelTimeout
from assistant.ports import Clock, ModelOptions

_AFTERWORD_S = 1.0  # for the count of tokens, once the reply itself is complete


class Patience:
    """The time-outs of one request: to the first token, then from each to the next.

    Only tokens count as a sign of life; a server's comments that it is still there do not. ``waiting`` is
    true while somebody waits for the server, and false while the listener takes its own time.
    """

    __slots__ = ("_begun", "_clock", "_options", "_until", "waiting")

    def __init__(self, clock: Clock, options: ModelOptions) -> None:
        self.waiting = False
        self._clock = clock
        self._options = options
        self._begun = False
        self._until = clock.monotonic() + options.first_token_s

    def renew(self, *, finished: bool) -> None:
        """Something came: the wait begins anew. When the reply has ``finished``, only for a moment more."""
        self._begun = True
        next_s = self._options.next_token_s
        self._until = self._clock.monotonic() + (min(next_s, _AFTERWORD_S) if finished else next_s)

    def left_s(self) -> float:
        """Seconds until it ends; not above zero once it has."""
        return self._until - self._clock.monotonic()

    def limit(self) -> AbstractAsyncContextManager[object]:
        """A block that raises ``TimeoutError`` when it ends."""
        return self._clock.timeout(max(0.0, self.left_s()))

    def lost(self) -> ModelTimeout:
        """The error for its end."""
        if self._begun:
            return ModelTimeout(f"the model fell silent for {self._options.next_token_s:g} s")
        return ModelTimeout(f"no first token within {self._options.first_token_s:g} s")

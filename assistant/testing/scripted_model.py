"""A model that follows a script exactly."""

from collections.abc import AsyncGenerator, Sequence
from typing import assert_never

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, Opaque, StreamEnded, TextDelta
from assistant.errors import ModelTimeout
from assistant.ports import Clock, ModelRequest
from assistant.testing.script import Fall, Line, Pause, Silence, breaks, calls, says, stalls

__all__ = ["ScriptedModel", "breaks", "calls", "says", "stalls"]


class ScriptedModel:
    """Answers the first request with the first line, the second request with the second line, and so on.

    A request without a line fails with ``AssertionError`` immediately, and again in ``assert_used_up``.

    Args:
        lines: made with ``says``, ``calls``, ``breaks`` and ``stalls``.
        clock: needed for lines with pauses.
        name: the model's name.
    """

    def __init__(self, *lines: Line, clock: Clock | None = None, name: str = "scripted") -> None:
        self.requests: list[ModelRequest] = []
        self.closed = False
        self._lines = lines
        self._clock = clock
        self._name = name

    @property
    def name(self) -> str:
        """The model's name."""
        return self._name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Yield the next line, chunk by chunk."""
        self.requests.append(request)
        number = len(self.requests)
        if number > len(self._lines):
            raise AssertionError(
                f"{self._name}: request {number} came, {self._told()}; asked {_last(request)}"
            )
        begun = False
        for step in self._lines[number - 1].steps:
            match step:
                case TextDelta() | CallNamed() | CallArguments() | Opaque() | StreamEnded():
                    begun = True
                    yield step
                case Pause(seconds=seconds):
                    await self._waiting().sleep(seconds)
                case Silence():
                    limit_s = request.options.next_token_s if begun else request.options.first_token_s
                    await self._waiting().sleep(limit_s)
                    raise ModelTimeout(f"the script is silent for {limit_s:g} s")
                case Fall(error=error):
                    raise error
                case _:
                    assert_never(step)

    async def close(self) -> None:
        """Record that the model was closed."""
        self.closed = True

    def assert_used_up(self) -> None:
        """Raise ``AssertionError`` unless there were as many requests as lines."""
        if len(self.requests) != len(self._lines):
            raise AssertionError(f"{self._name}: {len(self.requests)} requests came, {self._told()}")

    def _told(self) -> str:
        return f"the script has {len(self._lines)} lines"

    def _waiting(self) -> Clock:
        if self._clock is None:
            raise AssertionError(f"{self._name}: a line of the script waits, so the model needs a clock")
        return self._clock


def _last(request: ModelRequest) -> str:
    messages: Sequence[object] = request.view.messages
    return f"as {request.role}, last message: {messages[-1] if messages else 'none'}"

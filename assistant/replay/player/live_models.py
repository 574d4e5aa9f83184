"""Real models that answer a replay from one of its turns on, while its clock stays virtual."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from threading import Thread
from typing import Any, TypeVar

from assistant.assembly.config_builder import Models
from assistant.conversation.chunks import Chunk
from assistant.errors import ModelBroke, ModelError
from assistant.ports import Clock, Model, ModelRequest
from assistant.replay.played import Mismatches
from assistant.staff.live_pauses import LivePauses
from assistant.staff.pauses import Pause, Paused

T = TypeVar("T")


class RealTime:
    """An event loop in a thread of its own, for work whose time is real. Close it at the end."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="real time", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Returns what the work returns. Blocks, so that the caller's virtual time stops."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def close(self) -> None:
        """End the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class LiveModels:
    """The models of both roles, which answer from the turn with the number ``from_turn`` on, counted from 1.

    A reply is first received as a whole. Then the replay gets each piece at the time at which it came.

    Args:
        models: the models and options of the roles.
        time: where they are asked.
        from_turn: the first turn that they answer.
        denied: tools that are not available in these turns.
        most_requests: further requests fail.
    """

    def __init__(
        self,
        models: Models,
        time: RealTime,
        *,
        from_turn: int,
        denied: Sequence[str] = (),
        most_requests: int = 12,
    ) -> None:
        self._models, self._time = models, time
        self.from_turn, self.denied = from_turn, tuple(denied)
        self._left = most_requests

    def in_place_of(self, played: Model) -> Models:
        """The roles with their options of today and the model of the replay."""
        return {
            role: replace(one, model=_Named(played, one.model.name), cheaper=None)
            for role, one in self._models.items()
        }

    async def stream(self, request: ModelRequest, clock: Clock) -> AsyncGenerator[Chunk, None]:
        """Ask the role's model, and yield its reply piece by piece in the time of ``clock``."""
        if not self._left:
            raise ModelBroke("the models were asked too often in one trial")
        self._left -= 1
        began_s = clock.monotonic()
        received = self._time.run(_receive(self._models[request.role].model, request))
        for at_s, chunk in received.chunks:
            await clock.sleep(max(0.0, began_s + at_s - clock.monotonic()))
            yield chunk
        if received.error is not None:
            await clock.sleep(max(0.0, began_s + received.took_s - clock.monotonic()))
            raise received.error


@dataclass(frozen=True, slots=True, kw_only=True)
class _Received:
    chunks: tuple[tuple[float, Chunk], ...]
    error: ModelError | None
    took_s: float


async def _receive(model: Model, request: ModelRequest) -> _Received:
    loop = asyncio.get_running_loop()
    began_s = loop.time()
    chunks: list[tuple[float, Chunk]] = []
    error: ModelError | None = None
    try:
        async with aclosing(model.stream(request)) as stream:
            async for chunk in stream:
                chunks.append((loop.time() - began_s, chunk))  # noqa: PERF401 - those before an error count, too
    except ModelError as failure:
        error = failure
    return _Received(chunks=tuple(chunks), error=error, took_s=loop.time() - began_s)


class _Named:
    """The model of the replay with the name of a live one, so that the log names the model that answers."""

    def __init__(self, played: Model, name: str) -> None:
        self.name, self._played = name, played

    def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        return self._played.stream(request)

    async def close(self) -> None:
        await self._played.close()


class DeniedTools(LivePauses):
    """Denies calls of tools in the turns that live models answer, as if staff had paused these tools."""

    def __init__(self, live: LiveModels, mismatches: Mismatches, clock: Clock) -> None:
        self._live, self._mismatches = live, mismatches
        self._denied = Paused(
            tuple(
                Pause(tenant="", kind="tool", name=name, account="", by="", since_ms=clock.now_ms())
                for name in live.denied
            )
        )

    @property
    def known(self) -> Paused:
        """What is denied in this turn."""
        return self._denied if self._mismatches.turn_now() >= self._live.from_turn else Paused()

    async def now(self) -> Paused:
        """What is denied in this turn."""
        return self.known

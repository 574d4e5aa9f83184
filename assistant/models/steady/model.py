"""A model that is asked again, and stood in for, when its provider fails."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from assistant.conversation.chunks import Chunk, StreamEnded
from assistant.errors import ModelError, ModelRefused
from assistant.models.prices import Prices
from assistant.models.steady.candidate import Candidate
from assistant.models.steady.course import Course
from assistant.ports import Clock, ModelRequest
from assistant.steady.jitter import Jitter


class SteadyModel:
    """The first of these models that answers. Once one has begun, nothing is asked again.

    Args:
        candidates: the model that is meant, then those that stand in for it, in this order.
        tries: how often each is asked for one request, from 1.
        prices: what tokens cost where the provider does not say what a reply cost.
        clock: measures pauses.
        jitter: makes them uneven.
    """

    def __init__(
        self, candidates: Sequence[Candidate], *, tries: int, prices: Prices, clock: Clock, jitter: Jitter
    ) -> None:
        self._candidates = tuple(candidates)
        self._tries = tries
        self._prices = prices
        self._clock = clock
        self._jitter = jitter

    @property
    def name(self) -> str:
        """The name of the model that is meant."""
        return self._candidates[0].name

    async def warm(self) -> None:
        """Load what is slow to load, so that no customer waits for it. Never raises for a model's sake."""
        await self._prices.load()
        for candidate in self._candidates:
            warm = getattr(candidate.model, "warm", None)
            if warm is not None:
                await warm()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Ask until somebody answers; the last error is raised when nobody does."""
        course = Course(request, self._candidates, self._tries, self._clock, self._jitter)
        begun = False
        while True:
            candidate = await course.next()
            try:
                async with aclosing(candidate.model.stream(candidate.request(course.request()))) as chunks:
                    async for chunk in chunks:
                        if not begun:
                            begun = True
                            candidate.circuit.answered()
                        yield self._signed(chunk, candidate) if isinstance(chunk, StreamEnded) else chunk
                    return
            except ModelRefused as error:
                candidate.circuit.answered()
                if begun:
                    raise
                course.failed(error)
            except ModelError as error:
                candidate.failed(error, self._clock)
                if begun:
                    raise
                course.failed(error)
            finally:
                if not begun:
                    candidate.circuit.left()

    async def close(self) -> None:
        """Close all of them."""
        for candidate in self._candidates:
            await candidate.model.close()

    def _signed(self, ended: StreamEnded, candidate: Candidate) -> StreamEnded:
        """The end of a reply, with its cost, and with the name of who stood in."""
        if ended.cost_usd is None and candidate.priced_as is not None:
            ended = replace(ended, cost_usd=self._prices.cost(candidate.priced_as, ended))
        return ended if candidate is self._candidates[0] else replace(ended, model=candidate.name)

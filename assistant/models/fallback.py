"""Asks several models, one after the other, until one answers.

Decides for each request which model is asked next, how often the same model is asked again after a failure, and
which models are left out for a while because their provider is busy or fails.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

import structlog

from assistant.conversation.chunks import Chunk, StreamEnded
from assistant.conversation.values import Json
from assistant.errors import ModelBroke, ModelBusy, ModelError, ModelRefused
from assistant.models.price_list import PriceKey, Prices
from assistant.ports import Clock, Model, ModelOptions, ModelRequest
from assistant.resilience import CircuitBreaker, Jitter

if TYPE_CHECKING:
    from assistant.telemetry.observer import TenantTelemetry

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Cooldown:
    """The time until which a model is not asked, because its provider refuses requests.

    ``until`` is in seconds of the clock's ``monotonic()``.
    """

    until: float = float("-inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnOptions:
    """One model's options; see :class:`assistant.ports.ModelOptions`. If a field is None, the role's option
    applies.
    """

    max_tokens: int | None = None
    temperature: float | None = None
    parallel_calls: bool | None = None
    formatted: bool | None = None
    images: bool | None = None
    family: str | None = None
    extra: Mapping[str, Json] = field(default_factory=dict[str, Json])

    def apply_to(self, options: ModelOptions) -> ModelOptions:
        """Returns the options of a role, with the values that this model replaces.

        >>> OwnOptions(images=False).apply_to(ModelOptions(max_tokens=200)).images
        False
        """
        own = {name: value for name in _OF_ITS_OWN if (value := getattr(self, name)) is not None}
        return replace(options, extra={**options.extra, **self.extra}, **own)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A model as one configuration uses it.

    ``circuit`` belongs to the model's provider. ``cooldown`` belongs to the model, because providers limit
    the rate of each model. All configurations share both.
    """

    model: Model
    circuit: CircuitBreaker
    price_key: PriceKey | None = None
    own: OwnOptions | None = None
    cooldown: Cooldown = field(default_factory=Cooldown)

    @property
    def name(self) -> str:
        """The name in the settings."""
        return self.model.name

    def request(self, request: ModelRequest) -> ModelRequest:
        """Returns the request with the model's own options."""
        return request if self.own is None else replace(request, options=self.own.apply_to(request.options))

    def busy(self, clock: Clock) -> ModelBusy | None:
        """Returns the reason why this model may not be asked now, with the remaining time. Returns None if it
        may be asked.
        """
        left_s = self.cooldown.until - clock.monotonic()
        if left_s > 0:
            return ModelBusy(f"the provider wants to be left alone for {left_s:.1f} s", retry_after_s=left_s)
        shut = self.circuit.open()
        return ModelBusy(shut.why, retry_after_s=shut.retry_after_s) if shut is not None else None

    def failed(self, error: Exception, clock: Clock) -> None:
        """Record a failure."""
        self.circuit.failed()
        if isinstance(error, ModelBusy) and error.retry_after_s is not None:
            self.cooldown.until = clock.monotonic() + min(error.retry_after_s, _LONGEST_COOLDOWN_S)


class FallbackModel:
    """Uses the first of these models that answers. After a model has begun to answer, no other is asked.

    Args:
        candidates: the preferred model, then the fallback models in order.
        tries: the number of attempts for each model in one request, at least 1.
        prices: the prices of tokens, for providers that do not report the cost of a reply.
        clock: measures pauses.
        jitter: randomises pauses.
        telemetry: counts the repeated requests; None: nothing is counted.
    """

    def __init__(
        self,
        candidates: Sequence[Candidate],
        *,
        tries: int,
        prices: Prices,
        clock: Clock,
        jitter: Jitter,
        telemetry: "TenantTelemetry | None" = None,
    ) -> None:
        self._candidates = tuple(candidates)
        self._tries = tries
        self._prices = prices
        self._clock = clock
        self._jitter = jitter
        self._telemetry = telemetry

    @property
    def name(self) -> str:
        """The name of the first model."""
        return self._candidates[0].name

    async def warm(self) -> None:
        """Load what takes long, so that no customer waits for it. Failures of a model are not raised."""
        await self._prices.load()
        for candidate in self._candidates:
            warm = getattr(candidate.model, "warm", None)
            if warm is not None:
                await warm()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Ask until a model answers. Raises the last error if none does."""
        failover = Failover(
            request, self._candidates, self._tries, self._clock, self._jitter, self._telemetry
        )
        begun = False
        while True:
            candidate = await failover.next_candidate()
            try:
                async with aclosing(candidate.model.stream(candidate.request(failover.request()))) as chunks:
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
                failover.failed(error)
            except ModelError as error:
                candidate.failed(error, self._clock)
                if begun:
                    raise
                failover.failed(error)
            finally:
                if not begun:
                    candidate.circuit.left()

    async def close(self) -> None:
        """Close all models."""
        for candidate in self._candidates:
            await candidate.model.close()

    def _signed(self, ended: StreamEnded, candidate: Candidate) -> StreamEnded:
        """Returns the end of a reply, with its cost and, if a fallback model answered, its name."""
        if ended.cost_usd is None and candidate.price_key is not None:
            ended = replace(ended, cost_usd=self._prices.cost(candidate.price_key, ended))
        return ended if candidate is self._candidates[0] else replace(ended, model=candidate.name)


_FIRST_WAIT_S = 0.25
_LONGEST_WAIT_S = 2.0
_WAITS_S = 4.0
"""The longest total time of all pauses in one request."""

_IN_ALL = 1.5
"""No model is asked again after this multiple of the time limit for the first token."""

_LEAST_S = 5.0
"""The least time that each further model has for its first token, even if the request is already late."""


class Failover:
    """The attempts of one request. Models are asked in order, each at most ``tries`` times.

    Only temporary failures are retried: a broken connection, and a busy provider that allows a request soon
    enough. After a refusal or a timeout the next model is asked immediately.
    """

    def __init__(
        self,
        request: ModelRequest,
        candidates: Sequence[Candidate],
        tries: int,
        clock: Clock,
        jitter: Jitter,
        telemetry: "TenantTelemetry | None" = None,
    ) -> None:
        self._request, self._telemetry = request, telemetry
        self._candidates = candidates
        self._tries = tries
        self._clock = clock
        self._jitter = jitter
        self._place = 0
        self._asked = 0
        self._pause_s = 0.0
        self._waits_left_s = _WAITS_S
        self._until = clock.monotonic() + _IN_ALL * request.options.first_token_s

    async def next_candidate(self) -> Candidate:
        """Returns the model to ask now.

        Waits until it may be asked. Raises the last model's error if none is left.
        """
        while True:
            if self._pause_s:
                await self._clock.sleep(self._pause_s)
                self._pause_s = 0.0
            candidate = self._candidates[self._place]
            busy = candidate.busy(self._clock)
            if busy is None:
                self._asked += 1
                candidate.circuit.enter()
                return candidate
            if not self._waits(busy.retry_after_s or _FIRST_WAIT_S):
                self._go_on(busy)

    def request(self) -> ModelRequest:
        """Returns the request, with at most the remaining time for its first token."""
        left_s = max(self._until - self._clock.monotonic(), _LEAST_S)
        options = self._request.options
        if left_s >= options.first_token_s:
            return self._request
        return replace(self._request, options=replace(options, first_token_s=left_s))

    def failed(self, error: ModelError) -> None:
        """Record that the current model failed. Raises ``error`` if no other is left."""
        may_pass = isinstance(error, ModelBusy | ModelBroke) and self._asked < self._tries
        if may_pass and self._waits(self._pause_after(error)):
            name = self._candidates[self._place].name
            log.info("asking the model again", model=name, after_s=round(self._pause_s, 2), why=str(error))
            if self._telemetry is not None:
                self._telemetry.model_retried(name, error)
            return
        self._go_on(error)

    def _pause_after(self, error: ModelError) -> float:
        """Returns the pause before the next attempt: it grows, or is slightly more than the provider asks
        for.
        """
        if isinstance(error, ModelBusy) and error.retry_after_s is not None:
            return error.retry_after_s + _FIRST_WAIT_S * self._jitter()
        pause_s = min(_FIRST_WAIT_S * 2 ** (self._asked - 1), _LONGEST_WAIT_S)
        return pause_s * (1 + self._jitter()) / 2

    def _waits(self, pause_s: float) -> bool:
        """Whether the pause fits into ``_WAITS_S``. If so, it is counted."""
        if pause_s > self._waits_left_s or self._clock.monotonic() + pause_s >= self._until:
            return False
        self._waits_left_s -= pause_s
        self._pause_s = pause_s
        return True

    def _go_on(self, error: ModelError) -> None:
        """Change to the next model. Raises ``error`` if there is none."""
        if self._place + 1 == len(self._candidates):
            raise error
        failed, following = self._candidates[self._place : self._place + 2]
        log.warning("asking the next model", model=following.name, instead_of=failed.name, why=str(error))
        if self._telemetry is not None:
            self._telemetry.model_replaced(failed.name, following.name, error)
        self._place += 1
        self._asked = 0


_LONGEST_COOLDOWN_S = 3600.0
"""The longest pause that is accepted from a provider. After it the model is asked again."""

_OF_ITS_OWN = tuple(field.name for field in fields(OwnOptions) if field.name != "extra")

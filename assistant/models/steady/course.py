"""Whom to ask next, and when: the way of one request through the models that may answer it."""

from collections.abc import Sequence
from dataclasses import replace

import structlog

from assistant.errors import ModelBroke, ModelBusy, ModelError
from assistant.models.steady.candidate import Candidate
from assistant.ports import Clock, ModelRequest
from assistant.steady.jitter import Jitter

log = structlog.get_logger(__name__)

_FIRST_WAIT_S = 0.25
_LONGEST_WAIT_S = 2.0
_WAITS_S = 4.0
"""So long a customer waits for waiting's sake, all pauses of one request together."""

_IN_ALL = 1.5
"""Times the wait for a first token: after that nobody is asked a second time."""

_LEAST_S = 5.0
"""So long each further model has for its first token, however late it is."""


class Course:
    """One request's way. Models are asked in their order, each at most ``tries`` times.

    Only what may pass is asked again: a busy provider, as soon as it allows and if that is soon, and a
    connection that broke. A refusal or silence sends the request to the next model at once.
    """

    def __init__(
        self, request: ModelRequest, candidates: Sequence[Candidate], tries: int, clock: Clock, jitter: Jitter
    ) -> None:
        self._request = request
        self._candidates = candidates
        self._tries = tries
        self._clock = clock
        self._jitter = jitter
        self._place = 0
        self._asked = 0
        self._pause_s = 0.0
        self._waits_left_s = _WAITS_S
        self._until = clock.monotonic() + _IN_ALL * request.options.first_token_s

    async def next(self) -> Candidate:
        """The model to ask now; comes back when it may be asked. Raises what is wrong with the last one."""
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
        """The request, with no more time for its first token than is left."""
        left_s = max(self._until - self._clock.monotonic(), _LEAST_S)
        options = self._request.options
        if left_s >= options.first_token_s:
            return self._request
        return replace(self._request, options=replace(options, first_token_s=left_s))

    def failed(self, error: ModelError) -> None:
        """The model that was asked could not. Raises ``error`` when nobody else is left."""
        may_pass = isinstance(error, ModelBusy | ModelBroke) and self._asked < self._tries
        if may_pass and self._waits(self._pause_after(error)):
            name = self._candidates[self._place].name
            log.info("asking the model again", model=name, after_s=round(self._pause_s, 2), why=str(error))
            return
        self._go_on(error)

    def _pause_after(self, error: ModelError) -> float:
        """A growing pause, or what the provider asks for and a little more."""
        if isinstance(error, ModelBusy) and error.retry_after_s is not None:
            return error.retry_after_s + _FIRST_WAIT_S * self._jitter()
        pause_s = min(_FIRST_WAIT_S * 2 ** (self._asked - 1), _LONGEST_WAIT_S)
        return pause_s * (1 + self._jitter()) / 2

    def _waits(self, pause_s: float) -> bool:
        """Whether a customer can wait so long; if so, it is decided."""
        if pause_s > self._waits_left_s or self._clock.monotonic() + pause_s >= self._until:
            return False
        self._waits_left_s -= pause_s
        self._pause_s = pause_s
        return True

    def _go_on(self, error: ModelError) -> None:
        """Turn to the next model. Raises ``error`` when there is none."""
        if self._place + 1 == len(self._candidates):
            raise error
        failed, following = self._candidates[self._place : self._place + 2]
        log.warning("asking the next model", model=following.name, instead_of=failed.name, why=str(error))
        self._place += 1
        self._asked = 0

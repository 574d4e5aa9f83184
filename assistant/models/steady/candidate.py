"""A model that may be asked, with what is known about asking it."""

from dataclasses import dataclass, field, replace

from assistant.errors import ModelBusy
from assistant.models.own_options import OwnOptions
from assistant.models.prices import PricedAs
from assistant.ports import Clock, Model, ModelRequest
from assistant.steady.circuit import Circuit

_LONGEST_REST_S = 3600.0
"""Longer than this no provider can mean it: it is looked whether it is back."""


@dataclass(slots=True)
class Rest:
    """How long a model is left alone: ``until`` is when its provider said that it may be asked again.

    In seconds of the clock's ``monotonic()``.
    """

    until: float = float("-inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One model, as one edition asks it.

    ``circuit`` is its provider's, ``rest`` its own, because limits are; both are the same in all editions.
    """

    model: Model
    circuit: Circuit
    priced_as: PricedAs | None = None
    own: OwnOptions | None = None
    rest: Rest = field(default_factory=Rest)

    @property
    def name(self) -> str:
        """As the operator wrote it in the settings."""
        return self.model.name

    def request(self, request: ModelRequest) -> ModelRequest:
        """The request with the model's own options."""
        return request if self.own is None else replace(request, options=self.own.over(request.options))

    def busy(self, clock: Clock) -> ModelBusy | None:
        """Why it may not be asked at present, and for how long; None when it may."""
        left_s = self.rest.until - clock.monotonic()
        if left_s > 0:
            return ModelBusy(f"the provider wants to be left alone for {left_s:.1f} s", retry_after_s=left_s)
        shut = self.circuit.shut()
        return ModelBusy(shut.why, retry_after_s=shut.retry_after_s) if shut is not None else None

    def failed(self, error: Exception, clock: Clock) -> None:
        """Remember that it could not."""
        self.circuit.failed()
        if isinstance(error, ModelBusy) and error.retry_after_s is not None:
            self.rest.until = clock.monotonic() + min(error.retry_after_s, _LONGEST_REST_S)

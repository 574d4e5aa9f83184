"""What came of one trial, as it is kept: a line of JSON."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class TurnTimes(BaseModel):
    """How long a customer waited, in ms: for the first words (None: there were none) and for the whole turn."""

    model_config = ConfigDict(frozen=True)

    first_ms: int | None
    whole_ms: int


class Cost(BaseModel):
    """What a trial's requests took; None where the provider does not tell it of every one."""

    model_config = ConfigDict(frozen=True)

    input_tokens: int | None = None
    output_tokens: int | None = None
    usd: float | None = None


class Row(BaseModel):
    """One trial of one task.

    ``digest`` and ``bundle`` say which version of the task and of the prompts was tried. ``unmet`` has a line
    for each expectation that was not met. ``broke``: the trial did not come to its end, so nothing was judged.
    ``asked`` are the models that were, stand-ins included; ``model_errors`` are requests that failed, whatever
    came of them. ``transcript``: speaker and text.
    """

    model_config = ConfigDict(frozen=True)

    task: str
    digest: str
    trial: Annotated[int, Field(ge=1)]
    model: str
    bundle: str
    unmet: tuple[str, ...] = ()
    broke: str | None = None
    turns: tuple[TurnTimes, ...] = ()
    cost: Cost = Cost()
    ran: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    model_errors: tuple[str, ...] = ()
    transcript: tuple[tuple[str, str], ...] = ()

    @property
    def passed(self) -> bool:
        """Whether everything came as expected."""
        return not self.unmet and self.broke is None

"""What came of one trial, as it is kept: a line of JSON."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from assistant.conversation.entries import Guard
from assistant.replay.simulated.customer import How


class TurnTimes(BaseModel):
    """How long a customer waited, in ms: for the first words (None: there were none) and for the whole turn."""

    model_config = ConfigDict(frozen=True)

    first_ms: int | None
    whole_ms: int


class Cost(BaseModel):
    """What requests took; None where the provider does not tell it of every one."""

    model_config = ConfigDict(frozen=True)

    input_tokens: int | None = None
    output_tokens: int | None = None
    usd: float | None = None


class Again(BaseModel):
    """How much a turn's response said again of what had been announced: 0 to 1, measured in three ways.

    ``repeats``: a customer would notice. See :class:`assistant.language.similarity.Repetition`.
    """

    model_config = ConfigDict(frozen=True)

    share: float
    run: float
    trigrams: float
    repeats: bool


class Row(BaseModel):
    """One trial of one task.

    ``digest`` and ``bundle`` say which version of the task and of the prompts was tried. ``unmet`` has a line
    for each expectation that was not met. ``broke``: the trial did not come to its end, so nothing was judged.
    ``asked`` are the models that were, stand-ins included; ``model_errors`` are requests that failed, whatever
    came of them. ``transcript``: speaker and text. ``again`` has one for each turn in which something was
    told before a response; ``withheld`` are sentences that a guard kept from the customer, with its name. Both
    are None in rows from before they were kept.

    Where a model played the customer, ``simulator`` is its name, ``customer_left`` how its part ended,
    ``customer_cost`` what it took, and ``customer_failed`` why it could not play on: then nothing was judged,
    and it was not the assistant's doing.
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
    again: tuple[Again, ...] | None = None
    withheld: tuple[tuple[Guard, str], ...] | None = None
    simulator: str | None = None
    customer_left: How | None = None
    customer_cost: Cost | None = None
    customer_failed: str | None = None

    @property
    def judged(self) -> bool:
        """Whether this says anything about the assistant."""
        return self.customer_failed is None

    @property
    def passed(self) -> bool:
        """Whether everything came as expected."""
        return self.judged and not self.unmet and self.broke is None

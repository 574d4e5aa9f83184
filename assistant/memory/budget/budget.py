"""How much one request to a model may hold, and by whose count."""

from dataclasses import dataclass, field

from assistant.memory.budget.remembered_sizes import RememberedSizes
from assistant.ports import Counter


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """At most ``tokens`` for instructions, tools and conversation together; the reply is not among them.

    ``sizes`` are what ``counter`` counts, remembered.
    """

    tokens: int
    counter: Counter
    sizes: RememberedSizes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", RememberedSizes(self.counter))

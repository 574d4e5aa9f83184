"""How much one request to a model may hold, and by whose count."""

from dataclasses import dataclass

from assistant.ports import Counter


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """At most ``tokens`` for instructions, tools and conversation together; the reply is not among them."""

    tokens: int
    counter: Counter

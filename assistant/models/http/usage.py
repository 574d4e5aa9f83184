"""What a reply took, in tokens and in money."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """None is for what the provider does not tell. ``cached_tokens`` are among the ``input_tokens``."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None

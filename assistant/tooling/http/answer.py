"""What came back for a request."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """``kind`` is the media type in lower case, without its parameters.

    ``retry_after`` is what the system asked for in its own words, and in seconds where they say so.
    """

    status: int
    kind: str
    body: bytes = field(repr=False)
    retry_after: str = ""
    retry_after_s: float | None = None

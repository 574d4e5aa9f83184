"""What was said aloud, in writing."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """What somebody said.

    ``text`` is "" where nobody spoke. ``likely``: how sure the model is of its words, from 0 to 1. ``seconds`` of
    sound were heard.
    """

    text: str
    likely: float = 1.0
    seconds: float = 0.0

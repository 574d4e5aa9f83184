"""How customers speak, where that tells what they are about to do: `[listening]` of a locale's file."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ListeningWords:
    """What the ears go by, besides the sound. All empty: only the marks at the end of a text count."""


NO_LISTENING_WORDS = ListeningWords()

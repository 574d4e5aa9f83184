"""A conversation as a test: what the console shows of it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiedTest:
    """A cassette of a conversation, as the text of a file, and how it was played at once.

    ``passes``: the file passes with the prompts and tools of today. ``failure`` says why not. ``difference`` is
    what went otherwise in the replay than in the conversation; "" for nothing. ``masked`` is the number of pieces
    of personal data that were replaced. ``left_out`` says what a replay cannot reproduce, one line each.
    """

    text: str
    passes: bool
    failure: str
    difference: str
    masked: int
    left_out: tuple[str, ...]

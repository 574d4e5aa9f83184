"""Which acknowledgement is spoken: all of it, a word, or none."""

from typing import Literal, TypeAlias

Manner: TypeAlias = Literal["whole", "short", "none"]

FIRST_WORDS_S = 2.0
"""Nobody waits longer than this for the first words, from the end of what they said."""

ON_ITS_WAY_S = 0.4
"""What it takes from words to the customer's ear, at most: speech is made, sent and begins to play."""

WORTH_IT_S = 2.0
"""For a wait that is as long, it is worth saying what is looked up."""


def manner_of(expected_s: float, silent_s: float, *, answered: bool = False) -> Manner:
    """How to acknowledge, when the answer is expected in so many seconds.

    ``silent_s``: so long ago the customer's last word was. ``answered``: something was said since.

    >>> manner_of(3.0, 0.5), manner_of(1.5, 0.5), manner_of(0.5, 0.5)
    ('whole', 'short', 'none')
    >>> manner_of(1.5, 0.5, answered=True)
    'none'
    """
    if expected_s >= WORTH_IT_S:
        return "whole"
    if answered or silent_s + expected_s + ON_ITS_WAY_S <= FIRST_WORDS_S:
        return "none"
    return "short"

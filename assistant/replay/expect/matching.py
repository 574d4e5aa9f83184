"""Whether a text has the words that somebody looks for, in upper or lower case."""

import re


def contains(text: str, words: str) -> bool:
    """Whether the words stand in the text.

    >>> contains("You're booked for Tuesday.", "TUESDAY")
    True
    """
    return words.casefold() in text.casefold()


def matches(text: str, pattern: str) -> bool:
    r"""Whether a regular expression finds something in the text.

    >>> matches("You owe $10.", r"owe \$\d+")
    True
    """
    return re.search(pattern, text, re.IGNORECASE) is not None

"""The sentences of a passage, as one would say them."""

import re
from typing import Final

from assistant.text.sentences import sentences

_HEADING: Final = re.compile(r"^#{1,6}[ \t].*$", re.MULTILINE)
_WRAPPED: Final = re.compile(r"(?<=\S)[ \t]*\n(?=[ \t]*\w)(?![ \t]*\d+[.)])")
_ITEM: Final = re.compile(r"^[ \t]*(?:[-*+•]|\d+[.)])[ \t]+", re.MULTILINE)
_MARKS: Final = re.compile(r"\*\*|__|`")


def prose(text: str) -> list[str]:
    r"""The sentences in their order, without headings, bullets and marks of emphasis.

    >>> prose("## How long\n\nYou have **30 days**\nfor it. Then not.\n\n- Not for lenses\n")
    ['You have 30 days for it.', 'Then not.', 'Not for lenses']
    """
    bare = _MARKS.sub("", _HEADING.sub("", text))
    flowing = _ITEM.sub("", _WRAPPED.sub(" ", bare))
    return [said for sentence in sentences(flowing) if (said := " ".join(sentence.split()))]

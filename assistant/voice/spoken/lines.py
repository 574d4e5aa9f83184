"""What kind of line a line of Markdown is, and where its first clause ends."""

import re
from typing import Final

_BLOCK: Final = re.compile(r"\s*(?:[-*+•]\s|\d{1,9}[.)]\s|#{1,6}\s|>|[`~]{3})")
_FENCE: Final = re.compile(r"\s*(`{3,}(?![^\n]*`)|~{3,})")
_DELIMITER: Final = re.compile(r"\s*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?\s*")
_CLAUSE_ENDS: Final = re.compile(r"(?P<last>[^\s.,;:—–])[\"'”’)*_]*(?:[,;:]|\s[—–])[\"'”’)*_]*\s+\Z")
_LONGEST_END: Final = 12
_WORDS: Final = 4


def is_whole(line: str) -> bool:
    """Whether a line is said in one: an item, a heading, a row of a table. Its beginning is enough to tell."""
    return "|" in line or _BLOCK.match(line) is not None


def begins_block(line: str) -> bool:
    """Whether no table goes on with this line, though nothing stands between."""
    return _BLOCK.match(line) is not None


def fence_of(line: str) -> str:
    """The signs with which code begins; "" when it does not."""
    found = _FENCE.match(line)
    return found[1] if found else ""


def closes(line: str, fence: str) -> bool:
    """Whether code that began with the fence ends with this line."""
    signs = line.strip()
    return len(signs) >= len(fence) and not signs.strip(fence[0])


def is_delimiter(line: str) -> bool:
    """Whether the line parts a table's head from its rows."""
    return "|" in line and _DELIMITER.fullmatch(line) is not None


def clause_ends(text: str, following: str) -> bool:
    """Whether a clause of enough words ends with the text, and its next begins with the sign that follows.

    >>> clause_ends("Your next appointment is on Tuesday, ", "a"), clause_ends("You came on Dec 9, ", "2")
    (True, False)
    """
    found = _CLAUSE_ENDS.search(text, max(0, len(text.rstrip()) - _LONGEST_END))
    if found is None or (found["last"].isdigit() and following.isdigit()):
        return False
    return len(text.split(None, _WORDS)) >= _WORDS

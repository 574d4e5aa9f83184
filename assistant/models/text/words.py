"""A model's words on their way to the customer: at once, but for what may not be words."""

import re
from typing import Final

from assistant.sections.escape import unescape

_ENTITY: Final = re.compile(r"&[#\w]{0,9}\Z")
ENDS: Final = "\n.!?:\u2026"
"""What stands at the end of a sentence, or of a line."""


class Words:
    """Lets words out as they come; what a section has escaped is read as it was meant.

    Held back are an entity that is not complete, and the ends of lines: what follows may be calls. White space
    before the first word is left out.
    """

    def __init__(self) -> None:
        self._held = ""
        self.said = False
        self.line_start = True
        self.sentence_start = True

    def push(self, text: str) -> str:
        """Some more words; gives what can be said now."""
        if text:
            self.line_start = text.endswith("\n")
            spaceless = text.rstrip(" \t")
            self.sentence_start = spaceless[-1] in ENDS if spaceless else self.sentence_start
        text = self._held + text if self.said else (self._held + text).lstrip()
        end = _held_from(text)
        self._held = text[end:]
        return self._out(text[:end])

    def end(self) -> str:
        """No more words come: gives what was held back, without the ends of lines."""
        text, self._held = self._held.rstrip(), ""
        return self._out(text)

    def _out(self, text: str) -> str:
        self.said = self.said or text.strip() != ""
        return unescape(text)


def _held_from(text: str) -> int:
    """Where the ends of lines at the end of a text begin, or else an entity that is not complete."""
    words = len(text.rstrip())
    line_end = text.find("\n", words)
    if line_end >= 0:
        return line_end
    entity = _ENTITY.search(text, max(0, len(text) - 10))
    return entity.start() if entity is not None else len(text)

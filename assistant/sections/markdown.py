"""Sections as Markdown: a heading, the content below it, a blank line before the next."""

import re
from collections.abc import Iterable
from typing import Final

from assistant.sections.text_format import FENCE, Marker, Names, Pieces, escape

_HEADING: Final = re.compile(
    r"[ \t>]*(?:#{1,6}[ \t]{0,3}(?:\*\*|__)?|\*\*|__)[ \t]{0,3}"
    r"(?P<name>[A-Za-z](?:[\w-]*[^\W_])?(?: [\w-]*[^\W_]){0,3}?)[ \t]{0,3}"
    r"(?P<end>:[ \t]{0,3}(?:\*\*|__)?[ \t]{0,3}|(?:\*\*|__)?:?[ \t]{0,3}#{0,6}[ \t]{0,3}(?=[\[{`]|\r?$))"
)
_BEGUN: Final = re.compile(
    r"[ \t>]*(?:#{1,6}|\*\*?|__?)?[ \t]{0,3}(?:\*\*?|__?)?[ \t]{0,3}(?P<name>[A-Za-z].*)?\Z"
)
_CONTENT: Final = ("[", "{", "`")
_LONGEST: Final = 100


class MarkdownFormat:
    """``# name``, the content below it, a blank line before the next section.

    Read are headings of every level and names in bold type on a line of their own, with a colon or without; what
    stands behind the colon belongs to the content. A heading inside a closed fence of a section is content.
    """

    def __init__(self) -> None:
        self._names = Names()

    def register(self, name: str, description: str) -> None:
        """Make a section known. Raises ``DeclarationError``."""
        self._names.register(name, description)

    def describe(self) -> str:
        """The registered sections, each with its description."""
        return "\n\n".join(f"# {name}\n{description}" for name, description in self._names)

    def parse(self, output: str) -> dict[str, list[str]]:
        """The contents of each section."""
        pieces = Pieces()
        lines = output.replace("\r\n", "\n").split("\n")
        closed = -1
        for place, line in enumerate(lines):
            heading = self._heading(line) if place > closed else None
            if heading is not None:
                name, end = heading
                pieces.open(name)
                line = line[end:]
            elif place > closed and pieces.is_open and FENCE.match(line):
                closed = _end_of_fence(lines, place)
            pieces.add(line + "\n")
        return pieces.contents()

    def format(self, name: str, content: str) -> str:
        """One section."""
        return f"# {name}\n{escape(content)}"

    def format_all(self, sections: Iterable[tuple[str, str]]) -> str:
        """Several sections."""
        return "\n\n".join(self.format(name, content) for name, content in sections)

    def wrap(self, name: str, sections: Iterable[tuple[str, str]]) -> str:
        """Several sections within one, a level below it."""
        inner = "\n\n".join(f"#{self.format(each, content)}" for each, content in sections)
        return f"# {name}\n\n{inner}" if inner else ""

    def find(self, text: str, *, line_start: bool = True, complete: bool = True) -> Marker | None:
        """The first heading of a registered section."""
        place = 0 if line_start else text.find("\n") + 1
        while line_start or place:
            end = text.find("\n", place)
            line = text[place:] if end < 0 else text[place:end]
            heading = self._heading(line)
            # A line that is not at its end may become another one.
            if heading is not None and (complete or end >= 0 or line[heading[1] :][:1] in _CONTENT):
                return Marker(heading[0], place, place + heading[1])
            if end < 0:
                break
            line_start, place = True, end + 1
        return None

    def held_from(self, text: str, *, line_start: bool = True) -> int:
        """Where the text's last line begins, if that may become a heading of ours."""
        place = text.rfind("\n") + 1
        if (place == 0 and not line_start) or len(text) - place > _LONGEST:
            return len(text)
        begun = _BEGUN.match(text, place)
        if begun is None or place == len(text):
            return len(text)
        marked = text[place:].lstrip(" \t>")[:1] in {"#", "*", "_", ""}
        name = (begun["name"] or "").rstrip("*_# \t:")
        return place if marked and self._names.may_become_known(name) else len(text)

    def _heading(self, line: str) -> tuple[str, int] | None:
        found = _HEADING.match(line)
        name = self._names.known(found["name"]) if found else None
        return (name, found.end()) if found and name else None


def _end_of_fence(lines: list[str], opening: int) -> int:
    """The line that closes the fence; the opening one where none does."""
    return next((place for place in range(opening + 1, len(lines)) if FENCE.match(lines[place])), opening)

"""Sections as XML: a tag, the content on lines of its own, the closing tag."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from assistant.sections.text_format import Marker, Names, Pieces, escape

_LONGEST: Final = 200
_TAG: Final = re.compile(
    rf"<[ \t]{{0,3}}[|]?(?P<close>[/\\]?)[ \t]{{0,3}}(?P<name>[A-Za-z][\w-]{{0,63}})[ \t]{{0,3}}[|]?"
    rf"(?P<more>[ \t\n/][^<>]{{0,{_LONGEST}}})?>"
)
_BEGUN: Final = re.compile(r"<[ \t]{0,3}[|]?[/\\]?[ \t]{0,3}(?P<name>[A-Za-z][\w-]*)?(?P<more>[^<>]*)\Z")


class XmlFormat:
    """``<name>``, the content on lines of its own, ``</name>``.

    Read are tags in whatever case, with attributes and with spaces. A section may stand within another; one that is
    not closed ends with the one around it, or with the text.
    """

    def __init__(self) -> None:
        self._names = Names()

    def register(self, name: str, description: str) -> None:
        """Make a section known. Raises ``DeclarationError``."""
        self._names.register(name, description)

    def describe(self) -> str:
        """The registered sections, each with its description."""
        return "\n".join(f"<{name}>\n{description}\n</{name}>" for name, description in self._names)

    def parse(self, output: str) -> dict[str, list[str]]:
        """The contents of each section."""
        pieces = Pieces()
        text = output.replace("\r\n", "\n")
        place = 0
        for marker in self._markers(text):
            pieces.add(text[place : marker.start])
            place = marker.end
            if marker.kind == "closes":
                pieces.close(marker.name)
                continue
            pieces.open(marker.name, within=True)
            if text[marker.end - 2 : marker.end] == "/>":
                pieces.close(marker.name)
        pieces.add(text[place:])
        return pieces.contents()

    def format(self, name: str, content: str) -> str:
        """One section."""
        return _around(name, escape(content))

    def format_all(self, sections: Iterable[tuple[str, str]]) -> str:
        """Several sections."""
        return "\n".join(self.format(name, content) for name, content in sections)

    def wrap(self, name: str, sections: Iterable[tuple[str, str]]) -> str:
        """Several sections within one."""
        inner = self.format_all(sections)
        return _around(name, inner) if inner else ""

    def find(self, text: str, *, line_start: bool = True, complete: bool = True) -> Marker | None:  # noqa: ARG002 - a tag may stand anywhere, and has an end of its own
        """The first tag of a registered section."""
        return next(self._markers(text), None)

    def held_from(self, text: str, *, line_start: bool = True) -> int:  # noqa: ARG002 - a tag may stand anywhere
        """Where the text's last ``<`` stands, if that may become a tag of ours."""
        place = text.rfind("<")
        if place < 0 or len(text) - place > _LONGEST:
            return len(text)
        begun = _BEGUN.match(text, place)
        if begun is None or (begun["more"].strip() and not begun["name"]):
            return len(text)
        return place if self._names.may_become_known(begun["name"] or "") else len(text)

    def _markers(self, text: str) -> Iterator[Marker]:
        for found in _TAG.finditer(text):
            if (name := self._names.known(found["name"])) is not None:
                yield Marker(name, found.start(), found.end(), "closes" if found["close"] else "opens")


def _around(name: str, inner: str) -> str:
    return f"<{name}>\n{inner}\n</{name}>"

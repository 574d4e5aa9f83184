"""What a text format is: a way to write and to find the named parts of a text."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Marker:
    """Where a section opens or closes: ``text[start:end]`` is the marker, ``name`` the registered name."""

    name: str
    start: int
    end: int
    kind: Literal["opens", "closes"] = "opens"


@runtime_checkable
class TextFormat(Protocol):
    """Writes sections, and reads what models make of them.

    Only registered names are looked for; in whatever case, with spaces or hyphens for underscores, and with a
    nonce behind them (see :mod:`assistant.sections.nonce`). Written may be any name.
    """

    def register(self, name: str, description: str) -> None:
        """Make a section known; the description stands where its content would stand in :meth:`describe`.

        Raises ``DeclarationError`` for a name that cannot be one, or is known already.
        """
        ...

    def describe(self) -> str:
        """The registered sections as they are to be written, each with its description, in their order."""
        ...

    def parse(self, output: str) -> dict[str, list[str]]:
        """The contents of each section that stands in the output, unescaped, in their order.

        What stands outside of sections is left out. Never raises: an unclosed section ends where the output does,
        or another begins.
        """
        ...

    def format(self, name: str, content: str) -> str:
        """One section, its content escaped."""
        ...

    def format_all(self, sections: Iterable[tuple[str, str]]) -> str:
        """Several sections, given as name and content, in their order; "" for none."""
        ...

    def wrap(self, name: str, sections: Iterable[tuple[str, str]]) -> str:
        """Several sections within one; "" for none."""
        ...

    def find(self, text: str, *, line_start: bool = True, complete: bool = True) -> Marker | None:
        """The first marker of a registered section.

        Args:
            text: a text, or a piece of one.
            line_start: whether the piece begins a line.
            complete: whether nothing more follows the piece.
        """
        ...

    def held_from(self, text: str, *, line_start: bool = True) -> int:
        """Where in a text, in which no marker was found, the beginning of one may stand; its length for nowhere."""
        ...

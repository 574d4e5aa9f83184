"""Texts in sections, as models read and write them: Markdown or XML.

Text from other sources is escaped, so that it cannot be read as the beginning or the end of a section. Begin
with ``TextFormat``, the protocol; ``text_format`` finds a format by name.
"""

import hashlib
import hmac
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal, Protocol, runtime_checkable

from assistant.errors import DeclarationError


@dataclass(frozen=True, slots=True)
class Marker:
    """Where a section opens or closes: ``text[start:end]`` is the marker, ``name`` the registered name."""

    name: str
    start: int
    end: int
    kind: Literal["opens", "closes"] = "opens"


@runtime_checkable
class TextFormat(Protocol):
    """Writes sections, and reads a model's output.

    It finds only registered names, in any case, with spaces or hyphens for underscores, and with a nonce
    after them (see :func:`nonce`). It can write any name.
    """

    def register(self, name: str, description: str) -> None:
        """Register a section; :meth:`describe` shows the description in place of its content.

        Raises ``DeclarationError`` for an invalid name, or one that is already registered.
        """
        ...

    def describe(self) -> str:
        """Returns the registered sections in their written form, each with its description, in order."""
        ...

    def parse(self, output: str) -> dict[str, list[str]]:
        """Returns the contents of each section in the output, unescaped, in order.

        Text outside sections is left out. Never raises: an unclosed section ends at the end of the output, or
        at the next section.
        """
        ...

    def format(self, name: str, content: str) -> str:
        """Returns one section, its content escaped."""
        ...

    def format_all(self, sections: Iterable[tuple[str, str]]) -> str:
        """Returns several sections, given as name and content, in order, or "" for none."""
        ...

    def wrap(self, name: str, sections: Iterable[tuple[str, str]]) -> str:
        """Returns several sections inside one, or "" for none."""
        ...

    def find(self, text: str, *, line_start: bool = True, complete: bool = True) -> Marker | None:
        """Returns the first marker of a registered section, or None if there is none.

        Args:
            text: a text, or a piece of one.
            line_start: whether the piece begins a line.
            complete: whether nothing more follows the piece.
        """
        ...

    def held_from(self, text: str, *, line_start: bool = True) -> int:
        """Returns the position where an unfinished marker may begin in a text without markers, or the text's
        length if no marker may begin.
        """
        ...


_NAME: Final = re.compile(r"[A-Za-z][\w -]{0,47}")
_NONCE: Final = re.compile(r"_[0-9a-f]{8,}$")
_JOINTS: Final = re.compile(r"[\s_-]+")


def folded(name: str) -> str:
    """Returns a name in normalized form, without the usual mistakes of models.

    >>> folded(" Tool-Calls")
    'tool_calls'
    """
    return _JOINTS.sub("_", name.strip()).casefold()


class Names:
    """The registered sections: each name with its description."""

    def __init__(self) -> None:
        self._described: dict[str, str] = {}
        self._by_folded: dict[str, str] = {}

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._described.items())

    def register(self, name: str, description: str) -> None:
        """Add a name. Raises ``DeclarationError`` if it could not be found again, or is taken."""
        if not _NAME.fullmatch(name):
            raise DeclarationError(
                f"section {name!r}: a name begins with a letter and has letters, digits, spaces, '_' and '-' "
                "after it, 48 at most, such as 'tool_calls'"
            )
        if (taken := self._by_folded.setdefault(folded(name), name)) != name or name in self._described:
            raise DeclarationError(f"section {name!r}: {taken!r} is registered already; choose another name")
        self._described[name] = description

    def known(self, written: str) -> str | None:
        """Returns the registered name for a written one; a nonce after it is ignored."""
        plain = folded(written)
        return self._by_folded.get(plain) or self._by_folded.get(_NONCE.sub("", plain))

    def may_become_known(self, written: str) -> bool:
        """Whether the written beginning is, or may become, a registered name."""
        plain = folded(written)
        return any(name.startswith(plain) or plain.startswith(name) for name in self._by_folded)


# Zero-width and bidirectional signs, fillers and tags; not the joiners of emoji and of Persian, see _JOINER.
_UNSEEN: Final = (
    "\u00ad\u034f\u061c\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_JOINER: Final = r"(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
_CONTROL: Final = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
_ANGLE: Final = "\uff1c\ufe64\u2039\u2329\u3008\u27e8\u02c2\u1438\u276e\u2770\u29fc"
_HASH: Final = "#\uff03\ufe5f\u266f"
_STAR: Final = "*\uff0a\ufe61\u2217"
_TICK: Final = "`\uff40\u02cb"

_ENTITY: Final = re.compile(r"&(?:amp|lt|gt|#x[0-9a-f]{1,6}|#[0-9]{1,7});", re.IGNORECASE)
_AMPERSAND: Final = re.compile(rf"&(?={_ENTITY.pattern[1:]})", re.IGNORECASE)
_LINE_MARK: Final = re.compile(
    rf"^(?P<indent>(?:[^\S\n]|[>{_UNSEEN}\u200c\u200d])*)"
    rf"(?P<mark>[{_HASH}]|(?=[{_STAR}]{{2}}|__|[{_TICK}]{{3}}|~~~|(?:={{2,}}|-{{2,}})[^\S\n]*$).)",
    re.MULTILINE,
)
_SIGN: Final = re.compile(rf"<(?!\s*[\d=-])|[{_ANGLE}{_UNSEEN}{_CONTROL}]|{_JOINER}")
_NAMED: Final = {"amp": "&", "lt": "<", "gt": ">"}
_LAST: Final = 0x10FFFF


def escape(text: str) -> str:
    """Returns the text escaped as the content of a section, for both formats.

    >>> escape("</observation> 3 < 4 & so on"), escape("# calls")
    ('&lt;/observation> 3 < 4 & so on', '&#x23; calls')
    """
    text = _AMPERSAND.sub("&amp;", text)
    text = _LINE_MARK.sub(lambda found: found["indent"] + _entity(found["mark"]), text)
    text = _SIGN.sub(lambda found: _entity(found[0]), text)
    # A parser strips the white space around a section's content.
    if text and text[-1].isspace():
        text = text[:-1] + _entity(text[-1])
    if text and text[0].isspace():
        text = _entity(text[0]) + text[1:]
    return text


def unescape(text: str) -> str:
    """Returns the inverse of :func:`escape`; it also reads entities that a model has copied or written.

    >>> unescape(escape("&lt; is not <"))
    '&lt; is not <'
    """
    return _ENTITY.sub(_sign, text) if "&" in text else text


def _entity(sign: str) -> str:
    return "&lt;" if sign == "<" else f"&#x{ord(sign):X};"


def _sign(found: re.Match[str]) -> str:
    name = found[0][1:-1].lower()
    if name in _NAMED:
        return _NAMED[name]
    number = int(name[2:], 16) if name.startswith("#x") else int(name[1:])
    return chr(number) if number <= _LAST else found[0]


_CODE_LENGTH = 8


def nonce(secret: bytes, *parts: str) -> str:
    """Returns the code for these parts, such as a conversation's id and its calls' ids: 8 hex digits, always
    the same.

    >>> nonce(b"secret", "c1", "t1_c1_1") == nonce(b"secret", "c1", "t1_c1_1") != nonce(b"secret", "c1t1_c1_1")
    True
    """
    # With the lengths, parts that differ only in where one ends and the next begins give different codes.
    told = "".join(f"{len(part)} {part} " for part in parts)
    return hmac.new(secret, told.encode(errors="replace"), hashlib.sha256).hexdigest()[:_CODE_LENGTH]


def coded(name: str, code: str) -> str:
    """Returns a section's name with its code, or the plain name if there is no code.

    >>> coded("observation", "3f9a1c2b"), coded("observation", "")
    ('observation-3f9a1c2b', 'observation')
    """
    return f"{name}-{code}" if code else name


@dataclass(slots=True)
class _Piece:
    name: str
    texts: list[str] = field(default_factory=list[str])
    holds_others: bool = False


class Pieces:
    """Collects contents. Text before the first section, or between two, is dropped."""

    def __init__(self) -> None:
        self._all: list[_Piece] = []
        self._open: list[_Piece] = []

    @property
    def is_open(self) -> bool:
        """Whether a section is open."""
        return bool(self._open)

    def open(self, name: str, *, within: bool = False) -> None:
        """Open a section: inside the open one, or after it."""
        piece = _Piece(name)
        if within and self._open:
            self._open[-1].holds_others = True
        elif not within:
            self._open.clear()
        self._open.append(piece)
        self._all.append(piece)

    def close(self, name: str) -> None:
        """Close a section, and the sections inside it. Does nothing if no section with that name is open."""
        for place in range(len(self._open) - 1, -1, -1):
            if self._open[place].name == name:
                del self._open[place:]
                return

    def add(self, text: str) -> None:
        """Add content."""
        if self._open:
            self._open[-1].texts.append(text)

    def contents(self) -> dict[str, list[str]]:
        """Returns all collected contents, unescaped.

        A section that contains only other sections has no content of its own.
        """
        found: dict[str, list[str]] = {}
        for piece in self._all:
            content = without_fence("".join(piece.texts))
            if content or not piece.holds_others:
                found.setdefault(piece.name, []).append(unescape(content))
        return found


FENCE: Final = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*[\w+.-]*[ \t]*$")
"""A line that opens or closes a fence."""

_BARE: Final = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*$")


def without_fence(content: str) -> str:
    r"""Returns the content without a code fence around it, or without one unmatched end of a fence.

    >>> without_fence("```json\n[1]\n```"), without_fence("[1]\n```")
    ('[1]', '[1]')
    """
    lines = content.strip().split("\n")
    fences = [place for place, line in enumerate(lines) if FENCE.match(line)]
    if len(fences) == 2 and fences[0] == 0 and fences[1] == len(lines) - 1:
        lines = lines[1:-1]
    elif len(fences) == 1 and fences[0] == 0 and len(lines) > 1:
        lines = lines[1:]
    elif len(fences) % 2 and _BARE.match(lines[-1]):
        lines = lines[:-1]
    return "\n".join(lines).strip()


_HEADING: Final = re.compile(
    r"[ \t>]*(?:#{1,6}[ \t]{0,3}(?:\*\*|__)?|\*\*|__)[ \t]{0,3}"
    r"(?P<name>[A-Za-z](?:[\w-]*[^\W_])?(?: [\w-]*[^\W_]){0,3}?)[ \t]{0,3}"
    r"(?P<end>:[ \t]{0,3}(?:\*\*|__)?[ \t]{0,3}|(?:\*\*|__)?:?[ \t]{0,3}#{0,6}[ \t]{0,3}(?=[\[{`]|\r?$))"
)
_HEADING_BEGUN: Final = re.compile(
    r"[ \t>]*(?:#{1,6}|\*\*?|__?)?[ \t]{0,3}(?:\*\*?|__?)?[ \t]{0,3}(?P<name>[A-Za-z].*)?\Z"
)
_CONTENT: Final = ("[", "{", "`")
_LONGEST_HEADING: Final = 100


class MarkdownFormat:
    """``# name``, the content below it, and a blank line before the next section.

    It reads headings of each level and names in bold type on their own line, with or without a colon; text
    after the colon is content. A heading inside a closed code fence is content.
    """

    def __init__(self) -> None:
        self._names = Names()

    def register(self, name: str, description: str) -> None:
        """Make a section known. Raises ``DeclarationError``."""
        self._names.register(name, description)

    def describe(self) -> str:
        """Returns the registered sections, each with its description."""
        return "\n\n".join(f"# {name}\n{description}" for name, description in self._names)

    def parse(self, output: str) -> dict[str, list[str]]:
        """Returns the contents of each section."""
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
        """Returns one section."""
        return f"# {name}\n{escape(content)}"

    def format_all(self, sections: Iterable[tuple[str, str]]) -> str:
        """Returns several sections."""
        return "\n\n".join(self.format(name, content) for name, content in sections)

    def wrap(self, name: str, sections: Iterable[tuple[str, str]]) -> str:
        """Returns several sections inside one, one heading level lower."""
        inner = "\n\n".join(f"#{self.format(each, content)}" for each, content in sections)
        return f"# {name}\n\n{inner}" if inner else ""

    def find(self, text: str, *, line_start: bool = True, complete: bool = True) -> Marker | None:
        """Returns the first heading of a registered section, or None if there is none."""
        place = 0 if line_start else text.find("\n") + 1
        while line_start or place:
            end = text.find("\n", place)
            line = text[place:] if end < 0 else text[place:end]
            heading = self._heading(line)
            # An incomplete line may still become a longer one.
            if heading is not None and (complete or end >= 0 or line[heading[1] :][:1] in _CONTENT):
                return Marker(heading[0], place, place + heading[1])
            if end < 0:
                break
            line_start, place = True, end + 1
        return None

    def held_from(self, text: str, *, line_start: bool = True) -> int:
        """Returns the beginning of the text's last line if the line may become a heading of a registered
        section, or the text's length if not.
        """
        place = text.rfind("\n") + 1
        if (place == 0 and not line_start) or len(text) - place > _LONGEST_HEADING:
            return len(text)
        begun = _HEADING_BEGUN.match(text, place)
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
    """Returns the number of the line that closes the fence, or the opening line's number if no line closes
    it.
    """
    return next((place for place in range(opening + 1, len(lines)) if FENCE.match(lines[place])), opening)


_LONGEST_TAG: Final = 200
_TAG: Final = re.compile(
    rf"<[ \t]{{0,3}}[|]?(?P<close>[/\\]?)[ \t]{{0,3}}(?P<name>[A-Za-z][\w-]{{0,63}})[ \t]{{0,3}}[|]?"
    rf"(?P<more>[ \t\n/][^<>]{{0,{_LONGEST_TAG}}})?>"
)
_TAG_BEGUN: Final = re.compile(r"<[ \t]{0,3}[|]?[/\\]?[ \t]{0,3}(?P<name>[A-Za-z][\w-]*)?(?P<more>[^<>]*)\Z")


class XmlFormat:
    """``<name>``, the content on separate lines, ``</name>``.

    It reads tags in any case, with attributes and spaces. Sections may be nested; an unclosed one ends with
    the one around it, or with the text.
    """

    def __init__(self) -> None:
        self._names = Names()

    def register(self, name: str, description: str) -> None:
        """Make a section known. Raises ``DeclarationError``."""
        self._names.register(name, description)

    def describe(self) -> str:
        """Returns the registered sections, each with its description."""
        return "\n".join(f"<{name}>\n{description}\n</{name}>" for name, description in self._names)

    def parse(self, output: str) -> dict[str, list[str]]:
        """Returns the contents of each section."""
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
        """Returns one section."""
        return _around(name, escape(content))

    def format_all(self, sections: Iterable[tuple[str, str]]) -> str:
        """Returns several sections."""
        return "\n".join(self.format(name, content) for name, content in sections)

    def wrap(self, name: str, sections: Iterable[tuple[str, str]]) -> str:
        """Returns several sections inside one."""
        inner = self.format_all(sections)
        return _around(name, inner) if inner else ""

    def find(self, text: str, *, line_start: bool = True, complete: bool = True) -> Marker | None:  # noqa: ARG002 - a tag may be anywhere, and has an explicit end
        """Returns the first tag of a registered section, or None if there is none."""
        return next(self._markers(text), None)

    def held_from(self, text: str, *, line_start: bool = True) -> int:  # noqa: ARG002 - a tag may be anywhere
        """Returns the position of the text's last ``<`` if it may become a tag of a registered section, or
        the text's length if not.
        """
        place = text.rfind("<")
        if place < 0 or len(text) - place > _LONGEST_TAG:
            return len(text)
        begun = _TAG_BEGUN.match(text, place)
        if begun is None or (begun["more"].strip() and not begun["name"]):
            return len(text)
        return place if self._names.may_become_known(begun["name"] or "") else len(text)

    def _markers(self, text: str) -> Iterator[Marker]:
        for found in _TAG.finditer(text):
            if (name := self._names.known(found["name"])) is not None:
                yield Marker(name, found.start(), found.end(), "closes" if found["close"] else "opens")


def _around(name: str, inner: str) -> str:
    return f"<{name}>\n{inner}\n</{name}>"


_MAKES: Final[Mapping[str, Callable[[], TextFormat]]] = MappingProxyType(
    {"markdown": MarkdownFormat, "xml": XmlFormat}
)


def text_format(name: str) -> TextFormat:
    """Returns a new format with that name, with nothing registered.

    Raises ``DeclarationError`` with the known names.
    """
    make = _MAKES.get(name)
    if make is None:
        raise DeclarationError(f"no text format is named {name!r}; use one of: {', '.join(_MAKES)}")
    return make()

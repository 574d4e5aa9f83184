"""A picture or file that a tool returns with its value, and the detection of a picture's format."""

import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Literal, TypeAlias

PictureKind: TypeAlias = Literal["image/png", "image/jpeg", "image/gif", "image/webp"]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture's format and size in pixels, detected from its bytes."""

    mime: PictureKind
    width: int
    height: int

    @property
    def pixels(self) -> int:
        """The number of pixels."""
        return self.width * self.height


def picture_in(content: bytes) -> Picture | None:
    """Returns the picture in these bytes, whatever its declared type, or None for anything but PNG, JPEG, GIF
    and WebP.

    >>> picture_in(b"GIF89a" + bytes([40, 1, 30, 0]))
    Picture(mime='image/gif', width=296, height=30)
    >>> picture_in(b"<svg/>") is None
    True
    """
    for begins, mime, size_in in _KINDS:
        if begins.match(content):
            size = size_in(content)
            return Picture(mime, *size) if size is not None and all(size) else None
    return None


_Size: TypeAlias = tuple[int, int]


def _png(content: bytes) -> _Size | None:
    return _big(content[16:20]), _big(content[20:24])


def _gif(content: bytes) -> _Size | None:
    return _little(content[6:8]), _little(content[8:10])


def _jpeg(content: bytes) -> _Size | None:
    for marker, body in _segments(content):
        # All frame headers; three numbers in the range have another meaning.
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return _big(body[3:5]), _big(body[1:3])
    return None


def _segments(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yields the segments of a JPEG before its first scan, each with its marker."""
    at = 2
    while at + 4 <= len(content) and content[at] == 0xFF:
        if content[at + 1] == 0xFF:  # a fill byte
            at += 1
            continue
        length = _big(content[at + 2 : at + 4])
        yield content[at + 1], content[at + 4 : at + 2 + length]
        at += 2 + length


def _webp(content: bytes) -> _Size | None:
    form, body = content[12:16], content[20:30]
    if len(body) < 10:
        return None
    if form == b"VP8X":
        return _little(body[4:7]) + 1, _little(body[7:10]) + 1
    if form == b"VP8L":
        bits = _little(body[1:5])
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return _little(body[6:8]) & 0x3FFF, _little(body[8:10]) & 0x3FFF


def _big(number: bytes) -> int:
    return int.from_bytes(number, "big")


def _little(number: bytes) -> int:
    return int.from_bytes(number, "little")


_KINDS: tuple[tuple[re.Pattern[bytes], PictureKind, Callable[[bytes], _Size | None]], ...] = (
    (re.compile(rb"\x89PNG\r\n\x1a\n....IHDR", re.DOTALL), "image/png", _png),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg", _jpeg),
    (re.compile(rb"GIF8[79]a"), "image/gif", _gif),
    (re.compile(rb"RIFF....WEBPVP8[ LX]", re.DOTALL), "image/webp", _webp),
)


MOST_BYTES = 20_000_000
"""The largest file that can become media, even if it is a picture that will be scaled down."""

_BY_ENDING = {
    ".csv": "text/csv",
    ".ics": "text/calendar",
    ".json": "application/json",
    ".mp3": "audio/mpeg",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".wav": "audio/wav",
}
"""A fixed table, because the system's own table differs from machine to machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """A picture or file next to a text. ``data`` is base64.

    :meth:`of` makes media from bytes or a file. ``name`` is for the customer: a picture's alternative text,
    or a file's name.
    """

    mime: str
    data: str
    name: str | None = None

    @classmethod
    def of(cls, content: bytes | Path, *, name: str | None = None, mime: str | None = None) -> "Media":
        r"""Returns the media in these bytes, or in this file. The type is detected from the bytes.

        >>> Media.of(b"%PDF-1.7 ...", name="invoice.pdf")
        Media(mime='application/pdf', data='JVBERi0xLjcgLi4u', name='invoice.pdf')

        Args:
            content: the bytes, or the path of a file. The file is read immediately; in an async tool, call
                this in a thread.
            name: a text such as "Your parcel at the door" or "invoice.pdf"; by default the file's name.
            mime: for types that cannot be detected, such as "application/zip". A detected type has priority.

        Raises:
            ValueError: the content is empty, too large, or of an unknown type.
            TypeError: it is neither bytes nor a Path.
            OSError: the file cannot be read.
        """
        ending = (content if isinstance(content, Path) else PurePath(name or "")).suffix.lower()
        if isinstance(content, Path):
            name, content = name or content.name, content.read_bytes()
        elif not isinstance(content, bytes):
            raise TypeError(
                f"Media.of takes bytes or a Path, not {type(content).__name__}; a text may be either an address "
                "or base64: write Media.of(Path(...)), or Media(mime='image/png', data=...) for base64"
            )
        shown = repr(name) if name else "the media"
        if not content:
            raise ValueError(f"{shown} is empty: there is nothing to show")
        if len(content) > MOST_BYTES:
            raise ValueError(f"{shown} has {len(content)} bytes; at most {MOST_BYTES} can be handed on")
        kind = _detect_mime(content) or mime or _BY_ENDING.get(ending)
        if kind is None:
            raise ValueError(
                f"the kind of {shown} is unknown ({len(content)} bytes that begin with {content[:8]!r}): PNG, "
                "JPEG, GIF, WebP and PDF are recognised; for other kinds pass it, such as mime='text/csv'"
            )
        return cls(mime=kind, data=b64encode(content).decode(), name=name)

    @property
    def content(self) -> bytes:
        """The decoded bytes. Raises ``ValueError`` if the data are not base64."""
        return b64decode(self.data, validate=True)


def _detect_mime(content: bytes) -> str | None:
    """Returns the MIME type that the bytes show, or None if it cannot be detected."""
    picture = picture_in(content)
    if picture is not None:
        return picture.mime
    return "application/pdf" if content.startswith(b"%PDF-") else None

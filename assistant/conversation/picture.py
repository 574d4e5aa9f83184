"""Reads from a file's first bytes which kind of picture it is, and how large; nothing is decoded."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

PictureKind: TypeAlias = Literal["image/png", "image/jpeg", "image/gif", "image/webp"]


@dataclass(frozen=True, slots=True)
class Picture:
    """What a picture says of itself: its kind, and its size in pixels."""

    mime: PictureKind
    width: int
    height: int

    @property
    def pixels(self) -> int:
        """How many there are in all."""
        return self.width * self.height


def picture_in(content: bytes) -> Picture | None:
    """The picture that a file is, whatever it is said to be; None for anything but PNG, JPEG, GIF and WebP.

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
        # Every frame header but the three numbers in between that mean something else.
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return _big(body[3:5]), _big(body[1:3])
    return None


def _segments(content: bytes) -> Iterator[tuple[int, bytes]]:
    """The parts of a JPEG before its first scan: each with its marker."""
    at = 2
    while at + 4 <= len(content) and content[at] == 0xFF:
        if content[at + 1] == 0xFF:  # filled up
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

"""What a file is, by what stands in it; its name decides only between kinds that look alike."""

import re
from typing import Final, Literal, TypeAlias

from assistant.errors import DocumentRefused

Mime: TypeAlias = Literal["text/plain", "text/markdown", "text/html", "application/pdf"]

READABLE: Final = "Markdown, plain text, HTML and PDF can be read"

_HTML = re.compile(rb"\s*(<!--.*?-->\s*)*<(!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE | re.DOTALL)
_XHTML = re.compile(rb"\s*<\?xml[^>]*>\s*<(!doctype\s+html|html)[\s>]", re.IGNORECASE)
_LOOKED_AT = 2_000
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_UTF_8 = b"\xef\xbb\xbf"
_OTHERS: Final[dict[bytes, str]] = {
    b"PK\x03\x04": "an archive or an Office file; save it as PDF",
    b"\xd0\xcf\x11\xe0": "an old Office file; save it as PDF",
    b"{\\rtf": "a rich text file; save it as PDF or as plain text",
    b"\x89PNG": "a picture; write down what it says",
    b"\xff\xd8\xff": "a picture; write down what it says",
    b"GIF8": "a picture; write down what it says",
    b"RIFF": "a picture, a sound or a film; write down what it says",
    b"\x1f\x8b": "a packed file; unpack it first",
}


def kind_of(name: str, content: bytes) -> Mime:
    """The kind of a file.

    Raises:
        DocumentRefused: it is none that can be read, with what would do.
    """
    if b"%PDF-" in content[:1024]:
        return "application/pdf"
    for begins, what in _OTHERS.items():
        if content.startswith(begins):
            raise DocumentRefused(f"{name!r} is {what} ({READABLE})")
    if content.startswith(_UTF_16):
        return _by_name(name)
    if b"\0" in content:
        raise DocumentRefused(f"{name!r} has bytes in it that no text has; {READABLE}")
    head = content.removeprefix(_UTF_8)[:_LOOKED_AT]
    if _HTML.match(head) or _XHTML.match(head):
        return "text/html"
    return _by_name(name)


def _by_name(name: str) -> Mime:
    ending = name.rpartition(".")[2].lower()
    if ending in ("html", "htm", "xhtml"):
        return "text/html"
    return "text/markdown" if ending in ("md", "markdown") else "text/plain"

"""What a picture really is, whatever it is called."""

import binascii
from base64 import b64decode

_MARKS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
)


def media_type(data: bytes) -> str | None:
    """The type that the first bytes tell; None for what no provider takes.

    >>> media_type(b"GIF89a...")
    'image/gif'
    """
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for mark, kind in _MARKS if data.startswith(mark)), None)


def decoded(text: object) -> bytes | None:
    """The bytes behind base64; None for what is none, and for nothing.

    >>> decoded("aGk="), decoded("no base64"), decoded("")
    (b'hi', None, None)
    """
    try:
        return b64decode(text, validate=True) or None if isinstance(text, str) else None
    except (binascii.Error, ValueError):
        return None

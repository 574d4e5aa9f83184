"""Files as third parties make them."""

import zlib
from collections.abc import Callable
from typing import TypeAlias

import pytest

MakePdf: TypeAlias = Callable[..., bytes]


@pytest.fixture
def pdf() -> MakePdf:
    """Makes a PDF with a page for each text and one that is ``drawn``; ``packed``: their streams are deflated."""
    return _pdf


def _pdf(*texts: str, drawn: bytes = b"", packed: bool = False, more: bytes = b"") -> bytes:
    streams = [b"BT /F1 12 Tf 72 700 Td (%b) Tj ET" % text.encode("latin-1") for text in texts]
    streams += [drawn] if drawn else []
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids: list[bytes] = []
    for stream in streams:
        number = len(objects) + 1
        kids.append(b"%d 0 R" % number)
        body = zlib.compress(stream) if packed else stream
        filtered = b" /Filter /FlateDecode" if packed else b""
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792]"
            b" /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>" % (number + 1)
        )
        objects.append(b"<< /Length %d%b >>\nstream\n%b\nendstream" % (len(body), filtered, body))
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%b] >>" % (len(kids), b" ".join(kids))
    out, places = b"%PDF-1.4\n", list[int]()
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return (
        out
        + b"xref\n0 %d\n0000000000 65535 f \n%btrailer << /Size %d /Root 1 0 R%b >>\nstartxref\n%d\n%%%%EOF"
        % (*(len(objects) + 1, table, len(objects) + 1, more, len(out)),)
    )
